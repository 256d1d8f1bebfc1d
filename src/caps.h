/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this kernel offers, probed once from its BTF and symbol table. Never from its
 * version: stable kernels and distributions move features both ways.
 */
#ifndef IDLETRACE_CAPS_H
#define IDLETRACE_CAPS_H

#include <stddef.h>

#include "types.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct caps {
	bool cpu_idle; /* tracepoint; without it there is nothing to trace */
	bool cpu_idle_miss;
	bool x86_ipis;	   /* tracepoints reschedule_entry, call_function_single_entry */
	bool ipi_entry;	   /* the like of other architectures */
	bool task_storage; /* may still turn out unusable for tracing (v5.11, v5.12) */
	bool cpuidle_device; /* its layout is known, and where to find it: */
	s64 device_delta;    /* bytes from per-CPU hrtimer_bases to cpuidle_devices */
	bool rdonly_cast;    /* kfunc bpf_rdonly_cast(), since v6.2 */
	bool next_hrtimer;
	bool rejected;	      /* cpuidle_state_usage.rejected */
	bool hrtimer;	      /* expiry and its time can be read */
	u64 sleeper_function; /* address of hrtimer_wakeup(), 0 unknown */
	u64 tick_function;    /* address of the tick's handler, 0 unknown */
};

/*
 * btf_path NULL: the running kernel's. Returns 0, or -1 with one line in err that says
 * what is missing and where it comes from.
 */
int caps_probe(struct caps *caps, const char *btf_path, char *err, size_t size);

/* One line per feature: found or missing, and what follows. */
void caps_print(const struct caps *caps);

#endif
