/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records on their way to the tables, and if they are wanted to user space. They are
 * staged per CPU and counted many at a time: what counting needs, code and tables, comes
 * back into the caches once for all of them, and preferably when the CPU is about to
 * idle. All callers run with interrupts off, so that a stage has one writer at a time.
 */
#ifndef IDLETRACE_STAGE_BPF_H
#define IDLETRACE_STAGE_BPF_H

#include "account.bpf.h"
#include "count.h"
#include "maps.bpf.h"

/* A record later than this after the last count has itself and all others counted. */
#define STAGE_NS 10000000

/* The pool never shrinks: a key keeps its place from one window to the next. */
static inline struct latency_hist *count_hist(struct cpu_ctx *c, u32 key)
{
	u32 place;

	if (key >= HIST_KEYS)
		return 0;
	place = c->hist_at[key];
	if (!place) {
		if (c->hists_used >= cfg.hists) {
			c->count.map_full++;
			return 0;
		}
		place = ++c->hists_used;
		c->hist_at[key] = place;
	}
	place--;
	return bpf_map_lookup_elem(&hists, &place);
}

static inline struct idle_stats *count_idle(struct cpu_ctx *c, u32 state)
{
	return bpf_map_lookup_elem(&idle, &state);
}

static inline struct timer_stats *count_timers(struct cpu_ctx *c, u32 state)
{
	return bpf_map_lookup_elem(&timers, &state);
}

static inline struct slowest *count_slowest(struct cpu_ctx *c)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&slowest, &zero);
}

/* Records to keep move to the front of the stage. */
static __always_inline void stage_keep(struct cpu_ctx *c, const union record *r)
{
	u32 at = c->kept++;

	if (at >= STAGE_MAX)
		return;
	barrier_var(at);
	if (&c->record[at] != r)
		c->record[at] = *r;
}

static __always_inline void stage_submit(struct cpu_ctx *c)
{
	u32 cpu = c->cpu, kept = c->kept;
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	if (!kept || kept > STAGE_MAX)
		return;
	/* Never wake the reader: from the idle path that is a storm of interrupts. */
	if (!ring || bpf_ringbuf_output(ring, c->record, kept * sizeof(c->record[0]),
					BPF_RB_NO_WAKEUP))
		c->count.ring += kept;
}

/* Counted by one call of stage_count_some(). */
#define STAGE_SOME 4

/*
 * Counts some staged records. A function of its own to the verifier, which follows it
 * once for all of them: a quarter of a second less until all programs are loaded.
 */
__noinline int stage_count_some(u32 from)
{
	struct cpu_ctx *c = this_cpu();
	union record *r;

	if (!c)
		return 0;
	for (u32 i = 0; i < STAGE_SOME; i++) {
		u32 at = from + i;

		barrier_var(at);
		if (at >= STAGE_MAX || at >= c->staged)
			break;
		r = &c->record[at];
		count_record(c, r, &cfg);
		verifier_forget();
		if (cfg.events != EVENTS_NONE && record_wanted(r, &cfg))
			stage_keep(c, r);
		verifier_forget();
	}
	return 0;
}

/* Counts what is staged. */
__noinline int stage_count(void)
{
	struct cpu_ctx *c = this_cpu();

	if (!c)
		return 0;
	c->kept = 0;
	account_disabled(c);
	for (u32 i = 0; i < STAGE_MAX; i += STAGE_SOME) {
		if (i >= c->staged)
			break;
		stage_count_some(i);
	}
	c->staged = 0;
	if (cfg.events != EVENTS_NONE)
		stage_submit(c);
	return 0;
}

/*
 * The first event in a window: what was staged in an earlier one is forgotten, how slow
 * its slowest were, and what the kernel has accounted since we last saw it.
 */
__noinline int stage_begin(u32 number)
{
	struct cpu_ctx *c = this_cpu();

	if (!c)
		return 0;
	c->window = number;
	c->staged = 0;
	c->slow_floor = 0;
	if (c->dev)
		account_begin(c);
	return 0;
}

/* The window is open here. */
static __always_inline bool window_open(struct cpu_ctx *c)
{
	u8 number = c->cpu < CPUS_MAX ? window[c->cpu] : 0;

	if (!number)
		return false;
	if (c->window != number)
		stage_begin(number);
	return true;
}

/* The next free place; it must be filled and pushed at once. */
static __always_inline union record *stage_next(struct cpu_ctx *c)
{
	u32 n = c->staged;

	if (n >= STAGE_MAX)
		return 0;
	barrier_var(n); /* the bound is this register's, not a copy's */
	return &c->record[n];
}

/* now: about the present time, any clock read of the same event. */
static __always_inline void stage_push(struct cpu_ctx *c, u64 now)
{
	if (++c->staged < STAGE_MAX && now < c->count_at)
		return;
	c->count_at = now + STAGE_NS;
	stage_count();
}

/*
 * Nobody waits for a CPU that is about to idle. What a closed window left is not counted:
 * the loader reads it, or forgets it with the tables.
 */
static __always_inline void stage_idle(struct cpu_ctx *c)
{
	if (c->staged >= STAGE_MAX * 3 / 4 && window_open(c))
		stage_count();
}

#endif
