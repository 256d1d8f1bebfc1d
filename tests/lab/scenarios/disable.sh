# shellcheck shell=sh
# A state is disabled in the middle of the run and enabled again: the verdicts of
# its neighbours change with it.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

# shellcheck disable=SC2016 # expanded in there
trace "disable" -- sh -c '. /scenarios/lib.sh
	sleeper 6 & sleep 2; set_disable 2 1; sleep 2; set_disable 2 0; wait'
