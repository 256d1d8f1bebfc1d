/* SPDX-License-Identifier: GPL-2.0 */
/* What the pictures share; for plot*.c only. */
#ifndef IDLETRACE_PLOT_PRIVATE_H
#define IDLETRACE_PLOT_PRIVATE_H

#include <stdio.h>

#include "hist.h"
#include "plot.h"

#define PLOT_STYLES 8 /* line styles 1 to 8; they repeat */

/* One picture: NAME.gp, its data in NAME.dat, and what comes of them. */
struct picture {
	struct plots *plots;
	const char *name;
	FILE *script, *data;
	unsigned int blocks; /* of data, see picture_block() */
	char title[PLOTS_TITLE];
};

/*
 * Opens both files and begins the script. Between begin and end the script is run once
 * for each format, in a directory where the data are NAME.dat. Both return 0, or -1 with
 * a line in plots->err.
 */
int picture_begin(struct picture *p, struct plots *plots, const char *name,
		  unsigned int width, unsigned int height);
int picture_end(struct picture *p);

/* Sets the title, "head" in the script: what is shown, and below it where that was. */
void picture_title(struct picture *p, const char *what, const char *where);

/* Begins a block of data; the script has it as "index N", N being what is returned. */
unsigned int picture_block(struct picture *p);

/* A text as gnuplot takes it, quotes and all. Returns buf. */
char *plot_quoted(const char *text, char *buf, size_t size);

/* A number, or what stands for none. */
void plot_number(FILE *f, double value);

/* Colour of an idle state, "#rrggbb": the deeper, the darker. Returns buf of 8 bytes. */
char *plot_state_colour(unsigned int state, unsigned int states, char *buf);

/*
 * An axis on which each nine takes the same room, for at most so many wakeups; columns of
 * plot_nines() for it.
 */
void plot_nines_axis(FILE *script, double most);
void plot_nines(struct picture *p, const struct hist *h);

#endif
