/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tracer.c (programs and rings) and tracer_read.c (maps to results). */
#ifndef IDLETRACE_TRACER_PRIVATE_H
#define IDLETRACE_TRACER_PRIVATE_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "join.h"
#include "tracer.h"

/* One CPU's ring: what the last look took from it. */
struct ring_reader {
	struct tracer *tracer;
	int fd; /* 0: no ring. Kept open, so that /proc/PID/fdinfo shows its memory */
	u64 bytes;
};

struct tracer {
	struct tracer_config config;
	struct idletrace_bpf *skel;
	struct ring_buffer *rings;   /* NULL: no records */
	struct ring_reader *readers; /* by CPU */
	unsigned int cpus;	     /* possible */
	struct counters *base;	     /* counters at the last reset, per CPU */
	u64 base_recursion;
	u8 window; /* number of the window that is or will be open, never 0 */
	record_fn record_fn;
	void *record_ctx;
};

u64 tracer_recursion_misses(struct tracer *t);

/* Room for all CPUs' values of any map; to be freed. */
void *tracer_alloc_values(struct tracer *t);

/* All CPUs' values of one key; stride is what the kernel rounds a value up to. */
static inline bool lookup(struct bpf_map *map, u32 key, void *values)
{
	return !bpf_map_lookup_elem(bpf_map__fd(map), &key, values);
}

static inline size_t stride(size_t value_size)
{
	return (value_size + 7) & ~(size_t)7;
}

#define at(values, cpu, type) \
	((const type *)((const char *)(values) + (cpu)*stride(sizeof(type))))

/* Loss since tracer_rebase(), but for wrapped. */
void tracer_loss(struct tracer *t, const struct cpu_ctx *ctx, struct loss *l);

/* All CPUs' contexts, to be freed by the caller; NULL if they cannot be read. */
struct cpu_ctx *tracer_contexts(struct tracer *t);

/* Every histogram of every CPU in ctx; values as of tracer_alloc_values(). False: could
 * not be read. */
typedef void (*hist_fn)(void *arg, u32 cpu, u32 key, const struct latency_hist *h);
bool tracer_each_hist(struct tracer *t, const struct cpu_ctx *ctx, void *values,
		      hist_fn fn, void *arg);

/* One CPU's tables added to the results. */
void results_add_hist(void *results, u32 cpu, u32 key, const struct latency_hist *h);
void results_add_idle(struct results *r, u32 cpu, u32 state, const struct idle_stats *s);
void results_add_timers(struct results *r, u32 state, const struct timer_stats *s);
void results_add_slowest(struct results *r, u32 keep, const struct slowest *s);

/* How many records this CPU has staged, and not counted, in the window. */
u32 staged_in_window(const struct tracer *t, const struct cpu_ctx *c);

/*
 * What the CPUs in ctx have staged: completed, counted into the results, and if it is to
 * be kept handed to fn.
 */
void staged_add(struct tracer *t, struct results *r, struct cpu_ctx *ctx, record_fn fn,
		void *arg);

#endif
