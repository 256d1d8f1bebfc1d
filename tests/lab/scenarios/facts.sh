# shellcheck shell=sh
# What this kernel is and has, in plain text.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

{
	uname -a
	grep -H . /sys/devices/system/cpu/cpuidle/*
	for dir in /sys/devices/system/cpu/cpu0/cpuidle/state*; do
		[ -d "$dir" ] || continue
		echo "${dir##*/}: $(cat "$dir/name") latency $(cat "$dir/latency")" \
			"residency $(cat "$dir/residency")"
		echo "${dir##*/} has:" "$dir"/*
	done
	grep -E ' (cpuidle_devices|cpuidle_enter|hrtimer_wakeup|tick_nohz_handler|tick_sched_timer)$' /proc/kallsyms
	ls -d /sys/kernel/tracing/events/power/cpu_idle* \
		/sys/kernel/tracing/events/ipi/* /sys/kernel/tracing/events/timer/hrtimer*
	cat /sys/kernel/tracing/events/timer/hrtimer_start/format
	echo /sys/bus/event_source/devices/*
	cat /proc/sys/kernel/kptr_restrict /proc/sys/kernel/bpf_stats_enabled \
		/proc/sys/net/core/bpf_jit_enable
} > facts 2>&1
emit facts
