/* SPDX-License-Identifier: GPL-2.0 */
/* Figures and lines that more than one format has; for format_*.c and their tests. */
#ifndef IDLETRACE_FORMATS_H
#define IDLETRACE_FORMATS_H

#include "comparison.h"

#define FORMAT_WIDTH 80

extern const struct comparison_format format_native, format_nayak, format_smythies,
	format_loehle, format_percentiles, format_mmtests;

/* The statistic that posts give of such a measure. */
enum format_statistic { STATISTIC_AMEAN, STATISTIC_HMEAN, STATISTIC_MEDIAN };

enum format_statistic format_statistic(const struct run_measure *measure);
const char *format_statistic_name(enum format_statistic statistic);
double format_cell_statistic(const struct comparison_cell *cell,
			     enum format_statistic statistic);

/* 100 * (value / reference - 1), NAN if that means nothing. */
double format_change(double value, double reference);

/*
 * Improvement in %: positive is better whatever the direction. That of a value against
 * itself is -0.0 where lower is better and 0.0 where higher is, as posts have it.
 */
double format_improvement(double value, double base, enum metric_better better);

/*
 * The value with so many decimals; in at most width characters by leaving decimals
 * out or, of a value out of all proportion, by an exponent (of up to 7 characters). "+"
 * comes before what is not negative if sign is set.
 */
char *format_narrow(double value, int decimals, size_t width, bool sign, char *buf,
		    size_t size);

/* "norm [pct imp](CV)"; "-" in the place of what is unknown. */
char *format_nayak_cell(double value, double base, double cv, enum metric_better better,
			char *buf, size_t size);

/*
 * The name of a side. Where one of them does not fit into width, "KNOB=" is left out of
 * all, if they have that in common and no more of its kind.
 */
const char *format_side(const struct comparison *c, unsigned int side, size_t width);

/* text in at most width columns: "beginning~end" where it is too long. */
char *format_fit(const char *text, size_t width, char *buf, size_t size);

#endif
