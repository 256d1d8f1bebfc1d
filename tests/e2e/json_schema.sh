#!/bin/bash
# Reports of real runs: the JSON is valid and adds up, the text keeps to its 80 columns.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

adds_up='
import json, sys
d = json.load(open(sys.argv[1]))
w = d["wakeups"]
for part in ("classes", "sources"):
    assert sum(c["count"] for c in w[part]) == w["count"], part
idle = d["idle"]
for key in ("entered", "requested", "time", "unknown"):
    states = sum(s[key] for s in idle["states"])
    cpus = sum(s[key] for c in idle["cpus"] for s in c["states"])
    assert states == cpus, (key, states, cpus)
assert sum(c["periods"] for c in idle["cpus"]) == idle["periods"], "periods"
assert d["window"]["duration"] > 0, "duration"
'

# Status 3 is a run that lost records, which is not what is tested here.
run() { # NAME OPTION...
	local n=$1 status=0
	shift
	"$idletrace" --json "$tmp/$n.json" "$@" >"$tmp/$n.txt" 2>"$tmp/$n.err" || status=$?
	((status == 0 || status == 3)) || { cat "$tmp/$n.err"; return 1; }
}

narrow() { # NAME
	local long
	long=$(LC_ALL=C grep -nE '^.{81,}|[^ -~]|[[:space:]]$' "$tmp/$1.txt" | head -n 1)
	if [[ -n $long ]]; then
		fail "$1: 80 columns of ASCII" "$long"
	elif [[ ! -s $tmp/$1.txt ]]; then
		fail "$1: 80 columns of ASCII" "no output"
	else
		ok "$1: 80 columns of ASCII"
	fi
}

check() { # NAME OPTION...
	local n=$1
	t "$n: runs" run "$@"
	valid "$n: valid JSON" "$tmp/$n.json"
	narrow "$n"
	[[ $n == untraced ]] || t "$n: adds up" "$python" -c "$adds_up" "$tmp/$n.json"
}

check workload --workload adrestia --threads 20 --duration 1s --histogram
check profile --duration 1s
check filtered --duration 1s --comm 'k*'
check command -- sh -c 'for i in 1 2 3; do sleep 0.1; done; exit 0'
check untraced --workload adrestia --threads 5 --duration 200ms --no-trace

err=$("$idletrace" --workload adrestia --duration 100ms --no-trace --json /dev/full \
	2>&1 >"$tmp/out")
status=$?
if [[ $status == 1 && $err == "idletrace: --json /dev/full: No space left on device" ]]; then
	ok "full disk"
else
	fail "full disk" "status $status: $err"
fi
