/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of `idletrace sweep`: its own options; the others are each run's. */
#ifndef IDLETRACE_SWEEP_OPTIONS_H
#define IDLETRACE_SWEEP_OPTIONS_H

#include "options.h"

#define SWEEP_AXES 5 /* what a table has room for */

struct sweep_options {
	const char *over[SWEEP_AXES];
	unsigned int nr_over;
	const char *metric; /* NULL: the first of the workload's that has a direction */
	const char *json;   /* as of a run */
	const char *plot;   /* directory, NULL: no pictures */
	const char *html;   /* file for a page, NULL: none */
	const char *root;   /* before /sys, for gap=auto */
	char **run;	    /* the rest, NULL at the end; the words belong to argv */
	int nr_run;
};

/*
 * argv[0] and argv[1] are "idletrace sweep". As options_parse(), but that only what is
 * sweep's own has been looked at. Free in any case.
 */
enum options_result sweep_options_parse(struct sweep_options *o, int argc, char **argv);
void sweep_options_free(struct sweep_options *o);

#endif
