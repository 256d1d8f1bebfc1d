# shellcheck shell=sh
# The governor changes in the middle of the run.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

(sleep 3; echo ladder > "$idle/current_governor") &
trace "governor-switch" -- sleeper 6
wait
echo menu > "$idle/current_governor"
