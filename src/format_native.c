// SPDX-License-Identifier: GPL-2.0
/* One line per setting and measure, with all that is needed to believe it. */
#include "formats.h"

#include <math.h>
#include <string.h>

#include "report.h"

#define NAME_WIDTH 18

/* "[-5.2, +3.0]", in 16 columns however large. */
static char *interval_text(const struct stats_ratio *ratio, char *buf, size_t size)
{
	char low[16], high[16];

	if (isnan(ratio->low))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "[%s, %s]",
			 format_narrow(100 * (ratio->low - 1), 1, 6, true, low,
				       sizeof(low)),
			 format_narrow(100 * (ratio->high - 1), 1, 6, true, high,
				       sizeof(high)));
	return buf;
}

/* Change, its interval, p and verdict; nothing for the base. */
static void print_test(const struct comparison_cell *cell)
{
	char number[16], change[20] = "-", interval[48] = "-", p[16];

	if (!cell->tested)
		return;
	if (cell->has_ratio) {
		snprintf(change, sizeof(change), "%s%%",
			 format_narrow(100 * (cell->ratio.ratio - 1), 1, 7, true, number,
				       sizeof(number)));
		interval_text(&cell->ratio, interval, sizeof(interval));
	}
	if (cell->test.p < 0.00005)
		snprintf(p, sizeof(p), "<.0001");
	else
		snprintf(p, sizeof(p), "%.4f", cell->test.p);
	printf(" %8s %16s %6s %s", change, interval, p,
	       stats_verdict_name(cell->verdict));
}

static void print_cell(const struct comparison *c, const struct comparison_row *row,
		       unsigned int side, int indent)
{
	const struct comparison_cell *cell = &row->cells[side];
	const char *name = format_side(c, side, NAME_WIDTH - (size_t)indent);
	char median[24], number[16], cv[20] = "-";

	if (strlen(name) + (size_t)indent > NAME_WIDTH) {
		printf("%*s%s\n", indent, "", name);
		name = "";
	}
	if (!isnan(cell->cv))
		snprintf(cv, sizeof(cv), "%s%%",
			 format_narrow(cell->cv, 1, 5, false, number, sizeof(number)));
	printf("%*s%-*s%4zu %9s %6s", indent, "", NAME_WIDTH - indent, name, cell->nr,
	       comparison_number(cell->median, row->measure->unit, median,
				 sizeof(median)),
	       cv);
	print_test(cell);
	printf("\n");
}

static void print_row(const struct comparison *c, const struct comparison_row *row)
{
	int indent = 2;

	if (c->nr_cases > 1) {
		printf("%*s%s\n", indent, "", row->name);
		indent += 2;
	}
	for (unsigned int s = 0; s < c->nr_sides; s++)
		print_cell(c, row, s, indent);
	for (unsigned int s = 0; s < c->nr_sides; s++)
		if (row->cells[s].bimodal)
			report_line(2, "%*s%s has two levels: no one number describes it",
				    indent, "", c->sides[s].name);
	if (row->noise)
		printf("%*snoise, by the control: %.1f%%\n", indent, "",
		       100 * row->noise);
}

static void print_measure(const struct comparison *c, unsigned int i)
{
	const struct run_measure *measure = &c->measures[i];
	const char *unit = comparison_unit(measure);
	const char *direction = comparison_direction(measure);

	printf("%s%s%s%s%s\n", measure->name, *unit ? ", " : "", unit,
	       *direction ? ": " : "", direction);
	for (size_t j = 0; j < c->nr_cases; j++)
		print_row(c, comparison_row(c, i, j));
}

/* Workloads that look at themselves say so in a metric of that name. */
static void print_bimodal(const struct comparison *c, unsigned int side)
{
	size_t runs = 0, bimodal = 0, j;
	const json_t *run;

	for (size_t i = 0; i < c->nr_cases; i++)
		json_array_foreach (c->cases[i].runs[side], j, run) {
			double value = 0;

			runs++;
			bimodal += run_number(run, "bimodal", &value) && value > 0;
		}
	if (bimodal)
		report_line(2, "%s was bimodal within %zu of its %zu runs.",
			    c->sides[side].name, bimodal, runs);
}

static void count_tests(const struct comparison *c, size_t *tests, bool *few)
{
	size_t nr = c->nr_measures * c->nr_cases * c->nr_sides;

	*tests = 0;
	*few = false;
	for (size_t i = 0; i < nr; i++) {
		*tests += c->cells[i].tested;
		*few |= c->cells[i].tested && c->cells[i].verdict == STATS_TOO_FEW;
	}
}

static void print_native(const struct comparison *c)
{
	size_t tests;
	bool few;

	printf("%-*s%4s %9s %6s %8s %16s %6s\n", NAME_WIDTH, "", "n", "median", "CV",
	       "change", "95% CI of it", "p");
	for (unsigned int i = 0; i < c->nr_measures; i++)
		print_measure(c, i);
	printf("\n");
	for (unsigned int s = 0; s < c->nr_sides; s++)
		print_bimodal(c, s);
	count_tests(c, &tests, &few);
	printf("change: of the median, CI by bootstrap. p: Mann-Whitney, two-sided.\n"
	       "better, worse, differs: p < 0.05 among %zu tests (Benjamini-Hochberg),\n"
	       "and a CI clear of 0.\n",
	       tests);
	if (few)
		printf("too few: with so few runs not even the clearest difference has\n"
		       "p < 0.05; 4 runs of each of two sides are the least.\n");
}

const struct comparison_format format_native = {
	.name = "native",
	.summary = "medians, differences and whether they are real",
	.print = print_native,
};
