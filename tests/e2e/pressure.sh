#!/bin/bash
# Under pressure: records may be lost, and are counted, and the tables are still right.
# Memory that runs out is a clean error. A long run does not grow.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

pid=0
group=
cleanup() {
	((!pid)) || kill -KILL "$pid" 2>/dev/null
	if [[ -n $group ]]; then
		wait
		rmdir "$group"
	fi
}

is_attached() {
	(($(find "/proc/$pid/fd" -lname 'anon_inode:bpf*link*' 2>/dev/null | wc -l) >= 5))
}

load=(--workload pingpong --token futex --rings 2)

start() { # OPTION...: returns when the programs are attached
	local waited=0
	rm -f "$tmp/json"
	"$idletrace" --json "$tmp/json" --settle 0s --no-observer-cost --events all "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	until is_attached || ((++waited > 500)); do sleep 0.02; done
}

ended() { # sets status
	status=0
	wait "$pid" || status=$?
	pid=0
}

# Every wakeup, idle period and timer that was counted is a record kept or one lost.
adds_up='
timers = d["timers"] or {"expired": 0, "tick": 0}
counted = d["wakeups"]["count"] + (d["wakeups_other"] or {"count": 0})["count"]
counted += d["idle"]["periods"] + timers["expired"] - (timers["tick"] or 0)
assert counted == d["records"] + d["loss"]["ring"], (counted, d["records"], d["loss"])
'

lost() { # NAME PYTHON: status 3 and a report that says so
	ended
	if [[ $status == 3 && ! -s $tmp/err ]] && grep -q 'records refused' "$tmp/out"; then
		ok "$1: status 3, and the report says why"
	else
		fail "$1: status 3, and the report says why" "status $status: $(head -n 1 "$tmp/err")"
	fi
	holds "$1: all is counted" "$tmp/json" "$adds_up
assert d['loss']['ring'] > 0
$2"
}

# Stopped long enough for the rings to overflow at any rate; it does not know.
start "${load[@]}" --duration 6s --ring-size 64k --records "$tmp/records"
sleep 1
kill -STOP "$pid"
sleep 3
kill -CONT "$pid"
# shellcheck disable=SC2016 # Python
lost "stopped for 3 s" '
last = first = 0
for line in open(sys.argv[1].replace("/json", "/records")):
    f = line.split("\t")
    if f[0] == "wakeup":
        last = max(last, int(f[1]))
        first += int(f[1]) < 1e9
assert first, "nothing recorded before"
assert last > 0.9 * d["window"]["duration"], ("nothing recorded afterwards", last)
late = d["workload"]["end"] - d["window"]["start"]
assert late > 5e9, ("the workload did not run on", late)'

# By default the rings hold what a moment without a CPU takes.
start "${load[@]}" --duration 2s
ended
holds "default rings" "$tmp/json" "$adds_up
assert d['loss']['ring'] == 0 or $status == 3, ($status, d['loss'])"

# ---- memory ----

# It may fail, with one line, or report; never half of one, nor a word of libraries.
bearable() { # NAME STATUS
	local lines
	lines=$(wc -l <"$tmp/err")
	if [[ $2 == 1 && $lines == 1 && ! -e $tmp/json ]] &&
		grep -q '^idletrace: ' "$tmp/err"; then
		ok "$1: a clean error"
	elif [[ $2 == 137 && ! -e $tmp/json && -n $group ]]; then
		ok "$1: killed, and no half report"
	elif [[ $2 == 0 && $lines == 0 ]]; then
		holds "$1: a report" "$tmp/json" "$adds_up"
	else
		fail "$1" "status $2, $lines lines: $(head -n 1 "$tmp/err")"
	fi
}

for mib in 8 16 32 64; do
	rm -f "$tmp/json"
	status=0
	(ulimit -v $((mib * 1024)) && exec "$idletrace" --json "$tmp/json" --events all \
		--duration 200ms --no-observer-cost) >"$tmp/out" 2>"$tmp/err" || status=$?
	bearable "address space of $mib MiB" "$status"
done

# A memory cgroup also charges what the maps take in the kernel.
memory_group() {
	local at
	at=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
	[[ -n $at ]] && limit=memory.limit_in_bytes
	if [[ -z $at ]]; then
		at=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
		limit=memory.max
	fi
	group=$at/idletrace-test.$$
	if [[ -n $at ]] && mkdir "$group" 2>/dev/null && [[ -e $group/$limit ]]; then
		return
	fi
	[[ ! -d $group ]] || rmdir "$group"
	group=
	return 1
}

if memory_group; then
	for mib in 4 12 20 64; do
		rm -f "$tmp/json"
		status=0
		echo $((mib << 20)) >"$group/$limit"
		(echo "$BASHPID" >"$group/cgroup.procs" && exec "$idletrace" --json "$tmp/json" \
			--events all --duration 200ms --no-observer-cost) \
			>"$tmp/out" 2>"$tmp/err" || status=$?
		bearable "cgroup of $mib MiB" "$status"
	done
else
	skip "cgroup" "no memory controller here"
fi

# ---- a long run ----

rss() {
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$pid/status"
}

# A ring counts as resident where it has been used: small ones are at once. The table of
# tasks grows with new tasks, up to its limit (make bench, row soak).
start --workload pingpong --duration 100s --ring-size 1M --interval 100ms
sleep 5
before=$(rss)
sleep 15
after=$(rss)
kill -TERM "$pid"
ended
if [[ -n $before && -n $after ]] && ((after < before + before / 10 + 1024)); then
	ok "resident memory stays flat"
else
	fail "resident memory stays flat" "from $before to $after KiB in 15 s"
fi
