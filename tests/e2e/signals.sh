#!/bin/bash
# Signals: an early end still reports, a violent one leaves nothing behind.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

pid=0
cleanup() {
	((!pid)) || kill -KILL "$pid" 2>/dev/null
}

find_bpftool() {
	local path
	for path in "$(command -v bpftool)" /usr/sbin/bpftool /usr/lib/linux-tools/*/bpftool \
		/usr/lib/linux-tools-*/bpftool; do
		"$path" version >/dev/null 2>&1 && echo "$path" && return
	done
}
bpftool=$(find_bpftool)

programs() { # of ours, by id
	"$bpftool" prog show 2>/dev/null |
		awk '$0 ~ /^[0-9]+: tracing +name (sched_waking|cpu_idle)/ { print $1 }'
}

# Those of others who trace at the same time are not ours.
new_programs() {
	programs | grep -vxFf "$tmp/before"
}

pinned() {
	find /sys/fs/bpf -mindepth 1 2>/dev/null | sort
}

# within SECONDS COMMAND...: it succeeds before that time is over
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || return 1
		sleep 0.02
	done
}

child() { # of the idletrace that runs
	pgrep -P "$pid" | head -n 1
}

is_gone() { # PID
	[[ ! -d /proc/$1 || $(awk '/^State/ { print $2 }' "/proc/$1/status" 2>/dev/null) == Z ]]
}

no_new_programs() {
	[[ -z $(new_programs) ]]
}

blocks_signals() {
	local mask
	mask=$(awk '/^SigBlk/ { print $2 }' "/proc/$pid/status")
	((0x${mask:-0} & 2))
}

is_attached() {
	(($(find "/proc/$pid/fd" -lname 'anon_inode:bpf*link*' | wc -l) >= 5))
}

# All that is to run does.
is_at_work() {
	local c
	c=$(child)
	[[ -n $c ]] && awk '/^voluntary/ { n += $2 } END { exit n < 1000 }' "/proc/$c/task"/*/status
}

start() { # ARGUMENT...
	rm -f "$tmp/out" "$tmp/err" "$tmp/json"
	if [[ -n $bpftool ]]; then
		programs >"$tmp/before"
	fi
	set -m # else SIGINT is ignored
	"$idletrace" --json "$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	set +m
}

# ended SECONDS: sets status
ended() {
	status=0
	if ! within "$1" is_gone "$pid"; then
		status=hangs
		kill -KILL "$pid"
	fi
	wait "$pid" 2>/dev/null || [[ $status == hangs ]] || status=$?
	pid=0
}

# reports NAME PYTHON: status 0, no word on stderr, and a report that says so
reports() {
	ended 20
	if [[ $status == 0 && ! -s $tmp/err && -s $tmp/out ]]; then
		holds "$1" "$tmp/json" "assert d['window']['interrupted'] is True
$2"
	else
		fail "$1" "status $status: $(head -n 1 "$tmp/err")"
	fi
}

# fails NAME PATTERN: status 1, and that line alone
fails() {
	ended 20
	# shellcheck disable=SC2053 # a pattern it is
	if [[ $status == 1 && $(wc -l <"$tmp/err") == 1 && $(<"$tmp/err") == $2 ]]; then
		ok "$1"
	else
		fail "$1" "status $status: $(head -n 1 "$tmp/err")"
	fi
}

too_early() { # NAME
	fails "$1" 'idletrace: interrupted before the window was open'
	t "$1: no report" test ! -s "$tmp/out" -a ! -e "$tmp/json"
}

start --duration 100s --settle 60s --no-observer-cost
within 20 blocks_signals
kill -INT "$pid"
too_early "SIGINT while it loads"

for signal in INT TERM; do
	start --duration 100s --settle 60s --no-observer-cost
	within 20 is_attached && sleep 0.1
	kill -"$signal" "$pid"
	too_early "SIG$signal while it settles"

	start --workload adrestia --threads 10 --duration 100s --settle 0s --no-observer-cost
	within 20 is_at_work
	kill -"$signal" "$pid"
	reports "SIG$signal in a workload" '
assert d["window"]["duration"] < 50e9 and d["wakeups"]["count"] > 10
assert d["workload"]["stopped"] is True and d["workload"]["metrics"], d["workload"]'
done

start --duration 100s --settle 0s --no-observer-cost
within 20 is_attached && sleep 0.5
kill -INT "$pid"
reports "SIGINT in a profile" 'assert d["wakeups"]["count"]'

# As from the keyboard: to the whole process group.
start --settle 0s --no-observer-cost -- sleep 100
within 20 pgrep -P "$pid" -x sleep
kill -INT -- "-$pid"
reports "Ctrl-C with a command" '
assert d["command"]["exit_status"] == 128 + 2, d["command"]'

start --settle 0s --no-observer-cost -- sleep 100
within 20 pgrep -P "$pid" -x sleep
kill -TERM "$pid"
reports "SIGTERM with a command" '
assert d["command"]["exit_status"] == 128 + 15, d["command"]'

# A shell, what it started in the background, and a daemon.
cp "$(command -v sleep)" "$tmp/napper"
"$idletrace" --duration 300ms --settle 0s --no-observer-cost -- sh -c \
	"(setsid '$tmp/napper' 100 &); '$tmp/napper' 100 & '$tmp/napper' 100" >"$tmp/out" 2>&1
t "the end of a command's time: nothing of it is left" test -z "$(pgrep -x napper)"

pinned >"$tmp/pinned"
start --workload adrestia --threads 10 --duration 100s --settle 0s --no-observer-cost \
	--events all --records "$tmp/records"
within 20 is_at_work
victim=$(child)
if [[ -n $bpftool && -z $(new_programs) ]]; then
	fail "SIGKILL: no program stays loaded" "none was there to begin with"
fi
kill -KILL "$pid"
ended 20
t "SIGKILL: the workload is gone" within 10 is_gone "$victim"
t "SIGKILL: nothing is pinned" diff "$tmp/pinned" <(pinned)
if [[ -n $bpftool ]]; then
	t "SIGKILL: no program stays loaded" within 10 no_new_programs
else
	skip "SIGKILL: no program stays loaded" "no bpftool"
fi

start --settle 0s --no-observer-cost -- sleep 100
within 20 pgrep -P "$pid" -x sleep
victim=$(child)
kill -KILL "$pid"
ended 20
t "SIGKILL: the command is gone" within 10 is_gone "$victim"

start --workload adrestia --threads 10 --warmup 100s --settle 0s --no-observer-cost
within 20 is_at_work
victim=$(child)
kill -INT "$pid"
too_early "SIGINT in the warm-up"
t "SIGINT in the warm-up: the workload is gone" is_gone "$victim"

for mode in --no-observer-cost --no-trace; do
	start --workload adrestia --threads 10 --duration 100s --settle 0s "$mode"
	within 20 is_at_work
	kill -KILL "$(child)"
	fails "SIGKILL of the workload, $mode" \
		'idletrace: adrestia: its process was killed by signal 9 (Killed)'
done
