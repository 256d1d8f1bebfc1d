// SPDX-License-Identifier: GPL-2.0
/* What was counted so far, while the window is open: for the intervals of a series. */
#include <bpf/bpf.h>
#include <stdlib.h>

#include "interval.h"
#include "tracer_private.h"
#include "workers.h"

#include "idletrace.skel.h"

/* How often a CPU that left or entered idle meanwhile is looked at again. */
#define TRIES 3

static void add_latency(struct sample *s, const struct latency_hist *h)
{
	if (!h->count)
		return;
	if (h->max > s->latency_max)
		s->latency_max = h->max;
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		s->bucket[i] += h->bucket[i];
}

static bool sample_wakeups(struct tracer *t, struct sample *s, void *values)
{
	u32 keys = t->config.settings.slots * SOURCES;

	for (u32 i = 0; i < keys; i++) {
		if (!lookup(t->skel->maps.latency, SCOPE_SUBJECT * keys + i, values))
			return false;
		for (u32 cpu = 0; cpu < t->cpus; cpu++)
			add_latency(s, at(values, cpu, struct latency_hist));
	}
	return true;
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

/* Nothing on that CPU has begun or ended an idle period between these two looks. */
static bool is_same(const struct cpu_ctx *a, const struct cpu_ctx *b)
{
	return a->entry == b->entry && a->phase == b->phase;
}

/*
 * Idle periods are counted when they are over. So that a long one is not missing in one
 * interval and too much in the next, what has passed of it is added as residency.
 */
static void add_open(struct sample *s, u32 states, const struct cpu_ctx *c)
{
	u64 end = c->phase == PHASE_EXITED ? c->exit : s->time;

	if (c->phase != PHASE_NONE && c->requested < states && end > c->entry)
		s->state[c->requested].residency += end - c->entry;
}

static bool sample_cpus(struct tracer *t, const struct cpu_mask *cpus, struct sample *s,
			void *values)
{
	const size_t size = stride(sizeof(struct cpu_ctx));
	struct cpu_ctx *before = calloc(t->cpus, size), *after = calloc(t->cpus, size);
	struct bpf_map *map = t->skel->maps.cpus;
	bool read = before && after, quiet = false;
	unsigned int cpu;

	for (int i = 0; i < TRIES && read && !quiet; i++) {
		read = lookup(map, 0, before) && sample_idle(t, s, values);
		s->time = now_ns();
		read &= lookup(map, 0, after);
		quiet = true;
		for_each_cpu (cpu, cpus)
			quiet &=
				cpu >= t->cpus || is_same(at(before, cpu, struct cpu_ctx),
							  at(after, cpu, struct cpu_ctx));
	}
	for_each_cpu (cpu, cpus)
		if (read && cpu < t->cpus)
			add_open(s, t->config.settings.states,
				 at(after, cpu, struct cpu_ctx));
	free(before);
	free(after);
	return read;
}

bool tracer_sample(struct tracer *t, const struct cpu_mask *cpus, struct sample *s)
{
	void *values = tracer_alloc_values(t);
	bool read = values && sample_wakeups(t, s, values) &&
		    sample_cpus(t, cpus, s, values) && tracer_loss(t, &s->loss, values);

	free(values);
	return read;
}
