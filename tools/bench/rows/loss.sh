# shellcheck shell=bash
# Records lost at the highest rates that this machine makes.

# What was counted, and where each count's record went: nothing may be missing.
adds_up() { # REPORT
	local counted kept expired
	expired=$(pick "$1" timers expired)
	[[ -n $expired ]] || return 1
	counted=$(($(pick "$1" wakeups count) + $(pick "$1" wakeups_other count) +
		$(pick "$1" idle periods) + expired - $(pick "$1" timers tick)))
	kept=$(($(grep -o '^ "records": [0-9]*' "$1" | grep -o '[0-9]*$') +
		$(pick "$1" loss ring)))
	((counted == kept)) || {
		say "counted $counted, but kept and lost $kept"
		return 1
	}
}

loss_case() { # WHAT REACH OPTION...
	local report=$tmp/loss.json status=0 lost wakeups seconds verdict
	"$bin" run --json "$report" --events all --duration "${loss_seconds}s" "${@:3}" \
		>"$tmp/loss.txt" 2>&1 || status=$?
	((status == 0 || status == 3)) || die 1 "${*:3}: $(head -n 1 "$tmp/loss.txt")"
	lost=$(pick "$report" loss ring)
	wakeups=$(($(pick "$report" wakeups count) + $(pick "$report" wakeups_other count)))
	seconds=$(calc %.9f "$(pick "$report" window duration) / 1e9")
	say "$1: $wakeups wakeups ($(calc %.0f "$wakeups / $seconds")/s)," \
		"$(grep -o '^ "records": [0-9]*' "$report" | grep -o '[0-9]*$') records" \
		"($(calc %.0f "$(grep -o '^ "records": [0-9]*' "$report" |
			grep -o '[0-9]*$') / $seconds")/s), $lost lost"
	grep -A 3 '^LOSS' "$tmp/loss.txt" | grep -B 3 '^OBSERVER' | grep -v '^OBSERVER' |
		sed 's/^/  /'
	verdict=missed
	if adds_up "$report" && [[ $2 == any || $lost == 0 ]] &&
		((lost == 0 || status == 3)); then
		verdict=met
	fi
	if [[ $2 == any ]]; then
		result loss "$1" "$lost lost" "all counted" "-" "$verdict"
	else
		result loss "$1" "$lost lost" "all counted" "0" "$verdict"
	fi
}

row_loss() {
	local loss_seconds=60
	((!quick)) || loss_seconds=10
	say "Records that the rings refused in $loss_seconds s with --events all. The" \
		"histograms must count every wakeup, lost record or not: wakeups, idle periods" \
		"and timers counted are the records kept and lost together."
	loss_case "pingpong futex, 2 rings" 0 --workload pingpong --token futex --rings 2
	loss_case "schbench -L -n 0 -s 0" 0 --workload schbench --no-locking --operations 0 \
		--sleep 0ns
	loss_case "messaging, 20 groups" 0 --workload messaging --groups 20
	loss_case "messaging, --ring-size 64k" any --workload messaging --groups 20 \
		--ring-size 64k
}
