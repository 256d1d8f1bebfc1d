# shellcheck shell=bash
# A long run: tasks come and go, records are kept, memory stays where it is.

resident_now() { # PID
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

row_soak() {
	local seconds=600 i first=0 last=0 now
	((!quick)) || seconds=60
	say "$seconds s of the workload spawn, a new task each time, with --events all and" \
		"--interval 1s; VmRSS every 5 s, the first and the last sixth compared."
	background "$tmp/soak.txt" "$bin" run --json "$tmp/soak.json" --no-observer-cost \
		--events all --interval 1s --duration "$((seconds + 10))s" --workload spawn
	until is_attached "$pid"; do sleep 0.02; done
	sleep 5
	for ((i = 0; i < seconds; i += 5)); do
		now=$(resident_now "$pid")
		[[ -n $now ]] || die 1 "it ended: $(head -n 1 "$tmp/soak.txt")"
		((i >= seconds / 6)) || first=$((now > first ? now : first))
		((i < seconds * 5 / 6)) || last=$((now > last ? now : last))
		sleep 5
	done
	end "$pid"
	running=()
	say "$(pick "$tmp/soak.json" wakeups count) wakeups," \
		"$(pick "$tmp/soak.json" loss ring) records lost"
	result soak "growth of VmRSS" "$((last - first)) KiB" "$first..$last" "<= 1024" \
		"$(judge $((last - first)) 1024)"
}
