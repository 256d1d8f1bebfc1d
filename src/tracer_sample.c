// SPDX-License-Identifier: GPL-2.0
/* What was counted so far, while the window is open: for the intervals of a series. */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "tracer_private.h"
#include "workers.h"

#include "idletrace.skel.h"

/* How often a CPU that left or entered idle meanwhile is looked at again. */
#define TRIES 3

static void add_latency(void *sample, u32 cpu, u32 key, const struct latency_hist *h)
{
	struct sample *s = sample;

	(void)cpu;
	if (key >= KEY_LATENCY + SOURCES * SLOTS_MAX || !h->count)
		return;
	if (h->max > s->latency_max)
		s->latency_max = h->max;
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		s->bucket[i] += h->bucket[i];
}

static bool sample_idle(struct tracer *t, struct sample *s, void *values)
{
	for (u32 state = 0; state < t->config.settings.states; state++) {
		struct interval_state *to = &s->state[state];

		*to = (struct interval_state){0};
		if (!lookup(t->skel->maps.idle, state, values))
			return false;
		for (u32 cpu = 0; cpu < t->cpus; cpu++) {
			const struct idle_stats *from =
				at(values, cpu, struct idle_stats);

			to->entered += from->entered;
			to->too_deep += from->verdict[VERDICT_TOO_DEEP];
			to->too_shallow += from->verdict[VERDICT_TOO_SHALLOW];
			to->time += from->time;
		}
		to->residency = to->time;
	}
	return true;
}

/* Between these two looks that CPU has neither begun nor ended nor counted a period. */
static bool is_same(const struct cpu_ctx *a, const struct cpu_ctx *b)
{
	return a->entry == b->entry && a->phase == b->phase && a->staged == b->staged &&
	       a->count_at == b->count_at;
}

/*
 * Idle periods are counted some time after they are over. So that a long one is not
 * missing in one interval and too much in the next, what has passed of it is added as
 * residency.
 */
static void add_open(const struct tracer *t, struct sample *s, const struct cpu_ctx *c)
{
	u32 states = t->config.settings.states;
	u64 exit = c->exit ? c->exit : c->awake;
	u64 end = c->phase == PHASE_EXITED ? exit : s->time;

	if (c->phase != PHASE_NONE && c->requested < states && end > c->entry)
		s->state[c->requested].residency += end - c->entry;
	for (u32 i = 0; i < staged_in_window(t, c); i++) {
		const struct period_record *r = &c->record[i].period;

		if (r->type == RECORD_PERIOD && r->entered < states)
			s->state[r->entered].residency += r->residency;
	}
}

static bool all_same(const struct cpu_mask *cpus, const struct cpu_ctx *before,
		     const struct cpu_ctx *after)
{
	unsigned int cpu;
	bool same = true;

	for_each_cpu (cpu, cpus)
		same &= is_same(&before[cpu], &after[cpu]);
	return same;
}

/* Idle states; after a few tries of CPUs that are not quiet as they are. */
static bool sample_cpus(struct tracer *t, const struct cpu_mask *cpus, struct sample *s,
			void *values)
{
	struct cpu_ctx *before = NULL, *after = tracer_contexts(t);
	bool read = after, same = false;
	unsigned int cpu;

	for (int i = 0; i < TRIES && read && !same; i++) {
		free(before);
		before = after;
		read = sample_idle(t, s, values);
		s->time = now_ns();
		after = tracer_contexts(t);
		read &= !!after;
		same = read && all_same(cpus, before, after);
	}
	/* A CPU that is never quiet has no long periods. */
	for_each_cpu (cpu, cpus)
		if (read && is_same(&before[cpu], &after[cpu]))
			add_open(t, s, &after[cpu]);
	if (read)
		tracer_loss(t, after, &s->loss);
	free(before);
	free(after);
	return read;
}

bool tracer_sample(struct tracer *t, const struct cpu_mask *cpus, struct sample *s)
{
	struct cpu_ctx *ctx = tracer_contexts(t);
	void *values = tracer_alloc_values(t);
	bool read = ctx && values && tracer_each_hist(t, ctx, values, add_latency, s) &&
		    sample_cpus(t, cpus, s, values);

	free(ctx);
	free(values);
	return read;
}
