/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs side by side. A side is a setting, a kernel, a machine: what is compared. A case
 *is what all sides have done, as a point of a sweep; often there is but one, named "".
 *Each side has one or more runs of each case: the samples.
 *
 *	comparison_init, comparison_add..., comparison_finish, print or JSON, _free
 */
#ifndef IDLETRACE_COMPARISON_H
#define IDLETRACE_COMPARISON_H

#include "runs.h"
#include "stats.h"

#define COMPARISON_SIDES    64
#define COMPARISON_CASES    4096
#define COMPARISON_MEASURES 64
#define COMPARISON_NAME	    64

struct comparison_side {
	char name[COMPARISON_NAME]; /* ASCII */
	bool control; /* the first side once more: its difference is the noise floor */
};

/* The samples of one side, and what they are against the first side's. */
struct comparison_cell {
	double *values;
	size_t nr;
	double median, mean, harmonic_mean, cv; /* NAN if unknown */
	bool bimodal;
	/* Not of the first side, nor where one of the two has no samples: */
	bool tested;
	struct stats_test test;
	double adjusted; /* its p among all of this comparison */
	bool has_ratio;
	struct stats_ratio ratio;
	enum stats_verdict verdict;
};

/* One measure in one case, on all sides. */
struct comparison_row {
	const char *name; /* of the case */
	const struct run_measure *measure;
	double noise;		       /* the control's |ratio - 1|, 0 without one */
	struct comparison_cell *cells; /* by side */
};

struct comparison {
	unsigned int nr_sides;
	struct comparison_side sides[COMPARISON_SIDES];
	size_t nr_cases;
	struct comparison_case {
		char name[COMPARISON_NAME];
		json_t *runs[COMPARISON_SIDES]; /* arrays, owned; NULL: none */
	} * cases;
	unsigned int nr_measures; /* the workload's first */
	struct run_measure measures[COMPARISON_MEASURES];
	struct comparison_row *rows;   /* [measure * nr_cases + case] */
	struct comparison_cell *cells; /* of all rows */
};

void comparison_init(struct comparison *c);
void comparison_free(struct comparison *c);

/*
 * Adds runs (an array; its reference is not taken) to a side and a case; both are made
 * when they are new. The first side is the base. 0, or -1 with a line in err.
 */
int comparison_add(struct comparison *c, const char *side, const char *case_name,
		   json_t *runs, char *err, size_t size);

/* What `ab` wrote: its points are the sides. The same. */
int comparison_add_ab(struct comparison *c, const json_t *doc, char *err, size_t size);

/*
 * Leaves out the cases before the first and after the last of these names; "" is the
 * end itself. 0, or -1 with a line in err. Before comparison_finish().
 */
int comparison_window(struct comparison *c, const char *first, const char *last,
		      char *err, size_t size);

/* The first run of a side; NULL: it has none. */
const json_t *comparison_run(const struct comparison *c, unsigned int side);

/*
 * Are these runs of one thing? 0, or -1 with a line in err that says what makes the
 * comparison meaningless: another workload, or another metric.
 */
int comparison_check(const struct comparison *c, char *err, size_t size);

/*
 * Once all runs are there. names: the measures to compare, NULL at the end; NULL for the
 * workload's metrics that have a direction and run_table_measures, of several cases only
 * the most telling. 0, or -1 with a line in err.
 */
int comparison_finish(struct comparison *c, const char *const *names, char *err,
		      size_t size);

/* What differs between the sides apart from the measures: {"kernel": {"6.1": ["a"]}}. */
json_t *comparison_differences(const struct comparison *c);

/* The document, schema idletrace.compare/1; a new reference, or NULL without memory. */
json_t *comparison_json(const struct comparison *c, const char *args);

/* The same as lines, and what else one must know to read the tables; to stdout. */
void comparison_print_head(const struct comparison *c);

/* ---- formats ---- */

struct comparison_format {
	const char *name;
	const char *summary; /* half a line, for --help */
	bool bare;	     /* for programs: nothing above or below the table */
	void (*print)(const struct comparison *c); /* to stdout */
};

/* NULL at the end; the first is the default. */
extern const struct comparison_format *const comparison_formats[];

/* NULL: no such format. */
const struct comparison_format *comparison_find_format(const char *name);

/* "native, nayak, ...", for messages. */
const char *comparison_format_names(char *buf, size_t size);

/* Head (unless the format is bare) and table. */
void comparison_print(const struct comparison *c, const struct comparison_format *format);

/* ---- for the formats ---- */

static inline const struct comparison_row *
comparison_row(const struct comparison *c, unsigned int measure, size_t case_)
{
	return &c->rows[measure * c->nr_cases + case_];
}

/* Four significant digits, ns as us; "-" for NAN. */
char *comparison_number(double value, const char *unit, char *buf, size_t size);

/* The unit that comparison_number() writes: "us" for "ns". */
const char *comparison_unit(const struct run_measure *measure);

/* "lower is better", "higher is better", "" */
const char *comparison_direction(const struct run_measure *measure);

#endif
