// SPDX-License-Identifier: GPL-2.0
/* The page of runs side by side. */
#include "html_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "comparison.h"
#include "formats.h"
#include "html_parts.h"

#define COLUMNS 8

/* An array of all runs: a new reference. */
static json_t *all_runs(const struct comparison *c)
{
	json_t *runs = json_array();

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_extend(runs, c->cases[i].runs[s]);
	return runs;
}

/* ---- headline ---- */

static unsigned int count_verdicts(const struct comparison *c, unsigned int verdict)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < c->nr_measures * c->nr_cases * c->nr_sides; i++)
		nr += c->cells[i].tested && c->cells[i].verdict == verdict;
	return nr;
}

static void keys(FILE *f, const struct comparison *c, size_t runs)
{
	static const enum stats_verdict verdicts[] = {
		STATS_BETTER, STATS_WORSE, STATS_DIFFERS, STATS_SAME, STATS_TOO_FEW};

	html_keys_begin(f);
	html_pair(f, "sides", "%u", c->nr_sides);
	if (c->nr_cases > 1)
		html_pair(f, "cases", "%zu", c->nr_cases);
	html_pair(f, "runs", "%zu", runs);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		unsigned int nr = count_verdicts(c, verdicts[i]);

		if (nr)
			html_pair(f, stats_verdict_name(verdicts[i]), "%u", nr);
	}
	html_pairs_end(f);
}

static void title(const struct comparison *c, char *buf, size_t size)
{
	size_t used =
		(size_t)snprintf(buf, size, "%.60s: %s",
				 run_subject(comparison_run(c, 0)), c->sides[0].name);

	for (unsigned int s = 1; s < c->nr_sides; s++)
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 s > 1 ? ", " : " against ",
						 c->sides[s].name);
}

/* ---- what differs ---- */

static void difference(FILE *f, const char *name, const json_t *values)
{
	const char *text;
	json_t *sides, *side;
	size_t i;

	json_object_foreach ((json_t *)values, text, sides) {
		char list[400] = "";
		size_t used = 0;

		json_array_foreach (sides, i, side)
			if (used < sizeof(list))
				used += (size_t)snprintf(list + used, sizeof(list) - used,
							 "%s%s", i ? ", " : "",
							 json_string_value(side));
		html_row(f, false, "%s", name);
		html_text_cell(f, "%s", text);
		html_text_cell(f, "%s", list);
		html_row_end(f);
	}
}

static void differences(FILE *f, const struct comparison *c)
{
	static const struct html_column columns[] = {
		{"what", true, NULL}, {"value", true, NULL}, {"sides", true, NULL}};
	json_t *all = comparison_differences(c), *values;
	const char *name;

	html_section(f, "What differs");
	if (!json_object_size(all)) {
		html_note(f, "Nothing that the runs tell: machine, kernel, drivers, "
			     "governors, options.");
	} else {
		html_table_begin(f, "Beside the measures", columns, 3);
		json_object_foreach (all, name, values)
			difference(f, name, values);
		html_table_end(f);
	}
	html_section_end(f);
	json_decref(all);
}

/* ---- tables ---- */

static void test_cells(FILE *f, const struct comparison_cell *cell)
{
	if (!cell->tested) {
		for (int i = 0; i < 3; i++)
			html_cell(f, "%s", "");
		html_text_cell(f, "%s", "");
		return;
	}
	if (cell->has_ratio)
		html_cell(f, "%+.1f%%", 100 * (cell->ratio.ratio - 1));
	else
		html_cell(f, "-");
	if (cell->has_ratio && !isnan(cell->ratio.low))
		html_cell(f, "%+.1f to %+.1f%%", 100 * (cell->ratio.low - 1),
			  100 * (cell->ratio.high - 1));
	else
		html_cell(f, "-");
	if (cell->test.p < 0.00005)
		html_cell(f, "<.0001");
	else
		html_cell(f, "%.4f", cell->test.p);
	html_element(f,
		     cell->verdict > STATS_SAME ? "td class=\"text found\""
						: "td class=\"text\"",
		     "%s", stats_verdict_name(cell->verdict));
}

static void cell_row(FILE *f, const struct comparison *c,
		     const struct comparison_row *row, unsigned int side)
{
	const struct comparison_cell *cell = &row->cells[side];
	char median[32];

	html_row(f, false, "%s%s%s", row->name, *row->name ? ", " : "",
		 c->sides[side].name);
	html_cell(f, "%zu", cell->nr);
	html_cell(f, "%s",
		  comparison_number(cell->median, row->measure->unit, median,
				    sizeof(median)));
	if (isnan(cell->cv))
		html_cell(f, "-");
	else
		html_cell(f, "%.1f%%", cell->cv);
	test_cells(f, cell);
	html_row_end(f);
}

static void remarks(FILE *f, const struct comparison *c, const struct comparison_row *row)
{
	for (unsigned int s = 0; s < c->nr_sides; s++)
		if (row->cells[s].bimodal)
			html_remark(f, COLUMNS,
				    "%s has two levels: no one number describes it",
				    c->sides[s].name);
	if (row->noise)
		html_remark(f, COLUMNS, "noise, by the control: %.1f%%",
			    100 * row->noise);
}

static void measure_rows(FILE *f, const struct comparison *c, unsigned int measure)
{
	const struct run_measure *m = &c->measures[measure];
	const char *unit = comparison_unit(m), *direction = comparison_direction(m);

	html_group(f, COLUMNS, "%s%s%s%s%s", m->name, *unit ? ", " : "", unit,
		   *direction ? ": " : "", direction);
	for (size_t i = 0; i < c->nr_cases; i++) {
		const struct comparison_row *row = comparison_row(c, measure, i);

		for (unsigned int s = 0; s < c->nr_sides; s++)
			cell_row(f, c, row, s);
		remarks(f, c, row);
	}
}

static void measures_table(FILE *f, const struct comparison *c)
{
	static const struct html_column columns[COLUMNS] = {
		{"side", true, NULL},	 {"runs", false, NULL},
		{"median", false, NULL}, {"CV", false, NULL},
		{"change", false, NULL}, {"95% interval of it", false, NULL},
		{"p", false, NULL},	 {"verdict", true, NULL},
	};

	html_table_begin(f, "Measures", columns, COLUMNS);
	for (unsigned int m = 0; m < c->nr_measures; m++)
		measure_rows(f, c, m);
	html_table_end(f);
}

static void print_format(const struct html_comparison *what)
{
	what->format->print(what->comparison);
}

static void print_calibration(const struct html_comparison *what)
{
	calibration_print(what->calibration);
}

/* A section with what is otherwise printed, as it is. */
static void printed_section(FILE *f, const char *title,
			    void (*print)(const struct html_comparison *what),
			    const struct html_comparison *what)
{
	FILE *old = stdout;
	char *text = NULL;
	size_t size;

	stdout = open_memstream(&text, &size);
	if (stdout) {
		print(what);
		fclose(stdout);
	}
	stdout = old;
	html_section(f, title);
	html_verbatim(f, text ? text : "");
	html_section_end(f);
	free(text);
}

int html_comparison(FILE *f, const struct plots *plots, const void *ctx)
{
	const struct html_comparison *what = ctx;
	const struct comparison *c = what->comparison;
	const json_t *first = comparison_run(c, 0);
	json_t *runs = all_runs(c);
	char name[300], where[300];

	title(c, name, sizeof(name));
	html_page_begin(f, name, run_where(first, where, sizeof(where)),
			run_text(first, "window.date"));
	keys(f, c, json_array_size(runs));
	html_cautions(f, runs);
	html_no_pictures(f, plots);
	differences(f, c);
	html_section(f, "Comparison");
	html_pictures(f, plots, "");
	measures_table(f, c);
	html_note(f,
		  "change: of the median against %s, interval by bootstrap. p: "
		  "Mann-Whitney, two-sided. better, worse, differs: p < 0.05 among all "
		  "tests of this page (Benjamini-Hochberg), and an interval clear of 0. "
		  "CV: standard deviation / mean.",
		  c->sides[0].name);
	html_section_end(f);
	if (what->calibration)
		printed_section(f, "What tracing costs", print_calibration, what);
	if (what->format != &format_native)
		printed_section(f, "To paste", print_format, what);
	html_machine(f, first);
	html_measuring(f, runs, what->args);
	html_words(f);
	html_page_end(f);
	json_decref(runs);
	return 0;
}
