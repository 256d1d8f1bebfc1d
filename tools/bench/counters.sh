# shellcheck shell=bash
# What the machine counts of its idle CPUs, with no tracing.

# Idle periods so far, of all CPUs and states.
idle_entries() {
	cat /sys/devices/system/cpu/cpu*/cpuidle/state*/usage 2>/dev/null |
		awk '{ n += $1 } END { print n + 0 }'
}

irq_works() {
	awk '$1 == "IWI:" || /IRQ work interrupts/ {
		for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i
	} END { print n + 0 }' /proc/interrupts
}

has_idle_entries() {
	compgen -G '/sys/devices/system/cpu/cpu*/cpuidle/state0/usage' >/dev/null
}

has_irq_works() {
	grep -qiE 'IWI:|IRQ work' /proc/interrupts
}
