# shellcheck shell=sh
# Loads, attaches, runs a workload, profiles what runs anyway.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

idletrace info > info.txt 2> info.err
echo $? > info.status
for kind in status txt err; do
	emit "info.$kind"
done

trace "basic-adrestia" --workload adrestia --threads 8 --duration 3s

sleeper 60 > /dev/null &
trace "basic-profile" --duration 2s
kill $!
