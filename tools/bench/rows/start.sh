# shellcheck shell=bash
# How long it takes from exec to the open window, and from its end to the report.

start_round() {
	local report=$tmp/start.json from to start
	from=$(seconds_now)
	"$bin" --duration 300ms --events "$1" --json "$report" >/dev/null 2>&1 ||
		die 1 "no report"
	to=$(seconds_now)
	start=$(pick "$report" window start)
	calc '%.3f\n' "$start / 1e9 - $from" >>"$tmp/start.$1"
	calc '%.3f\n' "$to - ($start + $(pick "$report" window duration)) / 1e9" \
		>>"$tmp/finish.$1"
	calc '%.3f\n' "$(pick "$report" observer start) / 1e9" >>"$tmp/own-start.$1"
	calc '%.3f\n' "$(pick "$report" observer finish) / 1e9" >>"$tmp/own-finish.$1"
}

# In the lab: a guest with so many CPUs.
start_in_lab() { # CPUS
	local dir=$top/build/lab/start-$1 binaries report
	rm -rf "$dir"
	mkdir -p "$dir"
	mapfile -t binaries < <("$top/tests/lab/build" arm64 2>"$tmp/lab.err")
	CPUS=$1 "$top/tests/lab/guest" arm64-7.3 "$dir" start "${binaries[@]}" \
		>/dev/null 2>>"$tmp/lab.err" || return 1
	for report in "$dir"/start-[0-9].json; do
		calc '%.3f\n' "$(pick "$report" observer start) / 1e9" >>"$tmp/lab-start.$1"
		calc '%.3f\n' "$(pick "$report" observer finish) / 1e9" >>"$tmp/lab-finish.$1"
	done
}

lab_lines() {
	local what cpus value=()
	for cpus in 2 8; do
		start_in_lab "$cpus" || {
			skipped start "8 CPUs in the lab" "$(tail -n 1 "$tmp/lab.err")"
			return
		}
	done
	for what in start finish; do
		for cpus in 2 8; do
			value[cpus]=$(spread %.3f <"$tmp/lab-$what.$cpus" | cut -f1)
			say "lab, $cpus CPUs: own $what" \
				"$(spread %.3f <"$tmp/lab-$what.$cpus" | tr '\t' ' ') s"
		done
		result start "lab: $what, 8 CPUs of 2 CPUs" \
			"$(calc %.2f "${value[8]} / ${value[2]}") x" - "<= 2" \
			"$(judge "$(calc %.3f "${value[8]} / ${value[2]}")" 2)"
	done
}

row_start() {
	local rounds=15 round events median range
	((!quick)) || rounds=3
	say "$rounds runs; by the clock outside, which has 100 ticks a second, and (own) by" \
		"the program's account. The start includes --settle (200 ms) and the" \
		"measurement of the observer's cost; the end includes the process's."
	for events in none all; do
		for ((round = 0; round < rounds; round++)); do
			start_round "$events"
		done
		say "--events $events: own start $(spread %.3f <"$tmp/own-start.$events" |
			tr '\t' ' ') s, own finish $(spread %.3f <"$tmp/own-finish.$events" |
			tr '\t' ' ') s"
		IFS=$'\t' read -r median range < <(spread %.2f <"$tmp/start.$events")
		result start "$events: exec to open window" "$median s" "$range" "<= 0.5" \
			"$(judge "$median" 0.5)"
		IFS=$'\t' read -r median range < <(spread %.2f <"$tmp/finish.$events")
		result start "$events: window's end to exit" "$median s" "$range" "<= 0.5" \
			"$(judge "$median" 0.5)"
	done
	((!lab)) || lab_lines
}
