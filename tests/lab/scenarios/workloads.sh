# shellcheck shell=sh
# Every built-in workload once, for a short time.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

for workload in $(idletrace list | cut -d' ' -f1); do
	trace "workload-$workload" --workload "$workload" --duration 3s --no-observer-cost
done
