// SPDX-License-Identifier: GPL-2.0
/* Child processes and thread pools, with workloads made to go wrong. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runner.h"
#include "workers.h"

#define LONG_ENOUGH (20 * NSEC_PER_SEC)

static int setup_good(struct workload_ctx *ctx)
{
	ctx->priv = calloc(1, sizeof(struct workers));
	return ctx->priv ? 0 : -1;
}

static void teardown_pool(struct workload_ctx *ctx)
{
	workers_free(ctx->priv);
	free(ctx->priv);
}

static int run_nothing(struct workload_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static void report_user(struct workload_ctx *ctx)
{
	char comm[16];

	prctl(PR_GET_NAME, comm);
	result_metric(ctx->result, "uid", getuid(), "", BETTER_NONE);
	result_metric(ctx->result, "gid", getgid(), "", BETTER_NONE);
	result_text(ctx->result, "%s", comm);
}

static int setup_bad(struct workload_ctx *ctx)
{
	(void)setup_good(ctx);
	return workload_error(ctx, "no such luck");
}

static int setup_crash(struct workload_ctx *ctx)
{
	(void)ctx;
	raise(SIGKILL);
	return 0;
}

static int run_bad(struct workload_ctx *ctx)
{
	return workload_error(ctx, "--threads 3: out of luck");
}

static int run_crash(struct workload_ctx *ctx)
{
	(void)ctx;
	raise(SIGKILL);
	return 0;
}

/* Does not care for the end, nor for being asked to stop. */
static int run_deaf(struct workload_ctx *ctx)
{
	(void)ctx;
	while (pause())
		;
	return 0;
}

static int run_until_end(struct workload_ctx *ctx)
{
	workload_wait_end(ctx);
	return 0;
}

/* Twenty threads that would sleep for an hour. */
static void sleep_long(struct worker *worker)
{
	uint64_t *rounds = worker->arg;

	do {
		(*rounds)++;
	} while (workload_sleep_until(worker->ctx, now_ns() + 3600 * NSEC_PER_SEC));
}

#define NR_SLEEPERS 20
static uint64_t sleeper_rounds[NR_SLEEPERS];

static int setup_sleepers(struct workload_ctx *ctx)
{
	if (setup_good(ctx))
		return -1;
	return workers_start(ctx->priv, ctx, NR_SLEEPERS, sleep_long, sleeper_rounds,
			     sizeof(sleeper_rounds[0]));
}

static int run_sleepers(struct workload_ctx *ctx)
{
	unsigned int lost = workers_run(ctx->priv, 10 * NSEC_PER_SEC);

	return lost ? workload_error(ctx, "%u threads lost", lost) : 0;
}

static void report_sleepers(struct workload_ctx *ctx)
{
	uint64_t sum = 0;

	for (int i = 0; i < NR_SLEEPERS; i++)
		sum += sleeper_rounds[i];
	result_metric(ctx->result, "rounds", (double)sum, "", BETTER_NONE);
}

/* A process of its own, which must not outlive the workload. */
static int run_forked(struct workload_ctx *ctx)
{
	struct self_report self;
	pid_t pid = workload_fork();

	if (!pid) {
		self_report_begin(ctx, &self);
		self_report_end(&self);
		for (;;)
			pause();
	}
	atomic_store(&ctx->shared->progress_goal, 10);
	workload_progress(ctx, (uint64_t)pid);
	workload_wait_end(ctx);
	return 0;
}

static struct workload make(int (*setup)(struct workload_ctx *),
			    int (*run)(struct workload_ctx *))
{
	return (struct workload){.name = "fake",
				 .setup = setup,
				 .run = run,
				 .report = report_user,
				 .teardown = teardown_pool};
}

static int start(struct runner *runner, const struct workload *w, uint64_t duration_ns)
{
	/* The child has its own copy, the parent needs only the name. */
	static struct workload_config config;
	struct workload_run run = {.duration_ns = duration_ns};
	int ret;

	workload_config_free(&config);
	assert_int_equal(workload_config_init(&config, w), 0);
	ret = runner_start(runner, &config, &run, NULL);
	workload_config_free(&config);
	return ret;
}

static void assert_gone(pid_t pid)
{
	assert_true(kill(pid, 0) == -1 && errno == ESRCH);
}

static void test_normal(void **state)
{
	struct workload w = make(setup_good, run_nothing);
	const struct workload_result *result;
	struct runner runner;
	pid_t pid;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), 0);
	assert_int_equal(runner_start_ns(&runner), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_int_equal(runner_wait(&runner, 0), 1);
	assert_true(runner_start_ns(&runner) > 0);
	result = runner_result(&runner);
	assert_non_null(result);
	assert_ptr_equal(runner_result(&runner), result);
	assert_string_equal(result->text, "fake\n");
	assert_true(result->start_ns >= runner_start_ns(&runner));
	assert_true(result->end_ns >= result->start_ns);
	assert_false(result->stopped);
	assert_true(cpu_mask_count(&result->cpus) > 0);
	assert_int_equal(result->nr_threads, 1);
	assert_int_equal(result->threads[0].tid, runner.pid);
	assert_true(result->threads[0].complete);
	pid = runner.pid;
	runner_destroy(&runner);
	assert_gone(pid);
	assert_int_equal(runner.exit_status, 0);
}

static void test_not_before_go(void **state)
{
	struct workload w = make(setup_good, run_nothing);
	struct runner runner;
	pid_t pid;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), 0);
	assert_null(runner_result(&runner));
	pid = runner.pid;
	runner_destroy(&runner);
	assert_gone(pid);
	runner_destroy(&runner);
}

static void test_setup_fails(void **state)
{
	struct workload w = make(setup_bad, run_nothing);
	struct runner runner;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), -1);
	assert_string_equal(runner.error, "fake: no such luck");
	runner_destroy(&runner);
	w.setup = setup_crash;
	assert_int_equal(start(&runner, &w, 0), -1);
	assert_string_equal(runner.error,
			    "fake: its process was killed by signal 9 (Killed)");
	runner_destroy(&runner);
}

static void test_run_fails(void **state)
{
	struct workload w = make(setup_good, run_bad);
	struct runner runner;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), -1);
	assert_string_equal(runner.error, "--threads 3: out of luck");
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), -1);
	assert_null(runner_result(&runner));
	runner_destroy(&runner);
	w.run = run_crash;
	assert_int_equal(start(&runner, &w, 0), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), -1);
	assert_string_equal(runner.error,
			    "fake: its process was killed by signal 9 (Killed)");
	runner_destroy(&runner);
}

static void test_killed_while_ready(void **state)
{
	struct workload w = make(setup_good, run_nothing);
	struct runner runner;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), 0);
	kill(runner.pid, SIGKILL);
	/* The gate may still take the byte: then it is the wait that finds out. */
	if (!runner_go(&runner))
		assert_int_equal(runner_wait(&runner, LONG_ENOUGH), -1);
	assert_string_equal(runner.error,
			    "fake: its process was killed by signal 9 (Killed)");
	runner_destroy(&runner);
}

static void test_deaf_child_is_killed(void **state)
{
	struct workload w = make(setup_good, run_deaf);
	struct runner runner;
	pid_t pid;

	(void)state;
	assert_int_equal(start(&runner, &w, 1), 0);
	pid = runner.pid;
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, NSEC_PER_MSEC), 0);
	/* As if the time to overrun, and the patience after it, had passed. */
	runner.overrun_ns = now_ns();
	assert_int_equal(runner_wait(&runner, NSEC_PER_MSEC), 0);
	assert_true(runner.stop_asked);
	runner.kill_ns = now_ns();
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), -1);
	assert_string_equal(runner.error, "fake: did not stop in 10 s, killed");
	runner_destroy(&runner);
	assert_gone(pid);
}

static void test_destroy_while_running(void **state)
{
	struct workload w = make(setup_good, run_deaf);
	struct runner runner;
	pid_t pid;

	(void)state;
	assert_int_equal(start(&runner, &w, 0), 0);
	pid = runner.pid;
	assert_int_equal(runner_go(&runner), 0);
	runner_destroy(&runner);
	assert_gone(pid);
}

static void test_duration_and_stop(void **state)
{
	struct workload w = make(setup_good, run_until_end);
	const struct workload_result *result;
	struct runner runner;

	(void)state;
	assert_int_equal(start(&runner, &w, 20 * NSEC_PER_MSEC), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	result = runner_result(&runner);
	assert_true(result->end_ns - result->start_ns >= 20 * NSEC_PER_MSEC);
	assert_false(result->stopped);
	runner_destroy(&runner);

	assert_int_equal(start(&runner, &w, 3600 * NSEC_PER_SEC), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, NSEC_PER_MSEC), 0);
	runner_stop(&runner);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_true(runner_result(&runner)->stopped);
	runner_destroy(&runner);
}

/* With a duration, with a stop, and never opened. */
static void test_sleeping_threads(void **state)
{
	struct workload w = make(setup_sleepers, run_sleepers);
	const struct workload_result *result;
	struct runner runner;

	(void)state;
	w.report = report_sleepers;
	for (int stop = 0; stop <= 1; stop++) {
		assert_int_equal(start(&runner, &w,
				       stop ? 3600 * NSEC_PER_SEC : 20 * NSEC_PER_MSEC),
				 0);
		assert_int_equal(runner_go(&runner), 0);
		if (stop) {
			assert_int_equal(runner_wait(&runner, 20 * NSEC_PER_MSEC), 0);
			runner_stop(&runner);
		}
		assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
		result = runner_result(&runner);
		assert_non_null(result);
		assert_true(result->metrics[0].value == NR_SLEEPERS);
		assert_int_equal(result->stopped, stop);
		assert_int_equal(result->nr_threads, NR_SLEEPERS + 1);
		for (int i = 0; i < NR_SLEEPERS + 1; i++)
			assert_true(result->threads[i].complete &&
				    result->threads[i].tid > 0);
		runner_destroy(&runner);
	}
	assert_int_equal(start(&runner, &w, 0), 0);
	runner_destroy(&runner);
}

/* Nobody may be left when the program is killed, at the gate or in the run. */
static void die_in_the_middle(bool running)
{
	struct workload w = make(setup_good, run_forked);
	struct runner runner;
	pid_t pids[2] = {0}, middle;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	middle = fork();
	if (!middle) {
		uint64_t goal = 0;

		if (start(&runner, &w, 0) || (running && runner_go(&runner)))
			_exit(1);
		pids[0] = runner.pid;
		while (running && goal != 10)
			pids[1] = (pid_t)runner_progress(&runner, &goal);
		while (running && !pids[1])
			pids[1] = (pid_t)runner_progress(&runner, &goal);
		if (write(fds[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], pids, sizeof(pids)), sizeof(pids));
	close(fds[0]);
	kill(middle, SIGKILL);
	assert_int_equal(waitpid(middle, NULL, 0), middle);
	for (int i = 0; i <= running; i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_parent_killed(void **state)
{
	(void)state;
	die_in_the_middle(false);
	die_in_the_middle(true);
}

static void test_interrupt_is_for_the_parent(void **state)
{
	struct workload w = make(setup_good, run_until_end);
	struct runner runner;

	(void)state;
	assert_int_equal(start(&runner, &w, 50 * NSEC_PER_MSEC), 0);
	kill(runner.pid, SIGINT);
	assert_int_equal(runner_go(&runner), 0);
	kill(runner.pid, SIGINT);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_false(runner_result(&runner)->stopped);
	runner_destroy(&runner);
}

static double metric_of_user_run(const char *uid, bool needs_root, bool *dropped)
{
	struct workload w = make(setup_good, run_nothing);
	struct workload_config config;
	struct workload_run run = {0};
	struct runner_options options = {.drop_user = true};
	struct runner runner;
	double value;

	w.needs_root = needs_root;
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", "65533", 1);
	assert_int_equal(workload_config_init(&config, &w), 0);
	assert_int_equal(runner_start(&runner, &config, &run, &options), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	value = runner_result(&runner)->metrics[0].value;
	*dropped = runner.dropped;
	runner_destroy(&runner);
	workload_config_free(&config);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return value;
}

static void test_drop_user(void **state)
{
	bool dropped;

	(void)state;
	if (geteuid())
		skip();
	assert_true(metric_of_user_run("65534", false, &dropped) == 65534 && dropped);
	assert_true(metric_of_user_run("65534", true, &dropped) == 0 && !dropped);
	assert_true(metric_of_user_run("0", false, &dropped) == 0 && !dropped);
	assert_true(metric_of_user_run("1x", false, &dropped) == 0 && !dropped);
	assert_true(metric_of_user_run("4294967295", false, &dropped) == 0 && !dropped);
}

static void test_cpus(void **state)
{
	struct workload w = make(setup_good, run_nothing);
	struct workload_config config;
	struct workload_run run = {0};
	struct runner runner;
	struct cpu_mask all;

	(void)state;
	assert_int_equal(workload_config_init(&config, &w), 0);
	cpu_mask_get_affinity(&all);
	cpu_mask_set(&run.cpus, cpu_mask_next(&all, 0));
	assert_int_equal(runner_start(&runner, &config, &run, NULL), 0);
	assert_memory_equal(&runner.shared->result.cpus, &run.cpus, sizeof(run.cpus));
	runner_destroy(&runner);
	cpu_mask_clear(&run.cpus);
	cpu_mask_set(&run.cpus, CPU_MASK_MAX - 1);
	assert_int_equal(runner_start(&runner, &config, &run, NULL), -1);
	assert_string_equal(runner.error,
			    "fake: cannot run on the CPUs asked for: Invalid argument");
	runner_destroy(&runner);
	workload_config_free(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal),
		cmocka_unit_test(test_not_before_go),
		cmocka_unit_test(test_setup_fails),
		cmocka_unit_test(test_run_fails),
		cmocka_unit_test(test_killed_while_ready),
		cmocka_unit_test(test_deaf_child_is_killed),
		cmocka_unit_test(test_destroy_while_running),
		cmocka_unit_test(test_duration_and_stop),
		cmocka_unit_test(test_sleeping_threads),
		cmocka_unit_test(test_parent_killed),
		cmocka_unit_test(test_interrupt_is_for_the_parent),
		cmocka_unit_test(test_drop_user),
		cmocka_unit_test(test_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
