// SPDX-License-Identifier: GPL-2.0
/* The original's bins and rows, the queue, and short runs of the real thing. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workload_job.h"
#include "workloads/jobs.h"

/* ---- rules ---- */

static void test_loads(void **state)
{
	static const char *const bad[] = {"",	   "0",	   "1:8", "7:1", "3:3",
					  "1:2:3", "1001", "x",	  ":7",	 "1:"};
	uint64_t loads[JOBS_MAX_LOADS];

	(void)state;
	assert_int_equal(jobs_parse_loads("1:7", loads), 7);
	assert_int_equal(loads[0], 1);
	assert_int_equal(loads[6], 7);
	assert_int_equal(jobs_parse_loads("4", loads), 1);
	assert_int_equal(loads[0], 4);
	assert_int_equal(jobs_parse_loads("994:1000", loads), 7);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(jobs_parse_loads(bad[i], loads), 0);
}

static struct jobs_bins bins; /* too large for the stack */

static void fill(uint64_t from_us, uint64_t to_us, uint64_t step_us)
{
	memset(&bins, 0, sizeof(bins));
	for (uint64_t us = from_us; us <= to_us; us += step_us)
		jobs_bins_add(&bins, us * 1000);
}

static void test_bins(void **state)
{
	static struct jobs_bins more;

	(void)state;
	memset(&bins, 0, sizeof(bins));
	assert_int_equal(jobs_bins_us(&bins, 50), 0);
	/* A value of its own in each of 100 bins: the n-th is the n-th percentile. */
	fill(160, 1150, 10);
	assert_int_equal(bins.count, 100);
	assert_int_equal(jobs_bins_us(&bins, 0), 160);
	assert_int_equal(jobs_bins_us(&bins, 50), 160 + 490);
	assert_int_equal(jobs_bins_us(&bins, 95), 160 + 940);
	assert_int_equal(jobs_bins_us(&bins, 100), 1150);
	/* 10 us are the bin's low end, whatever is in it. */
	fill(169, 169, 1);
	assert_int_equal(jobs_bins_us(&bins, 0), 160);
	assert_int_equal(jobs_bins_us(&bins, 100), 160);
	more = bins;
	jobs_bins_merge(&more, &bins);
	assert_int_equal(more.count, 2);
	assert_int_equal(more.bin[16], 2);
}

static void test_clamp(void **state)
{
	char text[16];

	(void)state;
	memset(&bins, 0, sizeof(bins));
	jobs_bins_add(&bins, 199989999);
	assert_int_equal(jobs_bins_us(&bins, 100), 199980);
	assert_string_equal(jobs_us_text(199980, text, sizeof(text)), "199980");
	jobs_bins_add(&bins, 199990000);
	jobs_bins_add(&bins, UINT64_MAX);
	assert_int_equal(bins.bin[JOBS_BINS - 1], 2);
	assert_int_equal(jobs_bins_us(&bins, 100), 199990);
	assert_string_equal(jobs_us_text(199990, text, sizeof(text)), ">=199990");
}

static void test_row(void **state)
{
	char row[160];

	(void)state;
	fill(160, 1150, 10);
	assert_string_equal(
		jobs_row(4, 60 * NSEC_PER_SEC, &bins, row, sizeof(row)),
		"   4      60      100      2   160      650     1050     1100"
		"     1140     1150");
	jobs_bins_add(&bins, NSEC_PER_SEC);
	assert_string_equal(
		jobs_row(7, 400 * NSEC_PER_MSEC, &bins, row, sizeof(row)),
		"   7     0.4      101    252   160      660     1060     1110"
		"     1150 >=199990");
	/* The figure of the post: 1174500 jobs in 60 s are 19575 jps. */
	fill(250, 250, 1);
	bins.bin[25] = 1174500;
	bins.count = 1174500;
	assert_non_null(strstr(jobs_row(1, 60 * NSEC_PER_SEC, &bins, row, sizeof(row)),
			       "   1      60  1174500  19575   250 "));
	assert_in_range(strlen(row), 0, 80);
}

static void test_queue(void **state)
{
	uint64_t space[3];
	struct jobs_queue queue = {.due_ns = space, .depth = 3};

	(void)state;
	for (uint64_t round = 0; round < 5; round++) {
		for (uint64_t i = 0; i < 3; i++)
			jobs_queue_push(&queue, 10 * round + i);
		assert_int_equal(jobs_queue_pop(&queue), 10 * round);
		assert_int_equal(jobs_queue_pop(&queue), 10 * round + 1);
		assert_int_equal(jobs_queue_pop(&queue), 10 * round + 2);
		assert_int_equal(queue.count, 0);
		jobs_queue_push(&queue, 0);
		jobs_queue_pop(&queue);
	}
	queue.lifo = true;
	for (uint64_t i = 0; i < 3; i++)
		jobs_queue_push(&queue, i);
	assert_int_equal(jobs_queue_pop(&queue), 2);
	jobs_queue_push(&queue, 7);
	assert_int_equal(jobs_queue_pop(&queue), 7);
	assert_int_equal(jobs_queue_pop(&queue), 1);
	assert_int_equal(jobs_queue_pop(&queue), 0);
}

/* ---- options ---- */

static void refused(const char *const *options, uint64_t duration_ns, const char *line)
{
	struct job job;

	job_new(&job, "jobs", options);
	job.run.duration_ns = duration_ns;
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, line);
	workload_config_free(&job.config);
}

static void test_checks(void **state)
{
	(void)state;
	refused(OPTIONS("load", "1:8"), 0,
		"--load 1:8: needs a load from 1 to 1000, or up to 7 of them such as "
		"1:7");
	refused(OPTIONS("timer-slack", "1us"), 0,
		"--timer-slack: needs --rate; without it nothing sleeps on a timer");
	refused(OPTIONS("dwell", "60s"), 10 * NSEC_PER_SEC,
		"--dwell 60s: 7 loads need --duration 420s or longer");
	refused(OPTIONS("base", "0", "work", "0"), 0,
		"--work 0: needs more than 0, or --base above 0");
	refused(OPTIONS("work", "200ms"), 0,
		"--work 200ms: with --base, a job of load 7 needs 1s or 1G units at "
		"most");
	refused(OPTIONS("queue-work", "2s"), 0,
		"--queue-work 2s: needs 1s or 1G units at most");
}

/* ---- runs ---- */

static size_t assert_lines_fit(const char *lines)
{
	size_t nr = 0;

	for (; *lines; lines = strchr(lines, '\n') + 1, nr++)
		assert_in_range(strcspn(lines, "\n"), 0, 80);
	return nr;
}

static void test_loads_in_turn(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "jobs",
		OPTIONS("load", "1:3", "workers", "3", "base", "1000", "work", "1000",
			"queue-work", "500", "depth", "4"));
	job.run.duration_ns = 900 * NSEC_PER_MSEC;
	job.run.warmup_ns = 50 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(result->end_ns >= runner_start_ns(&job.runner) + job.run.duration_ns +
					      job.run.warmup_ns);
	assert_true(job_metric(result, "load1_jobs") > 0);
	assert_true(job_metric(result, "load3_jps") > 0);
	assert_true(job_metric(result, "load2_p50") <= job_metric(result, "load2_max"));
	assert_int_equal(result->nr_latencies, 3);
	assert_string_equal(result->latencies[2].name, "load3");
	assert_true(result->latencies[2].hist.count == job_metric(result, "load3_jobs"));
	assert_int_equal(assert_lines_fit(result->legacy), 4);
	assert_lines_fit(result->text);
	assert_non_null(strstr(result->text, "fifo of at most 4 jobs"));
	assert_int_equal(result->nr_threads, 4);
	job_end(&job, 0);
}

/* What is due at fixed times is done, or not done yet, or not even queued. */
static void test_rate(void **state)
{
	const struct workload_result *result;
	struct job job;
	double known;

	(void)state;
	job_new(&job, "jobs",
		OPTIONS("load", "2", "workers", "2", "rate", "1000", "base", "100",
			"work", "100", "queue-work", "0", "discipline", "lifo"));
	job.run.duration_ns = 500 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	known = job_metric(result, "jobs") + job_metric(result, "left") +
		job_metric(result, "late");
	assert_in_range(known, 499, 501);
	assert_string_equal(result->latencies[1].name, "wait");
	assert_non_null(strstr(result->text, "lifo"));
	assert_non_null(strstr(result->text, "1000 jobs/s, timer slack"));
	job_end(&job, 0);
}

/* With a queue of one and a job that takes long, the rest must show as late. */
static void test_too_much(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "jobs",
		OPTIONS("load", "1", "workers", "1", "rate", "10000", "base", "10ms",
			"depth", "1", "clock", "begun"));
	job.run.duration_ns = 300 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "late") > 2000);
	assert_true(job_metric(result, "min") >= 1000000);
	job_end(&job, 0);
}

static void test_stop_early(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "jobs", OPTIONS("workers", "2", "work", "100us"));
	job_begin(&job);
	assert_int_equal(runner_wait(&job.runner, 200 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_true(result->stopped);
	assert_true(job_metric(result, "load1_jobs") > 0);
	assert_non_null(strstr(result->text, "   7  no job was done"));
	job_end(&job, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),	      cmocka_unit_test(test_bins),
		cmocka_unit_test(test_clamp),	      cmocka_unit_test(test_row),
		cmocka_unit_test(test_queue),	      cmocka_unit_test(test_checks),
		cmocka_unit_test(test_loads_in_turn), cmocka_unit_test(test_rate),
		cmocka_unit_test(test_too_much),      cmocka_unit_test(test_stop_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
