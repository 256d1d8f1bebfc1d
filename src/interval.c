// SPDX-License-Identifier: GPL-2.0
#include "interval.h"

#include <string.h>

void sample_of_results(const struct results *r, struct sample *s)
{
	u64 end = r->start;

	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].in_window && r->cpus[cpu].end > end)
			end = r->cpus[cpu].end;
	s->time = end - r->start;
	s->cpu_time = r->cpu_time;
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		s->bucket[i] = (u32)r->wakeups.latency.bucket[i];
	s->latency_max = r->wakeups.latency.max;
	for (u32 i = 0; i < r->nr_states; i++) {
		const struct idle_row *row = &r->idle[i];

		s->state[i] = (struct interval_state){
			.entered = row->entered,
			.too_deep = row->verdict[VERDICT_TOO_DEEP],
			.too_shallow = row->verdict[VERDICT_TOO_SHALLOW],
			.time = row->time,
			.residency = row->time,
		};
	}
	s->loss = r->loss;
	s->loss.wrapped = 0;
}

static void count_wakeups(const struct sample *a, const struct sample *b,
			  struct interval *i)
{
	struct hist h = {.max = b->latency_max};

	for (u32 k = 0; k < HIST_BUCKETS; k++) {
		h.bucket[k] = (u32)(b->bucket[k] - a->bucket[k]);
		h.count += h.bucket[k];
	}
	i->wakeups = h.count;
	i->p50 = hist_percentile(&h, 50);
	i->p99 = hist_percentile(&h, 99);
}

static void count_state(const struct interval_state *a, struct interval_state *b,
			struct interval_state *i)
{
	if (b->residency < a->residency)
		b->residency = a->residency;
	i->entered = b->entered - a->entered;
	i->too_deep = b->too_deep - a->too_deep;
	i->too_shallow = b->too_shallow - a->too_shallow;
	i->time = b->time - a->time;
	i->residency = b->residency - a->residency;
}

static void count_loss(const struct loss *a, const struct loss *b, struct loss *i)
{
	const u64 *before = (const u64 *)a, *after = (const u64 *)b;
	u64 *lost = (u64 *)i;

	for (size_t k = 0; k < sizeof(*i) / sizeof(u64); k++)
		lost[k] = after[k] - before[k];
}

void interval_between(const struct sample *a, struct sample *b, const struct power *power,
		      struct interval *i)
{
	struct power_use use;

	i->start = a->time;
	i->length = b->time - a->time;
	i->cpu_time = b->cpu_time - a->cpu_time;
	i->khz = b->khz;
	count_wakeups(a, b, i);
	for (u32 k = 0; k < STATES_MAX; k++)
		count_state(&a->state[k], &b->state[k], &i->state[k]);
	count_loss(&a->loss, &b->loss, &i->loss);
	for (int d = 0; d < POWER_DOMAINS; d++) {
		power_used(power, &a->power, &b->power, d, &use);
		i->power[d] =
			(struct interval_power){use.known, use.watts, use.energy_uj};
	}
}
