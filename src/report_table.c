// SPDX-License-Identifier: GPL-2.0
/* The tables of the text report: wakeups, their phases, idle states, the slowest. */
#include "report.h"

#include <stdio.h>

#define PERCENTILES 5

/* 100: the maximum, which is exact. */
static const double percents[PERCENTILES] = {50, 90, 99, 99.9, 100};
static const char *const percent_names[PERCENTILES] = {"p50", "p90", "p99", "p99.9",
						       "max"};

static const char *subject(const struct results *r)
{
	if (r->config)
		return "workload";
	if (r->argv)
		return "command";
	return r->filter[0] ? "filtered" : "all tasks";
}

/* Two cells: state or class, and verdict. */
static void row_label(struct table *t, const struct results *r,
		      const struct wakeup_row *row)
{
	static const char *const labels[] = {
		[CLASS_RUNNING] = "CPU running",
		[CLASS_QUEUED] = "queued behind other",
		[CLASS_ABORTED] = "no state entered",
	};
	char name[32];

	if (row->class == CLASS_IDLE) {
		table_cell(t, "  %s", report_state(r, row->state, name, sizeof(name)));
		table_cell(t, "%s", verdict_name(row->verdict));
	} else {
		table_cell(t, "  %s", labels[row->class]);
		table_cell(t, "%s", "");
	}
}

static void add_percentiles(struct table *t, const struct hist *h,
			    const struct unit *units)
{
	char text[UNITS_TEXT_MAX];

	for (int i = 0; i < PERCENTILES; i++)
		table_cell(
			t, "%s",
			format_percentile(h, percents[i], units[i], text, sizeof(text)));
}

static void add_count(struct table *t, u64 count, u64 whole)
{
	char text[UNITS_TEXT_MAX];

	table_cell(t, "%s", format_count(count, text, sizeof(text)));
	table_cell(t, "%s", format_share(count, whole, text, sizeof(text)));
}

/* A column's unit follows from its largest value, which need not be in the total's row.
 */
static void column_units(const struct wakeups *w, struct unit *units)
{
	for (int i = 0; i < PERCENTILES; i++) {
		u64 most = hist_percentile(&w->latency, percents[i]);

		for (u32 row = 0; row < w->nr_rows; row++) {
			u64 value = hist_percentile(&w->rows[row].latency, percents[i]);

			most = value > most ? value : most;
		}
		units[i] = unit_for(most);
	}
}

static void wakeups_heading(struct table *t, const struct results *r,
			    const struct unit *units)
{
	table_row(t);
	table_cell(t, "WAKEUPS (%s), %s", subject(r), units[0].name);
	table_cell(t, "%s", "");
	table_cell(t, "count");
	table_cell(t, "share");
	for (int i = 0; i < PERCENTILES; i++) {
		bool same = units[i].ns == units[0].ns;

		table_cell(t, "%s%s%s", percent_names[i], same ? "" : " ",
			   same ? "" : units[i].name);
	}
}

static void wakeups_total(struct table *t, const char *label, const struct hist *h,
			  u64 whole, const struct unit *units)
{
	table_row(t);
	table_cell(t, "  %s", label);
	table_cell(t, "%s", "");
	add_count(t, h->count, whole);
	add_percentiles(t, h, units);
}

static void print_wakeups(const struct results *r)
{
	const struct wakeups *w = &r->wakeups;
	struct unit units[PERCENTILES];
	u64 whole = w->latency.count;
	struct table t;

	column_units(w, units);
	table_init(&t, "lfrrrrrrr");
	wakeups_heading(&t, r, units);
	for (u32 i = 0; i < w->nr_rows; i++) {
		if (!w->rows[i].latency.count)
			continue;
		table_row(&t);
		row_label(&t, r, &w->rows[i]);
		add_count(&t, w->rows[i].latency.count, whole);
		add_percentiles(&t, &w->rows[i].latency, units);
	}
	wakeups_total(&t, "all", &w->latency, whole, units);
	wakeups_total(&t, "of it exit phase", &w->exit, whole, units);
	wakeups_total(&t, "of it queue phase", &w->queue, whole, units);
	table_print(&t);
}

static void add_phase(struct table *t, const struct hist *h, struct unit unit)
{
	char text[UNITS_TEXT_MAX];

	table_cell(t, "%s", format_percentile(h, 50, unit, text, sizeof(text)));
	table_cell(t, "%s", format_percentile(h, 99, unit, text, sizeof(text)));
	table_cell(t, "%s", format_percentile(h, 100, unit, text, sizeof(text)));
}

static void phases_heading(struct table *t, struct unit unit)
{
	table_row(t);
	table_cell(t, "PHASES, %s", unit.name);
	table_cell(t, "%s", "");
	table_cell(t, "exit p50");
	table_cell(t, "p99");
	table_cell(t, "max");
	table_cell(t, "queue p50");
	table_cell(t, "p99");
	table_cell(t, "max");
}

/* Only where there are two: the CPU was idle. */
static void print_phases(const struct results *r)
{
	const struct wakeups *w = &r->wakeups;
	struct unit unit = unit_for(0);
	struct table t;

	for (u32 i = 0; i < w->nr_rows; i++)
		if (w->rows[i].exit.count && w->rows[i].latency.max >= 10 * NSEC_PER_SEC)
			unit = unit_for(w->rows[i].latency.max);
	table_init(&t, "lfrrrrrr");
	phases_heading(&t, unit);
	for (u32 i = 0; i < w->nr_rows; i++) {
		if (!w->rows[i].exit.count)
			continue;
		table_row(&t);
		row_label(&t, r, &w->rows[i]);
		add_phase(&t, &w->rows[i].exit, unit);
		add_phase(&t, &w->rows[i].queue, unit);
	}
	if (t.rows == 1)
		return;
	putchar('\n');
	table_print(&t);
}

void report_wakeups(const struct results *r)
{
	const struct hist *others = &r->others.latency;
	char count[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX];
	struct unit unit = unit_for(others->count ? others->max : 0);

	putchar('\n');
	print_wakeups(r);
	if (r->has_others)
		report_line(4, "  all other tasks: %s wakeups, p50 %s, p99 %s %s",
			    format_count(others->count, count, sizeof(count)),
			    format_percentile(others, 50, unit, p50, sizeof(p50)),
			    format_percentile(others, 99, unit, p99, sizeof(p99)),
			    unit.name);
	print_phases(r);
}

/* The periods of some CPUs: those that take part, or all. */
struct idle_view {
	const struct idle_row *state;
	const struct hist *residency;
	u64 cpu_time;
	const char *cpus; /* "" when they are all */
};

/* What the idle table leaves out, because it would say nothing. */
struct idle_columns {
	bool requested, rejected, verdicts;
	struct unit p50, p99;
};

static struct idle_columns idle_columns(const struct results *r,
					const struct idle_view *view)
{
	struct idle_columns c = {.verdicts = machine_has_driver(r->machine)};
	u64 p50 = 0, p99 = 0;

	for (u32 i = 0; i < r->nr_states; i++) {
		const struct idle_row *row = &view->state[i];
		u64 low = hist_percentile(&view->residency[i], 50);
		u64 high = hist_percentile(&view->residency[i], 99);

		c.requested |= row->requested != row->entered;
		c.rejected |= row->verdict[VERDICT_REJECTED] > 0;
		p50 = low > p50 ? low : p50;
		p99 = high > p99 ? high : p99;
	}
	c.p50 = unit_for(p50);
	c.p99 = unit_for(p99);
	return c;
}

static void idle_heading(struct table *t, const struct idle_columns *c,
			 const struct idle_view *view)
{
	table_row(t);
	table_cell(t, "IDLE STATES%s", view->cpus);
	table_cell(t, "%s", "");
	table_cell(t, "%s", "");
	if (c->requested)
		table_cell(t, "%s", "");
	table_cell(t, "too");
	table_cell(t, "too");
	if (c->rejected)
		table_cell(t, "%s", "");
	table_cell(t, "residency");
	table_cell(t, "%s", "");
	table_row(t);
	table_cell(t, "%s", "");
	table_cell(t, "time");
	table_cell(t, "entered");
	if (c->requested)
		table_cell(t, "requested");
	table_cell(t, "deep");
	table_cell(t, "shallow");
	if (c->rejected)
		table_cell(t, "rejected");
	table_cell(t, "p50 %s", c->p50.name);
	table_cell(t, "p99 %s", c->p99.name);
}

static void idle_row(struct table *t, const struct results *r, u32 state,
		     const struct idle_columns *c, const struct idle_view *view)
{
	const struct idle_row *row = &view->state[state];
	u64 judged = c->verdicts ? row->entered : 0;
	char text[UNITS_TEXT_MAX];

	table_row(t);
	table_cell(t, "  %s", report_state(r, state, text, sizeof(text)));
	table_cell(t, "%s", format_share(row->time, view->cpu_time, text, sizeof(text)));
	table_cell(t, "%s", format_count(row->entered, text, sizeof(text)));
	if (c->requested)
		table_cell(t, "%s", format_count(row->requested, text, sizeof(text)));
	table_cell(
		t, "%s",
		format_share(row->verdict[VERDICT_TOO_DEEP], judged, text, sizeof(text)));
	table_cell(t, "%s",
		   format_share(row->verdict[VERDICT_TOO_SHALLOW], judged, text,
				sizeof(text)));
	if (c->rejected)
		table_cell(
			t, "%s",
			format_count(row->verdict[VERDICT_REJECTED], text, sizeof(text)));
	table_cell(t, "%s",
		   format_percentile(&view->residency[state], 50, c->p50, text,
				     sizeof(text)));
	table_cell(t, "%s",
		   format_percentile(&view->residency[state], 99, c->p99, text,
				     sizeof(text)));
}

static void add_residual(struct line *l, bool *first, const char *state, const char *name,
			 s64 value)
{
	if (!value)
		return;
	line_add(l, "%s%s %s %+lld", *first ? ": " : "; ", state, name, (long long)value);
	*first = false;
}

static void kernel_residual(const struct results *r, struct line *l, bool *agree)
{
	char name[32];

	*agree = true;
	for (u32 i = 0; i < r->nr_states; i++) {
		const struct residual *res = &r->idle[i].residual;

		report_state(r, i, name, sizeof(name));
		add_residual(l, agree, name, "usage", res->usage);
		add_residual(l, agree, name, "above", res->above);
		add_residual(l, agree, name, "below", res->below);
		if (r->caps->rejected)
			add_residual(l, agree, name, "rejected", res->rejected);
	}
}

static void kernel_counters(const struct results *r)
{
	unsigned int cpus = report_cpus(r), known = report_kernel_cpus(r);
	char periods[UNITS_TEXT_MAX];
	struct line l = {.indent = 4};
	bool agree;

	if (!machine_has_driver(r->machine)) {
		report_line(4,
			    "  no cpuidle driver here: states as the kernel traces them, "
			    "verdicts unknown");
		report_line(4, "  kernel's own counters: - (none without a driver)");
		return;
	}
	if (!known) {
		report_line(4, "  kernel's own counters: - (not readable at both ends)");
		return;
	}
	line_add(&l, "  residual against the kernel's own counters, traced - kernel");
	kernel_residual(r, &l, &agree);
	if (agree) {
		l.used = 0;
		line_add(&l, "  kernel's own counters agree: residual 0");
	}
	line_add(&l, " %s %s periods", agree ? "of" : "in",
		 format_count(results_periods(r), periods, sizeof(periods)));
	if (known < cpus)
		line_add(&l, ", known for %u of %u CPUs", known, cpus);
	line_end(&l);
}

static void idle_table(const struct results *r, const struct idle_view *view)
{
	struct idle_columns c = idle_columns(r, view);
	struct table t;

	putchar('\n');
	table_init(&t, "lrrrrrrrr");
	t.columns -= !c.requested + !c.rejected;
	idle_heading(&t, &c, view);
	for (u32 i = 0; i < r->nr_states; i++)
		if (c.verdicts || r->idle[i].requested || r->idle[i].entered)
			idle_row(&t, r, i, &c, view);
	if (t.rows == 2) {
		table_row(&t);
		table_cell(&t, "  none seen");
	}
	table_print(&t);
}

void report_idle(const struct results *r)
{
	char cpus[64], list[48];
	struct idle_view part = {r->part.state, r->part.residency, r->part.cpu_time,
				 cpus};
	struct idle_view all = {r->idle, r->residency, r->cpu_time, ""};

	if (r->part.given) {
		snprintf(cpus, sizeof(cpus), ", CPUs %s",
			 cpu_mask_format(&r->part.cpus, list, sizeof(list)));
		idle_table(r, &part);
		all.cpus = ", all CPUs";
	}
	idle_table(r, &all);
	kernel_counters(r);
}

static void found_cell(struct table *t, const struct results *r,
		       const struct wakeup_record *w)
{
	char name[32];

	if (w->class == CLASS_IDLE)
		table_cell(t, "%s %s", report_state(r, w->state, name, sizeof(name)),
			   verdict_name(w->verdict));
	else
		table_cell(t, "%s", class_name(w->class));
}

static void waker_cell(struct table *t, const struct slow_wakeup *slow, struct unit unit)
{
	const struct wakeup_record *w = &slow->record;
	char text[UNITS_TEXT_MAX];

	if (w->source == SOURCE_TIMER)
		table_cell(t, "timer +%s", format_in(w->late, unit, text, sizeof(text)));
	else if (slow->waker[0])
		table_cell(t, "%s %.*s", source_name(w->source), COMM_LEN, slow->waker);
	else if (w->waker)
		table_cell(t, "%s pid %u", source_name(w->source), w->waker);
	else
		table_cell(t, "%s", source_name(w->source));
}

static void slowest_heading(struct table *t, struct unit unit)
{
	static const char *const names[] = {"SLOWEST", "task", "pid", "cpu"};
	static const char *const more[] = {"=exit", "+queue", "found", "woken by"};

	table_row(t);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		table_cell(t, "%s", names[i]);
	table_cell(t, "%s", unit.name);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		table_cell(t, "%s", more[i]);
}

static void slowest_row(struct table *t, const struct results *r,
			const struct slow_wakeup *slow, struct unit unit)
{
	const struct wakeup_record *w = &slow->record;
	u64 exit = w->exit < w->latency ? w->exit : w->latency;
	char text[UNITS_TEXT_MAX];

	table_row(t);
	table_cell(t, "  %+8.3fs", ((double)w->time - (double)r->start) / NSEC_PER_SEC);
	table_cell(t, "%.*s", COMM_LEN, w->comm);
	table_cell(t, "%u", w->pid);
	table_cell(t, "%u", w->cpu);
	table_cell(t, "%s", format_in((double)w->latency, unit, text, sizeof(text)));
	table_cell(t, "%s", format_in((double)exit, unit, text, sizeof(text)));
	table_cell(t, "%s",
		   format_in((double)(w->latency - exit), unit, text, sizeof(text)));
	found_cell(t, r, w);
	waker_cell(t, slow, unit);
}

void report_slowest(const struct results *r)
{
	struct unit unit = unit_for(0);
	struct table t;

	if (!r->nr_slowest)
		return;
	for (u32 i = 0; i < r->nr_slowest; i++)
		if (r->slowest[i].record.latency >= 10 * NSEC_PER_SEC)
			unit = unit_for(r->slowest[i].record.latency);
	putchar('\n');
	table_init(&t, "flrrrrrfl");
	slowest_heading(&t, unit);
	for (u32 i = 0; i < r->nr_slowest; i++)
		slowest_row(&t, r, &r->slowest[i], unit);
	table_print(&t);
}

#define TIMER_USERS_SHOWN 20

void report_timer_users(const struct results *r)
{
	u32 shown = r->nr_timer_users < TIMER_USERS_SHOWN ? r->nr_timer_users
							  : TIMER_USERS_SHOWN;
	char text[UNITS_TEXT_MAX];
	struct table t;

	if (!shown)
		return;
	putchar('\n');
	table_init(&t, "llrrr");
	table_row(&t);
	table_cell(&t, "HRTIMERS handler");
	table_cell(&t, "armed by");
	table_cell(&t, "expired");
	table_cell(&t, "ended idle");
	table_cell(&t, "mean late us");
	for (u32 i = 0; i < shown; i++) {
		const struct timer_user_row *row = &r->timer_users[i];

		table_row(&t);
		table_cell(&t, "  %s", row->function[0] ? row->function : "(hidden)");
		table_cell(&t, "%s", row->owner.comm[0] ? row->owner.comm : "-");
		table_cell(&t, "%s", format_count(row->user.expired, text, sizeof(text)));
		table_cell(&t, "%s", format_count(row->user.ended, text, sizeof(text)));
		table_cell(&t, "%s",
			   row->user.expired
				   ? format_in((double)row->user.late /
						       (double)row->user.expired,
					       unit_for(0), text, sizeof(text))
				   : "-");
	}
	table_print(&t);
	if (shown < r->nr_timer_users)
		printf("  and %u more\n", r->nr_timer_users - shown);
}
