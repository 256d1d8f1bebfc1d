# shellcheck shell=bash
# BPF time per wakeup, beside runqlat and beside empty programs.

# Its name in libbpf-tools, and in bcc's Debian package.
find_runqlat() {
	PATH=$PATH:/usr/sbin:/usr/share/bcc/tools
	command -v runqlat || command -v runqlat-bpfcc
}

pingpong() { # PLACE
	background /dev/null "$bin" run --no-trace --workload pingpong --tasks 2 --place "$1" \
		--duration 10h
}

# The loads: how much of the wakeups comes out of idle makes the difference.
start_load() { # LOAD
	case $1 in
	busy) # each CPU has two tasks that wake each other: never idle
		for cpu in "${cpus[@]}"; do
			pingpong "$cpu,$cpu"
		done
		;;
	idle) pingpong "${cpus[0]},${cpus[1]}" ;; # the other CPU, out of its idle state
	any) pingpong any ;;                      # where the scheduler likes it
	esac
}

start_tracers() { # EVENTS ROUND: who comes first pays for cold caches, so take turns
	local order=(rival ours) who
	((!($2 % 2))) || order=(ours rival)
	for who in "${order[@]}"; do
		if [[ $who == ours ]]; then
			traced "$1"
			ours=$pid
		elif [[ -n $runqlat ]]; then
			background /dev/null "$runqlat" 36000
			rival=$pid
			until is_attached_at_all "$rival"; do sleep 0.05; done
		fi
	done
}

is_attached_at_all() { # PID: a rival that never does has ended
	grep -qs '^prog_id:' "/proc/$1/fdinfo/"* || ! kill -0 "$1" 2>/dev/null
}

cost_round() { # LOAD EVENTS ROUND
	local out=$tmp/cost.$1.$2.$3 ours rival='' line
	start_tracers "$2" "$3"
	"$helpers/bpf-cost" "$cost_seconds" idletrace="$ours" ${rival:+runqlat="$rival"} \
		>"$out" || die 1 "bpf-cost failed"
	end "$ours" ${rival:+"$rival"}
	read -ra line < <(grep '^window' "$out")
	within_window "${line[1]}" "${line[2]}"
}

# From the lines of bpf-cost: each one's ns per wakeup, as "NAME NS" lines, wakeups per
# second (rate) and idle entries per wakeup (idle).
per_wakeup() { # FILE
	awk '
		$1 == "window" { ns = $3 - $2; next }
		{ time[$1] += $4 }
		$1 == "empty" && $2 == "cpu_idle" { idle += $3 / 2 }
		$1 == "idletrace" && ($2 == "sched_waking" || $2 == "sched_wakeup_ne") { n += $3 }
		END {
			if (!n)
				exit 1
			for (who in time)
				print who, time[who] / n
			print "rate", n * 1e9 / ns
			print "idle", idle / n
		}' "$1"
}

program_table() { # LOAD EVENTS: all rounds together
	awk '
		$1 == "window" { next }
		{ key = $1 "\t" $2; runs[key] += $3; time[key] += $4 }
		END {
			for (key in runs)
				if (runs[key])
					printf "  %s\t%d\t%.0f\n", key, runs[key], time[key] / runs[key]
		}' "$tmp/cost.$1.$2".* | sort |
		awk -F '\t' '
			{ printf "%-12s %-16s %10d runs %7d ns each\n", $1, $2, $3, $4 }'
}

ratios() { # LOAD EVENTS OTHER
	local file
	for file in "$tmp/cost.$1.$2".*; do
		per_wakeup "$file" | awk -v other="$3" '
			{ v[$1] = $2 }
			END { if (v[other]) print v["idletrace"] / v[other] }'
	done
}

above_empty() { # LOAD EVENTS
	local file
	for file in "$tmp/cost.$1.$2".*; do
		per_wakeup "$file" | awk '{ v[$1] = $2 } END { print v["idletrace"] - v["empty"] }'
	done
}

of() { # LOAD EVENTS WHO: its ns per wakeup, or the rate
	local file
	for file in "$tmp/cost.$1.$2".*; do
		per_wakeup "$file" | awk -v who="$3" '$1 == who { print $2 }'
	done
}

cost_line() { # LOAD EVENTS OTHER WHAT REACH
	local median range verdict=-
	IFS=$'\t' read -r median range < <(ratios "$1" "$2" "$3" | spread %.2f)
	[[ $5 == - ]] || verdict=$(judge "$median" "$5")
	result cost "$4" "$median x" "$range" "${5/#[0-9]/<= &}" "$verdict"
}

cost_case() { # LOAD EVENTS REACH
	local round label=$2 who text=
	case $1 in
	busy) label+=", no CPU idle" ;;
	idle) label+=", out of idle" ;;
	any) label+=", not pinned" ;;
	esac
	start_load "$1"
	sleep 0.3
	for ((round = 1; round <= cost_rounds; round++)); do
		cost_round "$1" "$2" "$round"
	done
	end_all
	for who in idletrace runqlat empty; do
		[[ -z $(of "$1" "$2" "$who") ]] ||
			text+="$who $(of "$1" "$2" "$who" | spread %.0f | tr '\t' ' ') ns; "
	done
	say "--events $label, $(of "$1" "$2" rate | spread %.0f | cut -f1) wakeups/s," \
		"$(of "$1" "$2" idle | spread %.2f | cut -f1) idle entries each;" \
		"per wakeup: ${text%; }"
	say "above the empty programs: $(above_empty "$1" "$2" | spread %.0f | tr '\t' ' ') ns"
	program_table "$1" "$2"
	if [[ -n $runqlat ]]; then
		cost_line "$1" "$2" runqlat "$label: of runqlat" "$3"
	fi
	cost_line "$1" "$2" empty "$label: of empty" -
}

row_cost() {
	local runqlat cpus cost_rounds=5 cost_seconds=4 load
	((!quick)) || cost_rounds=2 cost_seconds=2
	runqlat=$(find_runqlat)
	read -ra cpus <<<"$(cpus_allowed 2)"
	say "BPF time per wakeup: $cost_rounds rounds of $cost_seconds s, the kernel's own" \
		"statistics of all programs in one window. Tasks play ping-pong through pipes." \
		"Beside idletrace run runqlat (${runqlat:-not there}) and empty programs on the" \
		"same tracepoints; the statistics themselves are in all figures."
	[[ -n $runqlat ]] || skipped cost "of runqlat" "no runqlat (Debian: libbpf-tools)"
	for load in busy any idle; do
		if [[ $load == idle ]] && ((${#cpus[@]} < 2)); then
			skipped cost "out of idle" "it needs two CPUs"
			continue
		fi
		cost_case "$load" none 0.35
		cost_case "$load" all 0.50
	done
}
