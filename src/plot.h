/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures: gnuplot's scripts and data, written to a directory, and made into PNG and SVG
 * if gnuplot is installed. If it is not, one line on stderr says so and that is all.
 *
 * Colours are of Okabe and Ito's palette and told apart in grey by dashes and markers;
 * idle states, which have an order, go from light to dark.
 *
 * All return 0, or -1 with one line in err. The directory is made if there is none.
 */
#ifndef IDLETRACE_PLOT_H
#define IDLETRACE_PLOT_H

#include <jansson.h>

struct comparison;

/* latency: histogram and distribution by class of wakeup; idle: time of each CPU. */
int plot_run(const char *dir, const json_t *run, char *err, size_t size);

/*
 * sweep: metric (NULL: none), wakeups, verdicts and idle states over the axis. With
 * several axes it has a line for each combination of the others, and each combination a
 * picture of its own: sweep-1, sweep-2, ...
 */
int plot_sweep(const char *dir, const json_t *sweep, const char *metric, char *err,
	       size_t size);

/*
 * samples: every run of each side, by measure; latency: wakeups of each side; relative:
 * the metric against the first side's over all cases, if there are several.
 */
int plot_comparison(const char *dir, const struct comparison *c, char *err, size_t size);

#endif
