#!/bin/bash
# What ab changes is put back, whichever of its processes is killed at whatever moment.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

kills=${GUARDIAN_KILLS:-100}
fake=$tmp/machine
cpu=$fake/sys/devices/system/cpu
real=/sys/devices/system/cpu/cpuidle/current_governor
pid=

cleanup() {
	[[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null
	umount -l "$fake" 2>/dev/null
	[[ -z ${was:-} ]] || echo "$was" >"$real"
}

# Many CPUs, so that a change takes a while; a disk would make that a long while.
make_machine() {
	local n s
	mkdir "$fake"
	mount -t tmpfs machine "$fake"
	mkdir -p "$cpu/cpuidle" "$fake/proc/sys/kernel" "$cpu/cpufreq/policy0"
	echo 0-63 >"$cpu/online"
	echo menu teo >"$cpu/cpuidle/available_governors"
	echo teo >"$cpu/cpuidle/current_governor"
	echo performance userspace >"$cpu/cpufreq/policy0/scaling_available_governors"
	echo userspace >"$cpu/cpufreq/policy0/scaling_governor"
	echo 1200000 >"$cpu/cpufreq/policy0/scaling_setspeed"
	for ((n = 0; n < 64; n++)); do
		for s in 0 1; do
			mkdir -p "$cpu/cpu$n/cpuidle/state$s"
			echo "C$s" >"$cpu/cpu$n/cpuidle/state$s/name"
			echo $((n % 3 == 0)) >"$cpu/cpu$n/cpuidle/state$s/disable"
		done
	done
	echo 1 >"$fake/proc/sys/kernel/numa_balancing"
	printf '0\nno newline' >"$fake/file"
}

# ab ARGUMENT...: in the background, with a job control of its own; sets pid
ab() {
	# In the background SIGINT and SIGQUIT would be ignored.
	env --default-signal=INT,QUIT "$idletrace" ab "$@" --rounds 10000 --settle 0s --workload idle --duration 5ms \
		--no-trace >"$tmp/out" 2>"$tmp/err" &
	pid=$!
}

fake_ab() {
	ab --root "$fake" --vary governor=menu,teo --vary state1=off,on \
		--vary cpufreq-governor=performance,userspace \
		--vary sysctl:kernel.numa_balancing=0,1 --vary file:/file=1,2
}

fake_is_changed() {
	! fake_is_as_it_was
}

gone() { # PID; a zombie is, too
	[[ ! -e /proc/$1 || $(awk '$1 == "State:" { print $2 }' "/proc/$1/status" 2>/dev/null) == Z ]]
}

fake_is_as_it_was() {
	diff -r "$fake" "$fake.was" >"$tmp/diff"
}

real_is_as_it_was() {
	[[ $(<"$real") == "$was" ]]
}

nap() { # up to MS
	local ms=$((RANDOM % $1))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

children() { # PATTERN of a comm
	pgrep -P "$pid" -x "$1"
}

# After the main process is gone its guardian may need a moment.
soon() { # COMMAND...
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

ended() {
	if ! soon gone "$pid"; then
		echo "# still there"
		kill -KILL "$pid"
	fi
	wait "$pid" 2>/dev/null
	pid=
}

# attack VICTIM: of the running ab; leaves none behind
attack() {
	local guardian
	nap 300
	guardian=$(children guardian)
	case $1 in
	main) kill -KILL "$pid" ;;
	guardian)
		[[ -z $guardian ]] || kill -KILL "$guardian"
		nap 100
		kill -TERM "$pid"
		;;
	guardian-then-main)
		[[ -z $guardian ]] || kill -KILL "$guardian"
		# It is replaced before the next change
		soon other_guardian "$guardian" || return 1
		nap 100
		kill -KILL "$pid"
		;;
	run)
		# It may have been about to end, which is no failure
		soon kill_run
		nap 100
		kill -TERM "$pid"
		;;
	term) kill -TERM "$pid" ;;
	int) kill -INT "$pid" ;;
	quit) kill -QUIT "$pid" ;;
	together) kill -KILL "$(children exe)" "$pid" 2>/dev/null ;;
	everything) kill_everything && "$idletrace" list >/dev/null ;;
	esac 2>/dev/null
	ended 2>/dev/null
}

kill_everything() {
	# shellcheck disable=SC2046 # pids
	kill -KILL $(children guardian) $(children exe) "$pid"
	soon gone "$pid"
}

# Stopped, so that it is killed with the settings in place.
stop_changed() {
	until kill -STOP "$pid" && fake_is_changed; do
		kill -CONT "$pid"
		sleep 0.01
	done
}

other_guardian() { # than PID
	local now
	now=$(children guardian) && [[ $now != "$1" ]]
}

kill_run() {
	local run
	run=$(children exe) && kill -KILL "$run" 2>/dev/null
}

# campaign NAME START CHECK TIMES
campaign() {
	local victims=(main main main guardian guardian-then-main run term int together everything) i v
	for ((i = 0; i < $4; i++)); do
		v=${victims[RANDOM % ${#victims[@]}]}
		"$2"
		attack "$v" || { fail "$1" "kill $i, $v: no such process"; return; }
		soon "$3" && continue
		fail "$1" "kill $i, of $v: $(head -n 3 "$tmp/diff" 2>/dev/null; cat "$tmp/err")"
		return
	done
	ok "$1"
}

make_machine
cp -r "$fake" "$fake.was"

# Without this the rest proves nothing.
fake_ab
t "ab changes the machine" soon fake_is_changed
guardian=$(children guardian)
t "there is a guardian" test -n "$guardian"
kill -INT "$pid"
ended 2>/dev/null
t "Ctrl-C: as it was" fake_is_as_it_was
t "Ctrl-C: no guardian left" gone "$guardian"

fake_ab
soon fake_is_changed
guardian=$(children guardian)
kill -INT "$guardian"
kill -TERM "$guardian"
kill -HUP "$guardian"
sleep 0.1
t "signals of a terminal do not end it" kill -0 "$guardian"
t "it is in a session of its own" test "$(ps -o sid= -p "$guardian" | tr -d ' ')" = "$guardian"
kill -KILL "$pid"
ended 2>/dev/null
t "killed: as it was" soon fake_is_as_it_was
t "killed: the guardian ends" soon gone "$guardian"

# What the journal is for, as when the OOM killer takes the cgroup.
fake_ab
stop_changed
killed=$pid
t "while it lives nobody restores" "$idletrace" list
t "while it lives: still changed" fake_is_changed
kill_everything
ended 2>/dev/null
t "all killed at once: still changed" fake_is_changed
"$idletrace" list >/dev/null 2>"$tmp/err"
t "all killed at once: the next idletrace puts it back" fake_is_as_it_was
t "all killed at once: one line says so" test "$(wc -l <"$tmp/err")" = 1
t "all killed at once: whose it was" grep -q \
	"^idletrace: put back after a killed ab (pid $killed): $fake/.*, and [1-9][0-9]* more$" "$tmp/err"
t "all killed at once: said once" test -z "$("$idletrace" list 2>&1 >/dev/null)"
t "no journal is left" test ! -e "/run/idletrace/ab.$killed"

# A value that cannot be put back is told, by whichever is left, and the rest is.
fake_ab
stop_changed
rm -r "$cpu/cpu5"
echo 0-4,6-63 >"$cpu/online"
kill -KILL "$pid"
ended 2>/dev/null
soon grep -q 'not put back' "$tmp/err"
t "an offline CPU is told" grep -q \
	'cpu5/cpuidle/state1/disable: not put back to 0: No such file.*(cpu5 is offline)' "$tmp/err"
cp -r "$fake.was/sys/devices/system/cpu/cpu5" "$cpu/"
echo 0-63 >"$cpu/online"
t "an offline CPU: the others are as they were" soon fake_is_as_it_was

campaign "$kills kills, a machine of files" fake_ab fake_is_as_it_was "$kills"

was=$(cat "$real" 2>/dev/null)
other=$(tr ' ' '\n' 2>/dev/null </sys/devices/system/cpu/cpuidle/available_governors |
	grep -vx "$was" | head -n 1)
real_ab() {
	ab --vary "governor=$other,$was"
}
if [[ -n $was && -n $other && -w $real ]]; then
	campaign "$((kills / 4)) kills, the cpuidle governor" real_ab real_is_as_it_was $((kills / 4))
else
	skip "kills, the cpuidle governor" "no choice of governors here"
fi

sysctl=/proc/sys/kernel/sched_rr_timeslice_ms
slice=$(cat "$sysctl" 2>/dev/null)
slice_ab() {
	ab --vary "sysctl:kernel.sched_rr_timeslice_ms=$((slice + 10)),$slice"
}
slice_is_as_it_was() {
	[[ $(<"$sysctl") == "$slice" ]]
}
if [[ -n $slice ]]; then
	campaign "$((kills / 4)) kills, a sysctl" slice_ab slice_is_as_it_was $((kills / 4))
else
	skip "kills, a sysctl" "no kernel.sched_rr_timeslice_ms"
fi
