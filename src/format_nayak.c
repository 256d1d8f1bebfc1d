// SPDX-License-Identifier: GPL-2.0
/* "norm [pct imp](CV)" against the first column, as in posts on the scheduler. */
#include "formats.h"

#include <string.h>

#define CELL	   20 /* "1.00 [ -0.00](13.74)" */
#define HEADER_MAX 28
#define GAP	   2
#define RULE	   "=================================================================="
#define CELL_HEAD  "[pct imp](CV)"

/* Rows of one direction and one statistic. */
struct block {
	const struct comparison *c;
	enum metric_better better;
	enum format_statistic statistic;
	const struct run_measure *measure; /* NULL: a row per measure */
	const char *corner;
	size_t label, cell; /* widths */
};

static bool in_block(const struct block *b, const struct run_measure *measure)
{
	return b->measure ? b->measure == measure
			  : b->better == measure->better &&
				    b->statistic == format_statistic(measure);
}

static char *row_label(const struct block *b, const struct comparison_row *row, char *buf,
		       size_t size)
{
	const char *unit = comparison_unit(row->measure);

	if (b->measure)
		snprintf(buf, size, "%s", row->name);
	else
		snprintf(buf, size, "%s%s%s", row->measure->name, *unit ? ", " : "",
			 unit);
	return buf;
}

static const char *side_name(const struct comparison *c, unsigned int side)
{
	return format_side(c, side, CELL - strlen(CELL_HEAD));
}

static void set_widths(struct block *b)
{
	const struct comparison *c = b->c;
	char text[2 * COMPARISON_NAME];
	size_t room;

	b->label = strlen(b->corner);
	b->cell = CELL;
	for (size_t i = 0; i < c->nr_measures * c->nr_cases; i++) {
		if (!in_block(b, c->rows[i].measure))
			continue;
		row_label(b, &c->rows[i], text, sizeof(text));
		if (strlen(text) > b->label)
			b->label = strlen(text);
	}
	for (unsigned int s = 0; s < c->nr_sides; s++) {
		size_t len = strlen(side_name(c, s)) + strlen(CELL_HEAD);

		if (len > b->cell)
			b->cell = len < HEADER_MAX ? len : HEADER_MAX;
	}
	room = FORMAT_WIDTH - 2 * (b->cell + GAP);
	if (b->label > room)
		b->label = room;
}

/* Sides base, first, first + 1, ... up to end. */
static unsigned int next_side(unsigned int s, unsigned int first)
{
	return s ? s + 1 : first;
}

static void print_columns(const struct block *b, unsigned int first, unsigned int end)
{
	const struct comparison *c = b->c;
	char name[HEADER_MAX];

	printf("%-*s", (int)b->label, b->corner);
	for (unsigned int s = 0; s < end; s = next_side(s, first)) {
		size_t len = strlen(CELL_HEAD);

		format_fit(side_name(c, s), b->cell - len, name, sizeof(name));
		printf("%*s%s%s", GAP, "", name, CELL_HEAD);
		if (next_side(s, first) < end)
			printf("%*s", (int)(b->cell - len - strlen(name)), "");
	}
	printf("\n");
}

static void print_row(const struct block *b, const struct comparison_row *row,
		      unsigned int first, unsigned int end)
{
	double base = format_cell_statistic(&row->cells[0], b->statistic);
	char full[2 * COMPARISON_NAME], label[2 * COMPARISON_NAME], text[64];

	row_label(b, row, full, sizeof(full));
	format_fit(full, b->label, label, sizeof(label));
	printf("%-*s", (int)b->label, label);
	for (unsigned int s = 0; s < end; s = next_side(s, first)) {
		const struct comparison_cell *cell = &row->cells[s];
		double value = format_cell_statistic(cell, b->statistic);
		int width = next_side(s, first) < end ? (int)b->cell : 0;

		format_nayak_cell(value, base, cell->cv, b->better, text, sizeof(text));
		printf("%*s%-*s", GAP, "", width, text);
	}
	printf("\n");
}

static void print_units(const struct block *b)
{
	const char *unit = b->measure ? comparison_unit(b->measure) : "";

	printf("Units         : Normalized%s%s%s%s\n", b->measure ? " " : "",
	       b->measure ? b->measure->name : "", *unit ? " in " : "", unit);
}

static void print_header(const struct block *b)
{
	const json_t *run = NULL;

	for (size_t i = 0; !run && i < b->c->nr_cases; i++)
		run = json_array_get(b->c->cases[i].runs[0], 0);
	printf("%s\nTest          : %s\n", RULE, run_subject(run));
	print_units(b);
	printf("Interpretation: %s is better\nStatistic     : %s\n%s\n",
	       b->better == BETTER_LOWER ? "Lower" : "Higher",
	       format_statistic_name(b->statistic), RULE);
}

/* As many columns at a time as fit, each time with the base's. */
static void print_block(struct block *b)
{
	const struct comparison *c = b->c;
	unsigned int fit, first = 1;

	set_widths(b);
	fit = (unsigned int)((FORMAT_WIDTH - b->label) / (b->cell + GAP)) - 1;
	print_header(b);
	do {
		unsigned int end = first + fit < c->nr_sides ? first + fit : c->nr_sides;

		if (first > 1)
			printf("\n");
		print_columns(b, first, end);
		for (size_t i = 0; i < c->nr_measures * c->nr_cases; i++)
			if (in_block(b, c->rows[i].measure))
				print_row(b, &c->rows[i], first, end);
		first = end;
	} while (first < c->nr_sides);
}

static void print_by_measure(const struct comparison *c)
{
	for (unsigned int i = 0; i < c->nr_measures; i++) {
		const struct run_measure *measure = &c->measures[i];
		struct block b = {.c = c,
				  .better = measure->better,
				  .statistic = format_statistic(measure),
				  .measure = measure,
				  .corner = "Case:"};

		if (measure->better != BETTER_NONE)
			print_block(&b);
	}
}

static bool has_rows(const struct block *b)
{
	for (unsigned int i = 0; i < b->c->nr_measures; i++)
		if (in_block(b, &b->c->measures[i]))
			return true;
	return false;
}

static void print_nayak(const struct comparison *c)
{
	static const enum metric_better directions[] = {BETTER_LOWER, BETTER_HIGHER};

	if (c->nr_cases > 1) {
		print_by_measure(c);
		return;
	}
	for (int d = 0; d < 2; d++)
		for (int s = STATISTIC_AMEAN; s <= STATISTIC_MEDIAN; s++) {
			struct block b = {.c = c,
					  .better = directions[d],
					  .statistic = (enum format_statistic)s,
					  .corner = "Metric:"};

			if (has_rows(&b))
				print_block(&b);
		}
}

const struct comparison_format format_nayak = {
	.name = "nayak",
	.summary = "norm [pct imp](CV), as in posts on the scheduler",
	.print = print_nayak,
};
