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

static void read_wakeups(struct tracer *t, struct results *r, struct wakeups *to,
			 u32 scope, void *values)
{
	const struct settings *s = &t->config.settings;
	struct idletrace_bpf *skel = t->skel;

	for (u32 slot = 0; slot < s->slots; slot++)
		for (u32 source = 0; source < SOURCES; source++) {
			if (!lookup(skel->maps.latency,
				    (scope * s->slots + slot) * SOURCES + source, values))
				continue;
			for (u32 cpu = 0; cpu < t->cpus; cpu++) {
				const struct latency_hist *h =
					at(values, cpu, struct latency_hist);

				add_hist(r, &to->rows[slot].latency, h);
				add_hist(r, &to->sources[source], h);
			}
		}
	for (u32 slot = CLASS_QUEUED; slot < s->slots; slot++) {
		if (!lookup(skel->maps.phases,
			    scope * (s->slots - CLASS_QUEUED) + slot - CLASS_QUEUED,
			    values))
			continue;
		for (u32 cpu = 0; cpu < t->cpus; cpu++) {
			const struct phases *p = at(values, cpu, struct phases);

			add_hist(r, &to->rows[slot].exit, &p->exit);
			add_hist(r, &to->rows[slot].queue, &p->queue);
		}
	}
}

static void read_idle(struct tracer *t, struct results *r, void *values)
{
	for (u32 state = 0; state < t->config.settings.states; state++) {
		if (!lookup(t->skel->maps.idle, state, values))
			continue;
		for (u32 cpu = 0; cpu < t->cpus && cpu < r->nr_cpus; cpu++) {
			const struct idle_stats *s = at(values, cpu, struct idle_stats);
			struct idle_row *row = &r->cpus[cpu].state[state];

			row->requested = s->requested;
			row->entered = s->entered;
			row->uncounted = s->uncounted;
			row->uncounted_time = s->uncounted_time;
			r->rule_checked += s->rule_checked;
			r->rule_wrong += s->rule_wrong;
			row->time = s->time;
			memcpy(row->verdict, s->verdict, sizeof(row->verdict));
			memcpy(row->end, s->end, sizeof(row->end));
			memcpy(row->shallow_time, s->shallow_time,
			       sizeof(row->shallow_time));
			memcpy(row->deep_wakeups, s->deep_wakeups,
			       sizeof(row->deep_wakeups));
			memcpy(row->deep_exit, s->deep_exit, sizeof(row->deep_exit));
			add_hist(r, &r->residency[state], &s->residency);
			if (r->part.given && cpu_mask_test(&r->part.cpus, cpu))
				add_hist(r, &r->part.residency[state], &s->residency);
		}
	}
}

static void read_timers(struct tracer *t, struct results *r, void *values)
{
	for (u32 state = 0; state <= t->config.settings.states; state++) {
		if (!lookup(t->skel->maps.timers, state, values))
			continue;
		for (u32 cpu = 0; cpu < t->cpus; cpu++) {
			const struct timer_stats *s = at(values, cpu, struct timer_stats);

			r->timers[state].expired += s->expired;
			r->timers[state].tick += s->tick;
			add_hist(r, &r->timers[state].late, &s->late);
		}
	}
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

static int slower(const void *a, const void *b)
{
	u64 x = ((const struct slow_wakeup *)a)->record.latency;
	u64 y = ((const struct slow_wakeup *)b)->record.latency;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The slowest of the CPUs' slowest: an insertion into what r has so far. */
static void read_slowest(struct tracer *t, struct results *r, void *values)
{
	struct slow_wakeup all[SLOWEST_MAX * 2];
	u32 keep = t->config.settings.slowest, n = 0;

	if (!keep || !lookup(t->skel->maps.slowest, 0, values))
		return;
	for (u32 cpu = 0; cpu < t->cpus; cpu++) {
		const struct slowest *s = at(values, cpu, struct slowest);

		for (u32 i = 0; i < s->count && i < SLOWEST_MAX; i++) {
			all[n].waker[0] = '\0';
			all[n++].record = s->record[i];
		}
		qsort(all, n, sizeof(all[0]), slower);
		n = n < keep ? n : keep;
	}
	memcpy(r->slowest, all, n * sizeof(all[0]));
	r->nr_slowest = n;
}

/* What each CPU has counted since the last reset; with base, that is where it begins. */
static bool sum_counters(struct tracer *t, void *values, struct counters *sum)
{
	u64 *to = (u64 *)sum;

	memset(sum, 0, sizeof(*sum));
	if (!lookup(t->skel->maps.cpus, 0, values))
		return false;
	for (u32 cpu = 0; cpu < t->cpus; cpu++) {
		const struct cpu_ctx *c = at(values, cpu, struct cpu_ctx);
		const u64 *now = (const u64 *)&c->count;
		const u64 *base = (const u64 *)&t->base[cpu];

		for (size_t i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			to[i] += now[i] - base[i];
	}
	return true;
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

bool tracer_loss(struct tracer *t, struct loss *l, void *values)
{
	struct counters c;
	bool read = sum_counters(t, values, &c);

	take_loss(t, &c, l);
	return read;
}

static void read_counters(struct tracer *t, struct results *r, void *values)
{
	struct counters c;
	bool read = sum_counters(t, values, &c);

	for (u32 cpu = 0; read && cpu < t->cpus && cpu < r->nr_cpus; cpu++)
		r->cpus[cpu].switches = at(values, cpu, struct cpu_ctx)->count.switches -
					t->base[cpu].switches;
	r->switches = c.switches;
	r->unslept = c.unslept;
	r->timers_other_clock = c.late_skipped;
	r->observer.wakeups = c.own;
	take_loss(t, &c, &r->loss);
}

void *tracer_alloc_values(struct tracer *t)
{
	size_t sizes[] = {sizeof(struct latency_hist), sizeof(struct phases),
			  sizeof(struct idle_stats),   sizeof(struct timer_stats),
			  sizeof(struct slowest),      sizeof(struct cpu_ctx),
			  sizeof(struct batch)};
	size_t most = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		most = sizes[i] > most ? sizes[i] : most;
	return calloc(t->cpus, stride(most));
}

void tracer_rebase(struct tracer *t)
{
	void *values = tracer_alloc_values(t);

	/* The CPUs' contexts are live and cannot be zeroed. */
	if (values && lookup(t->skel->maps.cpus, 0, values))
		for (u32 cpu = 0; cpu < t->cpus; cpu++)
			t->base[cpu] = at(values, cpu, struct cpu_ctx)->count;
	t->base_recursion = tracer_recursion_misses(t);
	free(values);
}

void tracer_read(struct tracer *t, struct results *r)
{
	void *values = tracer_alloc_values(t);

	if (!values)
		return;
	read_wakeups(t, r, &r->wakeups, SCOPE_SUBJECT, values);
	if (t->config.settings.others)
		read_wakeups(t, r, &r->others, SCOPE_OTHER, values);
	read_idle(t, r, values);
	read_timers(t, r, values);
	read_timer_users(t, r);
	read_slowest(t, r, values);
	read_counters(t, r, values);
	free(values);
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
	tracer_rebase(t);
	if (zeroes) {
		zero_map(t->skel->maps.latency, zeroes);
		zero_map(t->skel->maps.phases, zeroes);
		zero_map(t->skel->maps.idle, zeroes);
		zero_map(t->skel->maps.timers, zeroes);
		zero_map(t->skel->maps.slowest, zeroes);
		zero_map(t->skel->maps.batches, zeroes);
	}
	free(zeroes);
}
