# shellcheck shell=bash
# What idletrace does to a machine that has nothing to do.

idle_sample() { # WHICH: entries and irq_work per second
	local entries works from to
	entries=$(idle_entries) works=$(irq_works) from=$(seconds_now)
	sleep "$idle_seconds"
	to=$(seconds_now)
	calc '%.1f\n' "($(idle_entries) - $entries) / ($to - $from)" >>"$tmp/idle.$1.entries"
	calc '%.2f\n' "($(irq_works) - $works) / ($to - $from)" >>"$tmp/idle.$1.works"
}

idle_round() { # WHICH
	if [[ $1 == off ]]; then
		idle_sample off
		return
	fi
	traced "$1"
	sleep 1
	idle_sample "$1"
	end "$pid"
	running=()
	calc '%.2f\n' "$(pick "$tmp/report.json" observer wakeups) * 1e9 / \
		$(pick "$tmp/report.json" window duration)" >>"$tmp/idle.$1.wakeups"
}

# Each round's ratio to the round without before and after it: both lie as near.
entry_ratios() { # WHICH
	paste "$tmp/idle.$1.entries" "$tmp/idle.off.entries" |
		awk '{ if ($2) print $1 / $2 }'
}

idle_lines() { # WHICH WAKEUPS
	local median range noise low high verdict=missed
	IFS=$'\t' read -r low high < <(spread %.1f <"$tmp/idle.off.entries" |
		sed 's/.*\t//; s/\.\./\t/')
	IFS=$'\t' read -r median range < <(entry_ratios "$1" | spread %.3f)
	noise=$(spread %.1f <"$tmp/idle.off.entries" | cut -f1)
	say "--events $1: entries/s $(spread %.1f <"$tmp/idle.$1.entries" | tr '\t' ' ')," \
		"without $noise $low..$high"
	# Within what it varies without.
	awk -v m="$median" -v low="$low" -v high="$high" -v mid="$noise" 'BEGIN {
		exit !(m <= high / mid || m <= 1) }' && verdict=met
	result idle "$1: idle entries, of without" "$median x" "$range" "noise" "$verdict"
	IFS=$'\t' read -r median range < <(spread %.2f <"$tmp/idle.$1.wakeups")
	result idle "$1: own wakeups/s" "$median" "$range" "<= $2" "$(judge "$median" "$2")"
	if has_irq_works; then
		IFS=$'\t' read -r median range < <(spread %.2f <"$tmp/idle.$1.works")
		noise=$(spread %.2f <"$tmp/idle.off.works" | tr '\t' ' ')
		say "--events $1: irq_work/s $median $range, without $noise"
		result idle "$1: irq_work/s" "$median" "$range" "<= 0" "$(judge "$median" 0)"
	fi
}

row_idle() {
	local idle_rounds=4 idle_seconds=12 round which order
	((!quick)) || idle_rounds=2 idle_seconds=5
	has_idle_entries || { skipped idle "all" "no cpuidle driver counts entries"; return; }
	say "An idle machine for $idle_seconds s at a time, without and with, interleaved," \
		"$idle_rounds rounds: idle entries by sysfs, irq_work by /proc/interrupts."
	for ((round = 0; round < idle_rounds; round++)); do
		order=(off none all)
		((!(round % 2))) || order=(all none off)
		for which in "${order[@]}"; do
			idle_round "$which"
		done
	done
	idle_lines none 1
	idle_lines all 4
}
