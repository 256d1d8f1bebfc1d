// SPDX-License-Identifier: GPL-2.0
/* Values with their change in brackets, as MMTests has them: positive is better. */
#include "formats.h"

#include <math.h>
#include <string.h>

#define LABEL  8
#define COLUMN 24 /* a blank and "%12.2f (%7.2f%%)" */
#define SIDES  3  /* at a time, the base being one */

enum row { ROW_MIN, ROW_MEAN, ROW_DEVIATION, ROW_CV, ROW_MAX, ROWS };

static double extreme(const struct comparison_cell *cell, double sign)
{
	double value = NAN;

	for (size_t i = 0; i < cell->nr; i++)
		value = sign > 0 ? fmax(value, cell->values[i])
				 : fmin(value, cell->values[i]);
	return value;
}

static double row_value(const struct comparison_cell *cell, enum row row,
			enum metric_better better)
{
	switch (row) {
	case ROW_MIN: return extreme(cell, -1);
	case ROW_MAX: return extreme(cell, 1);
	case ROW_MEAN: return better == BETTER_HIGHER ? cell->harmonic_mean : cell->mean;
	case ROW_DEVIATION: return stats_deviation(cell->values, cell->nr);
	default: return cell->cv;
	}
}

/* Spread is better when it is low, whatever is measured. */
static void print_cell(const struct comparison_row *r, enum row row, unsigned int side)
{
	bool spread = row == ROW_DEVIATION || row == ROW_CV;
	enum metric_better better = spread ? BETTER_LOWER : r->measure->better;
	double value = row_value(&r->cells[side], row, r->measure->better);
	double shown =
		row != ROW_CV && !strcmp(r->measure->unit, "ns") ? value / 1000 : value;
	double base = row_value(&r->cells[0], row, r->measure->better);
	double change = side ? format_improvement(value, base, better) : 0;
	char text[16];

	if (isnan(value)) {
		printf("%*s", COLUMN, "-");
		return;
	}
	printf(" %12s", format_narrow(shown, 2, 12, false, text, sizeof(text)));
	if (isnan(change))
		snprintf(text, sizeof(text), "- ");
	else
		/* Not -0.00, which is the same. */
		format_narrow(change ? change : 0, 2, 7, false, text, sizeof(text));
	printf(isnan(change) ? " (%8s)" : " (%7s%%)", text);
}

static void print_rows(const struct comparison *c, const struct comparison_row *r,
		       unsigned int first, unsigned int end)
{
	static const char *const names[ROWS] = {"Min", "Amean", "Stddev", "CoeffVar",
						"Max"};
	char name[COLUMN];

	printf("%-*s", LABEL, "");
	for (unsigned int s = 0; s < end; s = s ? s + 1 : first)
		printf("%*s", COLUMN,
		       format_fit(format_side(c, s, COLUMN - 1), COLUMN - 1, name,
				  sizeof(name)));
	printf("\n");
	for (int row = 0; row < ROWS; row++) {
		bool harmonic = row == ROW_MEAN && r->measure->better == BETTER_HIGHER;

		printf("%-*s", LABEL, harmonic ? "Hmean" : names[row]);
		for (unsigned int s = 0; s < end; s = s ? s + 1 : first)
			print_cell(r, (enum row)row, s);
		printf("\n");
	}
}

static void print_mmtests(const struct comparison *c)
{
	for (size_t i = 0; i < c->nr_measures * c->nr_cases; i++) {
		const struct comparison_row *r = &c->rows[i];
		unsigned int end;

		if (r->measure->better == BETTER_NONE)
			continue;
		printf("%s%s%s%s%s\n", r->measure->name, *r->measure->unit ? ", " : "",
		       comparison_unit(r->measure), *r->name ? ": " : "", r->name);
		for (unsigned int s = 1; s < c->nr_sides; s = end) {
			end = s + SIDES - 1 < c->nr_sides ? s + SIDES - 1 : c->nr_sides;
			print_rows(c, r, s, end);
		}
		printf("\n");
	}
}

const struct comparison_format format_mmtests = {
	.name = "mmtests",
	.summary = "min, mean, deviation, max with their improvement in %",
	.print = print_mmtests,
};
