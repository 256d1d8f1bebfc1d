// SPDX-License-Identifier: GPL-2.0
#include "pages.h"

#include <stdio.h>

static int fail(const struct plots *plots)
{
	fprintf(stderr, "idletrace: %s\n", plots->err);
	return -1;
}

int pages_check(const char *plot)
{
	struct plots plots;
	int err = plot && plots_open(&plots, plot) ? fail(&plots) : 0;

	if (plot)
		plots_close(&plots);
	return err;
}

int pages_make(const struct pages *pages)
{
	struct plots plots;
	int err;

	if (!pages->plot)
		return 0;
	err = plots_open(&plots, pages->plot) || pages->draw(&plots, pages->what)
		      ? fail(&plots)
		      : 0;
	plots_close(&plots);
	return err;
}
