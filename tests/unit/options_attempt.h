/* SPDX-License-Identifier: GPL-2.0 */
/* Runs the option parser on one command line, and keeps what it printed. */
#ifndef OPTIONS_ATTEMPT_H
#define OPTIONS_ATTEMPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "options.h"

#define ARGS_MAX 64

/* One command line, what became of it, and what was printed meanwhile. */
struct attempt {
	struct options o;
	enum options_result result;
	char line[1024];
	char *argv[ARGS_MAX + 1];
	int argc;
	char out[16384];
	char err[2048];
};

/* Words of line to argv; '' is an empty one. */
static inline void split_words(struct attempt *a, const char *line)
{
	assert_true(strlen(line) < sizeof(a->line));
	strcpy(a->line, line);
	a->argv[0] = (char *)"idletrace";
	a->argc = 1;
	for (char *w = strtok(a->line, " "); w; w = strtok(NULL, " ")) {
		assert_true(a->argc < ARGS_MAX);
		a->argv[a->argc++] = strcmp(w, "''") ? w : w + 2;
	}
	a->argv[a->argc] = NULL;
}

static inline void read_back(FILE *file, char *buf, size_t size)
{
	size_t len;

	rewind(file);
	len = fread(buf, 1, size - 1, file);
	buf[len] = '\0';
	fclose(file);
}

static inline void parse_split(struct attempt *a)
{
	FILE *out = tmpfile(), *err = tmpfile();
	int old_out, old_err;

	assert_non_null(out);
	assert_non_null(err);
	fflush(stdout);
	old_out = dup(STDOUT_FILENO);
	old_err = dup(STDERR_FILENO);
	dup2(fileno(out), STDOUT_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	a->result = options_parse(&a->o, a->argc, a->argv);
	fflush(stdout);
	fflush(stderr);
	dup2(old_out, STDOUT_FILENO);
	dup2(old_err, STDERR_FILENO);
	close(old_out);
	close(old_err);
	read_back(out, a->out, sizeof(a->out));
	read_back(err, a->err, sizeof(a->err));
}

/* Into static memory: the options point to the words. */
static inline struct attempt *parse(const char *line)
{
	static struct attempt a;

	memset(&a, 0, sizeof(a));
	split_words(&a, line);
	parse_split(&a);
	return &a;
}

static inline void done(struct attempt *a)
{
	options_free(&a->o);
}

/* At most 80 columns of ASCII, no blanks at the end of a line. */
static inline void expect_tidy(const char *text)
{
	size_t col = 0;

	for (; *text; text++) {
		col = *text == '\n' ? 0 : col + 1;
		assert_true(col <= 80);
		assert_true(*text == '\n' || (*text >= ' ' && *text <= '~'));
		assert_false(text[0] == ' ' && text[1] == '\n');
	}
	assert_int_equal(col, 0);
}

static inline struct attempt *parse_done(const char *line)
{
	struct attempt *a = parse(line);

	if (a->result != OPTIONS_DONE || *a->err)
		fail_msg("%s: %d %s", line, (int)a->result, a->err);
	expect_tidy(a->out);
	return a;
}

#endif
