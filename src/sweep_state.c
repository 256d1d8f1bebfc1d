// SPDX-License-Identifier: GPL-2.0
/*
 * Lines are only ever added, each with one write(): whatever kills a sweep, all lines but
 * the last are whole, and the last is whole or has no newline.
 */
#include "sweep_points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "machine.h"
#include "report_json.h"
#include "version.h"

#define SCHEMA "idletrace.sweep.partial/1"

/* What has to be the same to go on. */
static json_t *identity(const struct sweep_points *s)
{
	json_t *doc = json_object(), *words = json_array(), *points = json_array();
	struct machine machine;
	char name[256];

	for (int i = 0; i < s->nr_words; i++)
		json_array_append_new(words, json_text(s->words[i]));
	for (unsigned int i = 0; i < s->nr; i++)
		json_array_append_new(
			points, json_text(sweep_point_name(s, i, name, sizeof(name))));
	machine_read(&machine);
	put(doc, "schema", json_string(SCHEMA));
	put(doc, "version", json_string(IDLETRACE_VERSION));
	put(doc, "kernel", json_text(machine.kernel));
	put(doc, "driver", json_text(machine.driver));
	put(doc, "governor", json_text(machine.governor));
	put(doc, "options", words);
	put(doc, "points", points);
	return doc;
}

static int fail(char *err, size_t size, const char *path, const char *what)
{
	snprintf(err, size, "%s: %s", path, what);
	return -1;
}

static int append(struct sweep_state *state, json_t *line)
{
	char *text = json_dumps(line, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0, done = 0;
	int err = text ? 0 : -ENOMEM;

	if (text)
		text[len++] = '\n'; /* in the place of its end */
	while (!err && done < len) {
		ssize_t n = write(state->fd, text + done, len - done);

		if (n < 0 && errno != EINTR)
			err = -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	free(text);
	return err ? err : fdatasync(state->fd) ? -errno : 0;
}

/* The member in which it is another sweep. */
static const char *difference(const json_t *ours, const json_t *theirs)
{
	static const char *const members[] = {"schema",	  "version", "kernel", "driver",
					      "governor", "options", "points"};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!json_equal(json_object_get(ours, members[i]),
				json_object_get(theirs, members[i])))
			return members[i];
	return NULL;
}

static int check_identity(const struct sweep_points *s, const char *line,
			  const char *path, char *err, size_t size)
{
	json_t *theirs = json_loads(line, 0, NULL), *ours = identity(s);
	const char *other = difference(ours, theirs);

	if (other)
		snprintf(err, size,
			 "%s: is of another sweep (%s); remove it or name another file",
			 path, other);
	json_decref(theirs);
	json_decref(ours);
	return other ? -1 : 0;
}

static bool take_run(struct sweep_points *s, const char *line)
{
	json_t *doc = json_loads(line, 0, NULL), *run = run_at(doc, "run");
	json_int_t point = json_is_integer(run_at(doc, "point"))
				   ? json_integer_value(run_at(doc, "point"))
				   : -1;
	bool ok = run && point >= 0 && point < s->nr && !s->points[point].run;

	if (ok)
		s->points[point].run = json_incref(run);
	json_decref(doc);
	return ok;
}

/* A header that was cut off may be overwritten; anything else that ends so may not. */
static bool is_header(const char *line, size_t len)
{
	static const char begin[] = "{\"schema\":\"" SCHEMA "\"";

	return !strncmp(line, begin, len < sizeof(begin) - 1 ? len : sizeof(begin) - 1);
}

/* Reads what is whole and cuts off what is not. Returns the number of runs, or -1. */
static int read_state(struct sweep_state *state, struct sweep_points *s, char *err,
		      size_t size)
{
	FILE *f = fdopen(dup(state->fd), "r");
	char *line = NULL;
	size_t room = 0;
	off_t whole = 0;
	int lines = 0;
	ssize_t len;

	if (!f)
		return fail(err, size, state->path, strerror(errno));
	while ((len = getline(&line, &room, f)) > 0 && line[len - 1] == '\n') {
		if (!lines && check_identity(s, line, state->path, err, size)) {
			lines = -1;
			break;
		}
		if (lines && !take_run(s, line))
			break;
		lines++;
		whole += len;
	}
	if (!lines && len > 0 && !is_header(line, (size_t)len))
		lines = fail(err, size, state->path, "is not what a sweep has left");
	free(line);
	fclose(f);
	if (lines < 0)
		return -1;
	if (ftruncate(state->fd, whole) || lseek(state->fd, whole, SEEK_SET) < 0)
		return fail(err, size, state->path, strerror(errno));
	return lines;
}

static int open_state(struct sweep_state *state, struct sweep_points *s, char *err,
		      size_t size)
{
	int lines, failed;
	json_t *header;

	state->fd = open(state->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (state->fd < 0)
		return fail(err, size, state->path, strerror(errno));
	if (flock(state->fd, LOCK_EX | LOCK_NB))
		return fail(err, size, state->path,
			    errno == EWOULDBLOCK ? "another sweep is writing it"
						 : strerror(errno));
	lines = read_state(state, s, err, size);
	if (lines)
		return lines < 0 ? -1 : lines - 1;
	header = identity(s);
	failed = append(state, header);
	json_decref(header);
	return failed ? fail(err, size, state->path, strerror(-failed)) : 0;
}

int sweep_state_open(struct sweep_state *state, const char *path, struct sweep_points *s,
		     char *err, size_t size)
{
	int runs;

	state->fd = -1;
	state->path = strdup(path);
	if (!state->path)
		return fail(err, size, path, "out of memory");
	runs = open_state(state, s, err, size);
	if (runs < 0)
		sweep_state_close(state, false);
	return runs;
}

int sweep_state_add(struct sweep_state *state, const struct sweep_points *s,
		    unsigned int point)
{
	json_t *line;
	int err;

	if (!state->path)
		return 0;
	line = json_object();
	put(line, "point", json_integer(point));
	put(line, "run", json_incref(s->points[point].run));
	err = append(state, line);
	json_decref(line);
	return err;
}

void sweep_state_close(struct sweep_state *state, bool forget)
{
	if (!state->path)
		return;
	if (forget)
		unlink(state->path);
	if (state->fd >= 0)
		close(state->fd);
	free(state->path);
	state->path = NULL;
	state->fd = -1;
}
