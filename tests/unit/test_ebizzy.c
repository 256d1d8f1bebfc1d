// SPDX-License-Identifier: GPL-2.0
/* The rules of ebizzy, and short runs of the real thing. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/ebizzy.h"

static void test_random(void **state)
{
	uint32_t seed = 1, other = 1;

	(void)state;
	assert_int_equal(ebizzy_random(&seed, UINT32_MAX), 16838);
	assert_int_equal(ebizzy_random(&seed, UINT32_MAX), 38526);
	assert_int_equal(ebizzy_random(&other, 10), 8);
	assert_int_equal(ebizzy_random(&other, 10), 6);
	for (int i = 0; i < 1000; i++)
		assert_true(ebizzy_random(&seed, 7) < 7);
	assert_int_equal(ebizzy_random(&seed, 1), 0);
}

static void test_sleeps(void **state)
{
	(void)state;
	assert_true(ebizzy_sleeps(0, 1) && ebizzy_sleeps(1, 1) && ebizzy_sleeps(2, 1));
	assert_true(ebizzy_sleeps(0, 3) && ebizzy_sleeps(3, 3));
	assert_false(ebizzy_sleeps(1, 3) || ebizzy_sleeps(2, 3));
	assert_false(ebizzy_sleeps(0, 0) || ebizzy_sleeps(1, 0));
}

static void test_find(void **state)
{
	uint64_t records[100];

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		records[i] = i;
	for (int linear = 0; linear <= 1; linear++) {
		for (uint64_t i = 0; i < 100; i++)
			assert_true(ebizzy_find(records, 100, i, linear));
		assert_false(ebizzy_find(records, 100, 100, linear));
		assert_false(ebizzy_find(records, 50, 50, linear));
		assert_false(ebizzy_find(records, 0, 0, linear));
	}
}

static void test_seconds(void **state)
{
	(void)state;
	assert_int_equal(ebizzy_seconds(0), 0);
	assert_int_equal(ebizzy_seconds(499999999), 0);
	assert_int_equal(ebizzy_seconds(500000000), 1);
	assert_int_equal(ebizzy_seconds(10000200000), 10);
	assert_int_equal(ebizzy_seconds(9999800000), 10);
}

static void test_spread(void **state)
{
	uint64_t counts[] = {9, 2, 4, 4, 5, 4, 7, 5}, same[] = {3, 3}, none[] = {0};
	struct ebizzy_spread spread;

	(void)state;
	ebizzy_spread(counts, 8, &spread);
	assert_int_equal(spread.min, 2);
	assert_int_equal(spread.median, 4);
	assert_int_equal(spread.max, 9);
	assert_true(spread.stddev == 40); /* 2 of a mean of 5 */
	ebizzy_spread(same, 2, &spread);
	assert_int_equal(spread.median, 3);
	assert_true(spread.stddev == 0);
	ebizzy_spread(none, 1, &spread);
	assert_true(spread.stddev == 0);
}

static void test_checks(void **state)
{
	struct job job;

	(void)state;
	job_refused("ebizzy", OPTIONS("loops", "1", "chunk-size", "20"),
		    "--chunk-size 20: needs a multiple of 8");
	job_refused("ebizzy", OPTIONS("loops", "1", "sleep-every", "0", "sleep", "1s"),
		    "--sleep 1s: needs --sleep-every 1 or more");
	job_refused("ebizzy",
		    OPTIONS("loops", "1", "sleep-every", "0", "timer-slack", "1us"),
		    "--timer-slack: needs --sleep-every 1 or more");
	job_refused("ebizzy", OPTIONS("loops", "1", "copy", "touch", "linear", "yes"),
		    "--linear: needs --copy memcpy or loop");
	job_refused("ebizzy", OPTIONS("threads", "2"),
		    "--loops 0: needs --duration, or 1 or more");
	job_new(&job, "ebizzy", OPTIONS("threads", "2"));
	job.run.duration_ns = NSEC_PER_SEC;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 0);
	workload_config_free(&job.config);
}

/* Each way to allocate with each way to copy; loops count the records of each thread. */
static void test_loops(void **state)
{
	static const char *const allocations[] = {"prealloc", "malloc", "mmap"};
	static const char *const copies[] = {"memcpy", "loop", "touch"};
	const struct workload_result *result;
	struct job job;

	(void)state;
	for (int i = 0; i < 9; i++) {
		job_new(&job, "ebizzy",
			OPTIONS("threads", "3", "loops", "20", "sleep", "100us",
				"sleep-every", "4", "chunk-size", "64k", "allocate",
				allocations[i % 3], "copy", copies[i / 3], "random-size",
				i % 2 ? "yes" : "no", "seeds",
				i % 2 ? "equal" : "distinct"));
		job_begin(&job);
		result = job_finish(&job);
		assert_true(job_metric(result, "records") == 60);
		assert_true(job_metric(result, "threads") == 3);
		assert_true(job_metric(result, "thread_min") == 20);
		assert_true(job_metric(result, "thread_max") == 20);
		assert_true(job_metric(result, "thread_stddev") == 0);
		assert_true(job_metric(result, "records_per_s") > 0);
		assert_int_equal(job_complete(result), 4);
		job_end(&job, 0);
	}
}

static void test_duration(void **state)
{
	const struct workload_result *result;
	char line[64];
	struct job job;

	(void)state;
	job_new(&job, "ebizzy", OPTIONS("threads", "2", "timer-slack", "1us"));
	job.run.warmup_ns = 50 * NSEC_PER_MSEC;
	job.run.duration_ns = 800 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "elapsed") > 0);
	assert_true(job_metric(result, "timer_slack") == 1000);
	assert_true(job_metric(result, "of_ideal") <= 100.5);
	/* The original counts whole seconds: one, unless this machine is very busy. */
	if (job_metric(result, "elapsed") < 1.5e9) {
		snprintf(line, sizeof(line), "%.0f records/s\nreal  1.00 s\nuser  ",
			 job_metric(result, "records"));
		assert_int_equal(strncmp(result->legacy, line, strlen(line)), 0);
	}
	assert_non_null(strstr(result->legacy, " s\nsys   "));
	job_end(&job, 0);
}

static void test_never_sleeps(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "ebizzy",
		OPTIONS("sleep-every", "0", "loops", "50", "linear", "yes", "chunk-size",
			"4k"));
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "threads") == 2 * cpu_mask_count(&result->cpus));
	assert_true(job_metric(result, "records") == 50 * job_metric(result, "threads"));
	assert_null(strstr(result->text, "sleeps alone"));
	job_end(&job, 0);
}

static void test_stop_in_a_long_sleep(void **state)
{
	const struct workload_result *result;
	uint64_t goal;
	struct job job;

	(void)state;
	job_new(&job, "ebizzy",
		OPTIONS("threads", "4", "sleep", "900s", "loops", "1000"));
	job_begin(&job);
	while (!runner_progress(&job.runner, &goal))
		assert_int_equal(runner_wait(&job.runner, NSEC_PER_MSEC), 0);
	assert_int_equal(goal, 4000);
	result = job_stop_after(&job, NSEC_PER_MSEC);
	assert_true(job_metric(result, "records") >= 1);
	assert_true(job_metric(result, "records") <= 4);
	job_end(&job, 0);
}

static void test_killed(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "ebizzy", OPTIONS("threads", "4", "loops", "1000000000"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
	assert_string_equal(job.runner.error,
			    "ebizzy: its process was killed by signal 9 (Killed)");
	job_end(&job, 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_never_sleeps),
		cmocka_unit_test(test_stop_in_a_long_sleep),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
