/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures: gnuplot's scripts and data, written to a directory, and made into PNG and SVG
 * if gnuplot is installed. If it is not, one line on stderr says so and that is all.
 *
 *	plots_open()	the directory; before the run, which may take long
 *	plot_run(), ...	draw, and add to the list of what was drawn
 *	plots_close()	forgets the list, and a directory of its own
 *
 * Colours are of Okabe and Ito's palette and told apart in grey by dashes and markers;
 * idle states, which have an order, go from light to dark.
 */
#ifndef IDLETRACE_PLOT_H
#define IDLETRACE_PLOT_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct comparison;

#define PLOTS_MAX   40
#define PLOTS_NAME  32
#define PLOTS_TITLE 400

struct plots {
	const char *option; /* that asked for them, for messages: "--plot DIR" */
	char dir[PATH_MAX];
	bool own; /* the directory is only for as long as this */
	bool no_gnuplot;
	unsigned int nr; /* drawn, with an SVG of that name */
	struct plots_drawn {
		char name[PLOTS_NAME], title[PLOTS_TITLE];
	} drawn[PLOTS_MAX];
	char err[512]; /* without "idletrace: " */
};

/*
 * dir: where the user wants them, made if there is none; NULL: a directory of their own.
 * 0, or -1 with a line in err.
 */
int plots_open(struct plots *plots, const char *dir);

/* Also of one that is all zeros. */
void plots_close(struct plots *plots);

/* ---- all return 0, or -1 with one line in plots->err ---- */

/* latency: histogram and distribution by class of wakeup; idle: time of each CPU. */
int plot_run(struct plots *plots, const json_t *run);

/* Where the intervals of a run come from, each as it is in the JSON. */
struct plot_intervals {
	uint64_t count, every;			      /* every: ns */
	json_t *(*read)(const void *ctx, uint64_t i); /* a new reference, or NULL */
	const void *ctx;
};

/* series: idle states, verdicts, latency, power and wakeups over time. */
int plot_series(struct plots *plots, const json_t *run,
		const struct plot_intervals *intervals);

/*
 * sweep: metric (NULL: none), wakeups, verdicts and idle states over the axis. With
 * several axes it has a line for each combination of the others, and each combination a
 * picture of its own: sweep-1, sweep-2, ...
 */
int plot_sweep(struct plots *plots, const json_t *sweep, const char *metric);

/*
 * samples: every run of each side, by measure; latency: wakeups of each side; relative:
 * the metric against the first side's over all cases, if there are several.
 */
int plot_comparison(struct plots *plots, const struct comparison *c);

#endif
