#!/bin/bash
# What was traced against what the kernel and the tasks themselves count.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

compile naps
compile pair
quick=(--settle 20ms --no-observer-cost)
group=

cleanup() {
	exec {hold}>&- # ends the pair
	wait
	[[ -z $group ]] || rmdir "$group"
}

traced() { # NAME OPTION...
	local n=$1
	shift
	rm -f "$tmp/$n.json"
	"$idletrace" --json "$tmp/$n.json" "${quick[@]}" "$@" >"$tmp/$n.txt"
}

# What the kernel did not tell, and what that may do to a count of wakeups. A switch that
# was not traced can hide a wakeup whose waking was not traced either.
lost='
loss = d["loss"]
lost = sum(loss[k] for k in ("ring", "orphans", "unmatched", "unseen", "negative"))
'

# The two counts do not begin and end at the same instant: each CPU has its own window.
# At most as much is off as is switched in that time, bursts included.
switches="$lost"'
cpus, s = d["idle"]["cpus"], d["switches"]
apart = sum(max(c[e] for c in cpus) - min(c[e] for c in cpus) for e in ("start", "end"))
noise = 60 + 4 * s["traced"] * apart / d["window"]["duration"]
off = s["traced"] + loss["unseen"] - s["kernel"]
assert s["kernel"] and abs(off) <= noise, (off, noise, s, loss)
'

# Each thread was woken as often as it went to sleep, but for one at each end.
threads="$lost"'
woken = {t["pid"]: t["wakeups"] for t in d["tasks"]}
threads = d["workload"]["threads"]
off = {t["tid"]: woken.get(t["tid"], 0) - t["nvcsw"] for t in threads}
slept = sum(t["nvcsw"] for t in threads)
unexplained = sum(max(abs(n) - 2, 0) for n in off.values())
assert slept > 1000 and all(t["complete"] for t in threads), slept
assert not loss["ring"], "records were lost"
assert unexplained <= lost, (unexplained, lost, {t: n for t, n in off.items() if abs(n) > 2})
'
for n in 1 10 100; do
	t "$n threads: runs" traced "w$n" --workload adrestia --threads "$n" --duration 1s \
		--events all --ring-size 16M
	holds "$n threads: context switches" "$tmp/w$n.json" "$switches"
	holds "$n threads: wakeups = voluntary switches" "$tmp/w$n.json" "$threads"
done

# 200 sleeps on one CPU make 200 wakeups, and all of them are that CPU's timer's.
sleeper="$lost"'
sources = {s["source"]: s["count"] for s in d["wakeups"]["sources"]}
assert 200 - lost <= sources["timer"] <= 200, (sources, loss)
assert d["wakeups"]["count"] <= 206, sources
assert d["command"]["exit_status"] == 0
if d["host"]["cpuidle"]["driver"] is None or not d["timers"]["expired"]:
    assert False, "no timers"
'
t "sleeper: runs" traced sleeper -- taskset -c 0 "$tmp/naps" 200 1000
holds "sleeper: a timer's wakeup for each sleep" "$tmp/sleeper.json" "$sleeper"

# perf bench counts its loops, and the kernel the sleeps that they took.
bench='
import resource, subprocess, sys
subprocess.run(["perf", "bench", "sched", "pipe", "-l", "10000"],
               check=True, stdout=subprocess.DEVNULL)
sleeps = sum(resource.getrusage(who).ru_nvcsw
             for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(sleeps, file=open(sys.argv[1], "w"))
'
if perf bench sched pipe -l 1 >/dev/null 2>&1; then
	t "pipe: runs" traced pipe -- "$python" -c "$bench" "$tmp/sleeps"
	holds "pipe: two wakeups a loop, one for each sleep" "$tmp/pipe.json" "$lost
sleeps = $(cat "$tmp/sleeps")"'
n = d["wakeups"]["count"]
assert abs(n - sleeps) <= 20 + lost, (n, sleeps, loss)
assert 0.9 * 10000 < n < 2.1 * 10000, n'
	holds "pipe: context switches" "$tmp/pipe.json" "$switches"
else
	skip "pipe" "no perf bench"
fi

# Filters speak of the task that is woken, wherever its waker is.
cpus=$(getconf _NPROCESSORS_ONLN)
there=$((cpus > 1 ? 1 : 0))
mkfifo "$tmp/hold"
"$tmp/pair" 0 "$there" <"$tmp/hold" >"$tmp/pids" &
exec {hold}>"$tmp/hold"
until [[ -s $tmp/pids ]]; do sleep 0.02; done
read -r waker wakee <"$tmp/pids"

slept() { # PID
	awk '/^voluntary/ { print $2 }' "/proc/$1/status"
}

# filter NAME PYTHON OPTION...: with subjects, the pids of the tasks reported
filter() {
	local n=$1 code=$2 before
	shift 2
	before=$(slept "$wakee")
	t "$n: runs" traced filter --events all --duration 300ms "$@"
	holds "$n" "$tmp/filter.json" "$lost
waker, wakee = $waker, $wakee
most = $(slept "$wakee") - $before + 1
subjects = {t['pid'] for t in d['tasks'] if t['subject']}
others = {t['pid'] for t in d['tasks'] if not t['subject']}
w = d['wakeups']
timer = {s['source']: s['count'] for s in w['sources']}['timer']
$code"
}

of_wakee='
assert subjects == {wakee} and wakee not in others, (subjects, wakee)
assert 10 < w["count"] <= most, (w["count"], most)
assert timer == 0, timer
assert d["filter"] and d["slowest"], d["filter"]
assert all(s["pid"] == wakee and s["waker"]["pid"] == waker for s in d["slowest"])'
filter "--comm" "$of_wakee
assert waker in others, others" --comm it-wakee
filter "--comm with a pattern" '
assert subjects == {waker, wakee}, subjects
assert timer > 10 and w["count"] - timer > 10, (timer, w["count"])' --comm 'it-wak*'
filter "--comm of the waker" '
assert subjects == {waker} and wakee in others, (subjects, waker, others, wakee)
assert w["count"] - timer <= lost, (w["count"], timer)' --comm it-waker
filter "-p" "$of_wakee
assert waker in others, others" -p "$wakee"

if ((there != 0)); then
	filter "--cpus of the wakee" "$of_wakee
assert waker not in others, others
assert [c['cpu'] for c in d['idle']['cpus']] == [1]
assert all(s['cpu'] == 1 for s in d['slowest'])" --cpus 1 --comm it-wakee
	filter "--cpus of the waker" '
assert not subjects and not w["count"] and not d["slowest"], (subjects, w["count"])
assert waker in others and wakee not in others, others' --cpus 0 --comm it-wakee
else
	skip "--cpus" "one CPU"
fi

root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [[ -n $root ]] && mkdir "$root/idletrace-test.$$" 2>/dev/null; then
	group=$root/idletrace-test.$$
	mkdir "$group/below"
	echo "$wakee" >"$group/below/cgroup.procs"
	filter "--cgroup" "$of_wakee
assert waker in others, others" --cgroup "$group/below"
	filter "--cgroup has those below it" "$of_wakee" --cgroup "$group"
	mkdir "$group/empty"
	filter "--cgroup of none" 'assert not subjects and wakee in others, subjects' \
		--cgroup "$group/empty"
	echo "$wakee" >"$root/cgroup.procs"
	rmdir "$group/below" "$group/empty"
else
	skip "--cgroup" "no cgroup v2 that could be written to"
fi
