/* SPDX-License-Identifier: GPL-2.0 */
/* The maps. Sizes that depend on the machine or the options are set by the loader. */
#ifndef IDLETRACE_MAPS_BPF_H
#define IDLETRACE_MAPS_BPF_H

#include "join.h"

const volatile struct settings cfg;

/* Set per CPU by the loader, while it runs on that CPU: the window is open there. */
u8 window[CPUS_MAX];

struct usage_scratch {
	u8 before[USAGE_BYTES]; /* cpuidle_device.states_usage at entry ... */
	u8 after[USAGE_BYTES];	/* ... and at the end of the period */
};

#define PERCPU_MAP(name, value_type)                     \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1);                  \
		__type(key, u32);                        \
		__type(value, value_type);               \
	} name SEC(".maps")

PERCPU_MAP(cpus, struct cpu_ctx);
PERCPU_MAP(usages, struct usage_scratch);
PERCPU_MAP(batches, struct batch);
PERCPU_MAP(slowest, struct slowest);
PERCPU_MAP(latency, struct latency_hist); /* [scope][slot][source] */
PERCPU_MAP(phases, struct phases);	  /* [scope][slot - CLASS_QUEUED] */
PERCPU_MAP(idle, struct idle_stats);	  /* [state] */
PERCPU_MAP(timers, struct timer_stats);	  /* [state], [states] when running */

/*
 * Contexts of tasks by pid modulo the size: an array costs a few ns where task storage
 * costs forty. A task that finds its slot taken lives in one of the two maps below.
 */
#define TASK_SLOTS 32768

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
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

static __always_inline bool window_open(const struct cpu_ctx *c)
{
	return c->cpu < CPUS_MAX && window[c->cpu];
}

static __always_inline void hist_count(struct latency_hist *h, u64 v)
{
	u32 i = hist_bucket(v);

	if (i < HIST_BUCKETS)
		h->bucket[i]++;
	h->sum += v;
	if (!h->count || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->count++;
}

#endif
