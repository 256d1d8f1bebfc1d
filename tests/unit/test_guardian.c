// SPDX-License-Identifier: GPL-2.0
/* Who restores when: each case with processes of its own that end as they like. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "guardian.h"

/* Shared by all processes of a test. */
static struct {
	volatile int restored;
	volatile pid_t restorer, guardian, session, left;
} * shared;

static int setup(void **state)
{
	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	/* What is left by the processes below is ours, to be waited for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return shared == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(shared, 4096);
}

static int restore(void *ctx)
{
	shared->session = getsid(0);
	shared->restorer = getpid();
	shared->restored += *(int *)ctx;
	return 0;
}

static int fails(void *ctx)
{
	restore(ctx);
	return 1;
}

static int seven = 7;

/* Runs main_process as one of its own until its end, and the guardian's. */
static int run(void (*main_process)(struct guardian *g), int *guardian_status)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		struct guardian g;

		if (guardian_start(&g, restore, &seven))
			_exit(99);
		shared->guardian = g.pid;
		main_process(&g);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (guardian_status)
		assert_int_equal(waitpid(shared->guardian, guardian_status, 0),
				 shared->guardian);
	/* Nobody is left. */
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	return status;
}

static void exits(struct guardian *g)
{
	(void)g;
}

static void is_killed(struct guardian *g)
{
	(void)g;
	raise(SIGKILL);
}

static void dismisses(struct guardian *g)
{
	guardian_end(g);
}

static void test_exit(void **state)
{
	int status;

	(void)state;
	assert_int_equal(run(exits, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(shared->restored, 7);
	assert_int_equal(shared->restorer, shared->guardian);
	assert_int_equal(shared->session, shared->guardian);
}

static void test_kill(void **state)
{
	int status;

	(void)state;
	assert_int_equal(run(is_killed, &status), SIGKILL);
	assert_int_equal(shared->restored, 7);
}

static void test_dismissed(void **state)
{
	(void)state;
	assert_int_equal(run(dismisses, NULL), 0);
	assert_int_equal(shared->restored, 0);
}

static void is_interrupted(struct guardian *g)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};

	for (int i = 0; i < 6; i++)
		kill(g->pid, signals[i]);
	if (guardian_check(g))
		_exit(98);
	usleep(1000);
	if (guardian_check(g))
		_exit(97);
}

static void test_terminal_signals(void **state)
{
	int status;

	(void)state;
	assert_int_equal(run(is_interrupted, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(shared->restored, 7);
}

static void loses_it(struct guardian *g)
{
	kill(g->pid, SIGKILL);
	/* Its death is known at once, whatever the scheduler does. */
	waitid(P_PID, (id_t)g->pid, NULL, WEXITED | WNOWAIT);
	if (guardian_check(g) != 1 || guardian_check(g) != 0)
		_exit(98);
	shared->guardian = g->pid;
}

static void test_is_replaced(void **state)
{
	int status;

	(void)state;
	assert_int_equal(run(loses_it, &status), 0);
	assert_int_equal(shared->restored, 7);
	assert_int_equal(shared->restorer, shared->guardian);
}

static void ends_without_it(struct guardian *g)
{
	kill(g->pid, SIGKILL);
	guardian_end(g);
	guardian_end(g);
}

static void test_ends_without_it(void **state)
{
	(void)state;
	assert_int_equal(run(ends_without_it, NULL), 0);
	assert_int_equal(shared->restored, 0);
}

/* A child that the main process leaves behind must not keep the guardian waiting. */
static void leaves_a_program(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	shared->left = pid;
	usleep(20000);
	raise(SIGKILL);
}

static void test_programs_of_the_main_process(void **state)
{
	pid_t pid = fork(), left;
	int status;

	(void)state;
	if (!pid) {
		struct guardian g;

		if (guardian_start(&g, restore, &seven))
			_exit(99);
		shared->guardian = g.pid;
		leaves_a_program();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	left = shared->left;
	assert_int_equal(waitpid(shared->guardian, &status, 0), shared->guardian);
	assert_int_equal(shared->restored, 7);
	assert_int_equal(kill(left, 0), 0);
	kill(left, SIGKILL);
	waitpid(left, NULL, 0);
}

static void test_failure_is_its_exit_status(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		struct guardian g;

		if (guardian_start(&g, fails, &seven))
			_exit(99);
		shared->guardian = g.pid;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(waitpid(shared->guardian, &status, 0), shared->guardian);
	assert_int_equal(WEXITSTATUS(status), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_exit),
		TEST(test_kill),
		TEST(test_dismissed),
		TEST(test_terminal_signals),
		TEST(test_is_replaced),
		TEST(test_ends_without_it),
		TEST(test_programs_of_the_main_process),
		TEST(test_failure_is_its_exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
