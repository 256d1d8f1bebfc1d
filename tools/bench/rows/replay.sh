# shellcheck shell=bash
# Records per second through the correlator.

replayed() { # FORMAT RECORDS TASKS [FILE]
	local round
	for ((round = 0; round < replay_rounds; round++)); do
		"$helpers/replay" "${@:2}" | cut -d' ' -f1 | awk '{ print $1 / 1e6 }'
	done | spread "$1"
}

row_replay() {
	local replay_rounds=5 records=40000000 tasks median range verdict
	((!quick)) || replay_rounds=2 records=10000000
	say "$records synthetic records, two wakeups for an idle period, replayed through" \
		"src/records.c on one CPU, $replay_rounds times."
	for tasks in 100 10000; do
		IFS=$'\t' read -r median range < <(replayed %.1f "$records" "$tasks")
		verdict=$(judge "-$median" -10)
		result replay "million records/s, $tasks tasks" "$median" "$range" ">= 10" "$verdict"
	done
	IFS=$'\t' read -r median range < <(replayed %.2f $((records / 20)) 100 /dev/null)
	result replay "  written out with --records" "$median" "$range" - -
}
