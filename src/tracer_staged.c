// SPDX-License-Identifier: GPL-2.0
/* The records that CPUs had still staged when their window closed. */
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "tracer_private.h"

/* A wakeup counts in four histograms. */
#define POOL (4 * STAGE_MAX)

/* Tables like those of the BPF maps, for one CPU. */
struct tables {
	struct cpu_ctx ctx; /* a copy, but with a pool of its own */
	struct latency_hist hist[POOL];
	struct idle_stats idle[STATES_MAX];
	struct timer_stats timers[STATES_MAX + 1];
	struct slowest slowest;
};

static inline struct latency_hist *count_hist(struct cpu_ctx *c, u32 key)
{
	struct tables *t = (struct tables *)c;

	if (key >= HIST_KEYS)
		return NULL;
	if (!c->hist_at[key] && c->hists_used < POOL)
		c->hist_at[key] = ++c->hists_used;
	return c->hist_at[key] ? &t->hist[c->hist_at[key] - 1] : NULL;
}

static inline struct idle_stats *count_idle(struct cpu_ctx *c, u32 state)
{
	return state < STATES_MAX ? &((struct tables *)c)->idle[state] : NULL;
}

static inline struct timer_stats *count_timers(struct cpu_ctx *c, u32 state)
{
	return state <= STATES_MAX ? &((struct tables *)c)->timers[state] : NULL;
}

static inline struct slowest *count_slowest(struct cpu_ctx *c)
{
	return &((struct tables *)c)->slowest;
}

static u32 staged_in_window(const struct tracer *t, const struct cpu_ctx *c)
{
	if (c->window != t->window)
		return 0;
	return c->staged < STAGE_MAX ? c->staged : STAGE_MAX;
}

void staged_add(struct tracer *t, struct results *r, struct cpu_ctx *ctx)
{
	const struct settings *s = &t->config.settings;
	struct tables *tables = malloc(sizeof(*tables));

	for (u32 cpu = 0; tables && cpu < t->cpus; cpu++) {
		u32 n = staged_in_window(t, &ctx[cpu]);

		if (!n)
			continue;
		memset(tables, 0, sizeof(*tables));
		tables->ctx = ctx[cpu];
		memset(tables->ctx.hist_at, 0, sizeof(tables->ctx.hist_at));
		tables->ctx.hists_used = 0;
		for (u32 i = 0; i < n; i++)
			count_record(&tables->ctx, &ctx[cpu].record[i], s);
		for (u32 key = 0; key < HIST_KEYS; key++)
			if (tables->ctx.hist_at[key])
				results_add_hist(
					r, cpu, key,
					&tables->hist[tables->ctx.hist_at[key] - 1]);
		for (u32 state = 0; state < s->states; state++)
			results_add_idle(r, cpu, state, &tables->idle[state]);
		for (u32 state = 0; state <= s->states; state++)
			results_add_timers(r, state, &tables->timers[state]);
		results_add_slowest(r, s->slowest, &tables->slowest);
	}
	free(tables);
}

void tracer_flush(struct tracer *t, record_fn fn, void *ctx)
{
	const struct settings *s = &t->config.settings;
	struct cpu_ctx *cpus = tracer_contexts(t);

	for (u32 cpu = 0; cpus && cpu < t->cpus; cpu++)
		for (u32 i = 0; i < staged_in_window(t, &cpus[cpu]); i++) {
			union record *record = &cpus[cpu].record[i];

			join_complete(&cpus[cpu], s, record);
			if (record_wanted(record, s))
				fn(ctx, record);
		}
	free(cpus);
}
