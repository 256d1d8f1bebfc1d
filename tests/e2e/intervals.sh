#!/bin/bash
# --interval: the slices of a window add up to its report, in each of their files.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

cleanup() {
	umount "$tmp/small" 2>/dev/null
}

quick=(--settle 20ms --no-observer-cost)

# What the JSON says of itself, then the same of the TSV.
adds_up='
import csv
total = lambda key: sum(i[key] for i in d["intervals"])
w, idle, loss = d["wakeups"], d["idle"], d["loss"]
assert d["intervals"], "none"
assert total("wakeups") == w["count"], (total("wakeups"), w["count"])
assert total("cpu_time") == idle["cpu_time"], (total("cpu_time"), idle["cpu_time"])
at = 0
for i in d["intervals"]:
    assert i["start"] == at and i["duration"] > 0, (i["start"], at)
    at += i["duration"]
assert at >= d["window"]["duration"], (at, d["window"])
for s in idle["states"]:
    of = [i["states"][s["index"]] for i in d["intervals"]]
    for key in "entered", "time", "too_deep", "too_shallow":
        got = sum(o[key] or 0 for o in of)
        assert got == (s[key] or 0), (s["name"], key, got, s[key])
    spent = sum(o["residency"] for o in of)
    assert abs(spent - s["time"]) < 1e6, (s["name"], spent, s["time"])
for i in d["intervals"]:
    spent = sum(o["residency"] for o in i["states"])
    assert spent <= 1.02 * i["cpu_time"] + 1e6, (spent, i)
for kind in set(loss) - {"wrapped"}:
    got = sum(i["loss"].get(kind, 0) for i in d["intervals"])
    assert got == loss[kind], (kind, got, loss[kind])
'
same="$adds_up"'
rows = list(csv.DictReader(open(sys.argv[1].replace(".json", ".tsv")), delimiter="\t"))
assert len(rows) == len(d["intervals"]), len(rows)
for row, i in zip(rows, d["intervals"]):
    assert None not in row and None not in row.values(), row
    assert abs(float(row["start_s"]) - i["start"] / 1e9) < 1e-5
    assert int(row["wakeups"]) == i["wakeups"]
    assert (row["p99_us"] == "-") == (i["p99"] is None)
    assert (row["package_W"] == "-") == ((i["power"] or {}).get("package_watts") is None)
    assert (row["frequency_MHz"] == "-") == (i["frequency_khz"] is None)
    entered = [int(v) for k, v in row.items() if k.endswith("_entered")]
    assert entered == [s["entered"] for s in i["states"]], entered
    for s, share in zip(i["states"], [v for k, v in row.items() if k.endswith("_residency_%")]):
        assert abs(float(share) - 100 * s["residency"] / i["cpu_time"]) < 0.001, share
    for kind in i["loss"]:
        assert int(row["lost_" + kind]) == i["loss"][kind], kind
'

run() { # NAME OPTION...
	local n=$1
	shift
	"$idletrace" --json "$tmp/$n.json" --series "$tmp/$n.tsv" "${quick[@]}" "$@" \
		>"$tmp/$n.txt"
}

check() { # NAME PYTHON OPTION...
	local n=$1 more=$2
	shift 2
	t "$n: runs" run "$n" "$@"
	holds "$n: adds up" "$tmp/$n.json" "$same$more"
	valid "$n: valid JSON" "$tmp/$n.json"
	t "$n: the text says how many" grep -q '^INTERVALS  [0-9]' "$tmp/$n.txt"
}

# The last interval takes the end of the work, so that there is no crumb.
check workload '
n = len(d["intervals"])
assert 2 <= n <= 10 and d["interval"] == 100000000, n
assert all(i["wakeups"] for i in d["intervals"]), "an interval without wakeups"' \
	--workload adrestia --threads 20 --duration 1s --interval 100ms
check command 'assert len(d["intervals"]) >= 3, len(d["intervals"])' \
	--interval 200ms -- sh -c 'for i in 1 2 3 4; do sleep 0.2; done'
check profile 'assert len(d["intervals"]) >= 20, len(d["intervals"])' \
	--duration 500ms --interval 10ms
check records 'assert d["records"] > 100, d["records"]' --workload adrestia \
	--threads 100 --duration 1s --interval 50ms --events all
check one 'assert len(d["intervals"]) == 1, len(d["intervals"])
i = d["intervals"][0]
assert i["p50"] == w["latency"]["p50"] and i["p99"] == w["latency"]["p99"], i' \
	--duration 300ms --interval 10s
check whole 'assert len(d["intervals"]) == 1, len(d["intervals"])' \
	--workload adrestia --threads 5 --duration 400ms --interval 400ms

# The end comes in the middle of an interval: that one is there, and shorter.
interrupted() {
	local pid
	run int --duration 100s --interval 300ms &
	pid=$!
	until [[ $(wc -l <"$tmp/int.tsv" 2>/dev/null) -ge 3 ]]; do sleep 0.01; done
	kill -INT "$(pgrep -P $pid -f idletrace || echo $pid)"
	wait $pid
}
t "SIGINT: runs" interrupted
holds "SIGINT: adds up" "$tmp/int.json" "$same"'
assert d["window"]["interrupted"] is True and len(d["intervals"]) >= 3
assert d["intervals"][-1]["duration"] < 300e6, d["intervals"][-1]'

"$idletrace" --json - --interval 50ms --duration 200ms "${quick[@]}" >"$tmp/stdout.json"
holds "JSON to standard output" "$tmp/stdout.json" "$adds_up"
t "--series alone" "$idletrace" --series "$tmp/alone.tsv" --interval 50ms \
	--duration 300ms "${quick[@]}"
t "--series alone: a line each" test "$(wc -l <"$tmp/alone.tsv")" -ge 3

usage() { # PATTERN ARGUMENT...
	local pattern=$1
	shift
	says "usage: $*" 2 "idletrace: $pattern" timeout 20 "$idletrace" "$@"
}
usage '--interval: needs --series, --json, --plot or --html to go to' --interval 1s
usage '--interval 9ms: needs a time with a unit, 10ms to 1000h' --interval 9ms
usage '--interval: *not with sweep' sweep --workload adrestia --over threads=1,2 \
	--interval 1s
usage '--interval: *not with ab' ab --vary threads=1,2 --workload adrestia --interval 1s

slices=(--interval 10ms --duration 500ms "${quick[@]}")
says "series in no directory" 1 'idletrace: --series /nonexistent/x: No such *' \
	"$idletrace" --series /nonexistent/x "${slices[@]}"
says "series on a full device" 1 'idletrace: --series /dev/full: No space left on device' \
	"$idletrace" --series /dev/full --json "$tmp/full.json" "${slices[@]}"
holds "series on a full device: the JSON is whole" "$tmp/full.json" "$adds_up"

# No room for the intervals that the JSON is to have: no JSON.
mkdir "$tmp/small"
if mount -t tmpfs -o size=8k none "$tmp/small" 2>/dev/null; then
	says "a full disk" 1 "idletrace: --json $tmp/small/x: its intervals: No space left *" \
		"$idletrace" --json "$tmp/small/x" "${slices[@]}"
	t "a full disk: nothing is left there" test -z "$(ls -A "$tmp/small")"
	head -c 4k /dev/zero >"$tmp/small/filler"
	says "a full disk: series" 1 "idletrace: --series $tmp/small/x: No space left *" \
		"$idletrace" --series "$tmp/small/x" "${slices[@]}"
	umount "$tmp/small"
else
	skip "a full disk" "cannot mount a tmpfs here"
fi
