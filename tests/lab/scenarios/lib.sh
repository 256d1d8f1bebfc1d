# shellcheck shell=sh
# What the scenarios share. They run in the guest, with busybox alone.

cpus=/sys/devices/system/cpu
idle=$cpus/cpuidle

# emit FILE: hands a file over to the host, which finds it between two markers
emit() {
	[ -e "$1" ] || return
	echo "@lab file $1"
	gzip -1 -c "$1" | base64
	echo "@lab end $1"
}

# counters: a line "cpu state usage time above below rejected" per CPU and state
counters() {
	for dir in "$cpus"/cpu[0-9]*/cpuidle/state[0-9]*; do
		[ -d "$dir" ] || continue
		cpu=${dir#"$cpus"/cpu}
		echo "${cpu%%/*} ${dir##*state} $(cat "$dir/usage") $(cat "$dir/time")" \
			"$(cat "$dir/above") $(cat "$dir/below") $(cat "$dir/rejected")"
	done
}

# trace NAME OPTION...: one run of the tool, between two readings of the counters
trace() {
	name=$1
	shift
	counters > before
	idletrace --json "$name.json" "$@" > "$name.txt" 2> "$name.err" </dev/null
	echo $? > "$name.status"
	counters > after
	sed 's/^/before /' before > "$name.counters"
	sed 's/^/after /' after >> "$name.counters"
	for kind in status json txt err counters tsv; do
		emit "$name.$kind"
	done
	rm -f before after "$name".*
}

# each_governor COMMAND...: with every governor of the row, its name appended
each_governor() {
	if [ -z "$governors" ]; then
		"$@" none
		return
	fi
	for governor in $governors; do
		echo "$governor" > "$idle/current_governor"
		"$@" "$governor"
	done
	echo "${governors%% *}" > "$idle/current_governor"
}

# set_disable STATE 0|1: on all CPUs
set_disable() {
	for file in "$cpus"/cpu[0-9]*/cpuidle/state"$1"/disable; do
		echo "$2" > "$file"
	done
}
