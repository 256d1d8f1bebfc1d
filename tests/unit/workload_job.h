/* SPDX-License-Identifier: GPL-2.0 */
/* A workload with options, checked or run, and what came of it. After cmocka.h. */
#ifndef WORKLOAD_JOB_H
#define WORKLOAD_JOB_H

#include <errno.h>
#include <string.h>

#include "runner.h"

#define JOB_LONG_ENOUGH (30 * NSEC_PER_SEC)
#define OPTIONS(...)	((const char *const[]){__VA_ARGS__, NULL})

struct job {
	struct workload_config config;
	struct workload_run run;
	struct runner runner;
	char err[WORKLOAD_ERROR_MAX];
};

/* options: name, value, name, value, ..., NULL. job_end() is due. */
void job_new(struct job *job, const char *name, const char *const *options);

/* The check must refuse them, with that line. */
void job_refused(const char *name, const char *const *options, const char *line);

/* Checks and starts it, which must succeed. */
void job_begin(struct job *job);

/* Waits for its end and its result, which must come. */
const struct workload_result *job_finish(struct job *job);

/* Lets it run for that long, asks it to stop, and waits for its result. */
const struct workload_result *job_stop_after(struct job *job, uint64_t ns);

void job_end(struct job *job, int exit_status);

double job_metric(const struct workload_result *result, const char *name);
const struct hist *job_latency(const struct workload_result *result, const char *name);

/* Threads that said that they came to their end. */
unsigned int job_complete(const struct workload_result *result);

/* Children of a process, nr at most, once there are that many. */
void job_children(pid_t parent, pid_t *pids, unsigned int nr);

/* Fails unless that process, whose parent may be dead, dies soon. */
void job_assert_dies(pid_t pid);

#endif
