/* SPDX-License-Identifier: GPL-2.0 */
/* What --plot and --html ask for, of any command. */
#ifndef IDLETRACE_PAGES_H
#define IDLETRACE_PAGES_H

#include <stdio.h>

#include "plot.h"

struct pages {
	const char *plot; /* directory, NULL: no pictures are wanted for themselves */
	const char *html; /* file, NULL: no page */
	/* Both are given what. draw returns 0, or -1 with a line in plots->err. */
	int (*draw)(struct plots *plots, const void *what);
	int (*write)(FILE *f, const struct plots *plots, const void *what);
	const void *what;
};

/* Before anything runs: can it be had? 0, or -1 with a line on stderr. */
int pages_check(const char *plot, const char *html);

/* All of it. 0, or -1 with a line on stderr. */
int pages_make(const struct pages *pages);

#endif
