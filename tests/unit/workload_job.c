// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"

void job_new(struct job *job, const char *name, const char *const *options)
{
	memset(job, 0, sizeof(*job));
	assert_int_equal(workload_config_init(&job->config, workload_find(name)), 0);
	for (; options && *options; options += 2) {
		if (workload_parse_option(&job->config, options[0], options[1], job->err,
					  sizeof(job->err)))
			fail_msg("%s", job->err);
	}
}

void job_refused(const char *name, const char *const *options, const char *line)
{
	struct job job;

	job_new(&job, name, options);
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, line);
	workload_config_free(&job.config);
}

void job_begin(struct job *job)
{
	if (workload_check(&job->config, &job->run, job->err, sizeof(job->err)))
		fail_msg("%s", job->err);
	if (runner_start(&job->runner, &job->config, &job->run, NULL) ||
	    runner_go(&job->runner))
		fail_msg("%s", job->runner.error);
}

const struct workload_result *job_finish(struct job *job)
{
	const struct workload_result *result;

	if (runner_wait(&job->runner, JOB_LONG_ENOUGH) != 1)
		fail_msg("%s", job->runner.error);
	result = runner_result(&job->runner);
	assert_non_null(result);
	return result;
}

const struct workload_result *job_stop_after(struct job *job, uint64_t ns)
{
	const struct workload_result *result;

	assert_int_equal(runner_wait(&job->runner, ns), 0);
	runner_stop(&job->runner);
	result = job_finish(job);
	assert_true(result->stopped);
	return result;
}

void job_end(struct job *job, int exit_status)
{
	runner_destroy(&job->runner);
	workload_config_free(&job->config);
	assert_int_equal(job->runner.exit_status, exit_status);
}

double job_metric(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_metrics; i++) {
		if (!strcmp(result->metrics[i].name, name))
			return result->metrics[i].value;
	}
	fail_msg("no metric %s", name);
	return 0;
}

const struct hist *job_latency(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_latencies; i++) {
		if (!strcmp(result->latencies[i].name, name))
			return &result->latencies[i].hist;
	}
	fail_msg("no latency %s", name);
	return NULL;
}

unsigned int job_complete(const struct workload_result *result)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < result->nr_threads; i++)
		nr += result->threads[i].complete;
	return nr;
}

static unsigned int read_children(pid_t parent, pid_t *pids, unsigned int nr)
{
	char path[64];
	unsigned int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	f = fopen(path, "re");
	assert_non_null(f);
	while (found < nr && fscanf(f, "%d", &pids[found]) == 1)
		found++;
	fclose(f);
	return found;
}

void job_children(pid_t parent, pid_t *pids, unsigned int nr)
{
	uint64_t deadline = now_ns() + JOB_LONG_ENOUGH;

	while (read_children(parent, pids, nr) < nr) {
		assert_true(now_ns() < deadline);
		usleep(1000);
	}
}

/* A zombie that nobody reaps is dead enough. */
static bool is_dead(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(f);
	return state == 'Z' || state == 'X';
}

void job_assert_dies(pid_t pid)
{
	uint64_t deadline = now_ns() + JOB_LONG_ENOUGH;

	while (!is_dead(pid)) {
		assert_true(now_ns() < deadline);
		usleep(1000);
	}
}
