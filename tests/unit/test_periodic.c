// SPDX-License-Identifier: GPL-2.0
/* The schedule of packets and loads, and short runs of the real thing. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workload_job.h"
#include "workloads/periodic.h"

/* ---- rules ---- */

static void test_loads(void **state)
{
	double loads[PERIODIC_MAX_LOADS];
	bool sweep;

	(void)state;
	assert_int_equal(periodic_parse_loads("38.6", loads, &sweep), 1);
	assert_false(sweep);
	assert_true(loads[0] == 38.6);
	assert_int_equal(periodic_parse_loads("0:100:10", loads, &sweep), 11);
	assert_true(sweep);
	for (int i = 0; i < 11; i++)
		assert_true(loads[i] == 10 * i);
	assert_int_equal(periodic_parse_loads("0:1:0.1", loads, &sweep), 11);
	assert_true(fabs(loads[10] - 1) < 1e-9);
	/* The end belongs to it, even if no step hits it. */
	assert_int_equal(periodic_parse_loads("10:100:40", loads, &sweep), 4);
	assert_true(loads[2] == 90 && loads[3] == 100);
	assert_int_equal(periodic_parse_loads("20:30:50", loads, &sweep), 2);
	assert_true(loads[0] == 20 && loads[1] == 30);
	assert_int_equal(periodic_parse_loads("0:100:1", loads, &sweep), 101);
	assert_true(loads[100] == 100);
}

static void test_bad_loads(void **state)
{
	static const char *const bad[] = {
		"",	    "100.1",	 "x",	    "0:100",  "0:100:0",
		"100:0:10", "0:101:1",	 "0:100:x", "0:100:", "0:50:50:",
		"5:5:1",    "0:100:0.5", "-1",	    "0,10",
	};
	double loads[PERIODIC_MAX_LOADS];
	bool sweep;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(periodic_parse_loads(bad[i], loads, &sweep), 0);
}

static void test_frequencies(void **state)
{
	static const char *const bad[] = {"",	    "0.5",   "73,",	   ",73",
					  "73 113", "10001", "1,2,3,4,5,6"};
	double hz[PERIODIC_MAX_FREQUENCIES];

	(void)state;
	assert_int_equal(periodic_parse_frequencies("73,113,211,347,401", hz), 5);
	assert_true(hz[0] == 73 && hz[4] == 401);
	assert_int_equal(periodic_parse_frequencies("59.94", hz), 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(periodic_parse_frequencies(bad[i], hz), 0);
}

static void test_both_ways(void **state)
{
	static const size_t expected[] = {0, 1, 2, 2, 1, 0};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		bool down;

		assert_int_equal(periodic_load_at(i, 3, &down), expected[i]);
		assert_int_equal(down, i >= 3);
	}
}

static void test_schedule(void **state)
{
	uint64_t missed = 0;

	(void)state;
	assert_int_equal(periodic_next_due(1000, 1010, 100, false, &missed), 1100);
	assert_int_equal(periodic_next_due(1000, 1010, 100, true, &missed), 1100);
	/* Done in the very moment in which the next is due: in time. */
	assert_int_equal(periodic_next_due(1000, 1100, 100, true, &missed), 1100);
	assert_int_equal(missed, 0);
	/* Due at 1100, 1200 and 1300 before 1301. */
	assert_int_equal(periodic_next_due(1000, 1301, 100, false, &missed), 1100);
	assert_int_equal(missed, 0);
	assert_int_equal(periodic_next_due(1000, 1301, 100, true, &missed), 1400);
	assert_int_equal(missed, 3);
	assert_int_equal(periodic_count_due(1000, 1000, 100), 0);
	assert_int_equal(periodic_count_due(1100, 1000, 100), 0);
	assert_int_equal(periodic_count_due(1000, 1001, 100), 1);
	assert_int_equal(periodic_count_due(1000, 1100, 100), 1);
	assert_int_equal(periodic_count_due(1000, 1101, 100), 2);
}

/* ---- options ---- */

static void refused(const char *const *options, uint64_t duration_ns, const char *line)
{
	struct job job;

	job_new(&job, "periodic", options);
	job.run.duration_ns = duration_ns;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, line);
	workload_config_free(&job.config);
}

static void test_checks(void **state)
{
	(void)state;
	refused(OPTIONS("load", "101"), 0,
		"--load 101: needs % from 0 to 100, one (38.6) or FROM:TO:STEP "
		"(0:100:10) "
		"of at most 101 steps");
	refused(OPTIONS("frequency", "0"), 0,
		"--frequency 0: needs 1 to 5 numbers such as 73,113, each from 1 to "
		"10000 Hz");
	refused(OPTIONS("frequency", "73,113", "load", "0:100:1"), 0,
		"--load 0:100:1: with 2 frequencies needs at most 50 steps, not 101");
	refused(OPTIONS("phase", "together"), 0,
		"--phase together: needs --threads 2 or more");
	refused(OPTIONS("dwell", "1s"), 10 * NSEC_PER_SEC,
		"--dwell 1s: 22 steps need --duration 22s or longer");
	refused(OPTIONS("load", "0:100:1"), 100 * NSEC_PER_MSEC,
		"--load 0:100:1: 202 steps need --duration 202ms or longer");
}

/* ---- runs ---- */

static void assert_lines_fit(const struct workload_result *result)
{
	for (const char *line = result->text; *line; line = strchr(line, '\n') + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
}

static void test_sweep(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "periodic",
		OPTIONS("load", "0:40:20", "frequency", "100,200", "threads", "2"));
	job.run.duration_ns = 600 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	/* 2 threads, 150 ms at 100 Hz and 150 ms at 200 Hz on each way. */
	assert_true(job_metric(result, "up_packets") + job_metric(result, "up_missed") ==
		    90);
	assert_true(job_metric(result, "down_packets") +
			    job_metric(result, "down_missed") ==
		    90);
	assert_true(job_metric(result, "late_up_p50") > 0);
	assert_true(job_metric(result, "f100_down_late_p99") > 0);
	assert_string_equal(result->latencies[2].name, "late_down");
	assert_true(result->latencies[2].hist.count ==
		    job_metric(result, "down_packets"));
	assert_int_equal(result->nr_latencies, 4);
	assert_string_equal(result->legacy, "");
	assert_non_null(strstr(result->text, "\n  200    40 "));
	assert_non_null(strstr(result->text, "12 of 12 steps of 50.0 ms"));
	assert_lines_fit(result);
	job_end(&job, 0);
}

/* No CPU does 200 % of itself: what is too much must show, in either way of going on. */
static void overload(const char *how, const struct workload_result **result,
		     struct job *job)
{
	job_new(job, "periodic",
		OPTIONS("load", "100", "frequency", "100", "threads", "4", "place",
			"0,0,0,0", "overrun", how, "phase", "together"));
	job->run.duration_ns = 500 * NSEC_PER_MSEC;
	job_begin(job);
	*result = job_finish(job);
	assert_true(job_metric(*result, "packets") + job_metric(*result, "missed") ==
		    200);
	assert_true(job_metric(*result, "overruns") > 0);
	assert_true(job_metric(*result, "missed") > 0);
}

static void test_overload(void **state)
{
	const struct workload_result *result;
	struct cpu_mask mask;
	struct job job;

	(void)state;
	if (cpu_mask_get_affinity(&mask) || !cpu_mask_test(&mask, 0))
		skip();
	overload("catch-up", &result, &job);
	job_end(&job, 0);
	overload("skip", &result, &job);
	assert_non_null(strstr(result->text, "place list: CPU 0,0,0,0"));
	job_end(&job, 0);
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "periodic",
		OPTIONS("frequency", "1", "load", "0:10:10", "dwell", "60s"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 100 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_true(result->stopped);
	assert_true(job_metric(result, "up_packets") <= 2);
	assert_non_null(strstr(result->text, "   10     -      -       -       -"));
	job_end(&job, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),	    cmocka_unit_test(test_bad_loads),
		cmocka_unit_test(test_frequencies), cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_schedule),    cmocka_unit_test(test_checks),
		cmocka_unit_test(test_sweep),	    cmocka_unit_test(test_overload),
		cmocka_unit_test(test_stop_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
