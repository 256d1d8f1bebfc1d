// SPDX-License-Identifier: GPL-2.0
/* The panels of which pictures of a sweep consist. */
#include <math.h>
#include <string.h>

#include "comparison.h"
#include "plot_sweep.h"

#define PICTURES_MAX 32
#define MARKERS_MAX  100 /* points of a line that are marked one by one */
#define WIDE	     30	 /* a range of values that needs a logarithmic axis */

static void x_axis(const struct sweep_plot *s, const struct picture *p)
{
	if (!s->numeric) {
		/* Labels come from the data. */
		fprintf(p->script, "set xrange [-0.5:%zu-0.5]\n",
			json_array_size(run_at(s->axis, "values")));
		return;
	}
	if (s->log)
		fputs("set logscale x\nset format x '%g'\n", p->script);
	if (s->log && s->has_zero)
		fprintf(p->script, "set xtics add ('0' %.10g)\n", s->zero);
	if (s->log)
		fprintf(p->script, "set xrange [%.10g:%.10g]\n", s->low / 1.15,
			s->high * 1.15);
	else if (s->high > s->low)
		fprintf(p->script, "set xrange [%.10g:%.10g]\n",
			s->low - 0.01 * (s->high - s->low),
			s->high + 0.01 * (s->high - s->low));
}

static void x_label(const struct sweep_plot *s, FILE *f)
{
	char text[128], quoted[160];

	snprintf(text, sizeof(text), "%.60s%s%.20s", s->option,
		 *s->x_unit_name ? ", " : "", s->x_unit_name);
	fprintf(f, "set xlabel %s\n", plot_quoted(text, quoted, sizeof(quoted)));
}

/* One line of a panel. */
static void line(const struct sweep_plot *s, const struct picture *p, bool *first,
		 unsigned int block, enum column column, unsigned int style,
		 const char *title)
{
	char quoted[200];

	size_t points = json_array_size(run_at(s->sweep, "points")) / s->nr_series;

	fprintf(p->script, "%s'%s.dat' index %u using 1:%d%s with %s ls %u title %s",
		*first ? "plot " : ", ", p->name, block, (int)column,
		s->numeric ? "" : ":xtic(2)",
		!s->numeric		? "points"
		: points <= MARKERS_MAX ? "linespoints"
					: "lines",
		(style - 1) % PLOT_STYLES + 1,
		plot_quoted(title, quoted, sizeof(quoted)));
	*first = false;
}

struct panel {
	const char *label;
	enum column columns[2];
	const char *names[2];
	bool percent;
};

static void series_title(const struct sweep_plot *s, unsigned int series,
			 const char *name, char *buf, size_t size)
{
	const struct series *of = &s->series[series];

	const char *way = !s->updown ? "" : of->back ? "down" : "up";
	const char *rest = s->nr_series > 1 ? of->name : "";

	snprintf(buf, size, "%.30s%s%.100s%s%s", name, *name && *rest ? ", " : "", rest,
		 *way && (*name || *rest) ? " " : "", way);
}

static const char *number_name(const struct sweep_plot *s, enum column column)
{
	static const char *const names[] = {
		[COLUMN_P50] = "wakeup.p50",	   [COLUMN_P99] = "wakeup.p99",
		[COLUMN_DEEP] = "idle.too_deep",   [COLUMN_SHALLOW] = "idle.too_shallow",
		[COLUMN_DEEPEST] = "idle.deepest",
	};

	return column == COLUMN_METRIC ? s->metric : names[column];
}

/* Linear from 0, but where what is small would not be seen beside what is large. */
static void panel_range(const struct sweep_plot *s, const struct panel *panel, FILE *f)
{
	double least = INFINITY, most = -INFINITY, value;
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(s->sweep, "points"), i, point)
		for (int n = 0; n < 2; n++) {
			const char *name = number_name(s, panel->columns[n]);

			if (!name || !run_number(sweep_point_run(point), name, &value))
				continue;
			least = value < least ? value : least;
			most = value > most ? value : most;
		}
	/* gnuplot finds no range for nothing. */
	if (most < least)
		fputs("set yrange [0:1]\n", f);
	else if (panel->percent)
		fputs("set yrange [0:*<100]\n", f);
	else if (least > 0 && most > WIDE * least)
		fputs("set logscale y\nset yrange [*:*]\n", f);
	else
		fputs("set yrange [0:*]\n", f);
}

/*
 * The lines of some series: first to last. Both numbers of a panel are shown if there is
 * one series (or two, up and down), else only the second, which is the one that matters.
 */
static void panel(const struct sweep_plot *s, const struct picture *p,
		  const struct panel *panel, unsigned int first, unsigned int last)
{
	bool few = last - first <= (s->updown ? 1U : 0U), begin = true;
	char title[200], quoted[200];

	fprintf(p->script, "set ylabel %s\n",
		plot_quoted(panel->label, quoted, sizeof(quoted)));
	panel_range(s, panel, p->script);
	for (int i = 0; i < 2; i++) {
		if (!panel->names[i] || (!few && !i && panel->names[1]))
			continue;
		for (unsigned int n = first; n <= last; n++) {
			unsigned int style =
				few ? (unsigned int)i * (last - first + 1) + n - first + 1
				    : n - first + 1;

			series_title(s, n, panel->names[i], title, sizeof(title));
			line(s, p, &begin, n - first, panel->columns[i], style, title);
		}
	}
	fputs("\nunset logscale y\n", p->script);
}

/* States of one series, stacked; the deepest is at the foot, what is left is not idle. */
static void states_panel(const struct sweep_plot *s, const struct picture *p,
			 unsigned int block, const char *label)
{
	unsigned int columns = s->states;
	char quoted[160], colour[8];

	fprintf(p->script,
		"set ylabel %s\nset yrange [0:100]\n"
		"set boxwidth 0.7\nset style fill solid 1 border rgb '#404040'\nplot ",
		plot_quoted(label, quoted, sizeof(quoted)));
	/* The largest sum first: those that follow are drawn over it. */
	for (unsigned int i = 0; i < columns; i++) {
		unsigned int column = COLUMN_STATES + columns - 1 - i;

		fprintf(p->script,
			s->numeric
				? "%s'%s.dat' index %u using 1:%u with filledcurves y1=0 "
				  "fc rgb '%s' title %s"
				: "%s'%s.dat' index %u using 1:%u:xtic(2) with boxes fc "
				  "rgb '%s' title %s",
			i ? ", " : "", p->name, block, column,
			plot_state_colour(i, columns, colour),
			plot_quoted(run_state_name(s->state_run, i), quoted,
				    sizeof(quoted)));
	}
	fputc('\n', p->script);
}

static void metric_panel(const struct sweep_plot *s, const struct picture *p,
			 unsigned int first, unsigned int last)
{
	char label[128];
	struct panel metric = {label, {COLUMN_METRIC}, {""}, false};

	snprintf(label, sizeof(label), "%.40s%s%.16s", s->measure.name,
		 *s->metric_unit_name ? ", " : "", s->metric_unit_name);
	panel(s, p, &metric, first, last);
}

static const struct panel wakeups = {
	"wakeups, us", {COLUMN_P50, COLUMN_P99}, {"p50", "p99"}, false};
static const struct panel verdicts = {"% of idle periods",
				      {COLUMN_DEEP, COLUMN_SHALLOW},
				      {"too deep", "too shallow"},
				      true};
static const struct panel deep = {"too deep, %", {COLUMN_DEEP}, {""}, true};
static const struct panel shallow = {"too shallow, %", {COLUMN_SHALLOW}, {""}, true};
static const struct panel deepest = {
	"deepest state, % of time", {COLUMN_DEEPEST}, {""}, true};

static void title(const struct sweep_plot *s, struct picture *p, const char *which)
{
	const char *direction = comparison_direction(&s->measure);
	char what[300], where[200];

	snprintf(what, sizeof(what), "%.30s over %.40s%s%.100s%s%.40s%s%s",
		 run_subject(s->state_run), s->option, *which ? ", " : "", which,
		 s->metric ? ": " : "", s->metric ? s->measure.name : "",
		 *direction ? ", " : "", direction);
	picture_title(p, what, run_where(s->state_run, where, sizeof(where)));
}

static unsigned int height_of(unsigned int panels)
{
	return 130 + 240 * panels;
}

/* Only the lowest panel says what x is. */
static void panels_begin(const struct picture *p, unsigned int nr)
{
	double height = height_of(nr);

	fprintf(p->script,
		"set multiplot layout %u,1 margins 0.10,0.80,%.3f,%.3f spacing 0,%.3f\n",
		nr, 75 / height, 1 - 68 / height, 48 / height);
}

/* One combination of the other axes, in full: both ways of it. */
static int draw_single(const struct sweep_plot *s, struct plots *plots, const char *name,
		       unsigned int first, unsigned int last)
{
	unsigned int ways = last - first + 1;
	unsigned int nr = 1 + (s->metric != NULL) + (s->states ? 1 + ways : 0);
	struct picture p;

	if (picture_begin(&p, plots, name, 1000, height_of(nr)))
		return -1;
	for (unsigned int n = first; n <= last; n++)
		sweep_plot_write(s, n, &p);
	title(s, &p, s->series[first].name);
	x_axis(s, &p);
	panels_begin(&p, nr);
	if (s->metric)
		metric_panel(s, &p, first, last);
	fputs("set title ''\n", p.script);
	if (!s->states)
		x_label(s, p.script);
	panel(s, &p, &wakeups, first, last);
	if (s->states)
		panel(s, &p, &verdicts, first, last);
	for (unsigned int n = first; s->states && n <= last; n++) {
		if (n == last)
			x_label(s, p.script);
		states_panel(s, &p, n - first,
			     !s->updown		 ? "% of time"
			     : s->series[n].back ? "% of time, down"
						 : "% of time, up");
	}
	fputs("unset multiplot\n", p.script);
	return picture_end(&p);
}

/* All combinations, each a line. */
static int draw_all(const struct sweep_plot *s, struct plots *plots)
{
	const struct panel *panels[] = {&wakeups, &deep, &shallow, &deepest};
	unsigned int shown = s->states ? 4 : 1, nr = shown + (s->metric != NULL);
	unsigned int last = s->nr_series - 1;
	struct picture p;

	if (picture_begin(&p, plots, "sweep", 1000, height_of(nr)))
		return -1;
	for (unsigned int n = 0; n <= last; n++)
		sweep_plot_write(s, n, &p);
	title(s, &p, "");
	x_axis(s, &p);
	panels_begin(&p, nr);
	if (s->metric)
		metric_panel(s, &p, 0, last);
	fputs("set title ''\n", p.script);
	for (unsigned int i = 0; i < shown; i++) {
		if (i + 1 == shown)
			x_label(s, p.script);
		panel(s, &p, panels[i], 0, last);
	}
	fputs("unset multiplot\n", p.script);
	return picture_end(&p);
}

/* Series of one name: up, and down if it is next to it. */
static unsigned int last_way(const struct sweep_plot *s, unsigned int first)
{
	return first + 1 < s->nr_series &&
			       !strcmp(s->series[first].name, s->series[first + 1].name)
		       ? first + 1
		       : first;
}

static int draw_each(const struct sweep_plot *s, struct plots *plots)
{
	unsigned int last, nr = 0;
	char name[32];

	for (unsigned int n = 0; n < s->nr_series && nr < PICTURES_MAX; n = last + 1) {
		last = last_way(s, n);
		snprintf(name, sizeof(name), "sweep-%u", ++nr);
		if (draw_single(s, plots, name, n, last))
			return -1;
	}
	return 0;
}

int sweep_plot_draw(const struct sweep_plot *s, struct plots *plots)
{
	unsigned int last = s->nr_series - 1;

	if (last_way(s, 0) == last)
		return draw_single(s, plots, "sweep", 0, last);
	return draw_all(s, plots) || draw_each(s, plots) ? -1 : 0;
}
