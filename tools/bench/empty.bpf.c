// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing, on the tracepoints of idletrace's and by the same names: what
 * any tracing there costs. bpf-cost loads the ones that it needs.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define EMPTY(tracepoint)           \
	SEC("?tp_btf/" #tracepoint) \
	int tracepoint(void *ctx)   \
	{                           \
		return 0;           \
	}

EMPTY(call_function_single_entry)
EMPTY(cpu_idle)
EMPTY(cpu_idle_miss)
EMPTY(hrtimer_expire_entry)
EMPTY(hrtimer_start)
EMPTY(ipi_entry)
EMPTY(reschedule_entry)
EMPTY(sched_process_exit)
EMPTY(sched_process_fork)
EMPTY(sched_switch)
EMPTY(sched_wakeup)
EMPTY(sched_wakeup_new)
EMPTY(sched_waking)
