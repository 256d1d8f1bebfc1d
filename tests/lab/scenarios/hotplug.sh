# shellcheck shell=sh
# A CPU leaves and comes back in the middle of the run.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

(sleep 3; echo 0 > "$cpus/cpu1/online"; sleep 1; echo 1 > "$cpus/cpu1/online") &
trace "hotplug" -- sleeper 6
wait
