# shellcheck shell=sh
# How long the tool takes to start and to finish, for guests of different sizes.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

for run in 1 2 3 4 5; do
	trace "start-$run" --duration 300ms --events all
done
trace "start-workload" --workload adrestia --threads 8 --duration 3s
