// SPDX-License-Identifier: GPL-2.0
/* What of the report goes to files: JSON, pictures, a page. */
#include <errno.h>
#include <string.h>

#include "html_page.h"
#include "pages.h"
#include "report_json.h"
#include "save.h"
#include "series.h"

int report_files_check(const struct report_files *files)
{
	return (files->json && save_check("--json", files->json)) ||
			       pages_check(files->plot, files->html)
		       ? -1
		       : 0;
}

/* Of which pictures and page are made. */
struct drawn {
	const struct results *results;
	const json_t *run; /* the same, but for the intervals */
};

static int draw(struct plots *plots, const void *what)
{
	const struct drawn *drawn = what;
	const struct series *series = drawn->results->series;

	if (plot_run(plots, drawn->run))
		return -1;
	if (!series || !series_kept(series))
		return 0;
	return plot_series(plots, drawn->run,
			   &(struct plot_intervals){.count = series->count,
						    .every = series->every,
						    .read = json_interval,
						    .ctx = drawn->results});
}

static int write_page(FILE *f, const struct plots *plots, const void *what)
{
	return html_run(f, plots, ((const struct drawn *)what)->run);
}

/* The intervals are too many for the document: they are read as they are written. */
static int save_json(json_t *doc, const struct results *r, const char *path)
{
	struct json_stream intervals = {
		.key = "intervals", .member = json_interval, .ctx = r};

	if (!r->series)
		return json_save(doc, path);
	intervals.count = r->series->count;
	return json_save_stream(doc, path, &intervals);
}

static int fail_json(const char *path, const char *what, int error)
{
	fprintf(stderr, "idletrace: --json %s: %s%s\n", path, what, strerror(error));
	return -1;
}

int report_files(const struct results *r, const struct report_files *files)
{
	struct pages pages = {.plot = files->plot,
			      .html = files->html,
			      .draw = draw,
			      .write = write_page};
	int ret = 0;
	json_t *doc;

	if (!files->json && !files->plot && !files->html)
		return 0;
	doc = report_document(r);
	if (!doc) {
		fprintf(stderr, "idletrace: out of memory for the report\n");
		return -1;
	}
	if (files->json && r->series && r->series->rows.error)
		ret = fail_json(files->json, "its intervals: ", r->series->rows.error);
	else if (files->json && save_json(doc, r, files->json))
		ret = fail_json(files->json, "", errno);
	pages.what = &(struct drawn){r, doc};
	if (pages_make(&pages))
		ret = -1;
	json_decref(doc);
	return ret;
}
