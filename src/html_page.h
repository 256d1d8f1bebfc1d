/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages: each is written with the pictures that were drawn. All return 0; errors are
 * those of the FILE.
 */
#ifndef IDLETRACE_HTML_PAGE_H
#define IDLETRACE_HTML_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "plot.h"

/* what: the document of a run. */
int html_run(FILE *f, const struct plots *plots, const void *what);

/* what: the document of a sweep; its "metric" is what the table shows. */
int html_sweep(FILE *f, const struct plots *plots, const void *what);

struct html_comparison {
	const struct comparison *comparison;
	const struct comparison_format *format; /* its table is there as well */
	const char *args;
	const json_t *calibration; /* NULL: none, see calibration.h */
};

/* what: a struct html_comparison. */
int html_comparison(FILE *f, const struct plots *plots, const void *what);

#endif
