#!/bin/bash
# Settings against each other: every run counts where it should, everything is put back.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

governor=/sys/devices/system/cpu/cpuidle/current_governor
slice=/proc/sys/kernel/sched_rr_timeslice_ms
governor_was=$(cat "$governor" 2>/dev/null)
slice_was=$(cat "$slice" 2>/dev/null)
state_was=$(cat /sys/devices/system/cpu/cpu*/cpuidle/state1/disable 2>/dev/null)
pid=

cleanup() {
	[[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null
	[[ -z $governor_was ]] || echo "$governor_was" >"$governor"
	[[ -z $slice_was ]] || echo "$slice_was" >"$slice"
}

short=(--settle 0s --workload adrestia --duration 100ms --no-observer-cost)

# ab ARGUMENT...: status 0, or 3 where records were lost
ab() {
	local status=0
	timeout 120 "$idletrace" ab "$@" || status=$?
	((status == 0 || status == 3))
}

usage() { # PATTERN ARGUMENT...
	local pattern=$1
	shift
	says "usage: $*" 2 "idletrace: $pattern" timeout 20 "$idletrace" ab "$@"
}

columns() { # FILE
	! grep -qE '.{81}' "$1"
}

# ---- the document and the tables ----

t "none=a,b" ab --vary none=a,b --rounds 2 --workload adrestia --duration 1s --settle 50ms \
	--json "$tmp/none.json"
holds "none=a,b: its runs" "$tmp/none.json" '
assert d["schema"] == "idletrace.ab/1" and d["vary"] == ["none"]
assert d["rounds"] == 2 and d["order"] == [[0, 1], [1, 0]], d["order"]
assert [p["name"] for p in d["points"]] == ["none=a", "none=b"]
assert [p["values"] for p in d["points"]] == [{"none": "a"}, {"none": "b"}]
dates = {}
for p in d["points"]:
    assert len(p["runs"]) == 2 and not p["control"]
    for r in p["runs"]:
        assert r["schema"] == "idletrace.run/1" and r["workload"]["name"] == "adrestia"
        assert 900e6 < r["window"]["duration"]'
t "compare takes it" "$idletrace" compare "$tmp/none.json"

t "several knobs, discarded round, control" ab --vary none=a,b --vary loops=1000,2000 \
	--aa --discard-first --rounds 2 "${short[@]}" --no-trace --json "$tmp/many.json"
holds "several knobs: all combinations, and the control" "$tmp/many.json" '
names = ["none=a loops=1000", "none=a loops=2000", "none=b loops=1000",
         "none=b loops=2000", "none=a loops=1000 (A/A)"]
assert [p["name"] for p in d["points"]] == names, [p["name"] for p in d["points"]]
assert [p["control"] for p in d["points"]] == [False] * 4 + [True]
assert all(len(p["runs"]) == 2 for p in d["points"])
for p in d["points"]:
    for r in p["runs"]:
        assert str(r["workload"]["options"]["loops"]) == p["values"]["loops"]
assert d["order"][1] == d["order"][0][::-1]'

for format in native nayak smythies loehle percentiles mmtests; do
	if ab --vary threads=1,2 --rounds 1 --format "$format" "${short[@]}" \
		>"$tmp/out" 2>"$tmp/err" && [[ -s $tmp/out ]]; then
		if [[ $format == loehle ]] || columns "$tmp/out"; then
			ok "format $format"
		else
			fail "format $format" "wider than 80 columns"
		fi
	else
		fail "format $format" "$(tail -n 1 "$tmp/err")"
	fi
done

ab --vary none=a,b --rounds 1 "${short[@]}" --no-trace --json - >"$tmp/stdout.json" 2>/dev/null
holds "--json -: nothing but JSON" "$tmp/stdout.json" 'assert len(d["points"]) == 2'
t "a command" ab --vary none=a,b --rounds 1 --settle 0s --no-observer-cost --json "$tmp/c.json" \
	-- sleep 0.05
holds "a command: its runs" "$tmp/c.json" 'assert len(d["points"][1]["runs"]) == 1'

# ---- knobs of this machine ----

other=$(tr ' ' '\n' 2>/dev/null </sys/devices/system/cpu/cpuidle/available_governors |
	grep -vx "$governor_was" | head -n 1)
if [[ -n $other && -w $governor ]]; then
	t "governor" ab --vary "governor=$governor_was,$other" --rounds 2 "${short[@]}" \
		--json "$tmp/governor.json"
	holds "governor: each run had its own" "$tmp/governor.json" '
for p in d["points"]:
    for r in p["runs"]:
        assert r["host"]["cpuidle"]["governor"] == p["values"]["governor"]'
	t "governor: put back" test "$(<"$governor")" = "$governor_was"
else
	skip "governor" "no choice of governors here"
fi
if [[ -n $state_was ]]; then
	t "idle state and pm-qos" ab --vary state1=on,off --vary pm-qos=none,0 --rounds 1 \
		"${short[@]}" --json "$tmp/state.json"
	holds "idle state: it was off" "$tmp/state.json" '
for p in d["points"]:
    off = p["values"]["state1"] == "off"
    for r in p["runs"]:
        assert r["host"]["cpuidle"]["states"][1]["disabled"] == off'
	t "idle state: put back" test \
		"$(cat /sys/devices/system/cpu/cpu*/cpuidle/state1/disable)" = "$state_was"
else
	skip "idle state and pm-qos" "no idle states here"
fi
if [[ -n $slice_was ]]; then
	t "sysctl" ab --vary "sysctl:kernel.sched_rr_timeslice_ms=$slice_was,$((slice_was + 10))" \
		--rounds 1 "${short[@]}" --no-trace
	t "sysctl: put back" test "$(<"$slice")" = "$slice_was"
	usage '--vary sysctl:kernel.sched_rr_timeslice_ms=x: */sched_rr_timeslice_ms: *' \
		--vary "sysctl:kernel.sched_rr_timeslice_ms=$((slice_was + 10)),x" "${short[@]}"
	t "sysctl: put back after a refusal" test "$(<"$slice")" = "$slice_was"
fi
if [[ -r /sys/kernel/debug/sched/features ]]; then
	features=$(</sys/kernel/debug/sched/features)
	t "sched-feature" ab --vary sched-feature=TTWU_QUEUE,NO_TTWU_QUEUE --rounds 1 \
		"${short[@]}" --no-trace
	t "sched-feature: put back" test "$(</sys/kernel/debug/sched/features)" = "$features"
else
	skip "sched-feature" "cannot read /sys/kernel/debug/sched/features"
fi

# ---- ends ----

echo 0 >"$tmp/knob"
start() { # ARGUMENT...
	env --default-signal=INT,QUIT "$idletrace" ab --vary "file:$tmp/knob=1,2" --rounds 1000 \
		--settle 0s --workload adrestia --no-trace "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
}

until_ended() { # sets status; what does not end is killed
	local i
	for ((i = 0; i < 200; i++)); do
		[[ $(ps -o stat= -p "$pid") != [!Z]* ]] && break
		sleep 0.05
	done
	((i < 200)) || kill -KILL "$pid"
	status=0
	wait "$pid" 2>/dev/null || status=$?
	pid=
}

until_true() { # COMMAND...
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

knob_is() {
	[[ $(<"$tmp/knob") == "$1" ]]
}

for signal in INT TERM HUP; do
	start --duration 20ms --json "$tmp/$signal.json"
	sleep 1
	kill "-$signal" "$pid"
	until_ended
	t "SIG$signal: ends well" test "$status" = 0
	t "SIG$signal: says so" grep -q 'ended early: [1-9]' "$tmp/err"
	holds "SIG$signal: complete rounds only" "$tmp/$signal.json" '
assert 0 < d["rounds"] < 1000 and d["rounds_asked"] == 1000
assert [len(p["runs"]) for p in d["points"]] == [d["rounds"]] * 2'
	t "SIG$signal: put back" knob_is 0
done

start --duration 60s
until_true knob_is 1
until_true pgrep -P "$pid" -x exe >/dev/null
kill -INT "$pid"
until_ended
t "Ctrl-C in the first round fails" test "$status" = 1
t "Ctrl-C in the first round: says so" grep -qx \
	'idletrace: interrupted before a round was complete' "$tmp/err"
t "Ctrl-C in the first round: put back" knob_is 0

start --duration 60s
until_true pgrep -P "$pid" -x exe >/dev/null
kill -KILL "$(pgrep -P "$pid" -x exe)"
until_ended
t "a run was killed: fails" test "$status" = 1
t "a run was killed: says so" grep -q 'killed by signal 9' "$tmp/err"
t "a run was killed: put back" knob_is 0

start --duration 60s
until_true pgrep -P "$pid" -x exe >/dev/null
kill -KILL "$pid"
until_ended
t "kill -9: put back" until_true knob_is 0

# ---- refused ----

usage '--vary: needs KNOB=VALUE,VALUE*' --rounds 2
usage '--vary governor=nosuch,menu: *' --vary governor=nosuch,menu
usage '--vary nosuch=1,2: no such knob, there are governor, *' --vary nosuch=1,2
usage '--vary none=a: needs two values, or --aa' --vary none=a
usage '--rounds 0: needs 1 to 10000' --rounds 0 --vary none=a,b
usage '--format nosuch: needs one of native, *' --format nosuch --vary none=a,b
usage '--records: every run *' --vary none=a,b --events all --records "$tmp/r"
usage '--duration 0: *' --vary none=a,b --duration 0
usage '--bogus: no such option*' --vary none=a,b --bogus
usage '--threads 0: *' --vary none=a,b --workload adrestia --threads 0
usage '--vary threads=1,0: --threads 0: *' --vary threads=1,0 --workload adrestia
usage '--vary threads=1,2: no such knob*' --vary threads=1,2
usage '--vary option:threads=1,2: needs --workload*' --vary option:threads=1,2
