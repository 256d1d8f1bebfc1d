// SPDX-License-Identifier: GPL-2.0
#include "calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "formats.h"
#include "report_json.h"

enum { OFF, ON };

/* The runs with that setting, borrowed; NULL if trace is not all that was varied. */
static json_t *runs_of(const json_t *doc, const char *setting)
{
	const json_t *vary = run_at(doc, "vary"), *point;
	const char *knob = json_string_value(json_array_get(vary, 0));
	size_t i;

	if (json_array_size(vary) != 1 || !knob || strcmp(knob, "trace"))
		return NULL;
	json_array_foreach (run_at(doc, "points"), i, point)
		if (!strcmp(run_text(point, "values.trace"), setting) &&
		    !json_is_true(run_at(point, "control")))
			return run_at(point, "runs");
	return NULL;
}

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

/* How much worse it is with tracing: the ratio that is above 1 then, and its interval. */
static struct stats_ratio slowdown(const struct comparison_cell *on,
				   enum metric_better better)
{
	struct stats_ratio r = {NAN, NAN, NAN};

	if (on->has_ratio)
		r = on->ratio;
	if (better == BETTER_HIGHER)
		r = (struct stats_ratio){1 / r.ratio, 1 / r.high, 1 / r.low};
	return r;
}

static void put_sides(json_t *o, const struct comparison_row *row)
{
	const struct comparison_cell *on = &row->cells[ON];

	put(o, "off", number(row->cells[OFF].median));
	put(o, "on", number(on->median));
	put(o, "p", number(on->tested ? on->test.p : NAN));
	put(o, "verdict",
	    on->tested ? json_text(stats_verdict_name(on->verdict)) : json_null());
}

static void put_ratio(json_t *o, const char *name, struct stats_ratio ratio)
{
	put(o, name, number(ratio.ratio));
	put(o, "low", number(ratio.low));
	put(o, "high", number(ratio.high));
}

static json_t *json_metric(const struct comparison_row *row)
{
	const struct run_measure *measure = row->measure;
	json_t *o = json_object();

	put(o, "name", json_text(measure->name));
	put(o, "unit", json_text(measure->unit));
	put(o, "better", json_text(measure->better == BETTER_LOWER ? "lower" : "higher"));
	put_sides(o, row);
	put_ratio(o, "slowdown", slowdown(&row->cells[ON], measure->better));
	return o;
}

static json_t *json_entries(const struct comparison_row *row)
{
	json_t *o;

	if (!row)
		return json_null();
	o = json_object();
	put_sides(o, row);
	put(o, "added", number(row->cells[ON].median - row->cells[OFF].median));
	put_ratio(o, "ratio", slowdown(&row->cells[ON], BETTER_NONE));
	return o;
}

/* Median over the runs that know it, or NAN. */
static double median_of(const json_t *runs, const char *name)
{
	double *values = calloc(json_array_size(runs) + 1, sizeof(*values)), median;
	const json_t *run;
	size_t nr = 0, i;

	if (!values)
		return NAN;
	json_array_foreach (runs, i, run)
		nr += run_number(run, name, &values[nr]);
	median = stats_median(values, nr);
	free(values);
	return median;
}

static const struct comparison_row *row_of(const struct comparison *c, const char *name)
{
	for (unsigned int i = 0; i < c->nr_measures; i++)
		if (!strcmp(c->measures[i].name, name))
			return comparison_row(c, i, 0);
	return NULL;
}

/* A metric of the workload, and none of what every table has. */
static bool is_metric(const char *name)
{
	for (int i = 0; run_table_measures[i]; i++)
		if (!strcmp(run_table_measures[i], name))
			return false;
	return true;
}

static json_t *json_all(const struct comparison *c, json_t *runs[2])
{
	json_t *o = json_object(), *metrics = json_array();

	for (unsigned int i = 0; i < c->nr_measures; i++)
		if (is_metric(c->measures[i].name))
			json_array_append_new(metrics,
					      json_metric(comparison_row(c, i, 0)));
	put(o, "rounds", json_u64(json_array_size(runs[OFF])));
	put(o, "metrics", metrics);
	put(o, "idle_entries", json_entries(row_of(c, "kernel.idle_rate")));
	put(o, "exit_program", number(median_of(runs[ON], "observer.cpu_idle")));
	put(o, "exit_phase", number(median_of(runs[ON], "exit.p50")));
	put(o, "bpf", number(median_of(runs[ON], "observer.bpf")));
	return o;
}

json_t *calibration_json(const json_t *doc, char *err, size_t size)
{
	json_t *runs[2] = {runs_of(doc, "off"), runs_of(doc, "on")}, *o = NULL;
	struct comparison c;

	err[0] = '\0';
	if (!runs[OFF] || !runs[ON])
		return NULL;
	comparison_init(&c);
	if (!comparison_add(&c, "off", "", runs[OFF], err, size) &&
	    !comparison_add(&c, "on", "", runs[ON], err, size) &&
	    !comparison_finish(&c, NULL, err, size))
		o = json_all(&c, runs);
	comparison_free(&c);
	return o;
}

/* ---- text ---- */

static double number_at(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static char *value_text(const json_t *o, const char *key, const char *unit, char *buf,
			size_t size)
{
	return comparison_number(number_at(o, key), unit, buf, size);
}

/* "+4.5%" of the ratio 1.045. */
static char *percent_text(double ratio, char *buf, size_t size)
{
	char number[16];

	if (isnan(ratio))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s%%",
			 format_narrow(100 * (ratio - 1), 1, 7, true, number,
				       sizeof(number)));
	return buf;
}

static char *interval_text(const json_t *o, char *buf, size_t size)
{
	double low = number_at(o, "low"), high = number_at(o, "high");
	char from[20], to[20];

	if (isnan(low) || isnan(high))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "[%s, %s]", percent_text(low, from, sizeof(from)),
			 percent_text(high, to, sizeof(to)));
	return buf;
}

static char *p_text(double p, char *buf, size_t size)
{
	if (isnan(p))
		snprintf(buf, size, "-");
	else if (p < 0.00005)
		snprintf(buf, size, "<.0001");
	else
		snprintf(buf, size, "%.4f", p);
	return buf;
}

static void print_metric(struct table *t, const json_t *metric)
{
	const char *unit = run_text(metric, "unit");
	char text[48];

	table_row(t);
	table_cell(t, "%s", run_text(metric, "name"));
	table_cell(t, "%s", strcmp(unit, "ns") ? unit : "us");
	table_cell(t, "%s", value_text(metric, "off", unit, text, sizeof(text)));
	table_cell(t, "%s", value_text(metric, "on", unit, text, sizeof(text)));
	table_cell(t, "%s",
		   percent_text(number_at(metric, "slowdown"), text, sizeof(text)));
	table_cell(t, "%s", interval_text(metric, text, sizeof(text)));
	table_cell(t, "%s", p_text(number_at(metric, "p"), text, sizeof(text)));
	table_cell(t, "%s", run_text(metric, "verdict"));
}

static void print_metrics(const json_t *metrics)
{
	static const char *const header[] = {"TRACING",	     "",  "off", "on", "slower",
					     "95% CI of it", "p", ""};
	const json_t *metric;
	struct table t;
	size_t i;

	table_init(&t, "llrrrrrf");
	table_row(&t);
	for (i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		table_cell(&t, "%s", header[i]);
	json_array_foreach (metrics, i, metric)
		print_metric(&t, metric);
	table_print(&t);
}

static void print_idle(const json_t *idle)
{
	char off[24], on[24], added[24], ratio[20], interval[48];
	double more = number_at(idle, "added");
	struct line l;

	line_begin(&l, "IDLE");
	line_add(&l, "entries per second: ");
	if (!json_is_object(idle))
		line_add(&l, "- (no cpuidle driver counts them)");
	else
		line_add(&l, "off %s, on %s, added %s%s (%s, CI %s)",
			 value_text(idle, "off", "", off, sizeof(off)),
			 value_text(idle, "on", "", on, sizeof(on)), more > 0 ? "+" : "",
			 comparison_number(more, "", added, sizeof(added)),
			 percent_text(number_at(idle, "ratio"), ratio, sizeof(ratio)),
			 interval_text(idle, interval, sizeof(interval)));
	line_end(&l);
}

static void print_bpf(const json_t *calibration)
{
	double program = number_at(calibration, "exit_program");
	double bpf = number_at(calibration, "bpf");
	char text[24];
	struct line l;

	line_begin(&l, "EXIT");
	if (isnan(program))
		line_add(&l, "added by the program on cpu_idle: - (not measured)");
	else
		line_add(&l,
			 "the program on cpu_idle adds at most %.0f ns to an exit phase "
			 "(median with tracing %s us): the mean of its runs at entry and "
			 "exit, in the ping-pong before the windows",
			 program,
			 value_text(calibration, "exit_phase", "ns", text, sizeof(text)));
	line_end(&l);
	line_begin(&l, "BPF");
	if (isnan(bpf))
		line_add(&l, "- (not measured)");
	else
		line_add(&l, "%.0f ns per wakeup (median of the windows)", bpf);
	line_end(&l);
}

void calibration_print(const json_t *calibration)
{
	json_int_t rounds = json_integer_value(run_at(calibration, "rounds"));

	report_line(2, "What tracing costs: medians of %lld runs without it and with it",
		    (long long)rounds);
	print_metrics(run_at(calibration, "metrics"));
	print_idle(run_at(calibration, "idle_entries"));
	print_bpf(calibration);
}
