// SPDX-License-Identifier: GPL-2.0
#include "sweep_report.h"

#include <math.h>
#include <string.h>

#include "comparison.h"
#include "report.h"

#define ROWS_MAX (TABLE_ROWS - 2) /* below the two of the header */

struct columns {
	const struct run_measure *measure; /* NULL: no metric */
	struct unit metric_unit;	   /* of times */
	struct unit latency_unit;
	bool metric_time, watts;
	size_t axes;
	const char *deepest; /* name of that state, NULL: none */
};

static const json_t *point_run(const json_t *point)
{
	return json_array_get(run_at(point, "runs"), 0);
}

static const json_t *first_run(const json_t *sweep)
{
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (point_run(point))
			return point_run(point);
	return NULL;
}

static void known_metrics(const json_t *run, char *buf, size_t size)
{
	struct run_measure measure;
	size_t used = 0;
	double value;

	buf[0] = '\0';
	for (size_t i = 0; used < size && run_metric(run, i, &measure, &value); i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
					 measure.name);
}

bool sweep_metric(const json_t *sweep, const char *name, struct run_measure *measure,
		  char *err, size_t size)
{
	const json_t *point;
	char names[400];
	double value;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point) {
		const json_t *run = point_run(point);

		if (run && (name ? run_measure(run, name, measure)
				 : run_headline(run, measure, &value)))
			return true;
	}
	known_metrics(first_run(sweep), names, sizeof(names));
	snprintf(err, size, "--metric %.47s: needs one of %s, or one such as wakeup.p99",
		 name ? name : "''", *names ? names : "idle.too_deep");
	return false;
}

/* ---- columns ---- */

/* The largest value of that name, 0 if there is none. */
static double largest(const json_t *sweep, const char *name)
{
	const json_t *point;
	double max = 0, value;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (run_number(point_run(point), name, &value) && value > max)
			max = value;
	return max;
}

static void choose_columns(const json_t *sweep, const struct run_measure *measure,
			   struct columns *c)
{
	const json_t *run = first_run(sweep);
	unsigned int states = run_states(run);

	*c = (struct columns){
		.measure = measure,
		.metric_time = measure && !strcmp(measure->unit, "ns"),
		.watts = largest(sweep, "power.watts") > 0,
		.axes = json_array_size(run_at(sweep, "axes")),
		.deepest = states ? run_state_name(run, states - 1) : NULL,
		.latency_unit = unit_for((u64)largest(sweep, "wakeup.p99")),
	};
	if (c->metric_time)
		c->metric_unit = unit_for((u64)largest(sweep, measure->name));
}

static const char *align_of(const struct columns *c, char *align)
{
	size_t nr = 0;

	/* Axes, metric, watts, too deep, too shallow, p50, p99, deepest. */
	for (size_t i = 0; i < c->axes; i++)
		align[nr++] = 'l';
	nr += (size_t)sprintf(align + nr, "%s%srrrr%s", c->measure ? "r" : "",
			      c->watts ? "r" : "", c->deepest ? "r" : "");
	return align;
}

static void header(const json_t *sweep, const struct columns *c, struct table *t)
{
	const json_t *axis;
	size_t i;

	table_row(t);
	for (i = 0; i < c->axes; i++)
		table_cell(t, "%s", "");
	if (c->measure)
		table_cell(t, "%s", c->measure->name);
	if (c->watts)
		table_cell(t, "package");
	table_cell(t, "too");
	table_cell(t, "too");
	table_cell(t, "wakeup");
	table_cell(t, "wakeup");
	if (c->deepest)
		table_cell(t, "in");
	table_row(t);
	json_array_foreach (run_at(sweep, "axes"), i, axis)
		table_cell(t, "%s", run_text(axis, "option"));
	if (c->measure)
		table_cell(t, "%s",
			   c->metric_time ? c->metric_unit.name : c->measure->unit);
	if (c->watts)
		table_cell(t, "watts");
	table_cell(t, "deep");
	table_cell(t, "shallow");
	table_cell(t, "p50 %s", c->latency_unit.name);
	table_cell(t, "p99 %s", c->latency_unit.name);
	if (c->deepest)
		table_cell(t, "%s", c->deepest);
}

/* ---- cells ---- */

static void number_cell(struct table *t, double value)
{
	double abs = fabs(value);
	char text[UNITS_TEXT_MAX];

	if (abs < 1e15 && abs >= 9999.5)
		table_cell(t, "%s%s", value < 0 ? "-" : "",
			   format_count((uint64_t)(abs + 0.5), text, sizeof(text)));
	else if (abs >= 1e15 || (abs && abs < 0.00005))
		table_cell(t, "%.3e", value);
	else
		table_cell(t, "%.*f",
			   abs >= 999.95	    ? 0
			   : abs >= 99.995	    ? 1
			   : abs >= 9.9995	    ? 2
			   : abs >= 1 || value == 0 ? 3
						    : 4,
			   value);
}

static void time_cell(struct table *t, double ns, struct unit unit)
{
	char text[UNITS_TEXT_MAX];

	table_cell(t, "%s", format_in(ns, unit, text, sizeof(text)));
}

static void share_cell(struct table *t, const json_t *run, const char *name)
{
	double value;

	if (!run_number(run, name, &value))
		table_cell(t, "-");
	else if (value > 0 && value < 0.05)
		table_cell(t, "<0.1%%");
	else
		table_cell(t, "%.1f%%", value);
}

static void latency_cell(struct table *t, const json_t *run, const char *name,
			 struct unit unit)
{
	double ns;

	if (run_number(run, name, &ns))
		time_cell(t, ns, unit);
	else
		table_cell(t, "-");
}

static void metric_cell(struct table *t, const json_t *run, const struct columns *c)
{
	double value;

	if (!run_number(run, c->measure->name, &value))
		table_cell(t, "-");
	else if (c->metric_time)
		time_cell(t, value, c->metric_unit);
	else
		number_cell(t, value);
}

static void watts_cell(struct table *t, const json_t *run)
{
	double value;

	if (run_number(run, "power.watts", &value))
		table_cell(t, "%.2f", value);
	else
		table_cell(t, "-");
}

static void row(const json_t *sweep, const json_t *point, const struct columns *c,
		struct table *t)
{
	const json_t *run = point_run(point), *axis;
	size_t i;

	table_row(t);
	json_array_foreach (run_at(sweep, "axes"), i, axis) {
		const json_t *values = run_at(point, "values");
		bool back = json_is_true(run_at(point, "back")) &&
			    json_is_true(run_at(axis, "updown"));

		table_cell(t, "%s%s", run_text(values, run_text(axis, "option")),
			   back ? " (back)" : "");
	}
	if (!run) {
		table_cell(t, "failed");
		return;
	}
	if (c->measure)
		metric_cell(t, run, c);
	if (c->watts)
		watts_cell(t, run);
	share_cell(t, run, "idle.too_deep");
	share_cell(t, run, "idle.too_shallow");
	latency_cell(t, run, "wakeup.p50", c->latency_unit);
	latency_cell(t, run, "wakeup.p99", c->latency_unit);
	if (c->deepest)
		share_cell(t, run, "idle.deepest");
}

/* ---- the whole ---- */

static void print_subject(const json_t *sweep, const struct run_measure *measure)
{
	const json_t *run = first_run(sweep);
	const char *cpus = run_text(run, "workload.cpus");
	const char *direction = measure ? comparison_direction(measure) : "";

	report_line(2, "%s swept: %zu of %d points  kernel %s, cpuidle %s/%s",
		    run_subject(run), json_array_size(run_at(sweep, "points")),
		    (int)json_integer_value(run_at(sweep, "points_asked")),
		    run_text(run, "host.kernel"), run_text(run, "host.cpuidle.driver"),
		    run_text(run, "host.cpuidle.governor"));
	report_line(2, "%s%s%s%s; idle states of %s%s",
		    measure ? measure->name : "no metric", *direction ? " (" : "",
		    direction, *direction ? ")" : "",
		    *cpus ? "CPUs that take part: " : "all CPUs", cpus);
}

static void print_errors(const json_t *sweep)
{
	const json_t *point;
	unsigned int lost = 0;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point) {
		if (*run_text(point, "error"))
			report_line(2, "failed at %s: %s", run_text(point, "name"),
				    run_text(point, "error"));
		lost += run_lossy(point_run(point));
	}
	if (lost)
		report_line(2, "LOSS: in %u runs records were lost: see the JSON", lost);
}

void sweep_print(const json_t *sweep, const struct run_measure *measure)
{
	static struct table t;
	const json_t *points = run_at(sweep, "points"), *point;
	struct columns c;
	char align[TABLE_COLUMNS + 8];
	size_t i;

	choose_columns(sweep, measure, &c);
	align_of(&c, align);
	print_subject(sweep, measure);
	json_array_foreach (points, i, point) {
		if (i % ROWS_MAX == 0) {
			printf("\n");
			table_init(&t, align);
			header(sweep, &c, &t);
		}
		row(sweep, point, &c, &t);
		if (i % ROWS_MAX == ROWS_MAX - 1 || i + 1 == json_array_size(points))
			table_print(&t);
	}
	print_errors(sweep);
}
