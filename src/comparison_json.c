// SPDX-License-Identifier: GPL-2.0
/* The comparison as a document, schema idletrace.compare/1. */
#include "comparison.h"

#include <math.h>

#include "report_json.h"
#include "version.h"

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static const char *better_name(enum metric_better better)
{
	return better == BETTER_LOWER ? "lower" : better == BETTER_HIGHER ? "higher" : "";
}

static void put_test(json_t *o, const struct comparison_cell *cell)
{
	bool ratio = cell->has_ratio;

	put(o, "ratio", ratio ? number(cell->ratio.ratio) : json_null());
	put(o, "ratio_low", ratio ? number(cell->ratio.low) : json_null());
	put(o, "ratio_high", ratio ? number(cell->ratio.high) : json_null());
	put(o, "p", cell->tested ? number(cell->test.p) : json_null());
	put(o, "p_exact", json_boolean(cell->tested && cell->test.exact));
	put(o, "p_adjusted", cell->tested ? number(cell->adjusted) : json_null());
	put(o, "verdict",
	    cell->tested ? json_text(stats_verdict_name(cell->verdict)) : json_null());
}

static json_t *json_cell(const struct comparison *c, const struct comparison_row *row,
			 unsigned int side)
{
	const struct comparison_cell *cell = &row->cells[side];
	json_t *o = json_object(), *samples = json_array();

	for (size_t i = 0; i < cell->nr; i++)
		json_array_append_new(samples, number(cell->values[i]));
	put(o, "side", json_text(c->sides[side].name));
	put(o, "samples", samples);
	put(o, "median", number(cell->median));
	put(o, "mean", number(cell->mean));
	put(o, "harmonic_mean", number(cell->harmonic_mean));
	put(o, "cv_percent", number(cell->cv));
	put(o, "bimodal", json_boolean(cell->bimodal));
	if (side)
		put_test(o, cell);
	return o;
}

static json_t *json_row(const struct comparison *c, const struct comparison_row *row)
{
	json_t *o = json_object(), *cells = json_array();

	for (unsigned int s = 0; s < c->nr_sides; s++)
		json_array_append_new(cells, json_cell(c, row, s));
	put(o, "case", json_text_or_null(row->name));
	put(o, "measure", json_text(row->measure->name));
	put(o, "unit", json_text(row->measure->unit));
	put(o, "better", json_text_or_null(better_name(row->measure->better)));
	put(o, "noise", number(row->noise));
	put(o, "cells", cells);
	return o;
}

json_t *comparison_json(const struct comparison *c, const char *args)
{
	json_t *o = json_object(), *tool = json_object();
	json_t *sides = json_array(), *rows = json_array();

	put(tool, "version", json_text(IDLETRACE_VERSION));
	put(tool, "args", json_text(args));
	for (unsigned int s = 0; s < c->nr_sides; s++) {
		json_t *side = json_object();

		put(side, "name", json_text(c->sides[s].name));
		put(side, "control", json_boolean(c->sides[s].control));
		json_array_append_new(sides, side);
	}
	for (size_t i = 0; i < c->nr_measures * c->nr_cases; i++)
		json_array_append_new(rows, json_row(c, &c->rows[i]));
	put(o, "schema", json_text("idletrace.compare/1"));
	put(o, "tool", tool);
	put(o, "sides", sides);
	put(o, "differences", comparison_differences(c));
	put(o, "rows", rows);
	return o;
}
