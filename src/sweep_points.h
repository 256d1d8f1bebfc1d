/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The points of a sweep, what each runs and what came of it; the document of all of them
 * (schema idletrace.sweep/1); and the file that keeps it alive:
 *
 * FILE.partial has a line of JSON for each run that is done, below one that says what is
 * being swept on which machine. It is there until every point has its run.
 */
#ifndef IDLETRACE_SWEEP_POINTS_H
#define IDLETRACE_SWEEP_POINTS_H

#include <jansson.h>

#include "axis.h"
#include "runs.h"
#include "sweep_options.h"

#define SWEEP_POINTS 10000
#define SWEEP_ERROR  512 /* bytes for one error line, without "idletrace: " */

struct sweep_point {
	unsigned int value[SWEEP_AXES]; /* index into each axis' values */
	json_t *run;			/* NULL: not yet, or failed; owned */
	char *error;			/* it failed with this line; owned */
};

struct sweep_points {
	unsigned int nr_axes, nr;
	struct axis axes[SWEEP_AXES]; /* owned */
	struct sweep_point *points;
	char **words; /* of every run, NULL at the end; not owned */
	int nr_words;
};

/* From the axes, the last one varying fastest. 0, or -1 with a line in err. */
int sweep_points_init(struct sweep_points *s, char *err, size_t size);
void sweep_points_free(struct sweep_points *s);

/* "work=10us,tasks=2"; " (back)" follows a value on its way back. Returns buf. */
char *sweep_point_name(const struct sweep_points *s, unsigned int point, char *buf,
		       size_t size);

/* Words for runs_execute(), to be freed with sweep_point_argv_free(). NULL: no memory. */
char **sweep_point_argv(const struct sweep_points *s, unsigned int point);
void sweep_point_argv_free(const struct sweep_points *s, char **argv);

/* Points that have a run, and that failed. */
unsigned int sweep_points_done(const struct sweep_points *s);
unsigned int sweep_points_failed(const struct sweep_points *s);

/* A new reference. metric is the name of what the table shows, or NULL. */
json_t *sweep_document(const struct sweep_points *s, const char *args,
		       const char *metric);

/* ---- the file ---- */

struct sweep_state {
	char *path; /* NULL: nothing is kept */
	int fd;
};

/*
 * Opens path, or creates it, and gives the points the runs that it has. Returns their
 * number, or -1 with one line in err: it cannot be used, or is of another sweep.
 */
int sweep_state_open(struct sweep_state *state, const char *path, struct sweep_points *s,
		     char *err, size_t size);

/* Adds the run of a point. 0 or -errno. */
int sweep_state_add(struct sweep_state *state, const struct sweep_points *s,
		    unsigned int point);

/* Closes it; forget: it is not needed any more. */
void sweep_state_close(struct sweep_state *state, bool forget);

#endif
