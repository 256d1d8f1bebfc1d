# shellcheck shell=sh
# A CPU leaves and comes back in the middle of the run.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

# shellcheck disable=SC2016 # expanded in there
trace "hotplug" --interval 300ms -- sh -c '. /scenarios/lib.sh
	sleeper 6 & sleep 2; echo 0 > "$cpus/cpu1/online"
	sleep 1; echo 1 > "$cpus/cpu1/online"; wait'
