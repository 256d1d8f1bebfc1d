/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The correlator: takes the raw records of --events, in any order between CPUs, to one
 * row per task, and writes them out for others to read. No BPF in here.
 */
#ifndef IDLETRACE_RECORDS_H
#define IDLETRACE_RECORDS_H

#include <stdio.h>

#include "results.h"

/* Rows of tasks. In a long run tasks come and go; those that come later have none. */
#define RECORDS_TASKS_MAX 32768

struct records {
	FILE *out;	  /* NULL: not written */
	const char *path; /* the caller's */
	u64 start;	  /* CLOCK_MONOTONIC ns that times are relative to */
	u64 count, wakeups, periods, timers;
	struct task_row *tasks; /* open addressing by pid */
	u32 tasks_size, nr_tasks;
	u64 left_out; /* wakeups of tasks without a row */
};

/* path NULL: do not write. Returns 0, or -1 with one line in err. */
int records_open(struct records *r, const char *path, char *err, size_t size);

/* One record; a record_fn with the struct records as ctx. */
void records_add(void *ctx, const union record *record);

/* Moves the task rows to results, most wakeups first. -1 if writing failed (err is set).
 */
int records_finish(struct records *r, struct results *results, char *err, size_t size);
void records_close(struct records *r);

#endif
