// SPDX-License-Identifier: GPL-2.0
/* The rules of the result, and short runs of the real thing. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/pingpong.h"

/* ---- rules ---- */

static void test_line(void **state)
{
	char line[64];

	(void)state;
	assert_string_equal(pingpong_line(1418066, line, sizeof(line)),
			    "1418.0660 usecs/loop. (less is better)");
	assert_string_equal(pingpong_line(2938.04, line, sizeof(line)),
			    "2.9380 usecs/loop. (less is better)");
}

static void test_series(void **state)
{
	struct pingpong_series *s = calloc(1, sizeof(*s));
	struct mode_sample *samples = calloc(PINGPONG_SLICES, sizeof(*samples));

	(void)state;
	assert_non_null(s);
	assert_non_null(samples);
	s->min_ns = 100;
	assert_int_equal(pingpong_series_add(s, 60), 0);
	assert_int_equal(pingpong_series_samples(s, samples), 0);
	assert_int_equal(pingpong_series_add(s, 60), 1);
	assert_int_equal(pingpong_series_samples(s, samples), 1);
	assert_true(samples[0].value == 60 && samples[0].weight == 120);
	/* One long loop is a slice. */
	assert_int_equal(pingpong_series_add(s, 1000), 1);
	assert_int_equal(pingpong_series_samples(s, samples), 2);
	assert_true(samples[1].value == 1000 && samples[1].weight == 1000);
	free(samples);
	free(s);
}

/* However long it runs, there is room, and no loop but those of the open slice is lost.
 */
static void test_series_is_full(void **state)
{
	struct pingpong_series *s = calloc(1, sizeof(*s));
	struct mode_sample *samples = calloc(PINGPONG_SLICES, sizeof(*samples));
	double weight;
	size_t nr;

	(void)state;
	assert_non_null(s);
	assert_non_null(samples);
	s->min_ns = 10;
	for (int i = 0; i < 100000; i++)
		pingpong_series_add(s, 10);
	nr = pingpong_series_samples(s, samples);
	assert_in_range(nr, PINGPONG_SLICES / 2, PINGPONG_SLICES);
	weight = (double)s->open.ns;
	for (size_t i = 0; i < nr; i++) {
		assert_true(samples[i].value == 10);
		weight += samples[i].weight;
	}
	assert_true(weight == 1000000);
	free(samples);
	free(s);
}

/* ---- options ---- */

static void test_checks(void **state)
{
	(void)state;
	job_refused("pingpong", OPTIONS("place", "any", "loops", "0"),
		    "--loops 0: needs --duration, or 1 or more");
	job_refused("pingpong", OPTIONS("place", "any", "work", "much"),
		    "--work much: needs a time such as 50us, or units such as 10000");
	job_refused(
		"pingpong", OPTIONS("place", "here"),
		"--place here: needs cores, smt, llc, any or a CPU list such as 0-3,8");
	job_refused("pingpong", OPTIONS("place", "any", "tasks", "1000", "rings", "21"),
		    "--rings 21: needs at most 20 with --tasks 1000");
}

static void test_files(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "pingpong", OPTIONS("tasks", "6", "rings", "10"));
	assert_int_equal(job.config.workload->need_files(&job.config), 120);
	workload_config_free(&job.config);
	job_new(&job, "pingpong", OPTIONS("tasks", "6", "token", "futex"));
	assert_int_equal(job.config.workload->need_files(&job.config), 0);
	workload_config_free(&job.config);
}

/* ---- runs ---- */

static bool all_complete(const struct workload_result *result, unsigned int nr)
{
	if (result->nr_threads != nr)
		return false;
	for (unsigned int i = 0; i < nr; i++) {
		if (!result->threads[i].complete)
			return false;
	}
	return true;
}

static void test_loops_by_token(void **state)
{
	const struct workload_result *result;
	char line[64];
	struct job job;

	(void)state;
	for (const char *const *token = pingpong_tokens; *token; token++) {
		job_new(&job, "pingpong",
			OPTIONS("token", *token, "tasks", "3", "rings", "2", "loops",
				"100", "place", "any"));
		job_begin(&job);
		result = job_finish(&job);
		assert_true(job_metric(result, "loops") == 200);
		assert_string_equal(result->latencies[0].name, "hop");
		assert_int_equal(result->latencies[0].hist.count, 2 * 3 * 100);
		pingpong_line(1000 * job_metric(result, "usecs_per_loop"), line,
			      sizeof(line));
		assert_int_equal(strncmp(result->legacy, line, strlen(line)), 0);
		assert_true(job_metric(result, "ring_slowest") >=
			    job_metric(result, "ring_fastest"));
		assert_true(all_complete(result, 2 * 3 + 1));
		job_end(&job, 0);
	}
}

/* A stop takes as long as its work, at least. */
static void test_work(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "pingpong", OPTIONS("work", "20k", "loops", "50", "place", "any"));
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "work_units") == 20000);
	assert_true(job_metric(result, "work_unit_start") > 0);
	assert_true(job_metric(result, "work_unit_end") > 0);
	assert_true(job_metric(result, "stop_time") > 20000 * 0.1);
	job_end(&job, 0);
}

static void test_placed(void **state)
{
	const struct workload_result *result;
	struct cpu_mask here;
	struct job job;
	char cpu[16];

	(void)state;
	cpu_mask_get_affinity(&here);
	snprintf(cpu, sizeof(cpu), "%u", cpu_mask_next(&here, 0));
	job_new(&job, "pingpong", OPTIONS("loops", "50", "place", cpu));
	job_begin(&job);
	result = job_finish(&job);
	assert_int_equal(cpu_mask_count(&result->cpus), 1);
	assert_true(cpu_mask_test(&result->cpus, cpu_mask_next(&here, 0)));
	assert_true(job_metric(result, "loops") == 50);
	job_end(&job, 0);
}

static void test_duration_and_warmup(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "pingpong", OPTIONS("place", "any", "token", "futex"));
	job.run.duration_ns = 100 * NSEC_PER_MSEC;
	job.run.warmup_ns = 20 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "loops") > 0);
	/* Loops that are measured fit into the window, and are not those before it. */
	assert_true(job_metric(result, "loops") * job_metric(result, "usecs_per_loop") <=
		    100000);
	assert_true(all_complete(result, 3));
	job_end(&job, 0);
}

/* With a packet of work that would take hours. */
static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "pingpong", OPTIONS("place", "any", "work", "1000G"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_true(result->stopped);
	assert_non_null(strstr(result->text, "no loop was completed\n"));
	assert_string_equal(result->legacy, "");
	job_end(&job, 0);
}

static unsigned int names_in(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned int nr = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		nr += e->d_name[0] != '.';
	closedir(d);
	return nr;
}

/* No name is there while it runs, so that none can be left behind by a kill. */
static void test_killed_leaves_nothing(void **state)
{
	char dir[] = "/tmp/idletrace-test-XXXXXX";
	struct job job;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("TMPDIR", dir, 1);
	job_new(&job, "pingpong",
		OPTIONS("place", "any", "token", "fifo", "tasks", "8", "loops",
			"1000000000"));
	job_begin(&job);
	assert_int_equal(names_in(dir), 0);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
	job_end(&job, 128 + SIGKILL);
	assert_int_equal(names_in(dir), 0);
	assert_int_equal(rmdir(dir), 0);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_series_is_full),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_loops_by_token),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_placed),
		cmocka_unit_test(test_duration_and_warmup),
		cmocka_unit_test(test_stop_early),
		cmocka_unit_test(test_killed_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
