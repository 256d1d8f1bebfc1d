// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runner.h"

#define LONG_ENOUGH (20 * NSEC_PER_SEC)

static void test_needs_a_duration(void **state)
{
	struct workload_config config;
	struct workload_run run = {0};
	char err[WORKLOAD_ERROR_MAX];

	(void)state;
	assert_int_equal(workload_config_init(&config, workload_find("idle")), 0);
	assert_int_equal(workload_check(&config, &run, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "--duration 0: needs a time, idle ends by nothing else");
	workload_config_free(&config);
}

/* Runs idle for a time, or until it is stopped after a few ms. */
static void run_idle(uint64_t duration_ns, bool stop)
{
	struct workload_run run = {.duration_ns = duration_ns};
	const struct workload_result *result;
	struct workload_config config;
	struct runner runner;

	assert_int_equal(workload_config_init(&config, workload_find("idle")), 0);
	assert_int_equal(runner_start(&runner, &config, &run, NULL), 0);
	assert_int_equal(runner_go(&runner), 0);
	if (stop) {
		assert_int_equal(runner_wait(&runner, 10 * NSEC_PER_MSEC), 0);
		runner_stop(&runner);
	}
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	result = runner_result(&runner);
	assert_non_null(result);
	assert_int_equal(result->stopped, stop);
	assert_int_equal(result->nr_threads, 1);
	assert_true(result->threads[0].complete);
	assert_string_equal(result->metrics[0].name, "duration");
	if (!stop)
		assert_true(result->metrics[0].value == 0.05);
	else
		assert_true(result->metrics[0].value < 900);
	runner_destroy(&runner);
	workload_config_free(&config);
}

static void test_runs(void **state)
{
	(void)state;
	run_idle(50 * NSEC_PER_MSEC, false);
	run_idle(900 * NSEC_PER_SEC, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs_a_duration),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
