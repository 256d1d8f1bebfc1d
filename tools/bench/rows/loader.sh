# shellcheck shell=bash
# CPU time of the loader, by its own account and by the kernel's.

cpu_ns() { # PID: utime and stime of /proc/PID/stat
	sed 's/^.*) //' "/proc/$1/stat" |
		awk -v hz="$(getconf CLK_TCK)" '{ printf "%.0f\n", ($12 + $13) * 1e9 / hz }'
}

loader_round() { # EVENTS: appends to own, kernel and rate
	local before after report=$tmp/loader.json from to
	background "$tmp/loader.txt" "$bin" run --json "$report" --events "$1" \
		--no-observer-cost --duration "${loader_seconds}s" \
		--workload pingpong --token futex --rings 2
	until is_attached "$pid"; do sleep 0.02; done
	sleep 1
	before=$(cpu_ns "$pid") from=$(seconds_now)
	sleep $((loader_seconds - 2))
	after=$(cpu_ns "$pid") to=$(seconds_now)
	wait "$pid" || die 1 "$(head -n 1 "$tmp/loader.txt")"
	running=()
	calc '%.3f\n' "($after - $before) / 1e7 / ($to - $from)" >>"$tmp/loader.$1.kernel"
	calc '%.3f\n' "100 * $(pick "$report" observer cpu) / \
		$(pick "$report" window duration)" >>"$tmp/loader.$1.own"
	calc '%.0f\n' "($(pick "$report" wakeups count) + $(pick "$report" wakeups_other count)) \
		* 1e9 / $(pick "$report" window duration)" >>"$tmp/loader.$1.rate"
}

loader_case() { # EVENTS REACH
	local round median range rate kernel
	for ((round = 0; round < loader_rounds; round++)); do
		loader_round "$1"
	done
	IFS=$'\t' read -r median range < <(spread %.2f <"$tmp/loader.$1.own")
	rate=$(spread %.0f <"$tmp/loader.$1.rate" | cut -f1)
	kernel=$(spread %.2f <"$tmp/loader.$1.kernel" | tr '\t' ' ')
	say "--events $1 at $rate wakeups/s: own cost line $median % of a CPU" \
		"($range), /proc/PID/stat $kernel %," \
		"at 200,000 wakeups/s that makes $(calc %.2f "$median * 200000 / $rate") %"
	result loader "$1, $rate wakeups/s" "$median %" "$range" "<= $2" \
		"$(judge "$median" "$2")"
}

row_loader() {
	local loader_seconds=30 loader_rounds=3
	((!quick)) || loader_seconds=8 loader_rounds=1
	say "CPU time of the loader while pingpong --token futex --rings 2 runs:" \
		"$loader_rounds rounds of $loader_seconds s; the kernel's clock ticks" \
		"$(getconf CLK_TCK) times a second."
	loader_case all 3
	loader_case none 0.1
}
