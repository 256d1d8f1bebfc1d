#!/bin/bash
# The tool must not keep the CPUs that it watches from sleeping: idle entries and irq_work
# interrupts with it are those without it, whether it records wakeups or only counts them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/bench/counters.sh
. "$top/tools/bench/counters.sh"

rounds=3
pid=0
cleanup() {
	((!pid)) || kill -KILL "$pid" 2>/dev/null
}

idle_share() { # ticks of /proc/stat: idle, all
	awk '/^cpu / { for (i = 2; i <= 9; i++) n += $i; print $5 + $6, n }' /proc/stat
}

now_ms() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# measure WHICH: both per second, while the machine is left alone for one second
measure() {
	local began e i
	began=$(now_ms) e=$(idle_entries) i=$(irq_works)
	sleep 1
	began=$(($(now_ms) - began))
	echo "$((($(idle_entries) - e) * 1000 / began))" >>"$tmp/$1.entries"
	echo "$(($(irq_works) - i))" >>"$tmp/$1.irq_works"
}

is_attached() {
	(($(find "/proc/$pid/fd" -lname 'anon_inode:bpf*link*' | wc -l) >= 5))
}

with() { # EVENTS
	local waited=0
	"$idletrace" --duration 60s --settle 100ms --no-observer-cost --events "$1" \
		>"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until is_attached 2>/dev/null || ((++waited > 500)); do sleep 0.02; done
	sleep 0.5
	measure "$1"
	kill -TERM "$pid"
	wait "$pid" || fail "with --events $1" "status $?: $(head -n 1 "$tmp/err")"
	pid=0
}

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# steady NAME WHICH MEASURE MORE: at most twice as many as without, and MORE
steady() {
	local without with
	without=$(median "$tmp/without.$3") with=$(median "$tmp/$2.$3")
	if ((with <= 2 * without + $4)); then
		ok "$1"
	else
		fail "$1" "$with a second, $without without: $(tr '\n' ' ' <"$tmp/$2.$3")"
	fi
}

read -r idle all < <(idle_share)
for ((round = 0; round < rounds; round++)); do
	for which in without none all; do
		if [[ $which == without ]]; then
			measure without
		else
			with "$which"
		fi
	done
done
read -r idle_end all_end < <(idle_share)
share=$(((idle_end - idle) * 100 / (all_end - all)))

for which in none all; do
	if ! has_idle_entries; then
		skip "idle entries, --events $which" "no cpuidle driver counts them"
	elif ((share < 5)); then
		skip "idle entries, --events $which" "these CPUs are never idle"
	else
		steady "idle entries, --events $which" "$which" entries 500
	fi
	if has_irq_works; then
		steady "irq_work interrupts, --events $which" "$which" irq_works 5
	else
		skip "irq_work interrupts, --events $which" "not counted on this machine"
	fi
done
