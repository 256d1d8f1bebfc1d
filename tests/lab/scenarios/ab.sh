# shellcheck shell=sh
# Two governors that choose differently are told apart, a setting from itself is not; and
# the governor is back, whichever processes of ab are killed.
#
# The token's idle periods last 3 ms and more. menu sees that they repeat and predicts
# them. teo sees wakeups that no timer told it of, and is careful: it often chooses the
# state of 200 us where that of 1500 us would have been right.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

differ() {
	name=$1
	shift
	idletrace ab "$@" --rounds 6 --settle 50ms --workload pingpong --token futex \
		--work 3ms --duration 600ms --no-observer-cost --json doc > "$name.table" 2>&1
	echo $? > "$name.ended"
	idletrace compare doc --json "$name.compare" > /dev/null
	cat "$idle/current_governor" > "$name.governor"
	for kind in table ended compare governor; do
		emit "$name.$kind"
	done
	rm -f doc "$name".*
}

# children NAME: of ab, by their comm
children() {
	pgrep -P "$ab" -x "$1"
}

changed() {
	[ "$(cat "$idle/current_governor")" != menu ]
}

back() {
	! changed
}

# soon COMMAND: for 10 s at most
soon() {
	tries=100
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return
		sleep 0.1
	done
}

# shellcheck disable=SC2046 # pids
attack() {
	case $1 in
	main) kill -9 "$ab" ;;
	guardian)
		kill -9 $(children guardian)
		sleep 0.3
		kill -9 "$ab" ;;
	run)
		kill -9 $(children exe)
		kill -TERM "$ab" ;;
	all) kill -9 $(children guardian) $(children exe) "$ab" ;;
	esac 2>/dev/null
}

# A line for each: the victim, and what became of the governor
kills() {
	for victim in main guardian run all main all; do
		idletrace ab --vary governor=teo,ladder --rounds 10000 --settle 0s \
			--workload idle --duration 20ms --no-trace > /dev/null 2>&1 &
		ab=$!
		soon changed || echo "$victim: nothing was changed"
		sleep "0.$((ab % 10))"
		attack "$victim"
		wait "$ab"
		[ "$victim" != all ] || idletrace list > /dev/null
		soon back || echo "$victim: not put back"
		echo "$victim: done"
	done > ab-kills 2> /dev/null
}

echo menu > "$idle/current_governor"
differ ab-governor --vary governor=menu,teo
differ ab-none --vary none=a,b
kills
emit ab-kills
