# shellcheck shell=bash
# What the rows of tools/bench/run share. $bin is the program, $tmp a directory that is
# removed at the end, $helpers where bpf-cost and replay are, $quick says to be short.

# say TEXT...: a paragraph, folded
say() {
	fold -s -w 78 <<<"$*" | sed 's/ *$//; 2,$s/^/  /'
}

# result ROW WHAT MEASURED SPREAD REACH RESULT: a line of the table
result() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$tmp/table"
}

skipped() { # ROW WHAT REASON
	result "$1" "$2" - - - "skipped"
	say "skipped: $3"
}

# judge VALUE LIMIT: met or missed, at most LIMIT
judge() {
	awk -v v="$1" -v limit="$2" 'BEGIN { print v <= limit ? "met" : "missed" }'
}

calc() { # FORMAT EXPRESSION
	awk "BEGIN { printf \"$1\", $2 }"
}

# spread FORMAT: of the numbers in the input, one a line: median, and "min..max"
spread() {
	sort -g | awk -v f="$1" '
		{ v[NR] = $1 }
		END {
			m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
			printf f "\t" f ".." f "\n", m, v[1], v[NR]
		}'
}

# pick FILE OBJECT KEY: a number that an object at the top of a report has
pick() {
	awk -v object=" \"$2\": {" -v key="  \"$3\": " '
		$0 == object { inside = 1 }
		inside && index($0, key) == 1 {
			sub(",$", "")
			print substr($0, length(key) + 1)
			exit
		}
		inside && /^ }/ { exit }' "$1"
}

seconds_now() { # of CLOCK_MONOTONIC, as far as no suspend comes between
	cut -d' ' -f1 /proc/uptime
}

# ---- processes that run meanwhile ----

running=()

# background FILE COMMAND...: its output in FILE; $pid is set
background() {
	"${@:2}" >"$1" 2>&1 </dev/null &
	pid=$!
	running+=("$pid")
}

end() { # PID...
	kill -TERM "$@" 2>/dev/null
	wait "$@" 2>/dev/null
}

end_all() {
	((!${#running[@]})) || end "${running[@]}"
	running=()
}

is_attached() { # PID
	(($(find "/proc/$1/fd" -lname 'anon_inode:bpf*link*' 2>/dev/null | wc -l) >= 5))
}

# traced EVENTS [OPTION...]: idletrace watches what runs, until end $pid; its report is
# $tmp/report.json. Returns when the window is open.
traced() {
	local waited=0
	background "$tmp/trace.out" "$bin" --duration 10h --settle 100ms --no-observer-cost \
		--json "$tmp/report.json" --events "$@"
	until is_attached "$pid"; do
		if ((++waited >= 500)) || ! kill -0 "$pid"; then
			die 1 "no trace: $(<"$tmp/trace.out")"
		fi
		sleep 0.02
	done
	sleep 0.5
}

# within_window START END: what was measured then, CLOCK_MONOTONIC ns, was traced
within_window() {
	local start duration
	start=$(pick "$tmp/report.json" window start)
	duration=$(pick "$tmp/report.json" window duration)
	(($1 >= start && $2 <= start + duration)) || die 1 "measured outside the window"
}

# ---- the machine ----

cpus_allowed() { # at most COUNT of them
	local list part cpu found=()
	list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	for part in ${list//,/ }; do
		for ((cpu = ${part%-*}; cpu <= ${part#*-}; cpu++)); do
			found+=("$cpu")
		done
	done
	echo "${found[*]:0:$1}"
}
