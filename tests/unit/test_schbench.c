// SPDX-License-Identifier: GPL-2.0
/* The options of schbench, and short runs of the real thing. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/schbench.h"

/* ---- options ---- */

static void test_checks(void **state)
{
	(void)state;
	job_refused("schbench", OPTIONS("cputime", "3ms"),
		    "--cputime 3ms: needs --style old");
	job_refused("schbench", OPTIONS("style", "old", "operations", "5"),
		    "--operations 5: needs --style new");
	job_refused("schbench", OPTIONS("style", "old", "rps", "20", "sleep", "1ms"),
		    "--sleep 1ms: needs --rps 0: the message threads keep its schedule");
	job_refused("schbench", OPTIONS("pipe", "4k", "rps", "20"),
		    "--rps 20: needs --pipe 0: with it there are no requests");
	job_refused("schbench", OPTIONS("rps", "20", "auto-rps", "12.5"),
		    "--auto-rps 12.5: needs --rps 0");
	job_refused("schbench", OPTIONS("arrival", "even"),
		    "--arrival even: needs --rps or --auto-rps");
	job_refused(
		"schbench", OPTIONS("threads", "100000"),
		"--threads 100000: needs at most 100000 threads in all, message threads "
		"included");
	job_refused("schbench", OPTIONS("message-cpus", "2-1"),
		    "--message-cpus 2-1: needs any, auto or a CPU list such as 0-3,8");
	job_refused(
		"schbench", OPTIONS("worker-cpus", "rest"),
		"--worker-cpus rest: needs --message-cpus that leave CPUs for workers");
}

static void test_cpus_are_those_of_the_run(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "schbench", OPTIONS("worker-cpus", "1"));
	cpu_mask_set(&job.run.cpus, 0);
	assert_int_equal(workload_check(&job.config, &job.run, job.err, sizeof(job.err)),
			 -EINVAL);
	assert_string_equal(job.err, "--worker-cpus 1: needs CPUs among 0");
	workload_config_free(&job.config);
}

static struct schbench_layout layout_of(const char *cpus, const char *const *options)
{
	struct schbench_layout layout;
	struct cpu_mask allowed;
	struct job job;

	job_new(&job, "schbench", options);
	assert_int_equal(cpu_mask_parse(cpus, &allowed), 0);
	assert_int_equal(schbench_layout(job.config.values, &allowed, &layout, job.err,
					 sizeof(job.err)),
			 0);
	workload_config_free(&job.config);
	return layout;
}

static void assert_mask(const struct cpu_mask *mask, const char *cpus)
{
	char text[64];

	assert_string_equal(cpu_mask_format(mask, text, sizeof(text)), cpus);
}

static void test_layout(void **state)
{
	struct schbench_layout layout = layout_of("0-11", OPTIONS("style", "new"));

	(void)state;
	assert_int_equal(layout.messages, 1);
	assert_int_equal(layout.workers, 12);
	assert_mask(&layout.message_cpus, "");
	assert_mask(&layout.worker_cpus, "");
	layout = layout_of("0-11", OPTIONS("style", "old"));
	assert_int_equal(layout.messages, 2);
	assert_int_equal(layout.workers, 16);
	/* Workers for 6 CPUs from 4 message threads; CPU numbers have gaps. */
	layout =
		layout_of("0,2,4,6,8,100", OPTIONS("message-threads", "4", "message-cpus",
						   "auto", "worker-cpus", "rest"));
	assert_int_equal(layout.workers, 2);
	assert_mask(&layout.message_cpus, "0,2,4,6");
	assert_mask(&layout.worker_cpus, "8,100");
	layout = layout_of("0-3", OPTIONS("message-threads", "9", "message-cpus", "auto",
					  "worker-cpus", "1-2"));
	assert_mask(&layout.message_cpus, "0-3");
	assert_mask(&layout.worker_cpus, "1-2");
}

/* ---- runs ---- */

static void begin(struct job *job, const char *const *options, uint64_t duration_ns)
{
	job_new(job, "schbench", options);
	job->run.duration_ns = duration_ns;
	job_begin(job);
}

/* How many samples the table of that title says it has. */
static uint64_t total(const struct workload_result *result, const char *title)
{
	const char *line = strstr(result->legacy, title);
	unsigned long long seconds, samples;

	assert_non_null(line);
	assert_int_equal(sscanf(line + strlen(title),
				" runtime %llu (s) (%llu total samples)", &seconds,
				&samples),
			 2);
	return samples;
}

static void test_new(void **state)
{
	const struct workload_result *result;
	uint64_t requests;
	struct job job;

	(void)state;
	begin(&job, OPTIONS("threads", "3", "cache-footprint", "4k", "operations", "2"),
	      300 * NSEC_PER_MSEC);
	result = job_finish(&job);
	requests = job_latency(result, "request")->count;
	assert_true(requests > 0);
	/* It slept 100 us, so none is below 1 us. */
	assert_int_equal(total(result, "Request Latencies percentiles (usec)"), requests);
	assert_true(job_latency(result, "request")->min >= 100 * NSEC_PER_USEC);
	assert_in_range(job_latency(result, "wakeup")->count, requests, requests + 3);
	assert_int_equal(job_latency(result, "enqueue_to_done")->count, requests);
	assert_true(job_latency(result, "enqueue_to_done")->min >
		    job_latency(result, "request")->min);
	assert_int_equal(total(result, "RPS percentiles (requests)"), 1);
	assert_true(job_metric(result, "rps") > 0);
	assert_true(job_metric(result, "multiply_add_start") > 0);
	assert_true(job_metric(result, "multiply_add_end") > 0);
	assert_non_null(strstr(result->legacy, "\naverage rps: "));
	assert_non_null(strstr(result->legacy, "\nsched delay: message "));
	assert_non_null(strstr(result->text, "1 x (1 + 3) threads; sleep 100us, "
					     "2 products of 13x13\n"));
	assert_int_equal(result->nr_threads, 1 + 1 + 3);
	job_end(&job, 0);
}

/* Only wakeups: no lock, no products, no sleep. */
static void test_storm(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	begin(&job,
	      OPTIONS("message-threads", "2", "threads", "4", "no-locking", "yes",
		      "operations", "0", "sleep", "0", "message-cpus", "auto"),
	      200 * NSEC_PER_MSEC);
	result = job_finish(&job);
	/* What a histogram in us drops is there, and said to be missing. */
	assert_true(job_latency(result, "request")->count >
		    total(result, "Request Latencies percentiles (usec)"));
	assert_non_null(
		strstr(result->text, " requests below 1 us are in no usec table"));
	assert_int_equal(result->nr_threads, 1 + 2 + 8);
	job_end(&job, 0);
}

static void test_products_only(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	begin(&job,
	      OPTIONS("threads", "1", "products-only", "yes", "sleep", "20ms",
		      "cache-footprint", "24", "operations", "1"),
	      200 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_true(job_latency(result, "request")->count > 0);
	/* One multiplication, and not the sleep before it. */
	assert_true(job_latency(result, "request")->min < 20 * NSEC_PER_MSEC);
	assert_true(job_latency(result, "enqueue_to_done")->min >= 20 * NSEC_PER_MSEC);
	job_end(&job, 0);
}

static void test_pipe(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	begin(&job, OPTIONS("threads", "2", "pipe", "4k"), 200 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_true(job_latency(result, "wakeup")->count > 0);
	assert_int_equal(result->nr_latencies, 1);
	assert_true(job_metric(result, "transfers") > 0);
	assert_non_null(strstr(result->legacy, "\navg worker transfer: "));
	assert_null(strstr(result->legacy, "min="));
	job_end(&job, 0);
}

/* Every request that is due is done, dropped, never sent or not done: none is lost. */
static void assert_accounted(const struct workload_result *result, double due)
{
	double done = (double)job_latency(result, "enqueue_to_done")->count;

	assert_true(job_metric(result, "requests_due") == due);
	assert_true(done + job_metric(result, "requests_dropped") +
			    job_metric(result, "requests_never_sent") +
			    job_metric(result, "requests_not_done") ==
		    due);
}

static void test_rps(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	/* 31 in the first second, of which these are the beginning. */
	begin(&job,
	      OPTIONS("message-threads", "2", "threads", "2", "rps", "31",
		      "cache-footprint", "24", "sleep", "0"),
	      500 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_accounted(result, 31);
	assert_true(job_metric(result, "requests_dropped") == 0);
	job_end(&job, 0);
	/* One at a time: 10, 30, 50 ... 490 ms are within half a second. */
	begin(&job,
	      OPTIONS("threads", "2", "rps", "50", "arrival", "even", "cache-footprint",
		      "24", "sleep", "0"),
	      500 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_accounted(result, 25);
	assert_true(job_latency(result, "wakeup")->count > 0);
	job_end(&job, 0);
}

/* More than can be done: what the original loses without a word. */
static void test_overload(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	begin(&job, OPTIONS("threads", "2", "rps", "1000000", "sleep", "10ms"),
	      300 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_accounted(result, 1000000);
	assert_true(job_metric(result, "requests_dropped") > 0);
	assert_true(job_metric(result, "requests_never_sent") > 0);
	/* A request does not see how long it was queued, its due time does. */
	assert_true(job_latency(result, "enqueue_to_done")->max >
		    job_latency(result, "request")->max);
	job_end(&job, 0);
}

static void test_auto_rps(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	begin(&job, OPTIONS("threads", "1", "auto-rps", "1", "operations", "0"),
	      1200 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_non_null(strstr(result->legacy, "\nfinal rps goal was "));
	assert_true(job_metric(result, "requests_due") >= 11);
	job_end(&job, 0);
}

static void test_old(void **state)
{
	const struct workload_result *result;
	uint64_t wakeups;
	struct job job;

	(void)state;
	begin(&job,
	      OPTIONS("style", "old", "threads", "2", "cputime", "2ms", "message-cputime",
		      "1ms", "sleep", "1ms"),
	      400 * NSEC_PER_MSEC);
	result = job_finish(&job);
	wakeups = job_latency(result, "wakeup")->count;
	assert_true(wakeups > 0);
	assert_true(total(result, "Latency percentiles (usec)") <= wakeups);
	assert_int_equal(strncmp(result->legacy, "Latency percentiles (usec)", 26), 0);
	assert_true(job_metric(result, "spin_preempted") < 100);
	assert_int_equal(result->nr_threads, 1 + 2 + 4);
	job_end(&job, 0);
}

static void test_old_rps(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	/* One worker: the original divides by zero. */
	begin(&job,
	      OPTIONS("style", "old", "message-threads", "1", "threads", "1", "rps", "20",
		      "cputime", "100us"),
	      500 * NSEC_PER_MSEC);
	result = job_finish(&job);
	assert_accounted(result, 10);
	assert_int_equal(strncmp(result->legacy, "rps: ", 5), 0);
	assert_non_null(strstr(result->legacy, " p95/cputime "));
	assert_non_null(strstr(result->legacy, "\nfinal rps was 20\n"));
	job_end(&job, 0);
}

static void test_warmup_is_not_measured(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "schbench",
		OPTIONS("threads", "2", "rps", "50", "arrival", "even", "cache-footprint",
			"24", "sleep", "0"));
	job.run.duration_ns = 200 * NSEC_PER_MSEC;
	job.run.warmup_ns = 300 * NSEC_PER_MSEC;
	assert_int_equal(runner_start(&job.runner, &job.config, &job.run, NULL), 0);
	assert_int_equal(runner_go(&job.runner), 0);
	result = job_finish(&job);
	assert_true(job_metric(result, "requests_due") == 10);
	job_end(&job, 0);
}

static void stop_early(const char *const *options)
{
	const struct workload_result *result;
	struct job job;

	begin(&job, options, 0);
	assert_int_equal(runner_wait(&job.runner, 100 * NSEC_PER_MSEC), 0);
	runner_stop(&job.runner);
	result = job_finish(&job);
	assert_true(result->stopped);
	job_end(&job, 0);
}

/* In every place where a thread may be: asleep, spinning, in a long request, waiting. */
static void test_stop_early(void **state)
{
	(void)state;
	stop_early(OPTIONS("threads", "4"));
	stop_early(OPTIONS("threads", "4", "operations", "1000000000"));
	stop_early(OPTIONS("threads", "4", "sleep", "900s"));
	stop_early(OPTIONS("threads", "4", "rps", "1"));
	stop_early(OPTIONS("threads", "1", "rps", "100000000"));
	stop_early(OPTIONS("style", "old", "cputime", "900s"));
	stop_early(OPTIONS("style", "old", "message-cputime", "900s", "cputime", "0"));
	stop_early(OPTIONS("style", "old", "sleep", "900s", "cputime", "0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_cpus_are_those_of_the_run),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_new),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_products_only),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_rps),
		cmocka_unit_test(test_overload),
		cmocka_unit_test(test_auto_rps),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_old_rps),
		cmocka_unit_test(test_warmup_is_not_measured),
		cmocka_unit_test(test_stop_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
