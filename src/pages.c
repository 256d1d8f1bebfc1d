// SPDX-License-Identifier: GPL-2.0
#include "pages.h"

#include <errno.h>
#include <string.h>

#include "save.h"

static int fail(const struct plots *plots)
{
	fprintf(stderr, "idletrace: %s\n", plots->err);
	return -1;
}

int pages_check(const char *plot, const char *html)
{
	struct plots plots;
	int err = plot && plots_open(&plots, plot) ? fail(&plots) : 0;

	if (plot)
		plots_close(&plots);
	/* The standard output has the text. */
	if (html && !strcmp(html, "-")) {
		fprintf(stderr, "idletrace: --html -: needs the name of a file\n");
		return -1;
	}
	return err || (html && save_check("--html", html)) ? -1 : 0;
}

struct page {
	const struct pages *pages;
	const struct plots *plots;
};

static int write_page(FILE *f, const void *ctx)
{
	const struct page *page = ctx;

	return page->pages->write(f, page->plots, page->pages->what);
}

static int save_page(const struct pages *pages, const struct plots *plots)
{
	if (!save_file(pages->html, write_page, &(struct page){pages, plots}))
		return 0;
	fprintf(stderr, "idletrace: --html %s: %s\n", pages->html, strerror(errno));
	return -1;
}

/* Without its pictures a page is still worth having. */
int pages_make(const struct pages *pages)
{
	struct plots plots;
	int err = 0;

	if (!pages->plot && !pages->html)
		return 0;
	if (plots_open(&plots, pages->plot) || pages->draw(&plots, pages->what))
		err = fail(&plots);
	if (pages->html && save_page(pages, &plots))
		err = -1;
	plots_close(&plots);
	return err;
}
