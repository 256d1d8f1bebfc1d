# shellcheck shell=sh
# Hands the kernel's BTF over, for checks on the host.
# shellcheck source=tests/lab/scenarios/lib.sh
. /scenarios/lib.sh

cp /sys/kernel/btf/vmlinux btf
emit btf
