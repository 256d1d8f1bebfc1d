// SPDX-License-Identifier: GPL-2.0
/* What of the report goes to files: JSON, pictures. */
#include <errno.h>
#include <string.h>

#include "pages.h"
#include "report_json.h"
#include "save.h"

int report_files_check(const struct report_files *files)
{
	return (files->json && save_check("--json", files->json)) ||
			       pages_check(files->plot)
		       ? -1
		       : 0;
}

static int draw(struct plots *plots, const void *run)
{
	return plot_run(plots, run);
}

static int fail_json(const char *path)
{
	fprintf(stderr, "idletrace: --json %s: %s\n", path, strerror(errno));
	return -1;
}

int report_files(const struct results *r, const struct report_files *files)
{
	struct pages pages = {.plot = files->plot, .draw = draw};
	int ret = 0;
	json_t *doc;

	if (!files->json && !files->plot)
		return 0;
	doc = report_document(r);
	if (!doc) {
		fprintf(stderr, "idletrace: out of memory for the report\n");
		return -1;
	}
	if (files->json && json_save(doc, files->json))
		ret = fail_json(files->json);
	pages.what = doc;
	if (pages_make(&pages))
		ret = -1;
	json_decref(doc);
	return ret;
}
