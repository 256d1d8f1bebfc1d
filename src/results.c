// SPDX-License-Identifier: GPL-2.0
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[VERDICTS] = {
	[VERDICT_UNKNOWN] = "unknown",	 [VERDICT_HIT] = "hit",
	[VERDICT_TOO_DEEP] = "too deep", [VERDICT_TOO_SHALLOW] = "too shallow",
	[VERDICT_REJECTED] = "rejected",
};

static const char *const source_names[SOURCES] = {
	[SOURCE_UNKNOWN] = "unknown", [SOURCE_TIMER] = "timer",
	[SOURCE_REMOTE] = "remote",   [SOURCE_LOCAL] = "local",
	[SOURCE_IRQ] = "irq",
};

static const char *const class_names[CLASSES] = {
	[CLASS_RUNNING] = "running",
	[CLASS_QUEUED] = "queued",
	[CLASS_ABORTED] = "aborted",
	[CLASS_IDLE] = "idle",
};

const char *verdict_name(enum verdict v)
{
	return v < VERDICTS ? verdict_names[v] : "unknown";
}

const char *source_name(enum wake_source s)
{
	return s < SOURCES ? source_names[s] : "unknown";
}

const char *class_name(enum wakeup_class c)
{
	return c < CLASSES ? class_names[c] : "unknown";
}

static int init_wakeups(struct wakeups *w, u32 states)
{
	w->nr_rows = SLOTS(states);
	w->rows = calloc(w->nr_rows, sizeof(*w->rows));
	if (!w->rows)
		return -ENOMEM;
	for (u32 slot = 0; slot < w->nr_rows; slot++) {
		struct wakeup_row *row = &w->rows[slot];

		row->class = slot < SLOT_IDLE ? slot : CLASS_IDLE;
		if (row->class == CLASS_IDLE) {
			row->state = (slot - SLOT_IDLE) / VERDICTS;
			row->verdict = (slot - SLOT_IDLE) % VERDICTS;
		}
	}
	return 0;
}

int results_init(struct results *r, u32 nr_states, u32 nr_cpus)
{
	memset(r, 0, sizeof(*r));
	r->nr_states = nr_states < STATES_MAX ? nr_states : STATES_MAX;
	r->cpus = calloc(nr_cpus, sizeof(*r->cpus));
	if (!r->cpus || init_wakeups(&r->wakeups, r->nr_states) ||
	    init_wakeups(&r->others, r->nr_states)) {
		results_free(r);
		return -ENOMEM;
	}
	r->nr_cpus = nr_cpus;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++)
		r->cpus[cpu].cpu = cpu;
	return 0;
}

void results_free(struct results *r)
{
	free(r->wakeups.rows);
	free(r->others.rows);
	free(r->cpus);
	free(r->tasks);
	free(r->timer_users);
	memset(r, 0, sizeof(*r));
}

static void finish_wakeups(struct wakeups *w)
{
	for (u32 i = 0; i < w->nr_rows; i++) {
		struct wakeup_row *row = &w->rows[i];

		/* A CPU that was awake all the time has no exit phase. */
		if (row->class == CLASS_RUNNING || row->class == CLASS_ABORTED)
			row->queue = row->latency;
		hist_merge(&w->latency, &row->latency);
		hist_merge(&w->exit, &row->exit);
		hist_merge(&w->queue, &row->queue);
	}
}

static void add_idle(struct idle_row *to, const struct idle_row *from)
{
	to->requested += from->requested;
	to->entered += from->entered;
	to->uncounted += from->uncounted;
	to->uncounted_time += from->uncounted_time;
	to->time += from->time;
	for (u32 i = 0; i < VERDICTS; i++)
		to->verdict[i] += from->verdict[i];
	for (u32 i = 0; i < ENDS; i++)
		to->end[i] += from->end[i];
	for (u32 i = 0; i < STATES_MAX; i++) {
		to->shallow_time[i] += from->shallow_time[i];
		to->deep_wakeups[i] += from->deep_wakeups[i];
		to->deep_exit[i] += from->deep_exit[i];
	}
	to->kernel.usage += from->kernel.usage;
	to->kernel.time_us += from->kernel.time_us;
	to->kernel.above += from->kernel.above;
	to->kernel.below += from->kernel.below;
	to->kernel.rejected += from->kernel.rejected;
	to->residual.usage += from->residual.usage;
	to->residual.time_us += from->residual.time_us;
	to->residual.above += from->residual.above;
	to->residual.below += from->residual.below;
	to->residual.rejected += from->residual.rejected;
}

static void finish_residual(struct idle_row *row)
{
	row->residual.usage = (s64)(row->entered - row->uncounted - row->kernel.usage);
	row->residual.time_us = (s64)((row->time - row->uncounted_time) / NSEC_PER_USEC -
				      row->kernel.time_us);
	row->residual.above = (s64)(row->verdict[VERDICT_TOO_DEEP] - row->kernel.above);
	row->residual.below =
		(s64)(row->verdict[VERDICT_TOO_SHALLOW] - row->kernel.below);
	row->residual.rejected =
		(s64)(row->verdict[VERDICT_REJECTED] - row->kernel.rejected);
}

void results_take_part(struct results *r, const struct cpu_mask *cpus)
{
	u32 in = 0, all = 0;

	cpu_mask_clear(&r->part.cpus);
	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++) {
		if (!r->cpus[cpu].in_window)
			continue;
		all++;
		if (!cpu_mask_test(cpus, cpu))
			continue;
		cpu_mask_set(&r->part.cpus, cpu);
		in++;
	}
	r->part.given = in && in < all;
}

static void finish_cpu(struct results *r, struct cpu_row *cpu)
{
	bool part = r->part.given && cpu_mask_test(&r->part.cpus, cpu->cpu);

	for (u32 i = 0; i < r->nr_states; i++) {
		struct idle_row *row = &cpu->state[i];

		cpu->periods += row->entered + row->verdict[VERDICT_REJECTED];
		if (cpu->has_kernel)
			finish_residual(row);
		add_idle(&r->idle[i], row);
		if (part)
			add_idle(&r->part.state[i], row);
	}
	r->cpu_time += cpu->end - cpu->start;
	if (part)
		r->part.cpu_time += cpu->end - cpu->start;
	if (cpu->end - cpu->start > r->duration)
		r->duration = cpu->end - cpu->start;
	if (!r->start || cpu->start < r->start)
		r->start = cpu->start;
}

/*
 * Too deep: each wakeup out of such a period waited for the exit of a deep state. What
 * the state that would have been right costs is the median exit phase of its hits; the
 * difference is summed without clipping, so that noise cancels out.
 */
static void finish_deep(struct results *r, u32 entered)
{
	const struct idle_row *row = &r->idle[entered];
	struct deep_cost *cost = &r->deep[entered];

	cost->known = true;
	for (u32 right = 0; right < r->nr_states; right++) {
		const struct hist *hits =
			&r->wakeups.rows[IDLE_SLOT(right, VERDICT_HIT)].exit;

		if (!row->deep_wakeups[right])
			continue;
		cost->wakeups += row->deep_wakeups[right];
		if (!hits->count)
			cost->known = false;
		cost->time += (s64)row->deep_exit[right] -
			      (s64)(row->deep_wakeups[right] * hist_percentile(hits, 50));
	}
}

static int by_ended(const void *a, const void *b)
{
	const struct timer_user *x = &((const struct timer_user_row *)a)->user;
	const struct timer_user *y = &((const struct timer_user_row *)b)->user;

	if (x->ended != y->ended)
		return x->ended < y->ended ? 1 : -1;
	return x->expired < y->expired ? 1 : x->expired > y->expired ? -1 : 0;
}

void results_finish(struct results *r)
{
	if (r->nr_timer_users)
		qsort(r->timer_users, r->nr_timer_users, sizeof(*r->timer_users),
		      by_ended);
	finish_wakeups(&r->wakeups);
	finish_wakeups(&r->others);
	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].in_window)
			finish_cpu(r, &r->cpus[cpu]);
	for (u32 i = 0; i < r->nr_states; i++) {
		finish_deep(r, i);
		memcpy(r->shallow_cost[i], r->idle[i].shallow_time,
		       sizeof(r->shallow_cost[i]));
	}
}

u64 results_periods(const struct results *r)
{
	u64 n = 0;

	for (u32 i = 0; i < r->nr_states; i++)
		n += r->idle[i].entered + r->idle[i].verdict[VERDICT_REJECTED];
	return n;
}

bool results_lossy(const struct results *r)
{
	const struct loss *l = &r->loss;

	/* What the kernel never told (orphans, unseen switches) is shown, but is not
	 * ours. */
	return l->ring || l->map_full || l->recursion || l->wrapped;
}
