// SPDX-License-Identifier: GPL-2.0
/* Tables of one run: wakeups and idle periods. */
#include "html_parts.h"

#include <string.h>

#include "runs.h"

static const char *const percentiles[] = {"p50", "p90", "p99", "p99_9", "max"};

#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

struct unit html_unit(const json_t *rows, const char *path)
{
	const json_t *row;
	double most = 0;
	size_t i;

	json_array_foreach (rows, i, row) {
		double value = json_number_value(run_at(row, path));

		most = value > most ? value : most;
	}
	return unit_for((u64)most);
}

/* "latency, us": above columns of that unit. Returns buf. */
static char *in_unit(const char *what, struct unit unit, char *buf, size_t size)
{
	snprintf(buf, size, "%s, %s", what, unit.name);
	return buf;
}

/* ---- wakeups ---- */

static void percentile_cells(FILE *f, const json_t *latency, struct unit unit)
{
	for (size_t i = 0; i < PERCENTILES; i++)
		html_ns_cell(f, json_object_get(latency, percentiles[i]), unit);
}

static void wakeups_row(FILE *f, bool strong, const char *name, const json_t *latency,
			const json_t *whole, struct unit unit)
{
	html_row(f, strong, "%s", name);
	html_count_cell(f, run_at(latency, "count"));
	html_share_cell(f, run_at(latency, "count"), whole);
	percentile_cells(f, latency, unit);
	html_row_end(f);
}

static void wakeups_table(FILE *f, const json_t *run)
{
	const json_t *wakeups = run_at(run, "wakeups"), *class;
	const json_t *whole = run_at(wakeups, "count");
	struct unit unit = html_unit(run_at(wakeups, "classes"), "latency.max");
	char group[32];
	const struct html_column columns[] = {
		{"found the CPU", true, NULL},
		{"count", false, NULL},
		{"share", false, NULL},
		{"p50", false, in_unit("latency", unit, group, sizeof(group))},
		{"p90", false, NULL},
		{"p99", false, NULL},
		{"p99.9", false, NULL},
		{"max", false, NULL},
	};
	char name[80];
	size_t i;

	html_table_begin(f, "Wakeup latency by class", columns, 8);
	json_array_foreach (run_at(wakeups, "classes"), i, class)
		wakeups_row(f, false, run_class_name(class, name, sizeof(name)),
			    run_at(class, "latency"), whole, unit);
	wakeups_row(f, true, "all", run_at(wakeups, "latency"), whole, unit);
	wakeups_row(f, false, "of it exit phase", run_at(wakeups, "exit"), whole, unit);
	wakeups_row(f, false, "of it queue phase", run_at(wakeups, "queue"), whole, unit);
	html_table_end(f);
}

static void others(FILE *f, const json_t *run)
{
	const json_t *latency = run_at(run, "wakeups_other.latency");
	struct unit unit = unit_for(0);
	char count[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX];
	u64 nr = (u64)json_integer_value(run_at(latency, "count"));

	if (!latency)
		return;
	format_count(nr, count, sizeof(count));
	format_in(json_number_value(run_at(latency, "p50")), unit, p50, sizeof(p50));
	format_in(json_number_value(run_at(latency, "p99")), unit, p99, sizeof(p99));
	html_note(f, "All other tasks: %s wakeups, p50 %s, p99 %s %s.", count,
		  nr ? p50 : "-", nr ? p99 : "-", unit.name);
}

static void phase_cells(FILE *f, const json_t *latency, struct unit unit)
{
	html_ns_cell(f, run_at(latency, "p50"), unit);
	html_ns_cell(f, run_at(latency, "p99"), unit);
	html_ns_cell(f, run_at(latency, "max"), unit);
}

static bool any_exit(const json_t *classes)
{
	const json_t *class;
	size_t i;

	json_array_foreach (classes, i, class)
		if (json_integer_value(run_at(class, "exit.count")) > 0)
			return true;
	return false;
}

/* Only where there are two: the CPU was idle. */
static void phases_table(FILE *f, const json_t *classes)
{
	struct unit unit = html_unit(classes, "latency.max");
	char exit[32], queue[32], name[80];
	const struct html_column columns[] = {
		{"found the CPU", true, NULL},
		{"p50", false, in_unit("exit phase", unit, exit, sizeof(exit))},
		{"p99", false, NULL},
		{"max", false, NULL},
		{"p50", false, in_unit("queue phase", unit, queue, sizeof(queue))},
		{"p99", false, NULL},
		{"max", false, NULL},
	};
	const json_t *class;
	size_t i;

	if (!any_exit(classes))
		return;
	html_table_begin(f, "Phases of wakeups of an idle CPU", columns, 7);
	json_array_foreach (classes, i, class) {
		if (json_integer_value(run_at(class, "exit.count")) <= 0)
			continue;
		html_row(f, false, "%s", run_class_name(class, name, sizeof(name)));
		phase_cells(f, run_at(class, "exit"), unit);
		phase_cells(f, run_at(class, "queue"), unit);
		html_row_end(f);
	}
	html_table_end(f);
}

void html_wakeups(FILE *f, const json_t *run)
{
	wakeups_table(f, run);
	others(f, run);
	phases_table(f, run_at(run, "wakeups.classes"));
}

void html_sources(FILE *f, const json_t *run)
{
	const json_t *sources = run_at(run, "wakeups.sources"), *source;
	struct unit unit = html_unit(sources, "latency.max");
	char group[32];
	const struct html_column columns[] = {
		{"woken by", true, NULL},
		{"count", false, NULL},
		{"share", false, NULL},
		{"p50", false, in_unit("latency", unit, group, sizeof(group))},
		{"p99", false, NULL},
		{"max", false, NULL},
	};
	size_t i;

	html_table_begin(f, "What woke the tasks", columns, 6);
	json_array_foreach (sources, i, source) {
		if (json_integer_value(run_at(source, "count")) <= 0)
			continue;
		html_row(f, false, "%s", run_text(source, "source"));
		html_count_cell(f, run_at(source, "count"));
		html_share_cell(f, run_at(source, "count"), run_at(run, "wakeups.count"));
		phase_cells(f, run_at(source, "latency"), unit);
		html_row_end(f);
	}
	html_table_end(f);
}

/* ---- the slowest ---- */

static void waker_cell(FILE *f, const json_t *slow)
{
	const char *comm = run_text(slow, "waker.comm"),
		   *source = run_text(slow, "source");
	json_int_t pid = json_integer_value(run_at(slow, "waker.pid"));
	const json_t *late = run_at(slow, "late");
	char text[UNITS_TEXT_MAX];

	if (json_is_integer(late))
		html_text_cell(f, "%s, late by %s", source,
			       format_duration((u64)json_integer_value(late), text,
					       sizeof(text)));
	else if (*comm)
		html_text_cell(f, "%s %s", source, comm);
	else if (pid)
		html_text_cell(f, "%s pid %lld", source, (long long)pid);
	else
		html_text_cell(f, "%s", source);
}

void html_slowest(FILE *f, const json_t *run)
{
	const json_t *slowest = run_at(run, "slowest"), *slow;
	struct unit unit = html_unit(slowest, "latency");
	char group[32];
	const struct html_column columns[] = {
		{"at", true, NULL},
		{"task", true, NULL},
		{"pid", false, NULL},
		{"CPU", false, NULL},
		{"all", false, in_unit("latency", unit, group, sizeof(group))},
		{"exit", false, NULL},
		{"queue", false, NULL},
		{"found the CPU", true, ""},
		{"woken by", true, NULL},
	};
	char name[80];
	size_t i;

	if (!json_array_size(slowest))
		return;
	html_table_begin(f, "The slowest wakeups", columns, 9);
	json_array_foreach (slowest, i, slow) {
		html_row(f, false, "%+.3f s",
			 json_number_value(run_at(slow, "time")) / NSEC_PER_SEC);
		html_text_cell(f, "%s", run_text(slow, "comm"));
		html_cell(f, "%lld", (long long)json_integer_value(run_at(slow, "pid")));
		html_cell(f, "%lld", (long long)json_integer_value(run_at(slow, "cpu")));
		html_ns_cell(f, run_at(slow, "latency"), unit);
		html_ns_cell(f, run_at(slow, "exit"), unit);
		html_ns_cell(f, run_at(slow, "queue"), unit);
		html_text_cell(f, "%s", run_class_name(slow, name, sizeof(name)));
		waker_cell(f, slow);
		html_row_end(f);
	}
	html_table_end(f);
}

/* ---- timers ---- */

static void timer_users(FILE *f, const json_t *users)
{
	static const struct html_column columns[] = {
		{"handler", true, NULL},
		{"armed by", true, NULL},
		{"expired", false, NULL},
		{"ended idle periods", false, NULL},
		{"mean lateness, us", false, NULL},
	};
	const json_t *user;
	size_t i;

	if (!json_array_size(users))
		return;
	html_table_begin(f, "Who armed the hrtimers", columns, 5);
	json_array_foreach (users, i, user) {
		double expired = json_number_value(run_at(user, "expired"));
		double late = json_number_value(run_at(user, "late"));

		html_row(f, false, "%s",
			 *run_text(user, "function") ? run_text(user, "function")
						     : "(hidden)");
		html_text_cell(f, "%s",
			       *run_text(user, "comm") ? run_text(user, "comm") : "-");
		html_count_cell(f, run_at(user, "expired"));
		html_count_cell(f, run_at(user, "ended"));
		if (expired > 0)
			html_cell(f, "%.1f", late / expired / NSEC_PER_USEC);
		else
			html_cell(f, "-");
		html_row_end(f);
	}
	html_table_end(f);
}

void html_timers(FILE *f, const json_t *run)
{
	const json_t *states = run_at(run, "timers.states"), *state;
	struct unit unit = html_unit(states, "late.max");
	char group[32];
	const struct html_column columns[] = {
		{"CPU in", true, NULL},
		{"expired", false, NULL},
		{"of it tick", false, NULL},
		{"p50", false, in_unit("lateness", unit, group, sizeof(group))},
		{"p99", false, NULL},
		{"max", false, NULL},
	};
	size_t i;

	if (!states) {
		html_note(f, "Timers: this kernel's cannot be read.");
		return;
	}
	html_table_begin(f, "How late hrtimers expired", columns, 6);
	json_array_foreach (states, i, state) {
		if (json_integer_value(run_at(state, "count")) <= 0)
			continue;
		html_row(f, false, "%s", run_text(state, "name"));
		html_count_cell(f, run_at(state, "count"));
		html_count_cell(f, run_at(state, "tick"));
		phase_cells(f, run_at(state, "late"), unit);
		html_row_end(f);
	}
	html_table_end(f);
	if (json_integer_value(run_at(run, "timers.other_clock")) > 0)
		html_note(
			f, "%lld more were of other clocks.",
			(long long)json_integer_value(run_at(run, "timers.other_clock")));
	timer_users(f, run_at(run, "timers.users"));
}
