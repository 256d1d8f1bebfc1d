/* SPDX-License-Identifier: GPL-2.0 */
/* The maps. Sizes that depend on the machine or the options are set by the loader. */
#ifndef IDLETRACE_MAPS_BPF_H
#define IDLETRACE_MAPS_BPF_H

#include "join.h"

const volatile struct settings cfg;

/*
 * Set per CPU by the loader, while it runs on that CPU: the number of the window that is
 * open there, 0 none.
 */
u8 window[CPUS_MAX];

#define PERCPU_MAP(name, value_type)                     \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1);                  \
		__type(key, u32);                        \
		__type(value, value_type);               \
	} name SEC(".maps")

PERCPU_MAP(cpus, struct cpu_ctx);
PERCPU_MAP(slowest, struct slowest);
PERCPU_MAP(hists, struct latency_hist);
PERCPU_MAP(idle, struct idle_stats);	/* [state] */
PERCPU_MAP(timers, struct timer_stats); /* [state], [states] when running */

/*
 * Contexts of tasks by pid modulo the size: an array costs a few ns where task storage
 * costs forty. A task that finds its slot taken lives in one of the two maps below.
 */
#define TASK_SLOTS 32768

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* for its alignment to cache lines */
	__uint(max_entries, TASK_SLOTS);
	__type(key, u32);
	__type(value, struct task_ctx);
} task_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_ctx);
} tasks SEC(".maps");

/* For kernels without task storage for tracing (before v5.13), by pid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct task_ctx);
} tasks_by_pid SEC(".maps");

/* With --timers: by address, who armed a timer; old ones make room by themselves. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, struct timer_owner);
} timer_armers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIMER_USERS_MAX);
	__type(key, struct timer_owner);
	__type(value, struct timer_user);
} timer_users SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

static __always_inline struct cpu_ctx *this_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

#endif
