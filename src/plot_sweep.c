// SPDX-License-Identifier: GPL-2.0
/* Pictures of a sweep: their data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_sweep.h"

static double number_of(const json_t *run, const char *name, double unit)
{
	double value;

	return name && run_number(run, name, &value) ? value / unit : NAN;
}

/* ---- the axis ---- */

static bool is_numeric(const json_t *sweep, const json_t *axis)
{
	const char *option = run_text(axis, "option");
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(sweep, "points"), i, point)
		if (!json_is_number(json_object_get(run_at(point, "numbers"), option)))
			return false;
	return true;
}

/* The one with most values, numbers before words. */
static const json_t *choose_axis(const json_t *sweep)
{
	const json_t *axis, *best = NULL;
	size_t i, most = 0;

	json_array_foreach (run_at(sweep, "axes"), i, axis) {
		size_t nr = json_array_size(run_at(axis, "values")) +
			    (is_numeric(sweep, axis) ? 100000 : 0);

		if (nr > most) {
			most = nr;
			best = axis;
		}
	}
	return best;
}

/* The place of a point's value among those of the axis. */
static double place_of(const struct sweep_plot *s, const json_t *point)
{
	const char *text = run_text(run_at(point, "values"), s->option);
	const json_t *value;
	size_t i;

	json_array_foreach (run_at(s->axis, "values"), i, value)
		if (!strcmp(json_string_value(value), text))
			return (double)i;
	return 0;
}

static double x_of(const struct sweep_plot *s, const json_t *point)
{
	double x;

	if (!s->numeric)
		return place_of(s, point);
	x = json_number_value(json_object_get(run_at(point, "numbers"), s->option));
	return s->log && x == 0 ? s->zero : x / s->x_unit;
}

/* Zero goes as far to the left of the least as the next one is to its right. */
static void place_zero(struct sweep_plot *s, double least, double next)
{
	double ratio = next > least ? next / least : 2;

	s->zero = least / (ratio < 1.5 ? 1.5 : ratio > 10 ? 10 : ratio) / s->x_unit;
}

static void choose_scale(struct sweep_plot *s)
{
	const json_t *point;
	double least = INFINITY, next = INFINITY, most = 0;
	size_t i;

	json_array_foreach (run_at(s->sweep, "points"), i, point) {
		double x = json_number_value(
			json_object_get(run_at(point, "numbers"), s->option));

		s->has_zero |= x == 0;
		most = x > most ? x : most;
		if (x > 0 && x < least) {
			next = least;
			least = x;
		} else if (x > least && x < next) {
			next = x;
		}
	}
	s->x_unit = 1;
	s->x_unit_name = run_text(s->axis, "unit");
	if (!strcmp(s->x_unit_name, "ns")) {
		s->x_unit = most < 1e4 * NSEC_PER_USEC ? NSEC_PER_USEC : NSEC_PER_MSEC;
		s->x_unit_name = s->x_unit == NSEC_PER_USEC ? "us" : "ms";
	}
	s->log = s->numeric && json_is_true(run_at(s->axis, "log")) && most > 0 &&
		 most > least;
	place_zero(s, least, isfinite(next) ? next : least);
	s->low = s->has_zero ? s->log ? s->zero : 0 : least / s->x_unit;
	s->high = most / s->x_unit;
}

/* ---- series ---- */

/* What a point has in common with the others of its line. */
static void series_name(const struct sweep_plot *s, const json_t *point, char *buf,
			size_t size)
{
	const json_t *axis;
	size_t i, used = 0;

	buf[0] = '\0';
	json_array_foreach (run_at(s->sweep, "axes"), i, axis) {
		const char *option = run_text(axis, "option");

		if (axis != s->axis && used < size)
			used += (size_t)snprintf(
				buf + used, size - used, "%s%s %s", used ? ", " : "",
				option, run_text(run_at(point, "values"), option));
	}
}

static bool is_back(const struct sweep_plot *s, const json_t *point)
{
	return s->updown && json_is_true(run_at(point, "back"));
}

static int by_group(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
				    : x->back - y->back;
}

static void add_series(struct sweep_plot *s, const char *name, bool back)
{
	struct series *new = &s->series[s->nr_series];

	new->group = s->nr_series;
	for (unsigned int n = 0; n < s->nr_series; n++) {
		if (strcmp(s->series[n].name, name))
			continue;
		if (s->series[n].back == back)
			return;
		new->group = s->series[n].group;
	}
	if (s->nr_series == SERIES_MAX)
		return;
	snprintf(new->name, sizeof(new->name), "%s", name);
	new->back = back;
	s->nr_series++;
}

static void find_series(struct sweep_plot *s)
{
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(s->sweep, "points"), i, point) {
		char name[160];

		series_name(s, point, name, sizeof(name));
		add_series(s, name, is_back(s, point));
	}
	qsort(s->series, s->nr_series, sizeof(s->series[0]), by_group);
}

/* ---- data ---- */

/* Text within data is in double quotes, in which nothing else is special. */
static void write_label(const char *text, FILE *f)
{
	fputc('"', f);
	for (; *text; text++)
		fputc(*text < ' ' || *text > '~' || *text == '"' ? '?' : *text, f);
	fputc('"', f);
}

static void write_point(const struct sweep_plot *s, const json_t *point, FILE *f)
{
	const json_t *run = sweep_point_run(point);
	double sum = 0, share;

	fprintf(f, "%.10g ", x_of(s, point));
	write_label(run_text(run_at(point, "values"), s->option), f);
	plot_number(f, number_of(run, s->metric, s->metric_unit));
	plot_number(f, number_of(run, "wakeup.p50", NSEC_PER_USEC));
	plot_number(f, number_of(run, "wakeup.p99", NSEC_PER_USEC));
	plot_number(f, number_of(run, "idle.too_deep", 1));
	plot_number(f, number_of(run, "idle.too_shallow", 1));
	plot_number(f, number_of(run, "idle.deepest", 1));
	for (unsigned int i = s->states; i-- > 0;) {
		if (!run_state_number(run, i, RUN_CPUS_TAKING_PART, RUN_STATE_SHARE,
				      &share))
			share = NAN;
		sum += share;
		plot_number(f, sum);
	}
	fputc('\n', f);
}

static bool is_of(const struct sweep_plot *s, const json_t *point, const char *name,
		  bool back)
{
	char own[160];

	series_name(s, point, own, sizeof(own));
	return sweep_point_run(point) && !strcmp(own, name) && is_back(s, point) == back;
}

/* The way back begins where the way up has ended, with a run that belongs to both. */
void sweep_plot_write(const struct sweep_plot *s, unsigned int series, struct picture *p)
{
	const struct series *of = &s->series[series];
	const json_t *point, *turn = NULL;
	size_t i;

	picture_block(p);
	json_array_foreach (run_at(s->sweep, "points"), i, point)
		if (of->back && is_of(s, point, of->name, false))
			turn = point;
	if (turn)
		write_point(s, turn, p->data);
	json_array_foreach (run_at(s->sweep, "points"), i, point)
		if (is_of(s, point, of->name, of->back))
			write_point(s, point, p->data);
}

static void choose_metric(struct sweep_plot *s)
{
	const json_t *point;
	double most = 0, value;
	size_t i;

	json_array_foreach (run_at(s->sweep, "points"), i, point) {
		const json_t *run = sweep_point_run(point);

		if (run && !s->state_run)
			s->state_run = run;
		if (run_states(run) > s->states) {
			s->states = run_states(run);
			s->state_run = run;
		}
		if (!s->metric || !run_number(run, s->metric, &value))
			continue;
		run_measure(run, s->metric, &s->measure);
		most = fabs(value) > most ? fabs(value) : most;
	}
	s->metric_unit = 1;
	s->metric_unit_name = s->measure.unit;
	if (!strcmp(s->measure.unit, "ns")) {
		s->metric_unit =
			most < 1e4 * NSEC_PER_USEC ? NSEC_PER_USEC : NSEC_PER_MSEC;
		s->metric_unit_name = s->metric_unit == NSEC_PER_USEC ? "us" : "ms";
	}
}

int plot_sweep(struct plots *plots, const json_t *sweep, const char *metric)
{
	static struct sweep_plot s;

	s = (struct sweep_plot){.sweep = sweep, .metric = metric};
	s.axis = choose_axis(sweep);
	choose_metric(&s);
	if (!s.axis || !s.state_run)
		return 0;
	s.option = run_text(s.axis, "option");
	s.numeric = is_numeric(sweep, s.axis);
	s.updown = json_is_true(run_at(s.axis, "updown"));
	choose_scale(&s);
	find_series(&s);
	return sweep_plot_draw(&s, plots);
}
