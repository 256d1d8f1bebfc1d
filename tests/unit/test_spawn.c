// SPDX-License-Identifier: GPL-2.0
/* The rules of spawn, and short runs of the real thing. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "workers.h"
#include "workload_job.h"
#include "workloads/spawn.h"

static const char *const methods[] = {"fork-exec", "vfork-exec", "fork", "vfork"};

static void test_rules(void **state)
{
	char line[64];

	(void)state;
	assert_true(spawn_rate(0, 0) == 0);
	assert_true(spawn_rate(1650, NSEC_PER_SEC) == 1650);
	assert_true(spawn_rate(3, 2 * NSEC_PER_SEC) == 1.5);
	assert_true(spawn_ratio(3934, 0) == 0);
	assert_true(spawn_ratio(3300, 1650) == 2);
	assert_string_equal(spawn_line(3933.7, line, sizeof(line)), "3934 PIDs/s");
}

static void test_checks(void **state)
{
	(void)state;
	job_refused("spawn", OPTIONS("work", "2s", "loops", "1"),
		    "--work 2s: needs at most 1s, or 1G units");
	job_refused("spawn", OPTIONS("work", "2G", "loops", "1"),
		    "--work 2G: needs at most 1s, or 1G units");
	job_refused("spawn", OPTIONS("method", "fork", "program", "/bin/true"),
		    "--program /bin/true: needs --method fork-exec or vfork-exec");
	job_refused("spawn", OPTIONS("program", "/bin"),
		    "--program /bin: needs the path of an executable file");
	job_refused("spawn", OPTIONS("program", "true"),
		    "--program true: needs the path of an executable file");
	job_refused("spawn", OPTIONS("reference-time", "1s"),
		    "--reference-time: needs --reference CPU");
	job_refused("spawn", OPTIONS("method", "vfork"),
		    "--loops 0: needs --duration, or 1 or more");
}

static void test_loops(void **state)
{
	const struct workload_result *result;
	char line[64];
	struct job job;

	(void)state;
	for (int i = 0; i < 8; i++) {
		job_new(&job, "spawn",
			OPTIONS("loops", "20", "method", methods[i % 4], "work",
				i < 4 ? "0" : "1000"));
		job_begin(&job);
		result = job_finish(&job);
		assert_true(job_metric(result, "pids") == 20);
		assert_int_equal(job_latency(result, "start")->count, 20);
		assert_int_equal(job_latency(result, "task")->count, 20);
		assert_true(job_latency(result, "start")->min <=
			    job_latency(result, "task")->max);
		spawn_line(job_metric(result, "pids_per_s"), line, sizeof(line));
		strcat(line, "\n");
		assert_string_equal(result->legacy, line);
		assert_non_null(strstr(result->text, methods[i % 4]));
		assert_null(strstr(result->text, "did not exit"));
		assert_int_equal(!strstr(result->text, "1,000 units"), i < 4);
		job_end(&job, 0);
	}
}

static void test_reference(void **state)
{
	const struct workload_result *result;
	struct cpu_mask before, after;
	char cpu[16];
	struct job job;
	double ratio;

	(void)state;
	cpu_mask_get_affinity(&before);
	snprintf(cpu, sizeof(cpu), "%u", cpu_mask_next(&before, 0));
	job_new(&job, "spawn",
		OPTIONS("loops", "20", "method", "fork", "reference", cpu,
			"reference-time", "2s"));
	job_begin(&job);
	result = job_finish(&job);
	ratio = job_metric(result, "reference_pids_per_s") /
		job_metric(result, "pids_per_s");
	assert_true(job_metric(result, "ratio") == ratio);
	assert_int_equal(job_latency(result, "task")->count, 20);
	cpu_mask_get_affinity(&after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_memory_equal(&before, &result->cpus, sizeof(before));
	job_end(&job, 0);
}

static void test_reference_elsewhere(void **state)
{
	struct job job;

	(void)state;
	job_new(&job, "spawn", OPTIONS("loops", "1", "reference", "8191"));
	assert_int_equal(runner_start(&job.runner, &job.config, &job.run, NULL), -1);
	assert_string_equal(job.runner.error,
			    "--reference 8191: cannot run there: Invalid argument");
	job_end(&job, 1);
}

static void test_warmup_is_not_counted(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "spawn", OPTIONS("method", "fork"));
	job.run.warmup_ns = 50 * NSEC_PER_MSEC;
	job.run.duration_ns = 200 * NSEC_PER_MSEC;
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "elapsed") <= 200e6);
	assert_true(job_metric(result, "pids") == job_latency(result, "task")->count);
	job_end(&job, 0);
}

static void test_program_fails(void **state)
{
	const struct workload_result *result;
	struct job job;

	(void)state;
	job_new(&job, "spawn", OPTIONS("loops", "5", "program", "/bin/false"));
	job_begin(&job);
	result = job_finish(&job);
	assert_true(job_metric(result, "failed") == 5);
	assert_non_null(strstr(result->text, "5 of 5 tasks did not exit with 0\n"));
	job_end(&job, 0);
}

static void test_no_such_format(void **state)
{
	char path[] = P_tmpdir "/test_spawn.XXXXXX", line[128];
	int fd = mkstemp(path);
	struct job job;

	(void)state;
	assert_true(fd >= 0 && write(fd, "\0\0", 2) == 2 && !fchmod(fd, 0700));
	close(fd);
	for (int i = 0; i < 2; i++) {
		job_new(&job, "spawn",
			OPTIONS("loops", "5", "program", path, "method", methods[i]));
		job_begin(&job);
		assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
		snprintf(line, sizeof(line),
			 "spawn: cannot execute %s: Exec format error", path);
		assert_string_equal(job.runner.error, line);
		job_end(&job, 1);
	}
	unlink(path);
}

/* One that never ends, at the end of the duration and when asked to stop. */
static void test_endless_program(void **state)
{
	const struct workload_result *result;
	pid_t pid;
	struct job job;

	(void)state;
	for (int i = 0; i < 4; i++) {
		job_new(&job, "spawn",
			OPTIONS("program", "/usr/bin/yes", "method", methods[i / 2]));
		job.run.duration_ns = (i % 2 ? 3600 : 1) * NSEC_PER_SEC;
		job_begin(&job);
		job_children(job.runner.pid, &pid, 1);
		result = i % 2 ? job_stop_after(&job, 50 * NSEC_PER_MSEC)
			       : job_finish(&job);
		assert_string_equal(result->text, "no task was completed\n");
		job_assert_dies(pid);
		job_end(&job, 0);
	}
}

static void test_killed(void **state)
{
	pid_t pid, next;
	struct job job;

	(void)state;
	for (int i = 0; i < 2; i++) {
		job_new(&job, "spawn",
			OPTIONS("program", "/usr/bin/yes", "method", methods[i], "loops",
				"2"));
		job_begin(&job);
		/* A dead task is followed by the next, a dead parent by nothing. */
		job_children(job.runner.pid, &pid, 1);
		kill(pid, SIGKILL);
		job_assert_dies(pid);
		do {
			job_children(job.runner.pid, &next, 1);
		} while (next == pid);
		kill(job.runner.pid, SIGKILL);
		job_assert_dies(next);
		assert_int_equal(runner_wait(&job.runner, JOB_LONG_ENOUGH), -1);
		job_end(&job, 128 + SIGKILL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_reference_elsewhere),
		cmocka_unit_test(test_warmup_is_not_counted),
		cmocka_unit_test(test_program_fails),
		cmocka_unit_test(test_no_such_format),
		cmocka_unit_test(test_endless_program),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
