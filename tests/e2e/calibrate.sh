#!/bin/bash
# What tracing costs: runs with and without it take turns, and the numbers are those of
# the runs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

pid=
cleanup() {
	[[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null
}

short=(--workload pingpong --duration 200ms --settle 20ms)

# Status 3 is a run that lost records, which is not what is tested here.
run() { # NAME ARGUMENT...
	local n=$1 status=0
	shift
	timeout 120 "$idletrace" "$1" --json "$tmp/$n.json" "${@:2}" >"$tmp/$n.txt" 2>"$tmp/$n.err" ||
		status=$?
	((status == 0 || status == 3)) || { cat "$tmp/$n.err"; return 1; }
}

# The numbers again, from the runs themselves.
numbers='
from statistics import median
c = d["calibration"]
runs = {p["values"]["trace"]: p["runs"] for p in d["points"] if not p["control"]}
assert c["rounds"] == d["rounds"] == len(runs["on"]) == len(runs["off"])
assert all(r["traced"] for r in runs["on"]) and not any(r["traced"] for r in runs["off"])
def values(side, name):
    all = [(r["workload"] or r["command"])["metrics"] for r in runs[side]]
    return [m["value"] for metrics in all for m in metrics
            if m["name"] == name and m["value"] is not None]
def same(value, values):
    want = median(values) if values else None
    assert value == want or abs(value - want) < 1e-6 * (1 + abs(want)), (value, want)
def ordered(o, name):
    if o["low"] is not None:
        assert o["low"] <= o[name] <= o["high"], o
assert c["metrics"]
for m in c["metrics"]:
    same(m["off"], values("off", m["name"]))
    same(m["on"], values("on", m["name"]))
    if m["slowdown"] is not None:
        same(m["slowdown"], [m["on"] / m["off"] if m["better"] == "lower"
                             else m["off"] / m["on"]])
        ordered(m, "slowdown")
idle = c["idle_entries"]
def rate(r):
    k = r["kernel"]
    return k["idle_entries"] * k["cpus"] * 1e9 / k["cpu_time"]
if idle:
    same(idle["off"], [rate(r) for r in runs["off"]])
    same(idle["on"], [rate(r) for r in runs["on"]])
    same(idle["added"], [idle["on"] - idle["off"]])
    ordered(idle, "ratio") if idle["ratio"] is not None else None
else:
    assert not d["points"][0]["runs"][0]["kernel"]["cpus"]
'

# Every number of a line of the table, in the order of its columns.
table='
c = d["calibration"]
text = open(sys.argv[1].replace(".json", ".txt")).read()
def narrow(v):
    s = "%+.1f" % v
    s = s if len(s) <= 7 else "%+.0f" % v
    return s if len(s) <= 7 else "%+.0e" % v
def percent(ratio):
    return "-" if ratio is None else narrow(100 * (ratio - 1)) + "%"
for m in c["metrics"]:
    interval = "-"
    if m["low"] is not None:
        interval = "[%s, %s]" % (percent(m["low"]), percent(m["high"]))
    p = "-" if m["p"] is None else "<.0001" if m["p"] < 0.00005 else "%.4f" % m["p"]
    words = [l.split() for l in text.split("\n") if l.split()[:1] == [m["name"]]]
    assert len(words) == 1, m["name"]
    tail = [percent(m["slowdown"])] + interval.split() + [p] + (m["verdict"] or "").split()
    assert words[0][-len(tail):] == tail, (words[0], tail)
if c["bpf"] is not None:
    assert "BPF        %.0f ns per wakeup" % c["bpf"] in text
if c["exit_program"] is not None:
    assert "at most %.0f ns" % c["exit_program"] in text
else:
    assert "cpu_idle: - (not measured)" in text
'

t "--calibrate" run calibrate --calibrate --rounds 4 "${short[@]}"
valid "calibrate: valid JSON" "$tmp/calibrate.json"
holds "--calibrate: ABBA" "$tmp/calibrate.json" '
assert d["vary"] == ["trace"] and d["rounds"] == d["rounds_asked"] == 4
assert d["order"] == [[0, 1], [1, 0]] * 2
assert [p["name"] for p in d["points"]] == ["trace=off", "trace=on"]'
holds "--calibrate: numbers of the runs" "$tmp/calibrate.json" "$numbers"
holds "--calibrate: text and JSON" "$tmp/calibrate.json" "$table"
if LC_ALL=C grep -qE '^.{81,}|[^ -~]|[[:space:]]$' "$tmp/calibrate.txt"; then
	fail "--calibrate: 80 columns of ASCII" \
		"$(LC_ALL=C grep -E '^.{81,}|[^ -~]|[[:space:]]$' "$tmp/calibrate.txt" | head -n 1)"
else
	ok "--calibrate: 80 columns of ASCII"
fi
t "--calibrate: says how long it takes" grep -qE \
	'^idletrace: 4 rounds of a run without and a run with tracing, about [0-9]+ s$' \
	"$tmp/calibrate.err"

# shellcheck disable=SC2016
command=(sh -c 'sleep 0.05; echo "took $(date +%N | sed "s/^0*//") ns"')
t "a command" run command --calibrate --rounds 2 --settle 0s --no-observer-cost \
	--metric 'took=took ([0-9]+):lower' -- "${command[@]}"
valid "command: valid JSON" "$tmp/command.json"
holds "a command: numbers of the runs" "$tmp/command.json" "$numbers"
holds "a command: nothing is made up" "$tmp/command.json" '
c = d["calibration"]
assert [m["name"] for m in c["metrics"]] == ["took"]
assert c["exit_program"] is c["bpf"] is None'

t "ab --vary trace=on,off" run ab ab --vary trace=on,off --rounds 2 --settle 0s --aa \
	"${short[@]}"
valid "ab: valid JSON" "$tmp/ab.json"
holds "ab --vary trace=on,off: numbers of the runs" "$tmp/ab.json" "$numbers"
holds "ab --vary trace=on,off: text and JSON" "$tmp/ab.json" "
lines = open(sys.argv[1].replace('.json', '.txt')).read()
start = lines.index('What tracing costs')
open(sys.argv[1].replace('.json', '.txt'), 'w').write(lines[start:])
$table"
t "ab --vary with another knob" run other ab --vary trace=on,off --vary none=a,b \
	--rounds 1 --settle 0s "${short[@]}"
holds "ab --vary with another knob: is no calibration" "$tmp/other.json" \
	'assert "calibration" not in d and len(d["points"]) == 4'

# ---- ends ----

start() { # ARGUMENT...
	env --default-signal=INT "$idletrace" --calibrate "${short[@]}" --rounds 1000 \
		--no-observer-cost "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
}

stop() { # sets status; what does not end is killed
	local i
	kill -INT "$pid"
	for ((i = 0; i < 300; i++)); do
		[[ $(ps -o stat= -p "$pid") != [!Z]* ]] && break
		sleep 0.1
	done
	((i < 300)) || kill -KILL "$pid"
	status=0
	wait "$pid" 2>/dev/null || status=$?
	pid=
}

nothing_left() {
	! find /proc/[0-9]*/exe -lname "$idletrace" 2>/dev/null | grep -q . &&
		! compgen -G '/run/idletrace/ab.*' >/dev/null
}

start --json "$tmp/some.json"
sleep 9
stop
t "SIGINT: ends well" test "$status" = 0
t "SIGINT: says so" grep -q '^idletrace: ended early: [0-9]* of 1000 rounds' "$tmp/err"
t "SIGINT: reports" grep -q '^usecs_per_loop ' "$tmp/out"
holds "SIGINT: of the rounds that are complete" "$tmp/some.json" "$numbers
assert 2 <= d['rounds'] < 1000"
t "SIGINT: nothing is left" nothing_left

start --duration 60s --json "$tmp/none.json"
sleep 2
stop
t "SIGINT too early: fails" test "$status" = 1
t "SIGINT too early: says so" grep -qx \
	'idletrace: interrupted before two rounds were complete' "$tmp/err"
t "SIGINT too early: no report" test ! -e "$tmp/none.json" -a ! -s "$tmp/out"
t "SIGINT too early: nothing is left" nothing_left

# ---- refused ----

usage() { # PATTERN ARGUMENT...
	local pattern=$1
	shift
	says "usage: $*" 2 "idletrace: $pattern" timeout 20 "$idletrace" "$@"
}

usage '--calibrate: needs --workload or -- COMMAND, *' --calibrate --duration 1s
usage '--calibrate: needs --preset, or --metric *' --calibrate -- true
usage '--no-trace: not with --calibrate, which runs both' --calibrate --no-trace -w pingpong
usage '--rounds 1: needs 2 to 10000' --calibrate --rounds 1 -w pingpong
usage '--rounds 3: needs --calibrate' --rounds 3 -w pingpong
usage '--tasks 0: *' --calibrate -w pingpong --tasks 0
usage '--no-trace: not with --vary trace, *' ab --vary trace=on,off --no-trace -w pingpong
usage '--no-trace: needs --workload or -- COMMAND' ab --vary trace=on,off
usage '--vary trace=on,x: no x here, *' ab --vary trace=on,x -w pingpong
usage '--calibrate: not with ab, *' ab --vary none=a,b -w pingpong --calibrate
usage '--calibrate: *not with sweep' sweep --over work=0,1us -w pingpong --calibrate
says "--json in a directory that is not there" 1 'idletrace: --json /nosuch/x: *' \
	timeout 20 "$idletrace" --calibrate -w pingpong --json /nosuch/x
