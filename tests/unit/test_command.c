// SPDX-License-Identifier: GPL-2.0
/* A command as the child: its exit status, its end. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runner.h"
#include "workers.h"

#define LONG_ENOUGH (20 * NSEC_PER_SEC)

static int run_command(struct runner *runner, const char *script)
{
	char *const argv[] = {"sh", "-c", (char *)script, NULL};

	assert_int_equal(runner_start_command(runner, argv, NULL), 0);
	assert_int_equal(runner_go(runner), 0);
	return runner_wait(runner, LONG_ENOUGH);
}

static void test_command_status(void **state)
{
	struct runner runner;

	(void)state;
	assert_int_equal(run_command(&runner, "exit 0"), 1);
	assert_int_equal(runner.exit_status, 0);
	assert_null(runner_result(&runner));
	runner_destroy(&runner);
	assert_int_equal(run_command(&runner, "exit 7"), 1);
	assert_int_equal(runner.exit_status, 7);
	runner_destroy(&runner);
	assert_int_equal(run_command(&runner, "kill -TERM $$"), 1);
	assert_int_equal(runner.exit_status, 128 + SIGTERM);
	runner_destroy(&runner);
}

static void test_command_status_with_sigchld_ignored(void **state)
{
	struct runner runner;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(run_command(&runner, "exit 7"), 1);
	assert_int_equal(runner.exit_status, 7);
	runner_destroy(&runner);
	signal(SIGCHLD, SIG_DFL);
}

static void test_command_not_found(void **state)
{
	char *const missing[] = {"idletrace-has-no-such-command", NULL};
	char *const directory[] = {"/", NULL};
	char *path = strdup(getenv("PATH"));
	struct runner runner;

	(void)state;
	assert_int_equal(runner_start_command(&runner, missing, NULL), 0);
	assert_int_equal(runner_go(&runner), -1);
	assert_string_equal(runner.error,
			    "command not found: idletrace-has-no-such-command");
	assert_int_equal(runner.exit_status, 127);
	runner_destroy(&runner);
	/* Directories of PATH that are none, or that others may not search. */
	setenv("PATH", "/proc/self/mem:/proc/1/fdinfo", 1);
	assert_int_equal(runner_start_command(&runner, missing, NULL), 0);
	assert_int_equal(runner_go(&runner), -1);
	assert_int_equal(runner.exit_status, 127);
	runner_destroy(&runner);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(runner_start_command(&runner, directory, NULL), 0);
	assert_int_equal(runner_go(&runner), -1);
	assert_string_equal(runner.error, "cannot execute /: Permission denied");
	assert_int_equal(runner.exit_status, 126);
	runner_destroy(&runner);
}

static void test_command_stop(void **state)
{
	char *const polite[] = {"sleep", "3600", NULL};
	char *const stubborn[] = {"sh", "-c", "trap '' TERM; while :; do sleep 1; done",
				  NULL};
	struct runner runner;
	pid_t pid;

	(void)state;
	assert_int_equal(runner_start_command(&runner, polite, NULL), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, NSEC_PER_MSEC), 0);
	runner_stop(&runner);
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_int_equal(runner.exit_status, 128 + SIGTERM);
	runner_destroy(&runner);

	assert_int_equal(runner_start_command(&runner, stubborn, NULL), 0);
	assert_int_equal(runner_go(&runner), 0);
	assert_int_equal(runner_wait(&runner, 300 * NSEC_PER_MSEC), 0);
	runner_stop(&runner);
	assert_int_equal(runner_wait(&runner, 50 * NSEC_PER_MSEC), 0);
	runner.kill_ns = now_ns();
	assert_int_equal(runner_wait(&runner, LONG_ENOUGH), 1);
	assert_int_equal(runner.exit_status, 128 + SIGKILL);
	pid = runner.pid;
	runner_destroy(&runner);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_status),
		cmocka_unit_test(test_command_status_with_sigchld_ignored),
		cmocka_unit_test(test_command_not_found),
		cmocka_unit_test(test_command_stop),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
