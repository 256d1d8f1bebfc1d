// SPDX-License-Identifier: GPL-2.0
/* The page of a sweep. */
#include "html_page.h"

#include <math.h>
#include <string.h>

#include "comparison.h"
#include "html_parts.h"
#include "runs.h"
#include "sweep_options.h"

#define NUMBERS 7 /* columns besides those of the axes */

static const json_t *point_run(const json_t *point)
{
	return json_array_get(run_at(point, "runs"), 0);
}

/* An array of all runs: a new reference. */
static json_t *all_runs(const json_t *sweep)
{
	json_t *runs = json_array();
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (point_run(point))
			json_array_append(runs, (json_t *)point_run(point));
	return runs;
}

static bool any_knows(const json_t *runs, const char *name, struct run_measure *measure)
{
	const json_t *run;
	size_t i;

	json_array_foreach (runs, i, run)
		if (run_measure(run, name, measure))
			return true;
	return false;
}

/* ---- headline ---- */

static void extreme_pair(FILE *f, const json_t *sweep, const char *metric, double sign)
{
	const json_t *point, *best = NULL;
	struct run_measure measure;
	double most = -INFINITY, value;
	char text[32], what[120];
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (run_number(point_run(point), metric, &value) && sign * value > most) {
			most = sign * value;
			best = point;
		}
	if (!best || !run_measure(point_run(best), metric, &measure))
		return;
	snprintf(what, sizeof(what), "%s %.40s, at %.50s",
		 sign < 0 ? "lowest" : "highest", metric, run_text(best, "name"));
	html_pair(f, what, "%s %s",
		  comparison_number(sign * most, measure.unit, text, sizeof(text)),
		  comparison_unit(&measure));
}

static void keys(FILE *f, const json_t *sweep)
{
	const char *metric = run_text(sweep, "metric");

	html_keys_begin(f);
	html_pair(f, "points", "%zu of %lld", json_array_size(run_at(sweep, "points")),
		  (long long)json_integer_value(run_at(sweep, "points_asked")));
	if (*metric) {
		extreme_pair(f, sweep, metric, -1);
		extreme_pair(f, sweep, metric, 1);
	}
	html_pairs_end(f);
}

static void title(const json_t *sweep, const json_t *run, char *buf, size_t size)
{
	const json_t *axis;
	size_t i, used;

	used = (size_t)snprintf(buf, size, "%.60s over", run_subject(run));
	json_array_foreach (run_at(sweep, "axes"), i, axis)
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s %s",
						 i ? "," : "", run_text(axis, "option"));
}

/* ---- table ---- */

static const struct number {
	const char *name;  /* NULL: the metric */
	const char *title; /* NULL: its own */
	bool optional;	   /* left out where no run knows it */
} numbers[NUMBERS] = {
	{NULL, NULL, true},
	{"power.watts", "package", true},
	{"idle.too_deep", "too deep", false},
	{"idle.too_shallow", "too shallow", false},
	{"wakeup.p50", "wakeup p50", false},
	{"wakeup.p99", "wakeup p99", false},
	{"idle.deepest", "in deepest state", true},
};

static void point_row(FILE *f, const json_t *sweep, const json_t *point,
		      const struct run_measure *shown, size_t nr)
{
	const json_t *axis, *values = run_at(point, "values");
	char text[32];
	double value;
	size_t i;

	json_array_foreach (run_at(sweep, "axes"), i, axis) {
		const char *at = run_text(values, run_text(axis, "option"));
		bool back = json_is_true(run_at(point, "back")) &&
			    json_is_true(run_at(axis, "updown"));

		if (!i)
			html_row(f, false, "%s%s", at, back ? " (back)" : "");
		else
			html_text_cell(f, "%s%s", at, back ? " (back)" : "");
	}
	for (i = 0; i < nr; i++) {
		bool known = run_number(point_run(point), shown[i].name, &value);

		html_cell(f, "%s",
			  comparison_number(known ? value : NAN, shown[i].unit, text,
					    sizeof(text)));
	}
	html_row_end(f);
}

static void points_table(FILE *f, const json_t *sweep, const json_t *runs)
{
	struct html_column columns[SWEEP_AXES + NUMBERS];
	struct run_measure shown[NUMBERS];
	char names[NUMBERS][80];
	const json_t *axis, *point;
	size_t nr = 0, axes = 0, i;

	json_array_foreach (run_at(sweep, "axes"), i, axis)
		if (axes < SWEEP_AXES)
			columns[axes++] = (struct html_column){run_text(axis, "option"),
							       true, NULL};
	for (i = 0; i < NUMBERS; i++) {
		const char *name = numbers[i].name ?: run_text(sweep, "metric");
		const char *unit;

		shown[nr] = (struct run_measure){.unit = "%"};
		if (!any_knows(runs, name, &shown[nr]) && numbers[i].optional)
			continue;
		snprintf(shown[nr].name, sizeof(shown[nr].name), "%s", name);
		unit = comparison_unit(&shown[nr]);
		snprintf(names[nr], sizeof(names[nr]), "%s%s%s", numbers[i].title ?: name,
			 *unit ? ", " : "", unit);
		columns[axes + nr] = (struct html_column){names[nr], false, NULL};
		nr++;
	}
	html_table_begin(f, "Points", columns, (unsigned int)(axes + nr));
	json_array_foreach (run_at(sweep, "points"), i, point)
		if (point_run(point))
			point_row(f, sweep, point, shown, nr);
	html_table_end(f);
}

static void failures(FILE *f, const json_t *sweep)
{
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (*run_text(point, "error"))
			html_warning(f, "Failed at %s: %s", run_text(point, "name"),
				     run_text(point, "error"));
}

int html_sweep(FILE *f, const struct plots *plots, const void *what)
{
	const json_t *sweep = what, *run;
	json_t *runs = all_runs(sweep);
	char name[200], where[300];

	run = json_array_get(runs, 0);
	title(sweep, run, name, sizeof(name));
	html_page_begin(f, name, run_where(run, where, sizeof(where)),
			run_text(run, "window.date"));
	keys(f, sweep);
	html_cautions(f, runs);
	failures(f, sweep);
	html_no_pictures(f, plots);
	html_section(f, "Sweep");
	html_pictures(f, plots, "sweep");
	points_table(f, sweep, runs);
	html_note(f, "Idle states of the CPUs that take part%s%s.",
		  *run_text(run, "workload.cpus") ? ": " : "",
		  run_text(run, "workload.cpus"));
	html_section_end(f);
	html_machine(f, run);
	html_measuring(f, runs, run_text(sweep, "tool.args"));
	html_words(f);
	html_page_end(f);
	json_decref(runs);
	return 0;
}
