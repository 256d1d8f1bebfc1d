/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From records to tables, the only place that says which record counts where. The BPF
 * programs count what a CPU has staged; the loader what was still staged at the end.
 *
 * Who includes this says where the tables are: count_hist(), count_idle(), count_timers()
 * and count_slowest() return a place in them or NULL.
 */
#ifndef IDLETRACE_COUNT_H
#define IDLETRACE_COUNT_H

#include "join.h"

static inline struct latency_hist *count_hist(struct cpu_ctx *c, u32 key);
static inline struct idle_stats *count_idle(struct cpu_ctx *c, u32 state);
static inline struct timer_stats *count_timers(struct cpu_ctx *c, u32 state);
static inline struct slowest *count_slowest(struct cpu_ctx *c);

join_inline void hist_count(struct latency_hist *h, u64 v)
{
	u32 i = hist_bucket(v);

	if (!h)
		return;
	if (i < HIST_BUCKETS)
		h->bucket[i]++;
	h->sum += v;
	if (!h->count || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->count++;
}

join_inline void count_period(struct cpu_ctx *c, const struct period_record *r,
			      const volatile struct settings *set)
{
	struct idle_stats *s = count_idle(c, r->requested);

	if (!s)
		return;
	s->requested++;
	s->rule_checked += !!(r->flags & PERIOD_RULE_CHECKED);
	s->rule_wrong += !!(r->flags & PERIOD_RULE_WRONG);
	if (r->verdict == VERDICT_REJECTED) {
		s->verdict[VERDICT_REJECTED]++;
		return;
	}
	if (r->entered != r->requested)
		s = count_idle(c, r->entered);
	if (!s)
		return;
	s->entered++;
	if (set->has_driver && (r->flags & PERIOD_UNCOUNTED)) {
		s->uncounted++;
		s->uncounted_time += r->residency;
	}
	s->time += r->residency;
	if (r->verdict < VERDICTS)
		s->verdict[r->verdict]++;
	if (r->end < ENDS)
		s->end[r->end]++;
	if (r->verdict == VERDICT_TOO_SHALLOW && r->right < STATES_MAX)
		s->shallow_time[r->right] += r->residency;
	hist_count(count_hist(c, KEY_RESIDENCY + r->entered), r->residency);
}

/* Among the slowest of this CPU, if it is one of them. */
join_inline void count_slow(struct cpu_ctx *c, const struct wakeup_record *r, u32 keep)
{
	struct slowest *s;
	u32 at;

	if (r->latency <= c->slow_floor)
		return;
	s = count_slowest(c);
	if (!s)
		return;
	at = s->count < keep ? s->count++ : s->worst;
	/* The verifier is to see the bound of this register, not of a copy. */
	asm volatile("" : "+r"(at));
	if (at >= SLOWEST_MAX)
		return;
	s->record[at] = *r;
	if (s->count < keep)
		return;
	c->slow_floor = ~0ULL;
	for (u32 i = 0; i < SLOWEST_MAX; i++) {
		if (i >= keep)
			break;
		if (s->record[i].latency < c->slow_floor) {
			c->slow_floor = s->record[i].latency;
			s->worst = i;
		}
	}
}

join_inline void count_too_deep(struct cpu_ctx *c, const struct wakeup_record *r)
{
	struct idle_stats *s = count_idle(c, r->state);

	if (!s || r->right >= STATES_MAX)
		return;
	s->deep_wakeups[r->right]++;
	s->deep_exit[r->right] += r->exit;
}

join_inline void count_wakeup(struct cpu_ctx *c, const struct wakeup_record *r,
			      const volatile struct settings *set)
{
	u32 slot = r->class == CLASS_IDLE ? IDLE_SLOT(r->state, r->verdict) : r->class;
	u32 place = SLOTS_MAX * r->scope + slot;

	hist_count(count_hist(c, KEY_LATENCY + SOURCES * place + r->source), r->latency);
	if (r->class == CLASS_IDLE || r->class == CLASS_QUEUED) {
		hist_count(count_hist(c, KEY_EXIT + place), r->exit);
		hist_count(count_hist(c, KEY_QUEUE + place), r->latency - r->exit);
	}
	if (r->scope != SCOPE_SUBJECT)
		return;
	if (r->verdict == VERDICT_TOO_DEEP)
		count_too_deep(c, r);
	if (set->slowest)
		count_slow(c, r, set->slowest);
}

join_inline void count_timer(struct cpu_ctx *c, const struct timer_record *r)
{
	struct timer_stats *s = count_timers(c, r->state);

	if (!s)
		return;
	s->expired++;
	s->tick += r->tick;
	hist_count(count_hist(c, KEY_LATE + r->state), r->late);
}

/* Completes the record, and counts it. */
join_inline void count_record(struct cpu_ctx *c, union record *r,
			      const volatile struct settings *set)
{
	join_complete(c, set, r);
	if (r->type == RECORD_WAKEUP)
		count_wakeup(c, &r->wakeup, set);
	else if (r->type == RECORD_PERIOD)
		count_period(c, &r->period, set);
	else
		count_timer(c, &r->timer);
}

#endif
