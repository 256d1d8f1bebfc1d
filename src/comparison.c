// SPDX-License-Identifier: GPL-2.0
/* From runs to rows. */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"

void comparison_init(struct comparison *c)
{
	memset(c, 0, sizeof(*c));
}

static size_t nr_rows(const struct comparison *c)
{
	return c->rows ? c->nr_measures * c->nr_cases : 0;
}

void comparison_free(struct comparison *c)
{
	for (size_t i = 0; c->cells && i < nr_rows(c) * c->nr_sides; i++)
		free(c->cells[i].values);
	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_decref(c->cases[i].runs[s]);
	free(c->cells);
	free(c->rows);
	free(c->cases);
	memset(c, 0, sizeof(*c));
}

/* ---- sides and cases ---- */

/* Names come from files and command lines; tables are ASCII. */
static void take_name(char *to, const char *from)
{
	snprintf(to, COMPARISON_NAME, "%s", from);
	for (; *to; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

static int find_side(struct comparison *c, const char *name, char *err, size_t size)
{
	char ascii[COMPARISON_NAME];

	take_name(ascii, name);
	for (unsigned int i = 0; i < c->nr_sides; i++)
		if (!strcmp(c->sides[i].name, ascii))
			return (int)i;
	if (c->nr_sides == COMPARISON_SIDES) {
		snprintf(err, size, "%s: more than %d sides", ascii, COMPARISON_SIDES);
		return -1;
	}
	take_name(c->sides[c->nr_sides].name, name);
	return (int)c->nr_sides++;
}

static struct comparison_case *find_case(struct comparison *c, const char *name,
					 char *err, size_t size)
{
	struct comparison_case *cases;
	char ascii[COMPARISON_NAME];

	take_name(ascii, name);
	for (size_t i = 0; i < c->nr_cases; i++)
		if (!strcmp(c->cases[i].name, ascii))
			return &c->cases[i];
	cases = c->nr_cases < COMPARISON_CASES
			? reallocarray(c->cases, c->nr_cases + 1, sizeof(*cases))
			: NULL;
	if (!cases) {
		snprintf(err, size, "%s: too many cases", ascii);
		return NULL;
	}
	c->cases = cases;
	memset(&cases[c->nr_cases], 0, sizeof(*cases));
	take_name(cases[c->nr_cases].name, name);
	return &cases[c->nr_cases++];
}

int comparison_add(struct comparison *c, const char *side, const char *case_name,
		   json_t *runs, char *err, size_t size)
{
	int s = find_side(c, side, err, size);
	struct comparison_case *at = s < 0 ? NULL : find_case(c, case_name, err, size);

	if (!at)
		return -1;
	if (!at->runs[s])
		at->runs[s] = json_array();
	if (!at->runs[s] || json_array_extend(at->runs[s], runs)) {
		snprintf(err, size, "out of memory");
		return -1;
	}
	return 0;
}

int comparison_add_ab(struct comparison *c, const json_t *doc, char *err, size_t size)
{
	const json_t *point;
	size_t i;

	json_array_foreach (run_at(doc, "points"), i, point) {
		const char *name = run_text(point, "name");

		if (comparison_add(c, name, "", run_at(point, "runs"), err, size))
			return -1;
		if (json_is_true(run_at(point, "control")))
			c->sides[find_side(c, name, err, size)].control = true;
	}
	return 0;
}

/* Its place, or that of the end if it is ""; nr_cases if there is none. */
static size_t case_place(const struct comparison *c, const char *name, size_t end)
{
	for (size_t i = 0; i < c->nr_cases; i++)
		if (!strcmp(c->cases[i].name, name))
			return i;
	return *name ? c->nr_cases : end;
}

int comparison_window(struct comparison *c, const char *first, const char *last,
		      char *err, size_t size)
{
	size_t from = case_place(c, first, 0);
	size_t to = case_place(c, last, c->nr_cases - 1), kept = 0;

	if (from >= c->nr_cases || to >= c->nr_cases) {
		snprintf(err, size, "no point is called %s",
			 from >= c->nr_cases ? first : last);
		return -1;
	}
	if (from > to) {
		snprintf(err, size, "%s comes after %s", first, last);
		return -1;
	}
	for (size_t i = 0; i < c->nr_cases; i++) {
		if (i >= from && i <= to) {
			c->cases[kept++] = c->cases[i];
			continue;
		}
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_decref(c->cases[i].runs[s]);
	}
	c->nr_cases = kept;
	return 0;
}

/* ---- measures ---- */

const json_t *comparison_run(const struct comparison *c, unsigned int side)
{
	for (size_t i = 0; i < c->nr_cases; i++)
		if (json_array_size(c->cases[i].runs[side]))
			return json_array_get(c->cases[i].runs[side], 0);
	return NULL;
}

/* "" without one. */
static const char *headline(const json_t *run, struct run_measure *measure)
{
	double value;

	return run_headline(run, measure, &value) ? measure->name : "";
}

static int check_run(const struct comparison *c, unsigned int side, const json_t *run,
		     char *err, size_t size)
{
	const char *base = c->sides[0].name, *name = c->sides[side].name;
	struct run_measure measures[2];
	const json_t *first = comparison_run(c, 0);
	const char *a = run_subject(first), *b = run_subject(run);

	if (strcmp(a, b)) {
		snprintf(err, size, "%s ran %s, but %s ran %s", base, a, name, b);
		return -1;
	}
	a = headline(first, &measures[0]);
	b = headline(run, &measures[1]);
	if (!strcmp(a, b))
		return 0;
	snprintf(err, size, "%s has metric %s, but %s has %s", base, *a ? a : "none",
		 name, *b ? b : "none");
	return -1;
}

int comparison_check(const struct comparison *c, char *err, size_t size)
{
	const json_t *run;
	size_t j;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run)
				if (check_run(c, s, run, err, size))
					return -1;
	return 0;
}

static void take_measure(struct comparison *c, const struct run_measure *measure)
{
	for (unsigned int i = 0; i < c->nr_measures; i++)
		if (!strcmp(c->measures[i].name, measure->name))
			return;
	if (c->nr_measures < COMPARISON_MEASURES)
		c->measures[c->nr_measures++] = *measure;
}

/* If any run knows it. */
static bool take_named(struct comparison *c, const char *name)
{
	struct run_measure measure;
	const json_t *run;
	size_t j;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run)
				if (run_measure(run, name, &measure)) {
					take_measure(c, &measure);
					return true;
				}
	return false;
}

static void take_metrics(struct comparison *c)
{
	struct run_measure measure;
	double value;

	for (unsigned int s = 0; s < c->nr_sides; s++) {
		const json_t *run = comparison_run(c, s);

		for (size_t i = 0; run_metric(run, i, &measure, &value); i++) {
			if (measure.better == BETTER_NONE)
				continue;
			take_measure(c, &measure);
			if (c->nr_cases > 1)
				break;
		}
	}
}

static int choose_measures(struct comparison *c, const char *const *names, char *err,
			   size_t size)
{
	static const char *const telling[] = {"wakeup.p50",    "wakeup.p99",
					      "idle.too_deep", "idle.too_shallow",
					      "power.watts",   NULL};
	const char *const *defaults = c->nr_cases > 1 ? telling : run_table_measures;

	for (; names && *names; names++)
		if (!take_named(c, *names)) {
			snprintf(err, size, "no run has a number %s", *names);
			return -1;
		}
	if (c->nr_measures)
		return 0;
	take_metrics(c);
	for (; *defaults; defaults++)
		take_named(c, *defaults);
	if (c->nr_measures)
		return 0;
	snprintf(err, size, "the runs have no numbers to compare");
	return -1;
}

/* ---- rows ---- */

static bool is_bimodal(const struct comparison_cell *cell)
{
	struct mode_sample *samples = calloc(cell->nr, sizeof(*samples));
	struct modes modes = {.two = false};
	bool positive = samples;

	for (size_t i = 0; positive && i < cell->nr; i++) {
		samples[i] = (struct mode_sample){cell->values[i], 1};
		positive = cell->values[i] > 0;
	}
	if (positive)
		modes_find(samples, cell->nr, &modes);
	free(samples);
	return modes.two;
}

static int fill_cell(struct comparison_cell *cell, const json_t *runs, const char *name)
{
	const json_t *run;
	size_t i;

	cell->values = calloc(json_array_size(runs) + 1, sizeof(*cell->values));
	if (!cell->values)
		return -1;
	json_array_foreach (runs, i, run)
		cell->nr += run_number(run, name, &cell->values[cell->nr]);
	cell->median = stats_median(cell->values, cell->nr);
	cell->mean = stats_mean(cell->values, cell->nr);
	cell->harmonic_mean = stats_harmonic_mean(cell->values, cell->nr);
	cell->cv = stats_cv(cell->values, cell->nr);
	cell->bimodal = cell->nr && is_bimodal(cell);
	cell->adjusted = NAN;
	return 0;
}

static void test_row(const struct comparison *c, struct comparison_row *row)
{
	const struct comparison_cell *base = &row->cells[0];

	for (unsigned int s = 1; s < c->nr_sides; s++) {
		struct comparison_cell *cell = &row->cells[s];

		cell->tested = stats_mann_whitney(base->values, base->nr, cell->values,
						  cell->nr, &cell->test);
		cell->has_ratio = stats_ratio(base->values, base->nr, cell->values,
					      cell->nr, &cell->ratio);
		if (cell->tested)
			cell->adjusted = cell->test.p;
		if (c->sides[s].control && cell->has_ratio)
			row->noise = fabs(cell->ratio.ratio - 1);
	}
}

/* A control is judged by chance alone, the others by its difference as well. */
static void judge_row(const struct comparison *c, struct comparison_row *row)
{
	for (unsigned int s = 1; s < c->nr_sides; s++) {
		struct comparison_cell *cell = &row->cells[s];

		if (cell->tested)
			cell->verdict =
				stats_decide(&cell->test, cell->adjusted,
					     cell->has_ratio ? &cell->ratio : NULL,
					     c->sides[s].control ? 0 : row->noise,
					     row->measure->better);
	}
}

static int adjust(struct comparison *c)
{
	size_t nr = nr_rows(c) * c->nr_sides;
	double *p = calloc(nr, sizeof(*p));

	if (!p)
		return -1;
	for (size_t i = 0; i < nr; i++)
		p[i] = c->cells[i].adjusted;
	stats_adjust(p, nr);
	for (size_t i = 0; i < nr; i++)
		c->cells[i].adjusted = p[i];
	free(p);
	return 0;
}

static int fill_rows(struct comparison *c)
{
	c->rows = calloc(c->nr_measures * c->nr_cases, sizeof(*c->rows));
	c->cells = c->rows ? calloc(nr_rows(c) * c->nr_sides, sizeof(*c->cells)) : NULL;
	if (!c->cells)
		return -1;
	for (size_t r = 0; r < nr_rows(c); r++) {
		const struct comparison_case *at = &c->cases[r % c->nr_cases];
		struct comparison_row *row = &c->rows[r];

		row->cells = &c->cells[r * c->nr_sides];
		row->name = at->name;
		row->measure = &c->measures[r / c->nr_cases];
		for (unsigned int s = 0; s < c->nr_sides; s++)
			if (fill_cell(&row->cells[s], at->runs[s], row->measure->name))
				return -1;
		test_row(c, row);
	}
	if (adjust(c))
		return -1;
	for (size_t r = 0; r < nr_rows(c); r++)
		judge_row(c, &c->rows[r]);
	return 0;
}

int comparison_finish(struct comparison *c, const char *const *names, char *err,
		      size_t size)
{
	if (choose_measures(c, names, err, size))
		return -1;
	if (!fill_rows(c))
		return 0;
	snprintf(err, size, "out of memory");
	return -1;
}
