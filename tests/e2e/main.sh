#!/bin/bash
# The main job and the other modes: each runs, and its report adds up.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

compile naps

# Latencies agree with their buckets, percentiles being of the nearest rank.
latencies='
import math
def check(x, path=""):
    if isinstance(x, list):
        x = dict(enumerate(x))
    if not isinstance(x, dict):
        return
    if "buckets" in x:
        b, n = x["buckets"], x["count"]
        assert sum(c for _, _, c in b) == n, (path, "count")
        assert all(low <= high and c for low, high, c in b), (path, "bucket")
        assert all(p[1] < q[0] for p, q in zip(b, b[1:])), (path, "order")
        if not n:
            assert x["min"] is x["p50"] is x["max"] is None, path
            return
        assert b[0][0] <= x["min"] <= b[0][1] and b[-1][0] <= x["max"] <= b[-1][1], path
        assert x["min"] <= x["mean"] <= x["max"], (path, "mean")
        for key, percent in ("p50", 50), ("p90", 90), ("p99", 99), ("p99_9", 99.9):
            rank, seen = math.ceil(n * percent / 100), 0
            for low, high, c in b:
                seen += c
                if seen >= rank:
                    break
            assert low <= x[key] <= high and x[key] <= x["max"], (path, key)
        return
    for key in x:
        check(x[key], f"{path}/{key}")
check(d)
'
sums='
for w in filter(None, (d["wakeups"], d["wakeups_other"])):
    for part in "classes", "sources":
        assert sum(c["count"] for c in w[part]) == w["count"], part
        for c in w[part]:
            assert c["latency"]["count"] == c["count"], (part, c["count"])
    assert w["latency"]["count"] == w["queue"]["count"] == w["count"], "latency"
    for c in w["classes"]:
        found_idle = c["class"] in ("idle", "queued")
        assert c["exit"]["count"] == (c["count"] if found_idle else 0), c["class"]
        assert c["queue"]["count"] == c["count"], c["class"]
idle = d["idle"]
judged = d["host"]["cpuidle"]["driver"] is not None
for s in idle["states"]:
    verdicts = [s[k] or 0 for k in ("hit", "too_deep", "too_shallow", "unknown")]
    assert sum(verdicts) == s["entered"] == s["residency"]["count"], s["name"]
    assert s["ends"]["count"] == s["entered"], s["name"]
entered = sum(s["entered"] + (s["rejected"] or 0) for s in idle["states"])
assert entered == idle["periods"] == sum(c["periods"] for c in idle["cpus"]), entered
assert entered == sum(s["requested"] for s in idle["states"]), "requested"
if d["timers"]:
    expired = d["timers"]["expired"]
    assert expired == sum(s["count"] for s in d["timers"]["states"]), expired
assert sum(c["switches"] for c in idle["cpus"]) == d["switches"]["traced"], "switches"
'
residual='
for s in d["idle"]["states"]:
    if s["residual"] and d["idle"]["kernel_cpus"] == d["idle"]["observed_cpus"]:
        wrong = {k: s["residual"][k] for k in ("usage", "above", "below", "rejected")}
        assert not any(wrong.values()), (s["name"], wrong)
assert not d["rule"]["wrong"], d["rule"]
'

# Status 3, records were lost, is for those who ask for records.
run() { # NAME OPTION...
	local n=$1
	shift
	"$idletrace" --json "$tmp/$n.json" "$@" >"$tmp/$n.txt" 2>"$tmp/$n.err" ||
		{ echo "status $?"; cat "$tmp/$n.err"; return 1; }
	[[ ! -s $tmp/$n.err ]] || { cat "$tmp/$n.err"; return 1; }
}

check() { # NAME OPTION...
	local n=$1
	t "$n: runs" run "$@"
	valid "$n: valid JSON" "$tmp/$n.json"
	holds "$n: latencies" "$tmp/$n.json" "$latencies"
	holds "$n: sums" "$tmp/$n.json" "$sums"
	holds "$n: no residual" "$tmp/$n.json" "$residual"
}

ulimit -S -n 1024
check 500-threads --workload adrestia --threads 500 --duration 3s
# shellcheck disable=SC2016 # Python
workload='
w = d["workload"]
assert w["name"] == "adrestia" and w["options"]["threads"] == 500
assert w["given"] == ["threads"], w["given"]
assert w["nr_threads"] >= 500 and all(t["complete"] for t in w["threads"])
assert w["metrics"] and all(m["value"] is not None for m in w["metrics"])
text = open(sys.argv[1].replace(".json", ".txt")).read()
assert w["legacy"].startswith("wakeup cost (periodic, "), w["legacy"]
assert all(line in text for line in w["legacy"].splitlines()), w["legacy"]
assert d["wakeups"]["count"] > 500 and d["wakeups_other"]["count"] > 0
lost = {k: d["loss"][k] for k in ("ring", "map_full", "recursion", "negative", "wrapped")}
assert not any(lost.values()), lost
assert not d["window"]["interrupted"] and d["window"]["duration"] >= 3e9
'
holds "500-threads: what it did" "$tmp/500-threads.json" "$workload"

status=0
err=$(ulimit -n 1024 && "$idletrace" -w adrestia --threads 500 --duration 100ms 2>&1 >/dev/null) ||
	status=$?
hard='idletrace: adrestia: needs * open files, the hard limit is 1024: *'
# shellcheck disable=SC2053
if [[ $status == 0 && -z $err ]] || [[ $status == 1 && $err == $hard && $err != *$'\n'* ]]; then
	ok "a hard limit of 1024 files is raised or complained of"
else
	fail "a hard limit of 1024 files is raised or complained of" "status $status: $err"
fi

# The sleeper is a grandchild, and in a session of its own.
# shellcheck disable=SC2016 # the inner shell's
check command --events all -- sh -c 'setsid sh -c "\"$0\" 100 1000; :" & wait; exit 7' "$tmp/naps"
holds "command: exit status" "$tmp/command.json" '
assert d["command"]["exit_status"] == 7, d["command"]
assert d["command"]["argv"][:2] == ["sh", "-c"], d["command"]'
holds "command: children are followed" "$tmp/command.json" '
naps = [t for t in d["tasks"] if t["comm"] == "naps"]
assert len(naps) == 1 and naps[0]["subject"], naps
lost = sum(d["loss"][k] for k in ("ring", "unseen_runs", "unmatched", "orphans"))
assert 100 - lost <= naps[0]["wakeups"] <= 103, (naps, lost)'

check profile --duration 1s
holds "profile: of all tasks" "$tmp/profile.json" '
assert d["filter"] is d["workload"] is d["command"] is d["wakeups_other"] is None
assert d["wakeups"]["count"] and d["window"]["duration"] >= 1e9, d["window"]'

t "no-trace: runs" run untraced --workload adrestia --threads 5 --duration 200ms --no-trace
holds "no-trace: metrics alone" "$tmp/untraced.json" '
assert d["traced"] is False and d["wakeups"] is None and d["idle"] is None
assert d["workload"]["metrics"]'

t "warmup: runs" run warmup --workload adrestia --threads 5 --warmup 2s --duration 200ms
holds "warmup: is not in the window" "$tmp/warmup.json" '
w = d["workload"]
window, whole = d["window"]["duration"], w["end"] - w["start"]
assert window < 2e9 and whole < 2e9, (window, whole)
assert d["wakeups"]["count"] < sum(t["nvcsw"] for t in w["threads"]) / 2'

"$idletrace" --duration 100ms --json - >"$tmp/out.json" 2>"$tmp/err"
holds "JSON to the standard output, alone" "$tmp/out.json" 'assert d["traced"]'
echo old >"$tmp/there.json"
chmod 640 "$tmp/there.json"
ln -s there.json "$tmp/link.json"
"$idletrace" --duration 100ms --json "$tmp/link.json" >/dev/null 2>&1
out=$(stat -c %a "$tmp/there.json") links=$(readlink "$tmp/link.json")
left=$(find "$tmp" -name '*.json.*')
if [[ $out == 640 && $links == there.json && -z $left ]]; then
	holds "JSON over a file that was there" "$tmp/there.json" 'assert d["traced"]'
else
	fail "JSON over a file that was there" "mode $out, link to '$links', '$left' left"
fi

check records --workload adrestia --threads 20 --duration 500ms --events all \
	--ring-size 16M --records "$tmp/records.tsv"
# shellcheck disable=SC2016 # Python
holds "records: one line for each wakeup counted" "$tmp/records.json" '
lines = [l.rstrip("\n").split("\t") for l in open(sys.argv[1].replace(".json", ".tsv"))]
names = {l[0]: l for l in lines if l[0][0] == "#"}
lines = [l for l in lines if l[0][0] != "#"]
assert all(len(l) == len(names["#" + l[0]]) for l in lines), "columns"
assert d["loss"]["ring"] == 0, "records were lost"
assert len(lines) == d["records"], (len(lines), d["records"])
count = {t: sum(l[0] == t for l in lines) for t in ("wakeup", "period", "timer")}
both = d["wakeups"]["count"] + d["wakeups_other"]["count"]
assert count["wakeup"] == both == sum(t["wakeups"] for t in d["tasks"]), (count, both)
mine = sum(t["wakeups"] for t in d["tasks"] if t["subject"])
assert mine == d["wakeups"]["count"], mine
assert count["period"] == d["idle"]["periods"], (count, d["idle"]["periods"])
column = names["#wakeup"].index("time")
times = [int(l[column]) for l in lines if l[0] == "wakeup"]
end = max(c["end"] for c in d["idle"]["cpus"]) - d["window"]["start"]
assert 0 <= min(times) and max(times) <= end, (min(times), max(times), end)'
