/* SPDX-License-Identifier: GPL-2.0 */
/* What the reports print. */
#ifndef REPORT_CAPTURE_H
#define REPORT_CAPTURE_H

#include <jansson.h>
#include <stdio.h>

#include "report_fixtures.h"

/* What a file descriptor gets while it is redirected to a temporary file. */
struct capture {
	FILE *tmp;
	int fd, saved;
};

void capture_begin(struct capture *c, int fd);

/* The text; free it. */
char *capture_end(struct capture *c);

/* The text; free it. */
char *text_of(const struct results *r, bool histogram);

/* The JSON, parsed. A new reference. */
json_t *json_of(const struct results *r);

/* report_files(), the JSON to a path, and what it says on stderr; free that. */
int json_to(const struct results *r, const char *path, char **err);

#endif
