// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "report_capture.h"

void capture_begin(struct capture *c, int fd)
{
	fflush(NULL);
	c->fd = fd;
	c->tmp = tmpfile();
	assert_non_null(c->tmp);
	c->saved = dup(fd);
	dup2(fileno(c->tmp), fd);
}

char *capture_end(struct capture *c)
{
	char *text;
	long size;

	fflush(NULL);
	dup2(c->saved, c->fd);
	close(c->saved);
	fseek(c->tmp, 0, SEEK_END);
	size = ftell(c->tmp);
	rewind(c->tmp);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, c->tmp), size);
	fclose(c->tmp);
	return text;
}

char *text_of(const struct results *r, bool histogram)
{
	struct capture c;

	capture_begin(&c, STDOUT_FILENO);
	report_text(r, histogram);
	return capture_end(&c);
}

json_t *json_of(const struct results *r)
{
	struct capture c;
	json_error_t err;
	json_t *doc;
	char *text;
	int ret;

	capture_begin(&c, STDOUT_FILENO);
	ret = report_files(r, &(struct report_files){.json = "-"});
	text = capture_end(&c);
	assert_int_equal(ret, 0);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, &err);
	if (!doc)
		fail_msg("line %d: %s", err.line, err.text);
	free(text);
	return doc;
}

int json_to(const struct results *r, const char *path, char **err)
{
	struct capture c;
	int ret;

	capture_begin(&c, STDERR_FILENO);
	ret = report_files(r, &(struct report_files){.json = path});
	*err = capture_end(&c);
	return ret;
}
