// SPDX-License-Identifier: GPL-2.0
/* The picture of a run's intervals: what happened when. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_private.h"
#include "runs.h"

#define POINTS_MAX 500 /* more intervals than that are drawn several at a time */
#define PANEL	   190 /* pixels */

/* Columns of the data after the time, then one for each state. */
enum column {
	COLUMN_RATE = 2,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_DEEP,
	COLUMN_SHALLOW,
	COLUMN_WATTS,
	COLUMN_STATES
};

/* Intervals that are drawn as one. */
struct slice {
	double start, duration, cpu_time; /* ns */
	double wakeups, p50, p99, entered, deep, shallow, energy;
	bool judged, watts;
	double residency[64];
};

struct series_plot {
	const json_t *run;
	unsigned int states;
	uint64_t step;		  /* intervals in a slice */
	bool judged, watts, wide; /* of any slice; wide: a logarithmic axis for p99 */
};

static double number(const json_t *object, const char *path)
{
	return json_number_value(run_at(object, path));
}

static void add_interval(struct slice *s, const json_t *interval, unsigned int states)
{
	double wakeups = number(interval, "wakeups");

	s->start = s->duration ? s->start : number(interval, "start");
	s->duration += number(interval, "duration");
	s->cpu_time += number(interval, "cpu_time");
	s->wakeups += wakeups;
	/* Percentiles cannot be added up: the highest of them is shown. */
	s->p50 = fmax(s->p50, number(interval, "p50"));
	s->p99 = fmax(s->p99, number(interval, "p99"));
	s->watts = json_is_number(run_at(interval, "power.package_uj"));
	s->energy += number(interval, "power.package_uj") / 1e6;
	for (unsigned int i = 0; i < states; i++) {
		const json_t *state = json_array_get(run_at(interval, "states"), i);

		s->residency[i] += number(state, "residency");
		s->entered += number(state, "entered");
		s->judged |= json_is_number(run_at(state, "too_deep"));
		s->deep += number(state, "too_deep");
		s->shallow += number(state, "too_shallow");
	}
}

static bool read_slice(const struct series_plot *p, const struct plot_intervals *from,
		       uint64_t first, struct slice *s)
{
	*s = (struct slice){0};
	for (uint64_t i = first; i < first + p->step && i < from->count; i++) {
		json_t *interval = from->read(from->ctx, i);

		if (!interval)
			return false;
		add_interval(s, interval, p->states);
		json_decref(interval);
	}
	return s->duration > 0;
}

/* What is unknown breaks a line. */
static void part(FILE *f, double value, double whole, double unit)
{
	if (whole > 0)
		fprintf(f, " %.10g", unit * value / whole);
	else
		fputs(" NaN", f);
}

static void write_edge(const struct series_plot *p, const struct slice *s, double at,
		       FILE *f)
{
	double sum = 0;

	fprintf(f, "%.9g", at / NSEC_PER_SEC);
	part(f, s->wakeups, s->duration, NSEC_PER_SEC);
	part(f, s->p50, s->wakeups > 0, 1.0 / NSEC_PER_USEC);
	part(f, s->p99, s->wakeups > 0, 1.0 / NSEC_PER_USEC);
	part(f, s->deep, s->judged ? s->entered : 0, 100);
	part(f, s->shallow, s->judged ? s->entered : 0, 100);
	part(f, s->energy, s->watts ? s->duration : 0, NSEC_PER_SEC);
	for (unsigned int i = p->states; i-- > 0;) {
		sum += s->residency[i];
		part(f, sum, s->cpu_time, 100);
	}
	fputc('\n', f);
}

/* Both ends of each slice: it was so for as long as that. Returns the end of all. */
static double write_data(struct series_plot *p, const struct plot_intervals *from,
			 FILE *f)
{
	double end = 0, low = INFINITY, high = 0;

	for (uint64_t i = 0; i < from->count; i += p->step) {
		struct slice s;

		if (!read_slice(p, from, i, &s))
			continue;
		end = s.start + s.duration;
		write_edge(p, &s, s.start, f);
		write_edge(p, &s, end, f);
		p->judged |= s.judged && s.entered > 0;
		p->watts |= s.watts;
		low = s.p50 > 0 ? fmin(low, s.p50) : low;
		high = fmax(high, s.p99);
	}
	p->wide = high > 30 * low;
	return end;
}

static void states_panel(const struct series_plot *p, FILE *f)
{
	char name[64], colour[8];

	fputs("set ylabel '% of time'\nset yrange [0:100]\n"
	      "set style fill solid 1 border rgb '#404040'\nplot ",
	      f);
	/* The largest sum first: those that follow are drawn over it. */
	for (unsigned int i = 0; i < p->states; i++)
		fprintf(f,
			"%s'series.dat' using 1:%u with filledcurves y1=0 fc rgb '%s' "
			"title %s",
			i ? ", " : "", COLUMN_STATES + p->states - 1 - i,
			plot_state_colour(i, p->states, colour),
			plot_quoted(run_state_name(p->run, i), name, sizeof(name)));
	fputc('\n', f);
}

static void lines_panel(FILE *f, const char *label, const char *range,
			const char *const *names, enum column first)
{
	fprintf(f, "set ylabel '%s'\n%s\nplot ", label, range);
	for (unsigned int i = 0; names[i]; i++)
		fprintf(f, "%s'series.dat' using 1:%u with lines ls %u %s%s%s",
			i ? ", " : "", first + i, i + 1,
			*names[i] ? "title '" : "notitle", names[i],
			*names[i] ? "'" : "");
	fputs("\nunset logscale y\n", f);
}

static void panels(const struct series_plot *p, FILE *f)
{
	static const char *const one[] = {"", NULL},
				 *const percentiles[] = {"p50", "p99", NULL},
				 *const verdicts[] = {"too deep", "too shallow", NULL};
	const char *latency = p->step > 1 ? "latency, us (highest)" : "latency, us";

	if (p->states)
		states_panel(p, f);
	fputs("set title ''\n", f);
	if (p->judged)
		lines_panel(f, "% of periods", "set yrange [0:*<100]", verdicts,
			    COLUMN_DEEP);
	lines_panel(f, latency,
		    p->wide ? "set logscale y\nset yrange [*:*]" : "set yrange [0:*]",
		    percentiles, COLUMN_P50);
	if (p->watts)
		lines_panel(f, "package, W", "set yrange [0:*]", one, COLUMN_WATTS);
	fputs("set xlabel 's since the window opened'\n", f);
	lines_panel(f, "wakeups/s", "set yrange [0:*]", one, COLUMN_RATE);
}

static void titles(struct picture *p, const struct series_plot *s,
		   const struct plot_intervals *from)
{
	char ran[50], what[200], where[200], every[UNITS_TEXT_MAX];

	snprintf(what, sizeof(what), "%s: intervals of %s",
		 run_title(s->run, ran, sizeof(ran)),
		 format_duration(from->every * s->step, every, sizeof(every)));
	picture_title(p, what, run_where(s->run, where, sizeof(where)));
}

int plot_series(struct plots *plots, const json_t *run, const struct plot_intervals *from)
{
	struct series_plot s = {.run = run, .states = run_states(run)};
	unsigned int nr, height;
	struct picture p;
	double end;

	if (!from->count || s.states > 64)
		return 0;
	s.step = (from->count + POINTS_MAX - 1) / POINTS_MAX;
	height = 120 + PANEL * 5;
	if (picture_begin(&p, plots, "series", 1000, height))
		return -1;
	picture_block(&p);
	end = write_data(&s, from, p.data);
	nr = 2 + (s.states > 0) + s.judged + s.watts;
	titles(&p, &s, from);
	fprintf(p.script,
		"set xrange [0:%.9g]\n"
		"set multiplot layout %u,1 margins 0.10,0.80,%.3f,%.3f spacing 0,%.3f\n",
		end / NSEC_PER_SEC, nr, 75.0 / height, 1 - 68.0 / height, 42.0 / height);
	panels(&s, p.script);
	fputs("unset multiplot\n", p.script);
	return picture_end(&p);
}
