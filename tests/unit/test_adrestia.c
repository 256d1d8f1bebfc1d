// SPDX-License-Identifier: GPL-2.0
/* The rules of the metric, and short runs of the real thing. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/adrestia.h"

/* ---- rules ---- */

static void test_round_is_floor_of_mean(void **state)
{
	(void)state;
	assert_int_equal(adrestia_round_value(0, 1), 0);
	assert_int_equal(adrestia_round_value(3331, 1), 3331);
	assert_int_equal(adrestia_round_value(9999, 4), 2499);
	assert_int_equal(adrestia_round_value(499, 500), 0);
	assert_int_equal(adrestia_round_value(500, 500), 1);
}

/* Values 0..nr-1 in some other order: the value found is its own index. */
static uint64_t index_of_cost(size_t nr)
{
	uint64_t *rounds = malloc(nr * sizeof(*rounds)), cost;

	assert_non_null(rounds);
	for (size_t i = 0; i < nr; i++)
		rounds[i] = i % 2 ? i : nr - 1 - (nr - 1) % 2 - i;
	cost = adrestia_cost(rounds, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(rounds[i], i);
	free(rounds);
	return cost;
}

static void test_cost_is_at_nine_tenths(void **state)
{
	(void)state;
	assert_int_equal(index_of_cost(1), 0);
	assert_int_equal(index_of_cost(2), 1);
	assert_int_equal(index_of_cost(9), 8);
	assert_int_equal(index_of_cost(10), 9);
	assert_int_equal(index_of_cost(11), 9);
	assert_int_equal(index_of_cost(19), 17);
	assert_int_equal(index_of_cost(20), 18);
	assert_int_equal(index_of_cost(10000), 9000);
}

static void test_lines(void **state)
{
	char line[96];

	(void)state;
	assert_string_equal(adrestia_line("periodic", 20000, 3331, 0, line, sizeof(line)),
			    "wakeup cost (periodic, 20us): 3331nSec");
	assert_string_equal(adrestia_line("periodic", 20000, 3999, 1, line, sizeof(line)),
			    "wakeup cost (periodic, 20us): 3us");
	assert_string_equal(adrestia_line("periodic", 1500, 3331, 0, line, sizeof(line)),
			    "wakeup cost (periodic, 1500ns): 3331nSec");
	assert_string_equal(adrestia_line("single", 20000, 6001, 0, line, sizeof(line)),
			    "wakeup cost (single): 6001nSec");
	assert_string_equal(adrestia_line("single", 20000, 6001, 1, line, sizeof(line)),
			    "wakeup cost (single): 6us");
}

static void test_random(void **state)
{
	uint64_t seed = 0, again = 0, other = 1;
	double sum = 0, first = adrestia_random(&again);

	(void)state;
	assert_true(first != adrestia_random(&other));
	assert_true(first == adrestia_random(&seed));
	for (int i = 0; i < 100000; i++) {
		double u = adrestia_random(&seed);

		assert_true(u > 0 && u <= 1);
		sum += -log(u);
	}
	/* An exponential distribution of mean 1: this is more than six standard errors.
	 */
	assert_true(fabs(sum / 100000 - 1) < 0.02);
}

/* ---- options ---- */

static void test_checks(void **state)
{
	struct job job;

	(void)state;
	job_refused("adrestia", OPTIONS("test", "single", "arrival", "poisson"),
		    "--arrival poisson: needs --test periodic; single has no arrivals");
	job_refused("adrestia", OPTIONS("test", "single", "arrival-time", "20us"),
		    "--arrival-time 20us: needs --test periodic; single never sleeps");
	job_refused("adrestia", OPTIONS("seed", "5"),
		    "--seed 5: needs --arrival poisson");
	job_refused("adrestia", OPTIONS("loops", "0"),
		    "--loops 0: needs --duration, or 1 or more");
	job_new(&job, "adrestia",
		OPTIONS("loops", "0", "arrival", "poisson", "seed", "7"));
	job.run.duration_ns = NSEC_PER_SEC;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 0);
	workload_config_free(&job.config);
}

static void test_files(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "adrestia", OPTIONS("threads", "500"));
	assert_int_equal(job.config.workload->need_files(&job.config), 2000);
	workload_config_free(&job.config);
	job_new(&job, "adrestia", OPTIONS("threads", "500", "test", "single"));
	assert_int_equal(job.config.workload->need_files(&job.config), 4);
	workload_config_free(&job.config);
}

/* ---- runs ---- */

static const struct hist *latency(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_latencies; i++) {
		if (!strcmp(result->latencies[i].name, name))
			return &result->latencies[i].hist;
	}
	fail_msg("no latency %s", name);
	return NULL;
}

static void test_periodic(void **state)
{
	const struct workload_result *result;
	char ns[64], us[64];
	struct job job;
	double cost;

	(void)state;
	job_new(&job, "adrestia",
		OPTIONS("threads", "4", "loops", "50", "arrival-time", "20us",
			"timer-slack", "1us"));
	job_begin(&job);
	result = job_finish(&job);
	assert_non_null(result);
	assert_true(job_metric(result, "rounds") == 50);
	assert_true(job_metric(result, "timer_slack") == 1000);
	assert_int_equal(latency(result, "wakeup")->count, 4 * 50);
	assert_int_equal(latency(result, "round")->count, 50);
	assert_int_equal(latency(result, "period")->count, 49);
	assert_true(latency(result, "period")->min >= 20000);
	cost = job_metric(result, "wakeup_cost");
	assert_true(cost > 0 && cost <= (double)latency(result, "round")->max);
	snprintf(ns, sizeof(ns), "wakeup cost (periodic, 20us): %.0fnSec\n", cost);
	snprintf(us, sizeof(us), "wakeup cost (periodic, 20us): %.0fus\n",
		 floor(cost / 1000));
	assert_non_null(strstr(result->legacy, ns));
	assert_string_equal(result->legacy + strlen(ns), us);
	assert_int_equal(result->nr_threads, 5);
	for (int i = 0; i < 5; i++)
		assert_true(result->threads[i].complete);
	job_end(&job, 0);
}

static void test_single(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "adrestia",
		OPTIONS("test", "single", "threads", "3", "loops", "50"));
	job_begin(&job);
	result = job_finish(&job);
	assert_non_null(result);
	assert_true(job_metric(result, "rounds") == 150);
	assert_int_equal(latency(result, "wakeup")->count, 150);
	assert_int_equal(strncmp(result->legacy, "wakeup cost (single): ", 22), 0);
	assert_int_equal(result->nr_threads, 2);
	job_end(&job, 0);
}

/* A period far below what a round takes: it must show as lateness and missed rounds. */
static void test_absolute_does_not_omit(void **state)
{
	const struct workload_result *result;
	struct job job;
	double due;

	(void)state;
	job_new(&job, "adrestia",
		OPTIONS("threads", "2", "arrival", "absolute", "arrival-time", "100ns"));
	job.run.duration_ns = 50 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_non_null(result);
	due = job_metric(result, "rounds") + job_metric(result, "missed_rounds");
	assert_true(fabs(due - 500000) < 5000);
	assert_true(job_metric(result, "late_rounds") > 0);
	assert_true(latency(result, "since_due")->max > latency(result, "wakeup")->max);
	assert_int_equal(strncmp(result->legacy, "wakeup cost (absolute, 100ns): ", 31),
			 0);
	job_end(&job, 0);
}

static void test_poisson_by_loops(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "adrestia",
		OPTIONS("arrival", "poisson", "loops", "100", "seed", "3"));
	job_begin(&job);
	result = job_finish(&job);
	assert_non_null(result);
	assert_true(job_metric(result, "rounds") == 100);
	assert_true(job_metric(result, "missed_rounds") == 0);
	job_end(&job, 0);
}

static void test_duration_alone_ends_it(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "adrestia", OPTIONS("test", "single", "threads", "1"));
	job.run.duration_ns = 300 * NSEC_PER_MSEC;
	job.run.warmup_ns = 20 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_non_null(result);
	assert_true(result->end_ns - result->start_ns >= 300 * NSEC_PER_MSEC);
	assert_true(result->start_ns - runner_start_ns(&job.runner) ==
		    20 * NSEC_PER_MSEC);
	job_end(&job, 0);
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	/* In the middle of rounds, and in the middle of a long sleep. */
	job_new(&job, "adrestia", OPTIONS("threads", "4", "loops", "1000000000"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 100 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_non_null(result);
	assert_true(result->stopped);
	assert_true(job_metric(result, "rounds") > 0);
	job_end(&job, 0);
	job_new(&job, "adrestia", OPTIONS("arrival-time", "900s"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_non_null(result);
	assert_string_equal(result->text, "no round was completed\n");
	assert_string_equal(result->legacy, "");
	job_end(&job, 0);
}

static void test_killed(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "adrestia", OPTIONS("threads", "4", "loops", "1000000000"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
	assert_string_equal(job.runner.error,
			    "adrestia: its process was killed by signal 9 (Killed)");
	job_end(&job, 128 + SIGKILL);
}

/* 500 threads under a low soft limit, which is raised, and a low hard limit. */
static int run_with_limit(rlim_t soft, rlim_t hard)
{
	struct rlimit limit = {soft, hard};
	struct job job;
	int ret;

	if (setrlimit(RLIMIT_NOFILE, &limit) || (!geteuid() && setuid(65534)))
		return 10;
	job_new(&job, "adrestia", OPTIONS("threads", "500", "loops", "3"));
	ret = runner_start(&job.runner, &job.config, &job.run, NULL) ||
	      runner_go(&job.runner);
	if (ret)
		ret = strcmp(job.runner.error,
			     "adrestia: needs 2064 open files, the hard limit is 1024: "
			     "ulimit -n 2064 as root raises it")
			      ? 11
			      : 12;
	else if (!job_finish(&job))
		ret = 13;
	job_end(&job, ret ? 1 : 0);
	return ret;
}

static void test_file_limit(void **state)
{
	struct rlimit limit;
	int status;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int low = 0; low <= 1; low++) {
		pid_t pid;

		if (!low && limit.rlim_max < 2064)
			continue;
		pid = fork();
		if (!pid)
			_exit(run_with_limit(1024, low ? 1024 : limit.rlim_max));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), low ? 12 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_is_floor_of_mean),
		cmocka_unit_test(test_cost_is_at_nine_tenths),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_periodic),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_absolute_does_not_omit),
		cmocka_unit_test(test_poisson_by_loops),
		cmocka_unit_test(test_duration_alone_ends_it),
		cmocka_unit_test(test_stop_early),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_file_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
