// SPDX-License-Identifier: GPL-2.0
/* Pictures of runs side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "plot_private.h"

#define PANELS_MAX    12
#define PANEL_COLUMNS 3
#define RELATIVE_MAX  4	 /* measures relative to the first side */
#define LABELS_MAX    30 /* cases whose names find room below an axis */

/* ns are shown as us. */
static double scale_of(const struct run_measure *measure)
{
	return strcmp(measure->unit, "ns") ? 1 : NSEC_PER_USEC;
}

static void label_of(const struct run_measure *measure, char *buf, size_t size)
{
	const char *unit = comparison_unit(measure);
	const char *direction = comparison_direction(measure);

	snprintf(buf, size, "%.47s%s%.16s%s%.24s%s", measure->name, *unit ? ", " : "",
		 unit, *direction ? " (" : "", direction, *direction ? ")" : "");
}

/* What the names of all sides begin with, up to a "=", need not be said. */
static size_t common_prefix(const struct comparison *c)
{
	size_t len = strcspn(c->sides[0].name, "=") + 1;

	for (unsigned int s = 0; s < c->nr_sides; s++)
		if (strlen(c->sides[s].name) <= len ||
		    strncmp(c->sides[s].name, c->sides[0].name, len) ||
		    strchr(c->sides[s].name, ','))
			return 0;
	return len;
}

static const char *side_name(const struct comparison *c, unsigned int side)
{
	return c->sides[side].name + common_prefix(c);
}

/* The values that runs have of that, "A and B"; "" if none has any. */
static char *distinct(const struct comparison *c, const char *path, char *buf,
		      size_t size)
{
	const json_t *run;
	size_t used = 0, j;

	buf[0] = '\0';
	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run) {
				const char *text = run_text(run, path);

				if (*text && used < size && !strstr(buf, text))
					used += (size_t)snprintf(
						buf + used, size - used, "%s%s",
						used ? " and " : "", text);
			}
	return buf;
}

/* What ran, and where: all that the sides may differ in is said of each. */
static void title(struct picture *p, const struct comparison *c, const char *of)
{
	char what[200], where[400], kernels[120], archs[60], drivers[60], governors[100];

	distinct(c, "host.kernel", kernels, sizeof(kernels));
	distinct(c, "host.arch", archs, sizeof(archs));
	distinct(c, "host.cpuidle.driver", drivers, sizeof(drivers));
	distinct(c, "host.cpuidle.governor", governors, sizeof(governors));
	snprintf(what, sizeof(what), "%.40s: %.150s", run_subject(comparison_run(c, 0)),
		 of);
	snprintf(where, sizeof(where), "kernel %s %s, %s%s%s%s", kernels, archs,
		 *drivers ? "cpuidle " : "no cpuidle driver", drivers,
		 *drivers ? "/" : "", *drivers ? governors : "");
	picture_title(p, what, where);
}

/* ---- samples ---- */

/* A case's measure that is not 0 in all samples, or unknown. */
static bool tells(const struct comparison *c, const struct comparison_row *row)
{
	for (unsigned int s = 0; s < c->nr_sides; s++)
		for (size_t i = 0; i < row->cells[s].nr; i++)
			if (row->cells[s].values[i] != 0)
				return true;
	return false;
}

/* The measures of a case that tell something, at most max. */
static unsigned int choose_rows(const struct comparison *c, size_t case_,
				const struct comparison_row **rows, unsigned int max)
{
	unsigned int nr = 0;

	for (unsigned int m = 0; m < c->nr_measures && nr < max; m++) {
		const struct comparison_row *row = comparison_row(c, m, case_);

		if (tells(c, row))
			rows[nr++] = row;
	}
	return nr;
}

/* Side, value: points side by side within their side's place, in the order of the runs.
 */
static void write_samples(struct picture *p, const struct comparison *c,
			  const struct comparison_row *row)
{
	double scale = scale_of(row->measure);

	picture_block(p);
	for (unsigned int s = 0; s < c->nr_sides; s++) {
		const struct comparison_cell *cell = &row->cells[s];

		for (size_t i = 0; i < cell->nr; i++)
			fprintf(p->data, "%.4f %.10g %u\n",
				s + 0.5 * (((double)i + 0.5) / (double)cell->nr - 0.5),
				cell->values[i] / scale, s % PLOT_STYLES + 1);
	}
	picture_block(p);
	for (unsigned int s = 0; s < c->nr_sides; s++) {
		fprintf(p->data, "%u", s);
		plot_number(p->data, row->cells[s].median / scale);
		fputc('\n', p->data);
	}
}

/* Room for all samples, but none for values that cannot be: those below 0. */
static void samples_range(const struct picture *p, const struct comparison *c,
			  const struct comparison_row *row)
{
	double low = INFINITY, high = -INFINITY, room, scale = scale_of(row->measure);

	for (unsigned int s = 0; s < c->nr_sides; s++)
		for (size_t i = 0; i < row->cells[s].nr; i++) {
			double value = row->cells[s].values[i] / scale;

			low = value < low ? value : low;
			high = value > high ? value : high;
		}
	room = high > low ? 0.08 * (high - low) : 0.1 * fabs(high);
	fprintf(p->script, "set yrange [%.10g:%.10g]\n",
		low >= 0 && low < room ? 0 : low - room, high + room);
}

/* Each side in its own style; its median is a line across. */
static void samples_panel(const struct picture *p, const struct comparison *c,
			  const struct comparison_row *row, unsigned int block)
{
	char label[160], quoted[180];

	label_of(row->measure, label, sizeof(label));
	samples_range(p, c, row);
	fprintf(p->script, "set title %s\nplot ",
		plot_quoted(label, quoted, sizeof(quoted)));
	for (unsigned int s = 0; s < c->nr_sides; s++)
		fprintf(p->script,
			"'%s.dat' index %u using 1:(abs($1-%u)<0.5?$2:NaN) with points "
			"ls "
			"%u ps 0.8 notitle, ",
			p->name, block, s, s % PLOT_STYLES + 1);
	fprintf(p->script,
		"'' index %u using ($1-0.35):2:(0.7):(0) with vectors nohead lw 2 lc rgb "
		"'#404040' notitle\n",
		block + 1);
}

static void side_tics(const struct picture *p, const struct comparison *c)
{
	char quoted[2 * COMPARISON_NAME + 3];

	fprintf(p->script, "set xrange [-0.5:%u-0.5]\nset xtics scale 0%s (", c->nr_sides,
		c->nr_sides > 4 ? " rotate by -35" : "");
	for (unsigned int s = 0; s < c->nr_sides; s++)
		fprintf(p->script, "%s%s %u", s ? ", " : "",
			plot_quoted(side_name(c, s), quoted, sizeof(quoted)), s);
	fputs(")\n", p->script);
}

static int draw_samples(struct plots *plots, const struct comparison *c)
{
	const struct comparison_row *rows[PANELS_MAX];
	unsigned int nr = choose_rows(c, 0, rows, PANELS_MAX);
	unsigned int columns = nr < PANEL_COLUMNS ? nr : PANEL_COLUMNS;
	unsigned int lines = columns ? (nr + columns - 1) / columns : 0;
	struct picture p;

	if (!nr)
		return 0;
	if (picture_begin(&p, plots, "samples", 360 * columns, 60 + 270 * lines))
		return -1;
	for (unsigned int i = 0; i < nr; i++)
		write_samples(&p, c, rows[i]);
	title(&p, c, "every run, and the median of each side");
	fprintf(p.script, "set multiplot layout %u,%u title head\n", lines, columns);
	side_tics(&p, c);
	for (unsigned int i = 0; i < nr; i++)
		samples_panel(&p, c, rows[i], 2 * i);
	fputs("unset multiplot\n", p.script);
	return picture_end(&p);
}

/* ---- wakeups ---- */

static void add_side(const struct comparison *c, unsigned int side, struct hist *h)
{
	const json_t *run;
	size_t i;

	memset(h, 0, sizeof(*h));
	json_array_foreach (c->cases[0].runs[side], i, run)
		run_latency(run, "wakeups.latency", h);
}

static int draw_latency(struct plots *plots, const struct comparison *c)
{
	static struct hist h;
	char quoted[2 * COMPARISON_NAME + 3];
	struct picture p;
	double most = 0;

	for (unsigned int s = 0; s < c->nr_sides; s++) {
		add_side(c, s, &h);
		most = (double)h.count > most ? (double)h.count : most;
	}
	if (!most)
		return 0;
	if (picture_begin(&p, plots, "latency", 1000, 500))
		return -1;
	title(&p, c, "wakeups of all runs");
	fputs("set lmargin 10\nset rmargin 26\nset logscale x\nset format x '%g'\n"
	      "set xlabel 'wakeup latency, us'\n",
	      p.script);
	plot_nines_axis(p.script, most);
	for (unsigned int s = 0; s < c->nr_sides; s++) {
		unsigned int block;

		add_side(c, s, &h);
		if (!h.count)
			continue;
		block = picture_block(&p);
		plot_nines(&p, &h);
		fprintf(p.script, "%s'latency.dat' index %u with lines ls %u title %s",
			block ? ", " : "plot ", block, s % PLOT_STYLES + 1,
			plot_quoted(side_name(c, s), quoted, sizeof(quoted)));
	}
	fputc('\n', p.script);
	return picture_end(&p);
}

/* ---- cases ---- */

/* Case, its difference to the first side in %, and from where to where it may be. */
static void write_relative(struct picture *p, const struct comparison *c,
			   unsigned int measure, unsigned int side)
{
	picture_block(p);
	for (size_t i = 0; i < c->nr_cases; i++) {
		const struct comparison_cell *cell =
			&comparison_row(c, measure, i)->cells[side];

		fprintf(p->data, "%zu", i);
		if (!cell->has_ratio) {
			fputs(" ? ? ?\n", p->data);
			continue;
		}
		plot_number(p->data, 100 * (cell->ratio.ratio - 1));
		plot_number(p->data, 100 * (cell->ratio.low - 1));
		plot_number(p->data, 100 * (cell->ratio.high - 1));
		fputc('\n', p->data);
	}
}

static bool has_ratios(const struct comparison *c, unsigned int measure)
{
	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 1; s < c->nr_sides; s++)
			if (comparison_row(c, measure, i)->cells[s].has_ratio)
				return true;
	return false;
}

/* All cases of one sweep begin with the same option, too; its length with the "=". */
static size_t case_prefix(const struct comparison *c)
{
	size_t len = strcspn(c->cases[0].name, "=") + 1;

	for (size_t i = 0; i < c->nr_cases; i++)
		if (strlen(c->cases[i].name) <= len ||
		    strncmp(c->cases[i].name, c->cases[0].name, len))
			return 0;
	return len;
}

static void case_tics(const struct picture *p, const struct comparison *c)
{
	size_t step = (c->nr_cases + LABELS_MAX - 1) / LABELS_MAX,
	       prefix = case_prefix(c);
	char quoted[2 * COMPARISON_NAME + 3];

	fprintf(p->script, "set xrange [-0.5:%zu-0.5]\nset xtics rotate by -45 (",
		c->nr_cases);
	for (size_t i = 0; i < c->nr_cases; i += step)
		fprintf(p->script, "%s%s %zu", i ? ", " : "",
			plot_quoted(c->cases[i].name + prefix, quoted, sizeof(quoted)),
			i);
	fputs(")\n", p->script);
}

static void case_label(const struct picture *p, const struct comparison *c)
{
	size_t prefix = case_prefix(c);
	char label[COMPARISON_NAME], quoted[2 * COMPARISON_NAME + 3];

	snprintf(label, sizeof(label), "%.*s", prefix ? (int)prefix - 1 : 0,
		 c->cases[0].name);
	fprintf(p->script, "set xlabel %s\n", plot_quoted(label, quoted, sizeof(quoted)));
}

static void relative_panel(const struct picture *p, const struct comparison *c,
			   unsigned int measure, unsigned int block)
{
	const char *direction = comparison_direction(&c->measures[measure]);
	char label[160], quoted[2 * COMPARISON_NAME + 40];

	snprintf(label, sizeof(label), "%.47s%s%.24s", c->measures[measure].name,
		 *direction ? ", " : "", direction);
	fprintf(p->script, "set title %s\n", plot_quoted(label, quoted, sizeof(quoted)));
	snprintf(label, sizeof(label), "%% against %.63s", side_name(c, 0));
	fprintf(p->script,
		"set ylabel %s\nplot 0 with lines lw 2 lc rgb '#404040' notitle",
		plot_quoted(label, quoted, sizeof(quoted)));
	for (unsigned int s = 1; s < c->nr_sides; s++)
		fprintf(p->script,
			", '%s.dat' index %u using 1:2:3:4 with yerrorbars ls %u ps 0 lw "
			"1 "
			"dt 1 notitle, '' index %u using 1:2 with linespoints ls %u "
			"title "
			"%s",
			p->name, block + s - 1, (s - 1) % PLOT_STYLES + 1, block + s - 1,
			(s - 1) % PLOT_STYLES + 1,
			plot_quoted(side_name(c, s), quoted, sizeof(quoted)));
	fputc('\n', p->script);
}

static int draw_relative(struct plots *plots, const struct comparison *c)
{
	unsigned int measures[RELATIVE_MAX], nr = 0, height;
	struct picture p;

	for (unsigned int m = 0; m < c->nr_measures && nr < RELATIVE_MAX; m++)
		if (has_ratios(c, m))
			measures[nr++] = m;
	if (c->nr_cases < 2 || !nr)
		return 0;
	height = 165 + 300 * nr;
	if (picture_begin(&p, plots, "relative", 1000, height))
		return -1;
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int s = 1; s < c->nr_sides; s++)
			write_relative(&p, c, measures[i], s);
	title(&p, c, "the others against the first side, with 95% intervals");
	fprintf(p.script,
		"set multiplot layout %u,1 margins 0.10,0.80,%.3f,%.3f spacing 0,%.3f "
		"title head\n",
		nr, 100.0 / height, 1 - 85.0 / height, 100.0 / height);
	case_tics(&p, c);
	for (unsigned int i = 0; i < nr; i++) {
		if (i + 1 == nr)
			case_label(&p, c);
		relative_panel(&p, c, measures[i], i * (c->nr_sides - 1));
	}
	fputs("unset multiplot\n", p.script);
	return picture_end(&p);
}

int plot_comparison(struct plots *plots, const struct comparison *c)
{
	if (!c->nr_cases || c->nr_sides < 2)
		return 0;
	if (c->nr_cases > 1)
		return draw_relative(plots, c);
	return draw_samples(plots, c) || draw_latency(plots, c) ? -1 : 0;
}
