# shellcheck shell=sh
# Instructions per run of each BPF program, for guests booted with ICOUNT=1, where
# a nanosecond is an instruction.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

echo 1 > /proc/sys/kernel/bpf_stats_enabled
trace "icount" -- sh -c 'sleeper 6 & sleep 5; progstat > programs; wait'
emit programs
