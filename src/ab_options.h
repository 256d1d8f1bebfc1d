/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of `idletrace ab`: its own options; the others are each run's. */
#ifndef IDLETRACE_AB_OPTIONS_H
#define IDLETRACE_AB_OPTIONS_H

#include "comparison.h"
#include "knobs.h"
#include "options.h"

#define AB_ROUNDS     10
#define AB_ROUNDS_MAX 10000

struct ab_options {
	const char *vary[KNOBS_MAX];
	unsigned int nr_vary;
	unsigned int rounds;
	uint64_t settle_ns; /* after each change of a setting */
	bool discard_first;
	bool aa;
	bool force;
	const struct comparison_format *format;
	const char *plot; /* directory for pictures, NULL: none */
	const char *html; /* file for a page, NULL: none */
	const char *json; /* as of a run */
	const char *root; /* of the knobs' files */
	bool knobs;	  /* print what there is to vary, that is all */
	bool calibrate;	  /* trace=off,on, and all that is shown is what tracing costs */
	char **run;	  /* the rest, NULL at the end; the words belong to argv */
	int nr_run;
};

/*
 * argv[0] and argv[1] are "idletrace ab". As options_parse(), but that only what is ab's
 * own has been looked at. Free in any case.
 */
enum options_result ab_options_parse(struct ab_options *o, int argc, char **argv);

/*
 * The same for "idletrace --calibrate", whose command line options_parse() has accepted:
 * an ab with tracing as its knob. parsed is what came out.
 */
enum options_result ab_options_calibrate(struct ab_options *o,
					 const struct options *parsed, int argc,
					 char **argv);
void ab_options_free(struct ab_options *o);

#endif
