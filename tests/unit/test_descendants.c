// SPDX-License-Identifier: GPL-2.0
/* What becomes of the processes that a command has started. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "descendants.h"
#include "runner.h"
#include "workers.h"

#define LONG_ENOUGH (60 * NSEC_PER_SEC)

/* A daemon in a session of its own, one that is deaf to SIGTERM, and the command. */
static char *const family[] = {
	"sh", "-c",
	"(setsid sleep 3600 &); (trap '' TERM; exec sleep 3600) & exec sleep 3600", NULL};
static char *const leaves_one[] = {"sh", "-c", "sleep 3600 & exit 3", NULL};

static void start(struct runner *runner, char *const argv[])
{
	assert_int_equal(runner_start_command(runner, argv, NULL), 0);
	assert_int_equal(runner_go(runner), 0);
}

static unsigned int until_there_are(unsigned int nr)
{
	uint64_t deadline = now_ns() + LONG_ENOUGH;
	unsigned int found;

	while ((found = descendants_signal(0)) != nr && now_ns() < deadline)
		usleep(1000);
	return found;
}

/* Shells on the way there are not counted for long. */
static unsigned int settled_at(unsigned int nr)
{
	until_there_are(nr);
	usleep(100000);
	return until_there_are(nr);
}

static void test_all_are_ended(void **state)
{
	struct runner runner;

	(void)state;
	start(&runner, family);
	assert_int_equal(settled_at(3), 3);
	runner_stop(&runner);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_int_equal(runner.exit_status, 128 + SIGTERM);
	/* The daemon goes by itself, the deaf one when its time is over. */
	assert_int_equal(until_there_are(1), 1);
	runner.kill_ns = now_ns();
	runner_end_descendants(&runner);
	assert_int_equal(descendants_signal(0), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	runner_destroy(&runner);
}

static void test_left_behind_at_its_own_end(void **state)
{
	struct runner runner;

	(void)state;
	start(&runner, leaves_one);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_int_equal(runner.exit_status, 3);
	runner_end_descendants(&runner);
	runner_destroy(&runner);
	assert_int_equal(settled_at(1), 1);
	assert_int_equal(descendants_signal(SIGKILL), 1);
	assert_int_equal(until_there_are(0), 0);
	descendants_reap(0);
}

static void test_destroyed_while_it_runs(void **state)
{
	struct runner runner;

	(void)state;
	start(&runner, family);
	assert_int_equal(settled_at(3), 3);
	runner_destroy(&runner);
	assert_int_equal(until_there_are(0), 0);
	descendants_reap(0);
}

/* They are reaped while the command runs, and it is not. */
static void test_orphans_are_reaped(void **state)
{
	char *const many[] = {"sh", "-c",
			      "for i in 1 2 3 4 5; do (true & ); done; exec sleep 3600",
			      NULL};
	struct runner runner;
	siginfo_t info = {0};

	(void)state;
	start(&runner, many);
	assert_int_equal(settled_at(1), 1);
	assert_int_equal(runner_wait(&runner, NSEC_PER_MSEC), 0);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	assert_int_equal(info.si_pid, 0);
	runner_stop(&runner);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	runner_end_descendants(&runner);
	runner_destroy(&runner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_ended),
		cmocka_unit_test(test_left_behind_at_its_own_end),
		cmocka_unit_test(test_destroyed_while_it_runs),
		cmocka_unit_test(test_orphans_are_reaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
