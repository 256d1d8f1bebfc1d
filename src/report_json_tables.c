// SPDX-License-Identifier: GPL-2.0
/* The traced part of the JSON report. */
#include "report_json.h"

#include "series.h"

static json_t *state_name(const struct results *r, u32 state)
{
	char name[32];

	return json_text(report_state(r, state, name, sizeof(name)));
}

static json_t *percentile(const struct hist *h, double percent)
{
	return json_known(h->count, hist_percentile(h, percent));
}

static json_t *buckets(const struct hist *h)
{
	json_t *list = json_array();

	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		u64 low = hist_low(i), high = hist_high(i);
		json_t *bucket;

		if (!h->bucket[i])
			continue;
		/* The last bucket has no upper bound of its own. */
		if (i == HIST_BUCKETS - 1)
			high = h->max > low ? h->max : low;
		bucket = json_array();
		json_array_append_new(bucket, json_u64(low));
		json_array_append_new(bucket, json_u64(high));
		json_array_append_new(bucket, json_u64(h->bucket[i]));
		json_array_append_new(list, bucket);
	}
	return list;
}

json_t *json_latency(const struct hist *h)
{
	json_t *o = json_object();

	put(o, "count", json_u64(h->count));
	put(o, "min", json_known(h->count, h->min));
	put(o, "max", json_known(h->count, h->max));
	put(o, "mean", json_known(h->count, hist_mean(h)));
	put(o, "p50", percentile(h, 50));
	put(o, "p90", percentile(h, 90));
	put(o, "p99", percentile(h, 99));
	put(o, "p99_9", percentile(h, 99.9));
	put(o, "buckets", buckets(h));
	return o;
}

/* State, name and verdict: null where the CPU was in no idle state. */
static void put_found(json_t *o, const struct results *r, enum wakeup_class class,
		      u32 state, enum verdict verdict)
{
	bool idle = class == CLASS_IDLE;

	put(o, "class", json_text(class_name(class)));
	put(o, "state", json_known(idle, state));
	put(o, "name", idle ? state_name(r, state) : json_null());
	put(o, "verdict", idle ? json_text(verdict_name(verdict)) : json_null());
}

static json_t *classes(const struct results *r, const struct wakeups *w)
{
	json_t *list = json_array();

	for (u32 i = 0; i < w->nr_rows; i++) {
		const struct wakeup_row *row = &w->rows[i];
		json_t *o;

		if (!row->latency.count)
			continue;
		o = json_object();
		put_found(o, r, row->class, row->state, row->verdict);
		put(o, "count", json_u64(row->latency.count));
		put(o, "latency", json_latency(&row->latency));
		put(o, "exit", json_latency(&row->exit));
		put(o, "queue", json_latency(&row->queue));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *sources(const struct wakeups *w)
{
	json_t *list = json_array();

	for (int s = 0; s < SOURCES; s++) {
		json_t *o = json_object();

		put(o, "source", json_text(source_name(s)));
		put(o, "count", json_u64(w->sources[s].count));
		put(o, "latency", json_latency(&w->sources[s]));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *json_wakeups(const struct results *r, const struct wakeups *w)
{
	json_t *o = json_object();

	put(o, "count", json_u64(w->latency.count));
	put(o, "latency", json_latency(&w->latency));
	put(o, "exit", json_latency(&w->exit));
	put(o, "queue", json_latency(&w->queue));
	put(o, "classes", classes(r, w));
	put(o, "sources", sources(w));
	return o;
}

static json_t *kernel_counters(const struct results *r, const struct state_usage *k)
{
	json_t *o = json_object();

	put(o, "usage", json_u64(k->usage));
	put(o, "time_us", json_u64(k->time_us));
	put(o, "above", json_u64(k->above));
	put(o, "below", json_u64(k->below));
	put(o, "rejected", json_known(r->caps->rejected, k->rejected));
	return o;
}

static json_t *residual(const struct results *r, const struct residual *d)
{
	json_t *o = json_object();

	put(o, "usage", json_integer(d->usage));
	put(o, "time_us", json_integer(d->time_us));
	put(o, "above", json_integer(d->above));
	put(o, "below", json_integer(d->below));
	put(o, "rejected", r->caps->rejected ? json_integer(d->rejected) : json_null());
	return o;
}

/* Where the tick is not told apart, it is among the timers. */
static json_t *period_ends(const struct results *r, const u64 *end)
{
	json_t *o = json_object();

	put(o, "count", json_u64(end[END_TIMER] + end[END_TICK] + end[END_INTERCEPTED]));
	put(o, "timer", json_u64(end[END_TIMER]));
	put(o, "tick", json_known(r->caps->tick_function, end[END_TICK]));
	put(o, "intercepted", json_u64(end[END_INTERCEPTED]));
	return o;
}

static json_t *idle_state(const struct results *r, u32 state, const struct idle_row *row,
			  bool has_kernel)
{
	bool judged = machine_has_driver(r->machine);
	json_t *o = json_object();

	put(o, "index", json_u64(state));
	put(o, "name", state_name(r, state));
	put(o, "requested", json_u64(row->requested));
	put(o, "entered", json_u64(row->entered));
	put(o, "uncounted", json_u64(row->uncounted));
	put(o, "uncounted_time", json_u64(row->uncounted_time));
	put(o, "time", json_u64(row->time));
	put(o, "hit", json_known(judged, row->verdict[VERDICT_HIT]));
	put(o, "too_deep", json_known(judged, row->verdict[VERDICT_TOO_DEEP]));
	put(o, "too_shallow", json_known(judged, row->verdict[VERDICT_TOO_SHALLOW]));
	put(o, "rejected", json_known(judged, row->verdict[VERDICT_REJECTED]));
	put(o, "unknown", json_u64(row->verdict[VERDICT_UNKNOWN]));
	put(o, "ends", period_ends(r, row->end));
	has_kernel &= judged;
	put(o, "kernel", has_kernel ? kernel_counters(r, &row->kernel) : json_null());
	put(o, "residual", has_kernel ? residual(r, &row->residual) : json_null());
	return o;
}

static json_t *idle_cpu(const struct results *r, const struct cpu_row *cpu)
{
	json_t *o = json_object(), *states = json_array();

	for (u32 i = 0; i < r->nr_states; i++)
		json_array_append_new(states,
				      idle_state(r, i, &cpu->state[i], cpu->has_kernel));
	put(o, "cpu", json_u64(cpu->cpu));
	put(o, "start", json_u64(cpu->start));
	put(o, "end", json_u64(cpu->end));
	put(o, "switches", json_u64(cpu->switches));
	put(o, "periods", json_u64(cpu->periods));
	put(o, "states", states);
	return o;
}

/* The CPUs that take part, where others are observed as well. */
static json_t *idle_part(const struct results *r)
{
	json_t *o = json_object(), *states = json_array();
	char cpus[256];

	for (u32 i = 0; i < r->nr_states; i++) {
		json_t *state = idle_state(r, i, &r->part.state[i], false);

		put(state, "residency", json_latency(&r->part.residency[i]));
		json_array_append_new(states, state);
	}
	put(o, "cpus", json_text(cpu_mask_format(&r->part.cpus, cpus, sizeof(cpus))));
	put(o, "cpu_time", json_u64(r->part.cpu_time));
	put(o, "states", states);
	return o;
}

json_t *json_idle(const struct results *r)
{
	json_t *o = json_object(), *states = json_array(), *cpus = json_array();
	unsigned int known = report_kernel_cpus(r);
	u64 end[ENDS] = {0};

	for (u32 i = 0; i < r->nr_states; i++) {
		json_t *state = idle_state(r, i, &r->idle[i], known > 0);

		for (int e = 0; e < ENDS; e++)
			end[e] += r->idle[i].end[e];
		put(state, "residency", json_latency(&r->residency[i]));
		json_array_append_new(states, state);
	}
	for (u32 i = 0; i < r->nr_cpus; i++)
		if (r->cpus[i].in_window)
			json_array_append_new(cpus, idle_cpu(r, &r->cpus[i]));
	put(o, "periods", json_u64(results_periods(r)));
	put(o, "cpu_time", json_u64(r->cpu_time));
	put(o, "observed_cpus", json_u64(report_cpus(r)));
	put(o, "kernel_cpus", json_u64(machine_has_driver(r->machine) ? known : 0));
	put(o, "ends", period_ends(r, end));
	put(o, "states", states);
	put(o, "part", r->part.given ? idle_part(r) : json_null());
	put(o, "cpus", cpus);
	return o;
}

static json_t *timer_users(const struct results *r)
{
	json_t *users = json_array();

	for (u32 i = 0; i < r->nr_timer_users; i++) {
		const struct timer_user_row *row = &r->timer_users[i];
		json_t *user = json_object();

		put(user, "function", json_text(row->function));
		put(user, "comm", json_text(row->owner.comm));
		put(user, "expired", json_u64(row->user.expired));
		put(user, "ended", json_u64(row->user.ended));
		put(user, "late", json_u64(row->user.late));
		json_array_append_new(users, user);
	}
	return users;
}

json_t *json_timers(const struct results *r)
{
	json_t *o, *states;
	struct hist late = {0};
	u64 expired = 0, tick = 0;

	if (!r->caps->hrtimer)
		return json_null();
	o = json_object();
	states = json_array();
	for (u32 i = 0; i <= r->nr_states; i++) {
		const struct timer_row *row = &r->timers[i];
		bool running = i == r->nr_states;
		json_t *state = json_object();

		expired += row->expired;
		tick += row->tick;
		hist_merge(&late, &row->late);
		put(state, "state", json_known(!running, i));
		put(state, "name", running ? json_text("running") : state_name(r, i));
		put(state, "count", json_u64(row->expired));
		put(state, "tick", json_known(r->caps->tick_function, row->tick));
		put(state, "late", json_latency(&row->late));
		json_array_append_new(states, state);
	}
	put(o, "expired", json_u64(expired));
	put(o, "tick", json_known(r->caps->tick_function, tick));
	put(o, "other_clock", json_u64(r->timers_other_clock));
	put(o, "late", json_latency(&late));
	put(o, "states", states);
	put(o, "users", timer_users(r));
	return o;
}

/* Sums speak of the states whose cost is known. */
static json_t *deep_cost(const struct results *r)
{
	json_t *o = json_object(), *states = json_array();
	u64 wakeups = 0, unknown = 0;
	s64 time = 0;

	for (u32 i = 0; i < r->nr_states; i++) {
		const struct deep_cost *cost = &r->deep[i];
		json_t *state;

		if (!cost->wakeups)
			continue;
		wakeups += cost->known ? cost->wakeups : 0;
		unknown += cost->known ? 0 : cost->wakeups;
		time += cost->known ? cost->time : 0;
		state = json_object();
		put(state, "state", json_u64(i));
		put(state, "name", state_name(r, i));
		put(state, "wakeups", json_u64(cost->wakeups));
		put(state, "time", cost->known ? json_integer(cost->time) : json_null());
		json_array_append_new(states, state);
	}
	put(o, "wakeups", json_u64(wakeups));
	put(o, "unknown_wakeups", json_u64(unknown));
	put(o, "time", wakeups || !unknown ? json_integer(time) : json_null());
	put(o, "states", states);
	return o;
}

static json_t *shallow_cost(const struct results *r)
{
	json_t *o = json_object(), *states = json_array();
	u64 time = 0;

	for (u32 i = 0; i < r->nr_states; i++)
		for (u32 j = 0; j < r->nr_states; j++) {
			json_t *pair;

			if (!r->shallow_cost[i][j])
				continue;
			time += r->shallow_cost[i][j];
			pair = json_object();
			put(pair, "entered", json_u64(i));
			put(pair, "right", json_u64(j));
			put(pair, "time", json_u64(r->shallow_cost[i][j]));
			json_array_append_new(states, pair);
		}
	put(o, "time", json_u64(time));
	put(o, "states", states);
	return o;
}

json_t *json_cost(const struct results *r)
{
	json_t *o;

	if (!machine_has_driver(r->machine))
		return json_null();
	o = json_object();
	put(o, "too_deep", deep_cost(r));
	put(o, "too_shallow", shallow_cost(r));
	return o;
}

static json_t *slow_wakeup(const struct results *r, const struct slow_wakeup *slow)
{
	const struct wakeup_record *w = &slow->record;
	u64 exit = w->exit < w->latency ? w->exit : w->latency;
	json_t *o = json_object(), *waker = json_object();
	char comm[COMM_LEN + 1];

	snprintf(comm, sizeof(comm), "%.*s", COMM_LEN, w->comm);
	put(o, "time", json_integer((json_int_t)(w->time - r->start)));
	put(o, "comm", json_text(comm));
	put(o, "pid", json_u64(w->pid));
	put(o, "cpu", json_u64(w->cpu));
	put(o, "latency", json_u64(w->latency));
	put(o, "exit", json_u64(exit));
	put(o, "queue", json_u64(w->latency - exit));
	put_found(o, r, w->class, w->state, w->verdict);
	put(o, "source", json_text(source_name(w->source)));
	put(o, "late", json_known(w->source == SOURCE_TIMER, w->late));
	put(o, "new", json_boolean(w->flags & WAKEUP_NEW));
	snprintf(comm, sizeof(comm), "%.*s", COMM_LEN, slow->waker);
	put(waker, "pid", json_u64(w->waker));
	put(waker, "comm", json_text_or_null(comm));
	put(waker, "cpu", json_u64(w->waker_cpu));
	put(o, "waker", waker);
	return o;
}

json_t *json_slowest(const struct results *r)
{
	json_t *list = json_array();

	for (u32 i = 0; i < r->nr_slowest; i++)
		json_array_append_new(list, slow_wakeup(r, &r->slowest[i]));
	return list;
}

static json_t *interval_state(const struct results *r, u32 state,
			      const struct interval_state *s)
{
	bool judged = machine_has_driver(r->machine);
	json_t *o = json_object();

	put(o, "index", json_u64(state));
	put(o, "name", state_name(r, state));
	put(o, "entered", json_u64(s->entered));
	put(o, "time", json_u64(s->time));
	put(o, "residency", json_u64(s->residency));
	put(o, "too_deep", json_known(judged, s->too_deep));
	put(o, "too_shallow", json_known(judged, s->too_shallow));
	return o;
}

static json_t *interval_power(const struct interval *i)
{
	json_t *o = json_object();

	for (int d = 0; d < POWER_DOMAINS; d++)
		put_power(o, d, i->power[d].known, i->power[d].watts,
			  i->power[d].energy_uj);
	return o;
}

json_t *json_interval(const void *ctx, u64 nr)
{
	const struct results *r = ctx;
	struct interval i;
	json_t *o, *states;

	if (series_read(r->series, nr, &i))
		return NULL;
	o = json_object();
	states = json_array();
	for (u32 state = 0; state < r->nr_states; state++)
		json_array_append_new(states, interval_state(r, state, &i.state[state]));
	put(o, "start", json_u64(i.start));
	put(o, "duration", json_u64(i.length));
	put(o, "cpu_time", json_u64(i.cpu_time));
	put(o, "wakeups", json_u64(i.wakeups));
	put(o, "p50", json_known(i.wakeups, i.p50));
	put(o, "p99", json_known(i.wakeups, i.p99));
	put(o, "states", states);
	put(o, "power", r->has_power ? interval_power(&i) : json_null());
	put(o, "frequency_khz", json_known(i.khz, i.khz));
	put(o, "loss", json_loss(&i.loss, false));
	return o;
}

json_t *json_tasks(const struct results *r)
{
	json_t *list = json_array();
	char comm[COMM_LEN + 1];

	for (u32 i = 0; i < r->nr_tasks; i++) {
		const struct task_row *task = &r->tasks[i];
		json_t *o = json_object();

		snprintf(comm, sizeof(comm), "%.*s", COMM_LEN, task->comm);
		put(o, "pid", json_u64(task->pid));
		put(o, "comm", json_text(comm));
		put(o, "subject", json_boolean(task->scope == SCOPE_SUBJECT));
		put(o, "wakeups", json_u64(task->wakeups));
		put(o, "sum", json_u64(task->sum));
		put(o, "max", json_u64(task->max));
		json_array_append_new(list, o);
	}
	return list;
}
