// SPDX-License-Identifier: GPL-2.0
/* From the maps' per-CPU values to the tables of results. */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer_private.h"

#include "idletrace.skel.h"

static void add_hist(struct results *r, struct hist *to, const struct latency_hist *from)
{
	u64 seen = 0;

	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (!to->count || from->max > to->max)
		to->max = from->max;
	to->sum += from->sum;
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		to->bucket[i] += from->bucket[i];
		seen += from->bucket[i];
	}
	to->count += seen;
	/* A bucket holds 32 bits: more than 4 billion of one value wrap it. */
	r->loss.wrapped += from->count - seen;
}

static void add_residency(struct results *r, u32 cpu, u32 state,
			  const struct latency_hist *h)
{
	add_hist(r, &r->residency[state], h);
	if (r->part.given && cpu_mask_test(&r->part.cpus, cpu))
		add_hist(r, &r->part.residency[state], h);
}

/* The wakeups that a place, SLOTS_MAX * scope + slot, is of; their row, NULL: not shown.
 */
static struct wakeups *wakeups_at(struct results *r, u32 place)
{
	return place < SLOTS_MAX ? &r->wakeups : &r->others;
}

static struct wakeup_row *row_at(struct results *r, u32 place)
{
	struct wakeups *w = wakeups_at(r, place);
	u32 slot = place % SLOTS_MAX;

	return slot < w->nr_rows ? &w->rows[slot] : NULL;
}

static void add_latency(struct results *r, u32 place, u32 source,
			const struct latency_hist *h)
{
	struct wakeup_row *row = row_at(r, place);

	if (!row)
		return;
	add_hist(r, &row->latency, h);
	add_hist(r, &wakeups_at(r, place)->sources[source], h);
}

void results_add_hist(void *results, u32 cpu, u32 key, const struct latency_hist *h)
{
	struct results *r = results;
	struct wakeup_row *row;

	if (key >= KEY_LATE) {
		add_hist(r, &r->timers[key - KEY_LATE].late, h);
	} else if (key >= KEY_RESIDENCY) {
		add_residency(r, cpu, key - KEY_RESIDENCY, h);
	} else if (key >= KEY_QUEUE) {
		row = row_at(r, key - KEY_QUEUE);
		if (row)
			add_hist(r, &row->queue, h);
	} else if (key >= KEY_EXIT) {
		row = row_at(r, key - KEY_EXIT);
		if (row)
			add_hist(r, &row->exit, h);
	} else {
		add_latency(r, key / SOURCES, key % SOURCES, h);
	}
}

void results_add_idle(struct results *r, u32 cpu, u32 state, const struct idle_stats *s)
{
	struct idle_row *row;

	r->rule_checked += s->rule_checked;
	r->rule_wrong += s->rule_wrong;
	if (cpu >= r->nr_cpus)
		return;
	row = &r->cpus[cpu].state[state];
	row->requested += s->requested;
	row->entered += s->entered;
	row->uncounted += s->uncounted;
	row->uncounted_time += s->uncounted_time;
	row->time += s->time;
	for (u32 i = 0; i < VERDICTS; i++)
		row->verdict[i] += s->verdict[i];
	for (u32 i = 0; i < ENDS; i++)
		row->end[i] += s->end[i];
	for (u32 i = 0; i < STATES_MAX; i++) {
		row->shallow_time[i] += s->shallow_time[i];
		row->deep_wakeups[i] += s->deep_wakeups[i];
		row->deep_exit[i] += s->deep_exit[i];
	}
}

void results_add_timers(struct results *r, u32 state, const struct timer_stats *s)
{
	r->timers[state].expired += s->expired;
	r->timers[state].tick += s->tick;
}

static int slower(const void *a, const void *b)
{
	u64 x = ((const struct slow_wakeup *)a)->record.latency;
	u64 y = ((const struct slow_wakeup *)b)->record.latency;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The slowest of what r has and of another CPU's, at most keep. */
void results_add_slowest(struct results *r, u32 keep, const struct slowest *s)
{
	struct slow_wakeup all[SLOWEST_MAX * 2];
	u32 n = r->nr_slowest;

	memcpy(all, r->slowest, n * sizeof(all[0]));
	for (u32 i = 0; i < s->count && i < SLOWEST_MAX; i++) {
		all[n].waker[0] = '\0';
		all[n++].record = s->record[i];
	}
	qsort(all, n, sizeof(all[0]), slower);
	r->nr_slowest = n < keep ? n : keep;
	memcpy(r->slowest, all, r->nr_slowest * sizeof(all[0]));
}

/* 1 + key of each place in the CPUs' pools, HISTS_MAX of each CPU; NULL: no memory. */
static u16 *pool_keys(const struct tracer *t, const struct cpu_ctx *ctx, u32 *places)
{
	u16 *keys = calloc(t->cpus, sizeof(*keys) * HISTS_MAX);

	*places = 0;
	for (u32 cpu = 0; keys && cpu < t->cpus; cpu++) {
		const struct cpu_ctx *c = &ctx[cpu];

		for (u32 key = 0; key < HIST_KEYS; key++)
			if (c->hist_at[key])
				keys[cpu * HISTS_MAX + c->hist_at[key] - 1] = 1 + key;
		if (c->hists_used > *places)
			*places = c->hists_used;
	}
	return keys;
}

bool tracer_each_hist(struct tracer *t, const struct cpu_ctx *ctx, void *values,
		      hist_fn fn, void *arg)
{
	u32 places;
	u16 *keys = pool_keys(t, ctx, &places);
	bool read = keys;

	for (u32 place = 0; read && place < places; place++) {
		read = lookup(t->skel->maps.hists, place, values);
		for (u32 cpu = 0; read && cpu < t->cpus; cpu++) {
			u32 key = keys[cpu * HISTS_MAX + place];

			if (key)
				fn(arg, cpu, key - 1,
				   at(values, cpu, struct latency_hist));
		}
	}
	free(keys);
	return read;
}

static void read_idle(struct tracer *t, struct results *r, void *values)
{
	for (u32 state = 0; state < t->config.settings.states; state++)
		if (lookup(t->skel->maps.idle, state, values))
			for (u32 cpu = 0; cpu < t->cpus; cpu++)
				results_add_idle(r, cpu, state,
						 at(values, cpu, struct idle_stats));
}

static void read_timers(struct tracer *t, struct results *r, void *values)
{
	for (u32 state = 0; state <= t->config.settings.states; state++)
		if (lookup(t->skel->maps.timers, state, values))
			for (u32 cpu = 0; cpu < t->cpus; cpu++)
				results_add_timers(r, state,
						   at(values, cpu, struct timer_stats));
}

static void read_timer_users(struct tracer *t, struct results *r)
{
	int fd = bpf_map__fd(t->skel->maps.timer_users);
	struct timer_owner key, next;
	bool more;

	if (!t->config.settings.timers)
		return;
	r->timer_users = calloc(TIMER_USERS_MAX, sizeof(*r->timer_users));
	more = r->timer_users && !bpf_map_get_next_key(fd, NULL, &key);
	while (more && r->nr_timer_users < TIMER_USERS_MAX) {
		struct timer_user_row *row = &r->timer_users[r->nr_timer_users];

		row->owner = key;
		if (!bpf_map_lookup_elem(fd, &key, &row->user))
			r->nr_timer_users++;
		more = !bpf_map_get_next_key(fd, &key, &next);
		key = next;
	}
}

static void read_slowest(struct tracer *t, struct results *r, void *values)
{
	u32 keep = t->config.settings.slowest;

	if (keep && lookup(t->skel->maps.slowest, 0, values))
		for (u32 cpu = 0; cpu < t->cpus; cpu++)
			results_add_slowest(r, keep, at(values, cpu, struct slowest));
}

/* What each CPU has counted since the last reset. */
static void sum_counters(struct tracer *t, const struct cpu_ctx *ctx,
			 struct counters *sum)
{
	u64 *to = (u64 *)sum;

	memset(sum, 0, sizeof(*sum));
	for (u32 cpu = 0; cpu < t->cpus; cpu++) {
		const struct cpu_ctx *c = &ctx[cpu];
		const u64 *now = (const u64 *)&c->count;
		const u64 *base = (const u64 *)&t->base[cpu];

		for (size_t i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			to[i] += now[i] - base[i];
	}
}

static void take_loss(struct tracer *t, const struct counters *c, struct loss *l)
{
	l->orphans = c->orphans;
	l->unmatched = c->unmatched;
	l->unseen = c->unseen;
	l->unseen_runs = c->unseen_runs;
	l->negative = c->negative;
	l->map_full = c->map_full;
	l->ring = c->ring;
	l->unpaired = c->unpaired;
	l->recursion = tracer_recursion_misses(t) - t->base_recursion;
}

void tracer_loss(struct tracer *t, const struct cpu_ctx *ctx, struct loss *l)
{
	struct counters c;

	sum_counters(t, ctx, &c);
	take_loss(t, &c, l);
}

static void read_counters(struct tracer *t, struct results *r, const struct cpu_ctx *ctx)
{
	struct counters c;

	sum_counters(t, ctx, &c);
	for (u32 cpu = 0; cpu < t->cpus && cpu < r->nr_cpus; cpu++)
		r->cpus[cpu].switches = ctx[cpu].count.switches - t->base[cpu].switches;
	r->switches = c.switches;
	r->unslept = c.unslept;
	r->timers_other_clock = c.late_skipped;
	r->observer.wakeups = c.own;
	take_loss(t, &c, &r->loss);
}

void *tracer_alloc_values(struct tracer *t)
{
	size_t sizes[] = {sizeof(struct latency_hist), sizeof(struct idle_stats),
			  sizeof(struct timer_stats), sizeof(struct slowest)};
	size_t most = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		most = sizes[i] > most ? sizes[i] : most;
	return calloc(t->cpus, stride(most));
}

struct cpu_ctx *tracer_contexts(struct tracer *t)
{
	struct cpu_ctx *ctx = calloc(t->cpus, sizeof(*ctx));

	if (ctx && !lookup(t->skel->maps.cpus, 0, ctx)) {
		free(ctx);
		ctx = NULL;
	}
	return ctx;
}

void tracer_rebase(struct tracer *t)
{
	struct cpu_ctx *ctx = tracer_contexts(t);

	/* The CPUs' contexts are live and cannot be zeroed. */
	for (u32 cpu = 0; ctx && cpu < t->cpus; cpu++)
		t->base[cpu] = ctx[cpu].count;
	t->base_recursion = tracer_recursion_misses(t);
	free(ctx);
}

void tracer_read(struct tracer *t, struct results *r, record_fn fn, void *arg)
{
	struct cpu_ctx *ctx = tracer_contexts(t);
	void *values = tracer_alloc_values(t);

	if (ctx && values) {
		tracer_each_hist(t, ctx, values, results_add_hist, r);
		read_idle(t, r, values);
		read_timers(t, r, values);
		read_timer_users(t, r);
		read_slowest(t, r, values);
		staged_add(t, r, ctx, fn, arg);
		read_counters(t, r, ctx);
	}
	free(values);
	free(ctx);
}

static void zero_map(struct bpf_map *map, const void *zeroes)
{
	for (u32 key = 0; key < bpf_map__max_entries(map); key++)
		bpf_map_update_elem(bpf_map__fd(map), &key, zeroes, BPF_ANY);
}

static void empty_timer_users(struct tracer *t)
{
	int fd = bpf_map__fd(t->skel->maps.timer_users);
	struct timer_owner key;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			break;
}

static void forget(void *ctx, const union record *record)
{
	(void)ctx;
	(void)record;
}

void tracer_reset(struct tracer *t)
{
	void *zeroes = tracer_alloc_values(t);

	tracer_drain(t, forget, NULL);
	empty_timer_users(t);
	/* What the old window has staged is not of the new one. */
	t->window = t->window < 255 ? t->window + 1 : 1;
	tracer_rebase(t);
	if (zeroes) {
		zero_map(t->skel->maps.hists, zeroes);
		zero_map(t->skel->maps.idle, zeroes);
		zero_map(t->skel->maps.timers, zeroes);
		zero_map(t->skel->maps.slowest, zeroes);
	}
	free(zeroes);
}
