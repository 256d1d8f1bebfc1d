# shellcheck shell=sh
# Instructions per run of each BPF program, for guests booted with ICOUNT=1, where
# a nanosecond is an instruction.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

echo 1 > /proc/sys/kernel/bpf_stats_enabled
idletrace --duration 6s --json icount.json -- sleeper 9 > icount.txt 2> icount.err &
sleep 6
progstat > icount.programs
wait
for kind in programs json txt err; do
	emit "icount.$kind"
done
