// SPDX-License-Identifier: GPL-2.0
/*
 * Percent against a reference, as in the mails of those who test idle governors: of one
 * case with the averages themselves, of the points of a sweep each, and their average,
 * maximum and minimum over the sweep.
 */
#include "formats.h"

#include <math.h>
#include <string.h>

#include "report.h"

#define NAME_WIDTH  30
#define POINT_WIDTH 24
#define COLUMN	    11 /* "  +123.45 %" */

/* "+1.32 %", "-" for NAN. */
static const char *percent(double change, char *buf, size_t size)
{
	char number[16];

	if (isnan(change))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s %%",
			 format_narrow(change, 2, 7, true, number, sizeof(number)));
	return buf;
}

static void print_title(const struct comparison *c, const struct run_measure *measure)
{
	const char *unit = comparison_unit(measure);

	report_line(2, "%s%s%s against %s%s", measure->name, *unit ? ", " : "", unit,
		    c->sides[0].name,
		    measure->better == BETTER_LOWER    ? "; negative is better"
		    : measure->better == BETTER_HIGHER ? "; positive is better"
						       : "");
}

static void print_name(const char *name)
{
	char text[NAME_WIDTH + 1];

	printf("  %-*s", NAME_WIDTH, format_fit(name, NAME_WIDTH, text, sizeof(text)));
}

static void print_averages(const struct comparison *c, const struct comparison_row *row)
{
	char value[24], change[24];

	for (unsigned int s = 0; s < c->nr_sides; s++) {
		double mean = row->cells[s].mean;

		print_name(format_side(c, s, NAME_WIDTH));
		printf(" %10s %11s\n",
		       comparison_number(mean, row->measure->unit, value, sizeof(value)),
		       s ? percent(format_change(mean, row->cells[0].mean), change,
				   sizeof(change))
			 : "reference");
	}
}

/* The points of some of the sides; the reference's are values. */
static void print_points(const struct comparison *c, unsigned int i, unsigned int first,
			 unsigned int end)
{
	char text[POINT_WIDTH + 1];

	printf("  %-*s%*s", POINT_WIDTH, "", COLUMN, "reference");
	for (unsigned int s = first; s < end; s++)
		printf("  %*s", COLUMN - 2,
		       format_fit(format_side(c, s, COLUMN - 2), COLUMN - 2, text,
				  sizeof(text)));
	printf("\n");
	for (size_t j = 0; j < c->nr_cases; j++) {
		const struct comparison_row *row = comparison_row(c, i, j);
		double base = row->cells[0].mean;

		printf("  %-*s", POINT_WIDTH,
		       format_fit(row->name, POINT_WIDTH, text, sizeof(text)));
		printf("%*s", COLUMN,
		       comparison_number(base, row->measure->unit, text, sizeof(text)));
		for (unsigned int s = first; s < end; s++)
			printf("%*s", COLUMN,
			       percent(format_change(row->cells[s].mean, base), text,
				       sizeof(text)));
		printf("\n");
	}
}

struct window {
	double sum, max, min;
	size_t nr;
};

static struct window summarise(const struct comparison *c, unsigned int i,
			       unsigned int side)
{
	struct window w = {.max = NAN, .min = NAN};

	for (size_t j = 0; j < c->nr_cases; j++) {
		const struct comparison_row *row = comparison_row(c, i, j);
		double change = format_change(row->cells[side].mean, row->cells[0].mean);

		if (isnan(change))
			continue;
		w.sum += change;
		w.max = fmax(w.max, change);
		w.min = fmin(w.min, change);
		w.nr++;
	}
	return w;
}

static void print_windows(const struct comparison *c, unsigned int i)
{
	char text[24];

	printf("  %-*s%*s%*s%*s%8s\n", NAME_WIDTH, "over the sweep", COLUMN, "average",
	       COLUMN, "max", COLUMN, "min", "points");
	for (unsigned int s = 1; s < c->nr_sides; s++) {
		struct window w = summarise(c, i, s);
		double average = w.nr ? w.sum / (double)w.nr : NAN;

		print_name(format_side(c, s, NAME_WIDTH));
		printf("%*s", COLUMN, percent(average, text, sizeof(text)));
		printf("%*s", COLUMN, percent(w.max, text, sizeof(text)));
		printf("%*s%8zu\n", COLUMN, percent(w.min, text, sizeof(text)), w.nr);
	}
}

static void print_smythies(const struct comparison *c)
{
	unsigned int fit = (FORMAT_WIDTH - 2 - POINT_WIDTH) / COLUMN - 1, end;

	for (unsigned int i = 0; i < c->nr_measures; i++) {
		print_title(c, &c->measures[i]);
		if (c->nr_cases == 1) {
			print_averages(c, comparison_row(c, i, 0));
			continue;
		}
		for (unsigned int s = 1; s < c->nr_sides; s = end) {
			end = s + fit < c->nr_sides ? s + fit : c->nr_sides;
			print_points(c, i, s, end);
		}
		print_windows(c, i);
	}
}

const struct comparison_format format_smythies = {
	.name = "smythies",
	.summary = "percent against the first side, over a sweep as well",
	.print = print_smythies,
};
