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

#include "runner.h"
#include "workers.h"
#include "workloads/pingpong.h"

#define LONG_ENOUGH (20 * NSEC_PER_SEC)

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

struct job {
	struct workload_config config;
	struct workload_run run;
	struct runner runner;
	char err[WORKLOAD_ERROR_MAX];
};

static void new_job(struct job *job, const char *const *options)
{
	memset(job, 0, sizeof(*job));
	assert_int_equal(workload_config_init(&job->config, workload_find("pingpong")),
			 0);
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
	refused(OPTIONS("place", "any", "loops", "0"),
		"--loops 0: needs --duration, or 1 or more");
	refused(OPTIONS("place", "any", "work", "much"),
		"--work much: needs a time such as 50us, or units such as 10000");
	refused(OPTIONS("place", "here"),
		"--place here: needs cores, smt, llc, any or a CPU list such as 0-3,8");
	refused(OPTIONS("place", "any", "tasks", "1000", "rings", "21"),
		"--rings 21: needs at most 20 with --tasks 1000");
}

static void test_files(void **state)
{
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("tasks", "6", "rings", "10"));
	assert_int_equal(job.config.workload->need_files(&job.config), 120);
	workload_config_free(&job.config);
	new_job(&job, OPTIONS("tasks", "6", "token", "futex"));
	assert_int_equal(job.config.workload->need_files(&job.config), 0);
	workload_config_free(&job.config);
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

static double metric(const struct workload_result *result, const char *name)
{
	for (unsigned int i = 0; i < result->nr_metrics; i++) {
		if (!strcmp(result->metrics[i].name, name))
			return result->metrics[i].value;
	}
	fail_msg("no metric %s", name);
	return 0;
}

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
		new_job(&job, OPTIONS("token", *token, "tasks", "3", "rings", "2",
				      "loops", "100", "place", "any"));
		begin(&job);
		result = finish(&job);
		assert_true(metric(result, "loops") == 200);
		assert_string_equal(result->latencies[0].name, "hop");
		assert_int_equal(result->latencies[0].hist.count, 2 * 3 * 100);
		pingpong_line(1000 * metric(result, "usecs_per_loop"), line,
			      sizeof(line));
		assert_int_equal(strncmp(result->legacy, line, strlen(line)), 0);
		assert_true(metric(result, "ring_slowest") >=
			    metric(result, "ring_fastest"));
		assert_true(all_complete(result, 2 * 3 + 1));
		end(&job, 0);
	}
}

/* A stop takes as long as its work, at least. */
static void test_work(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("work", "20k", "loops", "50", "place", "any"));
	begin(&job);
	result = finish(&job);
	assert_true(metric(result, "work_units") == 20000);
	assert_true(metric(result, "work_unit_start") > 0);
	assert_true(metric(result, "work_unit_end") > 0);
	assert_true(metric(result, "stop_time") > 20000 * 0.1);
	end(&job, 0);
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
	new_job(&job, OPTIONS("loops", "50", "place", cpu));
	begin(&job);
	result = finish(&job);
	assert_int_equal(cpu_mask_count(&result->cpus), 1);
	assert_true(cpu_mask_test(&result->cpus, cpu_mask_next(&here, 0)));
	assert_true(metric(result, "loops") == 50);
	end(&job, 0);
}

static void test_duration_and_warmup(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("place", "any", "token", "futex"));
	job.run.duration_ns = 100 * NSEC_PER_MSEC;
	job.run.warmup_ns = 20 * NSEC_PER_MSEC;
	begin(&job);
	result = finish(&job);
	assert_true(metric(result, "loops") > 0);
	/* Loops that are measured fit into the window, and are not those before it. */
	assert_true(metric(result, "loops") * metric(result, "usecs_per_loop") <= 100000);
	assert_true(all_complete(result, 3));
	end(&job, 0);
}

/* With a packet of work that would take hours. */
static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	new_job(&job, OPTIONS("place", "any", "work", "1000G"));
	begin(&job);
	assert_int_equal(runner_wait(&job.runner, 20 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = finish(&job);
	assert_true(result->stopped);
	assert_non_null(strstr(result->text, "no loop was completed\n"));
	assert_string_equal(result->legacy, "");
	end(&job, 0);
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
	new_job(&job, OPTIONS("place", "any", "token", "fifo", "tasks", "8", "loops",
			      "1000000000"));
	begin(&job);
	assert_int_equal(names_in(dir), 0);
	kill(job.runner.pid, SIGKILL);
	assert_int_equal(runner_wait(&job.runner, LONG_ENOUGH), -1);
	end(&job, 128 + SIGKILL);
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
