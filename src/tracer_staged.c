// SPDX-License-Identifier: GPL-2.0
/* The records that CPUs have still staged, whose counting is up to the loader. */
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "tracer_private.h"

/* A wakeup counts in three histograms. */
#define POOL (3 * STAGE_MAX)

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

u32 staged_in_window(const struct tracer *t, const struct cpu_ctx *c)
{
	if (c->window != t->window)
		return 0;
	return c->staged < STAGE_MAX ? c->staged : STAGE_MAX;
}

/* Empty tables that go on where that CPU has stopped counting. */
static void begin(struct tables *tables, const struct cpu_ctx *c)
{
	memset(tables, 0, sizeof(*tables));
	tables->ctx = *c;
	memset(tables->ctx.hist_at, 0, sizeof(tables->ctx.hist_at));
	tables->ctx.hists_used = 0;
}

static void add(const struct tables *tables, struct results *r, u32 cpu,
		const struct settings *s)
{
	const u8 *hist_at = tables->ctx.hist_at;

	for (u32 key = 0; key < HIST_KEYS; key++)
		if (hist_at[key])
			results_add_hist(r, cpu, key, &tables->hist[hist_at[key] - 1]);
	for (u32 state = 0; state < s->states; state++)
		results_add_idle(r, cpu, state, &tables->idle[state]);
	for (u32 state = 0; state <= s->states; state++)
		results_add_timers(r, state, &tables->timers[state]);
	results_add_slowest(r, s->slowest, &tables->slowest);
}

void staged_add(struct tracer *t, struct results *r, struct cpu_ctx *ctx, record_fn fn,
		void *arg)
{
	const struct settings *s = &t->config.settings;
	struct tables *tables = malloc(sizeof(*tables));

	for (u32 cpu = 0; tables && cpu < t->cpus; cpu++) {
		u32 n = staged_in_window(t, &ctx[cpu]);

		if (!n)
			continue;
		begin(tables, &ctx[cpu]);
		for (u32 i = 0; i < n; i++) {
			union record *record = &ctx[cpu].record[i];

			count_record(&tables->ctx, record, s);
			if (record_wanted(record, s))
				fn(arg, record);
		}
		add(tables, r, cpu, s);
	}
	free(tables);
}
