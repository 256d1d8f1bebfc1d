// SPDX-License-Identifier: GPL-2.0
/* The rules of the periods, and short runs of the real thing. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload_job.h"
#include "workloads/waiters.h"

/* ---- rules ---- */

static void test_offset(void **state)
{
	(void)state;
	assert_int_equal(waiters_offset(0, 500, 100000000), 0);
	assert_int_equal(waiters_offset(1, 500, 100000000), 200000);
	assert_int_equal(waiters_offset(499, 500, 100000000), 99800000);
	assert_int_equal(waiters_offset(2, 3, 100), 66);
	assert_int_equal(waiters_offset(99999, 100000, 1000 * NSEC_PER_SEC),
			 999990000000);
}

static void test_missed(void **state)
{
	(void)state;
	assert_int_equal(waiters_missed(100, 100, 10, 99), 0);
	assert_int_equal(waiters_missed(101, 100, 10, 99), 0);
	assert_int_equal(waiters_missed(99, 100, 10, 99), 1);
	assert_int_equal(waiters_missed(90, 100, 10, 99), 1);
	assert_int_equal(waiters_missed(89, 100, 10, 99), 2);
	assert_int_equal(waiters_missed(0, 100, 10, 99), 10);
	assert_int_equal(waiters_missed(0, 100, 10, 3), 3);
}

/* ---- options ---- */

static void test_checks(void **state)
{
	(void)state;
	job_refused("waiters", OPTIONS("loops", "0"),
		    "--loops 0: needs --duration, or 1 or more");
	job_refused("waiters", OPTIONS("work", "some"),
		    "--work some: needs a time such as 50us, or units such as 10000");
	job_refused(
		"waiters", OPTIONS("place", "here"),
		"--place here: needs cores, smt, llc, any or a CPU list such as 0-3,8");
}

/* ---- runs ---- */

/* NULL: there is none of that name. */
static const double *find_metric(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_metrics; i++) {
		if (!strcmp(result->metrics[i].name, name))
			return &result->metrics[i].value;
	}
	return NULL;
}

static void test_closed(void **state)
{
	const struct workload_result *result;
	char line[64];
	struct job job;

	(void)state;
	job_new(&job, "waiters",
		OPTIONS("threads", "20", "loops", "5", "period", "2ms", "work", "1000"));
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "periods") == 20 * 5);
	assert_string_equal(result->latencies[0].name, "lateness");
	assert_int_equal(result->latencies[0].hist.count, 20 * 5);
	/* The sleeps alone take as long. */
	assert_true(job_metric(result, "elapsed") >= 4 * 0.002);
	snprintf(line, sizeof(line), "total elapsed: %.4f seconds\n",
		 job_metric(result, "elapsed"));
	assert_string_equal(result->legacy, line);
	assert_true(job_metric(result, "work_units") == 1000);
	assert_int_equal(result->nr_threads, 21);
	for (int i = 0; i < 21; i++)
		assert_true(result->threads[i].complete);
	job_end(&job, 0);
}

/* Periods that begin too late are counted, those that never begin as well. */
static void test_absolute(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "waiters",
		OPTIONS("threads", "1", "period", "1us", "work", "100k", "arrival",
			"absolute", "start", "together"));
	job.run.duration_ns = 50 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "overruns") > 0);
	assert_true(job_metric(result, "missed_periods") > 0);
	assert_true(job_metric(result, "missed_periods") +
			    job_metric(result, "periods") <=
		    50001);
	/* No total: the work was not all done. */
	assert_null(find_metric(result, "elapsed"));
	assert_string_equal(result->legacy, "");
	job_end(&job, 0);
}

static void test_placed(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "waiters",
		OPTIONS("threads", "4", "loops", "2", "period", "1ms", "work", "0",
			"place", "cores"));
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "periods") == 8);
	assert_non_null(strstr(result->text, "cores: CPU "));
	assert_null(find_metric(result, "work_units"));
	job_end(&job, 0);
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "waiters", OPTIONS("threads", "10", "period", "900s", "work", "0"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_true(result->stopped);
	assert_string_equal(result->legacy, "");
	job_end(&job, 0);
}

static void test_killed(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "waiters",
		OPTIONS("threads", "10", "period", "1ms", "loops", "1000000"));
	job_begin(&job);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
	job_end(&job, 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offset),	   cmocka_unit_test(test_missed),
		cmocka_unit_test(test_checks),	   cmocka_unit_test(test_closed),
		cmocka_unit_test(test_absolute),   cmocka_unit_test(test_placed),
		cmocka_unit_test(test_stop_early), cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
