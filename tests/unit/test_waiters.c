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

#include "runner.h"
#include "workloads/waiters.h"

#define LONG_ENOUGH (30 * NSEC_PER_SEC)

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

struct job {
	struct workload_config config;
	struct workload_run run;
	struct runner runner;
	char err[WORKLOAD_ERROR_MAX];
};

static void new_job(struct job *job, const char *const *options)
{
	memset(job, 0, sizeof(*job));
	assert_int_equal(workload_config_init(&job->config, workload_find("waiters")), 0);
	for (; *options; options += 2)
		assert_int_equal(workload_parse_option(&job->config, options[0],
						       options[1], job->err,
						       sizeof(job->err)),
				 0);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(const char *const *options, const char *line)
{
	struct job job;

	new_job(&job, options);
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, line);
	workload_config_free(&job.config);
}

static void test_checks(void **state)
{
	(void)state;
	refused(OPTIONS("loops", "0"), "--loops 0: needs --duration, or 1 or more");
	refused(OPTIONS("work", "some"),
		"--work some: needs a time such as 50us, or units such as 10000");
	refused(OPTIONS("place", "here"),
		"--place here: needs cores, smt, llc, any or a CPU list such as 0-3,8");
}

/* ---- runs ---- */

static void begin(struct job *job)
{
	assert_int_equal(
		workload_check(&job->config, &job->run, job->err, sizeof(job->err)), 0);
	if (runner_start(&job->runner, &job->config, &job->run, NULL) ||
	    runner_go(&job->runner))
		fail_msg("%s", job->runner.error);
}

static const struct workload_result *finish(struct job *job)
{
	const struct workload_result *result;

	assert_int_equal(runner_wait(&job->runner, LONG_ENOUGH), 1);
	result = runner_result(&job->runner);
	assert_non_null(result);
	return result;
}

static void end(struct job *job, int exit_status)
{
	runner_destroy(&job->runner);
	workload_config_free(&job->config);
	assert_int_equal(job->runner.exit_status, exit_status);
}

/* NULL: there is none of that name. */
static const double *find_metric(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_metrics; i++) {
		if (!strcmp(result->metrics[i].name, name))
			return &result->metrics[i].value;
	}
	return NULL;
}

static double metric(const struct workload_result *result, const char *name)
{
	const double *value = find_metric(result, name);

	if (!value)
		fail_msg("no metric %s", name);
	return value ? *value : 0;
}

static void test_closed(void **state)
{
	const struct workload_result *result;
	char line[64];
	struct job job;

	(void)state;
	new_job(&job,
		OPTIONS("threads", "20", "loops", "5", "period", "2ms", "work", "1000"));
	begin(&job);
	result = finish(&job);
	assert_true(metric(result, "periods") == 20 * 5);
	assert_string_equal(result->latencies[0].name, "lateness");
	assert_int_equal(result->latencies[0].hist.count, 20 * 5);
	/* The sleeps alone take as long. */
	assert_true(metric(result, "elapsed") >= 4 * 0.002);
	snprintf(line, sizeof(line), "total elapsed: %.4f seconds\n",
		 metric(result, "elapsed"));
	assert_string_equal(result->legacy, line);
	assert_true(metric(result, "work_units") == 1000);
	assert_int_equal(result->nr_threads, 21);
	for (int i = 0; i < 21; i++)
		assert_true(result->threads[i].complete);
	end(&job, 0);
}

/* Periods that begin too late are counted, those that never begin as well. */
static void test_absolute(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("threads", "1", "period", "1us", "work", "100k", "arrival",
			      "absolute", "start", "together"));
	job.run.duration_ns = 50 * NSEC_PER_MSEC;
	begin(&job);
	result = finish(&job);
	assert_true(metric(result, "overruns") > 0);
	assert_true(metric(result, "missed_periods") > 0);
	assert_true(metric(result, "missed_periods") + metric(result, "periods") <=
		    50001);
	/* No total: the work was not all done. */
	assert_null(find_metric(result, "elapsed"));
	assert_string_equal(result->legacy, "");
	end(&job, 0);
}

static void test_placed(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("threads", "4", "loops", "2", "period", "1ms", "work", "0",
			      "place", "cores"));
	begin(&job);
	result = finish(&job);
	assert_true(metric(result, "periods") == 8);
	assert_non_null(strstr(result->text, "cores: CPU "));
	assert_null(find_metric(result, "work_units"));
	end(&job, 0);
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("threads", "10", "period", "900s", "work", "0"));
	begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = finish(&job);
	assert_true(result->stopped);
	assert_string_equal(result->legacy, "");
	end(&job, 0);
}

static void test_killed(void **state)
{
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("threads", "10", "period", "1ms", "loops", "1000000"));
	begin(&job);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, LONG_ENOUGH), -1);
	end(&job, 128 + SIGKILL);
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
