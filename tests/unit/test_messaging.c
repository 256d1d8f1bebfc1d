// SPDX-License-Identifier: GPL-2.0
/* The lines of messaging, and short runs of the real thing. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/messaging.h"

static void test_total(void **state)
{
	(void)state;
	assert_int_equal(messaging_total(1, 1, 1), 1);
	assert_int_equal(messaging_total(10, 20, 100), 400000);
	assert_int_equal(messaging_total(1250, 40, 1000000000), 2000000000000000);
}

static void test_lines(void **state)
{
	struct workload_result *result = calloc(1, sizeof(*result));

	(void)state;
	assert_non_null(result);
	messaging_hackbench(result, 973999999);
	assert_string_equal(result->legacy, "Time: 0.973\n");
	messaging_hackbench(result, 12004000000);
	assert_string_equal(result->legacy, "Time: 0.973\nTime: 12.004\n");
	result->legacy[0] = '\0';
	messaging_perf(result, 2, 20, true, 562000001);
	assert_string_equal(result->legacy, "# 20 sender and receiver threads per group\n"
					    "# 2 groups == 80 threads run\n"
					    "\n"
					    "     Total time: 0.562 [sec]\n");
	result->legacy[0] = '\0';
	messaging_perf(result, 10, 20, false, 27000000000);
	assert_string_equal(result->legacy,
			    "# 20 sender and receiver processes per group\n"
			    "# 10 groups == 400 processes run\n"
			    "\n"
			    "     Total time: 27.000 [sec]\n");
	free(result);
}

static void test_checks(void **state)
{
	struct job job;

	(void)state;
	job_refused("messaging", OPTIONS("style", "perf", "fds", "10"),
		    "--fds 10: needs --style hackbench; perf has 20");
	job_refused("messaging", OPTIONS("style", "perf", "datasize", "4k"),
		    "--datasize 4k: needs --style hackbench; perf has 100");
	job_refused("messaging", OPTIONS("groups", "3000"),
		    "--groups 3000: with 20 fds needs at most 2500");
	job_refused("messaging", OPTIONS("loops", "0"),
		    "--loops 0: needs --duration, or 1 or more");
	job_new(&job, "messaging", OPTIONS("loops", "10"));
	job.run.warmup_ns = NSEC_PER_SEC;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, "--warmup 1s: needs --loops 0; else all is timed");
	workload_config_free(&job.config);
	job_new(&job, "messaging", OPTIONS("style", "perf", "groups", "2500"));
	job.run.duration_ns = job.run.warmup_ns = NSEC_PER_SEC;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 0);
	workload_config_free(&job.config);
}

static void test_files(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "messaging", OPTIONS("groups", "50"));
	assert_int_equal(job.config.workload->need_files(&job.config), 44);
	workload_config_free(&job.config);
	job_new(&job, "messaging", OPTIONS("groups", "50", "threads", "yes"));
	assert_int_equal(job.config.workload->need_files(&job.config), 2004);
	workload_config_free(&job.config);
}

/* ---- runs ---- */

static const char *yes_no(int yes)
{
	return yes ? "yes" : "no";
}

static void test_loops(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	for (int i = 0; i < 8; i++) {
		job_new(&job, "messaging",
			OPTIONS("groups", "2", "fds", "3", "loops", "5", "threads",
				yes_no(i & 1), "pipe", yes_no(i & 2), "datasize",
				i & 4 ? "200k" : "1"));
		job_begin(&job);
		result = job_finish(&job);
		assert_true(job_metric(result, "messages") == 2 * 3 * 3 * 5);
		assert_true(job_metric(result, "time") >= job_metric(result, "elapsed"));
		assert_true(job_metric(result, "messages_per_s") > 0);
		assert_int_equal(strncmp(result->legacy, "Time: ", 6), 0);
		assert_null(strstr(result->text, "the time is that"));
		assert_non_null(strstr(result->text, i & 1 ? " threads" : " processes"));
		assert_int_equal(result->nr_threads, 1 + 12);
		assert_int_equal(job_complete(result), 1 + 12);
		job_end(&job, 0);
	}
}

/* Until the end: the time is then derived from the rate. */
static void test_duration(void **state)
{
	const struct workload_result *result;
	struct job job;
	double time;

	(void)state;
	for (int i = 0; i < 4; i++) {
		job_new(&job, "messaging",
			OPTIONS("groups", "1", "fds", "20", "style", "perf", "threads",
				yes_no(i & 1), "pipe", yes_no(i & 2)));
		job.run.warmup_ns = 50 * NSEC_PER_MSEC;
		job.run.duration_ns = 100 * NSEC_PER_MSEC;
		job_begin(&job);
		result = job_finish(&job);
		assert_true(job_metric(result, "messages") > 0);
		time = 20 * 20 * 100 / job_metric(result, "messages_per_s") * 1e9;
		assert_true(job_metric(result, "time") >= time - 2);
		assert_true(job_metric(result, "time") <= time + 2);
		assert_non_null(strstr(result->legacy, "\n     Total time: "));
		assert_non_null(strstr(result->text, "the time is that of 100 loops"));
		assert_int_equal(job_complete(result), 41);
		job_end(&job, 0);
	}
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	for (int i = 0; i < 4; i++) {
		job_new(&job, "messaging",
			OPTIONS("groups", "2", "fds", "4", "loops", "1000000000",
				"threads", yes_no(i & 1), "pipe", yes_no(i & 2)));
		job_begin(&job);
		result = job_stop_after(&job, 100 * NSEC_PER_MSEC);
		assert_int_equal(job_complete(result), 17);
		job_end(&job, 0);
	}
}

/* Threads wait for the start since setup: they must not wait for ever. */
static void test_never_started(void **state)
{
	uint64_t begin = now_ns();
	struct job job;

	(void)state;
	for (int i = 0; i < 2; i++) {
		job_new(&job, "messaging",
			OPTIONS("groups", "2", "fds", "4", "threads", "yes", "pipe",
				yes_no(i)));
		assert_int_equal(runner_start(&job.runner, &job.config, &job.run, NULL),
				 0);
		job_end(&job, 0);
	}
	assert_true(now_ns() - begin < JOB_LONG_ENOUGH);
}

/* Nobody may wait for the dead, and nobody may be left. */
static void test_a_process_is_killed(void **state)
{
	pid_t pids[8];
	struct job job;

	(void)state;
	for (int i = 0; i < 8; i += 7) {
		job_new(&job, "messaging",
			OPTIONS("groups", "1", "fds", "4", "loops", "1000000000"));
		job_begin(&job);
		job_children(job.runner.pid, pids, 8);
		kill(pids[i], SIGKILL);
		assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
		assert_non_null(strstr(job.runner.error,
				       "messaging: one of 8 processes was killed by "
				       "signal "));
		for (int j = 0; j < 8; j++)
			job_assert_dies(pids[j]);
		job_end(&job, 1);
	}
}

static void test_the_first_is_killed(void **state)
{
	pid_t pids[8];
	struct job job;

	(void)state;
	job_new(&job, "messaging",
		OPTIONS("groups", "1", "fds", "4", "loops", "1000000000"));
	job_begin(&job);
	job_children(job.runner.pid, pids, 8);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
	for (int j = 0; j < 8; j++)
		job_assert_dies(pids[j]);
	job_end(&job, 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_stop_early),
		cmocka_unit_test(test_never_started),
		cmocka_unit_test(test_a_process_is_killed),
		cmocka_unit_test(test_the_first_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
