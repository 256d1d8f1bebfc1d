#!/bin/bash
# A sweep: its table, JSON and pictures; interrupted, killed, and continued.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

pid=0
cleanup() {
	((!pid)) || kill -KILL "$pid" 2>/dev/null
}

command=("$idletrace" sweep --workload pingpong --place any --duration 0.3s --settle 0
	--no-observer-cost)

sweep() { # OPTION...
	"${command[@]}" "$@"
}

# Status 3 is a run that lost records, which is not what is tested here.
sweeps() { # NAME OPTION...
	local n=$1 status=0
	shift
	sweep "$@" >"$tmp/$n.txt" 2>"$tmp/$n.err" || status=$?
	((status == 0 || status == 3)) || { cat "$tmp/$n.err"; return 1; }
}

# until_lines N FILE: it has that many lines
until_lines() {
	local end=$((SECONDS + 60))
	until [[ -e $2 && $(wc -l <"$2") -ge $1 ]]; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}

# Starts one in the background that has done a run; four points are to be done.
begin() { # NAME
	rm -f "$tmp/$1.json.partial"
	set -m
	"${command[@]}" --over work=0:90us:lin:4 --json "$tmp/$1.json" \
		>"$tmp/$1.txt" 2>"$tmp/$1.err" &
	pid=$!
	set +m
	until_lines 2 "$tmp/$1.json.partial"
}

t "four points" sweeps four --over work=0:90us:lin:4 --json "$tmp/four.json" --plot "$tmp/p"
holds "JSON of all" "$tmp/four.json" '
assert d["schema"] == "idletrace.sweep/1" and d["complete"] and d["metric"]
assert [p["name"] for p in d["points"]] == ["work=0", "work=30us", "work=60us", "work=90us"]
assert [p["numbers"]["work"] for p in d["points"]] == [0, 30000, 60000, 90000]
for p in d["points"]:
    run, = p["runs"]
    assert run["schema"] == "idletrace.run/1" and run["traced"]
    assert run["workload"]["options"]["work"] == p["values"]["work"]
'
valid "valid JSON" "$tmp/four.json"
t "nothing is left to continue" test ! -e "$tmp/four.json.partial"
rows=$(grep -cE '^(0|30us|60us|90us) +[0-9]' "$tmp/four.txt")
t "a row per point" test "$rows" = 4
long=$(LC_ALL=C grep -nE '^.{81,}|[^ -~]|[[:space:]]$' "$tmp/four.txt" | head -n 1)
t "80 columns of ASCII" test -z "$long"

if command -v gnuplot >/dev/null; then
	t "PNG" cmp -n 8 "$tmp/p/sweep.png" <(printf '\x89PNG\r\n\x1a\n')
	t "SVG" grep -q '<svg' "$tmp/p/sweep.svg"
else
	skip "PNG" "no gnuplot"
	skip "SVG" "no gnuplot"
fi
t "what gnuplot needs" test -s "$tmp/p/sweep.gp" -a -s "$tmp/p/sweep.dat"
mkdir "$tmp/bin"
PATH=$tmp/bin sweeps bare --over token=pipe,futex --plot "$tmp/bare"
t "without gnuplot" grep -q '^idletrace: gnuplot is not installed: ' "$tmp/bare.err"
t "scripts without gnuplot" test -s "$tmp/bare/sweep.gp" -a ! -e "$tmp/bare/sweep.png"

t "there and back, two options" sweeps two --over work=0,50us:updown --over token=pipe,futex \
	--metric wakeup.p99 --json "$tmp/two.json"
holds "there and back, two options: JSON" "$tmp/two.json" '
assert [p["back"] for p in d["points"]] == [False] * 4 + [True] * 2
assert d["metric"] == "wakeup.p99"
'

# Ctrl-C: the table so far.
t "begins" begin int
kill -INT "$pid"
wait "$pid"
status=$?
t "Ctrl-C: status" test "$status" = 1
t "Ctrl-C: says so" grep -qE '^idletrace: [1-3] of 4 points are done; the same command' "$tmp/int.err"
t "Ctrl-C: table so far" grep -qE '^0 +[0-9]' "$tmp/int.txt"
holds "Ctrl-C: JSON so far" "$tmp/int.json" '
assert not d["complete"] and 1 <= len(d["points"]) < 4
'
t "continues" sweeps int --over work=0:90us:lin:4 --json "$tmp/int.json"
t "continues: says so" grep -qE '^idletrace: continues .*: [1-3] of 4 points are done' "$tmp/int.err"
holds "continues: all points" "$tmp/int.json" '
assert d["complete"] and len(d["points"]) == 4
'

# Killed: what was done is kept, and is not done again.
t "begins again" begin kill
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pid=0
says "other values" 1 "idletrace: *kill.json.partial: is of another sweep (points); *" \
	sweep --over work=1us --json "$tmp/kill.json"
says "other options" 1 "idletrace: *kill.json.partial: is of another sweep (options); *" \
	sweep --over work=0:90us:lin:4 --json "$tmp/kill.json" --rings 2
START=$("$python" -c '
import json, sys
print(json.loads(open(sys.argv[1]).readlines()[1])["run"]["window"]["start"])
' "$tmp/kill.json.partial")
export START
printf '{"point":3,"run":{"sch' >>"$tmp/kill.json.partial"
t "continues after SIGKILL" sweeps kill --over work=0:90us:lin:4 --json "$tmp/kill.json"
t "continues after SIGKILL: says so" grep -q '^idletrace: continues' "$tmp/kill.err"
holds "continues after SIGKILL: all points, the first one as it was" "$tmp/kill.json" '
import os
starts = [p["runs"][0]["window"]["start"] for p in d["points"]]
assert len(starts) == 4 and starts == sorted(starts) and starts[0] == int(os.environ["START"])
'

mkdir -p "$tmp/root/sys/devices/system/cpu/cpu0/cpuidle/state0"
echo 40 >"$tmp/root/sys/devices/system/cpu/cpu0/cpuidle/state0/residency"
t "gap=auto" sweeps gap --over gap=auto --root "$tmp/root" --json "$tmp/gap.json"
holds "gap=auto: gaps" "$tmp/gap.json" '
assert [p["name"] for p in d["points"]] == ["work=20us", "work=40us", "work=80us"]
'

says "no range" 2 "idletrace: --over: needs OPTION=RANGE*" sweep
says "no such option" 2 "idletrace: --over wrk=1: not an option of pingpong*" sweep --over wrk=1
says "no such value" 2 "idletrace: --over tasks=1: --tasks 1: needs *" sweep --over tasks=1
says "options that do not go together" 2 "idletrace: --place 0,99999: *" \
	"$idletrace" sweep --workload pingpong --over tasks=2 --over place='0\,99999'
says "swept and given" 2 "idletrace: --over work=1: work is given a value of its own*" \
	sweep --over work=1 --work 2
says "no workload" 2 "idletrace: sweep: needs --workload *" "$idletrace" sweep --over work=1
says "a command" 2 "idletrace: --: sweep needs a workload*" sweep --over work=1 -- true
says "records" 2 "idletrace: --records: every run*" sweep --over work=1 --events all --records x
says "no such metric" 2 "idletrace: --metric none: needs one of usecs_per_loop*" \
	sweep --over work=0 --metric none
says "no such directory" 1 "idletrace: --plot $tmp/no/p: No such file*" \
	sweep --over work=0 --plot "$tmp/no/p"
