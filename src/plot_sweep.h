/* SPDX-License-Identifier: GPL-2.0 */
/* What a picture of a sweep shows; for plot_sweep*.c only. */
#ifndef IDLETRACE_PLOT_SWEEP_H
#define IDLETRACE_PLOT_SWEEP_H

#include "plot_private.h"
#include "runs.h"

#define SERIES_MAX 64

/* Columns of the data. */
enum column {
	COLUMN_X = 1,
	COLUMN_LABEL,
	COLUMN_METRIC,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_DEEP,
	COLUMN_SHALLOW,
	COLUMN_DEEPEST,
	COLUMN_STATES, /* this and those after it: shares, summed up from the deepest */
};

/* One line in the picture: the points that have all but the axis in common. */
struct series {
	char name[160];
	bool back;
	unsigned int group; /* of those of this name: up and down */
};

struct sweep_plot {
	const json_t *sweep, *axis; /* the one that is x */
	const char *option;
	const char *metric; /* name, NULL: none */
	struct run_measure measure;
	double metric_unit; /* by which its values are divided */
	const char *metric_unit_name;
	double x_unit;
	const char *x_unit_name;
	bool numeric, log, has_zero, updown;
	double zero;	  /* where 0 is on a logarithmic axis */
	double low, high; /* its ends */
	unsigned int states;
	const json_t *state_run; /* that names them */
	unsigned int nr_series;
	struct series series[SERIES_MAX + 1]; /* one to look at */
};

static inline const json_t *sweep_point_run(const json_t *point)
{
	return json_array_get(run_at(point, "runs"), 0);
}

/* A block of data with the points of one series. */
void sweep_plot_write(const struct sweep_plot *s, unsigned int series, struct picture *p);

/* All pictures. 0, or -1 with a line in err. */
int sweep_plot_draw(const struct sweep_plot *s, struct plots *plots);

#endif
