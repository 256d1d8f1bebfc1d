# shellcheck shell=sh
# The governor changes in the middle of the run.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

# shellcheck disable=SC2016 # expanded in there
trace "governor-switch" -- sh -c '. /scenarios/lib.sh
	sleeper 6 & sleep 3; echo ladder > "$idle/current_governor"; wait'
echo menu > "$idle/current_governor"
