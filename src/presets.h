/* SPDX-License-Identifier: GPL-2.0 */
/* What there is to read in the output of the benchmarks of the field. */
#ifndef IDLETRACE_PRESETS_H
#define IDLETRACE_PRESETS_H

#include "workload.h"

/* Which of several matches a metric is. */
enum metric_fold { FOLD_LAST, FOLD_MIN, FOLD_MAX, FOLD_SUM };

/*
 * One pattern. Several in a row with the same name are one metric, which a benchmark
 * prints in units that depend on its size.
 */
struct preset_metric {
	const char *name, *unit;
	const char *regex; /* POSIX extended, the only group is the number */
	enum metric_better better;
	enum metric_fold fold;
	double scale;	     /* from what is printed to the unit; 0: 1 */
	const char *section; /* only from a line with this text on; NULL: anywhere */
	bool that_line;	     /* the section is that line alone */
};

struct preset {
	const char *name;
	const struct preset_metric *metrics; /* ends without a name */
	const char *trap;		     /* a line with this text ... NULL: none */
	const char *warning;		     /* ... is reason for this */
};

/* Ends without a name. */
extern const struct preset presets[];

#endif
