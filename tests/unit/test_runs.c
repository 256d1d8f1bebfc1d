// SPDX-License-Identifier: GPL-2.0
/* runs_execute() runs this program itself, which then plays the part of idletrace. */
#include <math.h>
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

#include "exit_status.h"
#include "run_fixture.h"
#include "runs.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- the part of idletrace ---- */

static int save_fixture(const char *path, int status)
{
	json_t *run = run_fixture();
	int err = json_dump_file(run, path, 0);

	json_decref(run);
	return err ? EXIT_STATUS_FAILED : status;
}

/* Tells its pid, then waits for a signal as a run does. */
static int wait_to_stop(const char *path)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	dprintf(atoi(getenv("TEST_PIPE")), "%d\n", getpid());
	if (sigwait(&set, &sig))
		return EXIT_STATUS_FAILED;
	return save_fixture(path, EXIT_STATUS_DONE);
}

/* argv: idletrace run --json PATH WHAT... */
static int play_idletrace(int argc, char **argv)
{
	if (argc < 5 || strcmp(argv[0], "idletrace") || strcmp(argv[2], "--json"))
		return 99;
	printf("a report\n");
	if (!strcmp(argv[4], "--works"))
		return save_fixture(argv[3], EXIT_STATUS_DONE);
	if (!strcmp(argv[4], "--loses"))
		return save_fixture(argv[3], EXIT_STATUS_LOST);
	if (!strcmp(argv[4], "--waits"))
		return wait_to_stop(argv[3]);
	if (!strcmp(argv[4], "--silent"))
		return EXIT_STATUS_FAILED;
	if (!strcmp(argv[4], "--garbage")) {
		FILE *f = fopen(argv[3], "w");

		fputs("{\"schema\": ", f);
		fclose(f);
		return EXIT_STATUS_DONE;
	}
	if (!strcmp(argv[4], "--dies"))
		raise(SIGKILL);
	for (int i = 0; i < 20000; i++)
		fprintf(stderr, "idletrace: much text\n");
	fprintf(stderr, "idletrace: --no-good: no such option\nand some more\n");
	return EXIT_STATUS_USAGE;
}

/* ---- making runs ---- */

static char err[256];

static enum runs_end execute(const char *option, json_t **run)
{
	char *argv[] = {(char *)option, NULL};
	enum runs_end end;

	assert_int_equal(runs_begin(), 0);
	end = runs_execute(argv, run, err, sizeof(err));
	runs_end();
	return end;
}

static void test_execute(void **state)
{
	json_t *run;

	(void)state;
	assert_int_equal(execute("--works", &run), RUNS_DONE);
	assert_string_equal(run_text(run, "host.kernel"), "6.12.1");
	json_decref(run);
	assert_int_equal(execute("--loses", &run), RUNS_DONE);
	assert_non_null(run);
	json_decref(run);
}

static void test_execute_fails(void **state)
{
	json_t *run;

	(void)state;
	assert_int_equal(execute("--no-good", &run), RUNS_WRONG_USAGE);
	assert_string_equal(err, "--no-good: no such option");
	assert_null(run);
	assert_int_equal(execute("--silent", &run), RUNS_FAILED);
	assert_string_equal(err, "a run ended with exit status 1");
	assert_int_equal(execute("--dies", &run), RUNS_FAILED);
	assert_string_equal(err, "a run was killed by signal 9 (Killed)");
	assert_int_equal(execute("--garbage", &run), RUNS_FAILED);
	assert_null(run);
	assert_non_null(strstr(err, "the report of a run: "));
}

/* A process that executes a run which waits; returns its pid, and the run's. */
static pid_t start_waiting(pid_t *child)
{
	char text[16] = "", number[16];
	int fds[2];
	pid_t pid;
	json_t *run;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		/* Only what the run inherits by number reaches it. */
		snprintf(number, sizeof(number), "%d", fds[1]);
		setenv("TEST_PIPE", number, 1);
		_exit(10 + (int)execute("--waits", &run));
	}
	close(fds[1]);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	close(fds[0]);
	*child = atoi(text);
	return pid;
}

static void test_signal_is_passed_on(void **state)
{
	pid_t child, pid = start_waiting(&child);
	int status;

	(void)state;
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 10 + RUNS_INTERRUPTED);
	assert_int_equal(kill(child, 0), -1);
}

static void test_child_dies_with_us(void **state)
{
	pid_t child, pid;
	int status;

	(void)state;
	/* So that it is ours to wait for, once it has no parent. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = start_waiting(&child);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_interrupted(void **state)
{
	char *argv[] = {(char *)"--works", NULL};
	json_t *run;

	(void)state;
	assert_int_equal(runs_begin(), 0);
	assert_true(runs_sleep(1000));
	assert_false(runs_interrupted());
	raise(SIGINT);
	assert_false(runs_sleep(3600 * NSEC_PER_SEC));
	assert_int_equal(runs_execute(argv, &run, err, sizeof(err)), RUNS_INTERRUPTED);
	assert_null(run);
	raise(SIGINT);
	runs_end();
}

/* ---- reading runs ---- */

static json_t *load_text(const char *text)
{
	char path[] = "/tmp/idletrace-runs-XXXXXX";
	int fd = mkstemp(path);
	json_t *doc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	doc = runs_load(path, err, sizeof(err));
	unlink(path);
	return doc;
}

#define RUN "{\"schema\":\"idletrace.run/1\"}"

static void test_load(void **state)
{
	static const char *const wrong[] = {
		"[]",
		"{}",
		"{\"schema\":\"idletrace.run/2\"}",
		"{\"schema\":1}",
		"{\"schema\":\"idletrace.ab/1\"}",
		"{\"schema\":\"idletrace.ab/1\",\"points\":[]}",
		"{\"schema\":\"idletrace.ab/1\",\"points\":[{\"name\":\"a\"}]}",
		"{\"schema\":\"idletrace.ab/1\",\"points\":[{\"runs\":[]}]}",
		"{\"schema\":\"idletrace.ab/"
		"1\",\"points\":[{\"name\":\"a\",\"runs\":[1]}]}",
	};
	json_t *doc = load_text(RUN);

	(void)state;
	assert_non_null(doc);
	assert_null(runs_collection(doc));
	json_decref(doc);
	doc = load_text("{\"schema\":\"idletrace.sweep/1\",\"points\":[{\"name\":\"a\","
			"\"runs\":[" RUN "]}]}");
	assert_string_equal(runs_collection(doc), "sweep");
	json_decref(doc);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_null(load_text(wrong[i]));
		assert_non_null(
			strstr(err, ": needs a file that idletrace --json wrote"));
	}
	assert_null(load_text("{"));
	assert_non_null(strstr(err, ": line 1: "));
	assert_null(runs_load("/nonexistent", err, sizeof(err)));
	assert_string_equal(err, "/nonexistent: No such file or directory");
}

/* ---- numbers ---- */

static double number(const json_t *run, const char *name)
{
	double value = -1;

	assert_true(run_number(run, name, &value));
	return value;
}

static void test_numbers(void **state)
{
	json_t *run = run_fixture();
	double value = 42;

	(void)state;
	assert_near(number(run, "usecs_per_loop"), 6.5);
	assert_near(number(run, "wakeup.p99"), 5000);
	assert_near(number(run, "exit.p50"), 2000);
	assert_near(number(run, "queue.mean"), 3000);
	assert_near(number(run, "wakeup.rate"), 100);
	assert_near(number(run, "cost.too_deep"), -4000);
	assert_near(number(run, "observer.bpf"), 300.5);
	assert_near(number(run, "observer.cpu"), 2);
	assert_false(run_number(run, "power.watts", &value));
	assert_false(run_number(run, "kernel.idle_rate", &value));
	json_object_set_new(run, "kernel",
			    json_pack("{s:i, s:I, s:i}", "cpus", 3, "cpu_time",
				      (json_int_t)6000000000, "idle_entries", 500));
	assert_near(number(run, "kernel.idle_rate"), 250);
	assert_false(run_number(run, "wakeup.p42", &value));
	assert_false(run_number(run, "idle.p50", &value));
	assert_false(run_number(run, "nothing", &value));
	assert_near(value, 42);
	json_decref(run);
}

static void test_idle_numbers(void **state)
{
	json_t *run = run_fixture();
	double value;

	(void)state;
	assert_near(number(run, "idle.idles"), 80);
	assert_near(number(run, "idle.aboves"), 6);
	assert_near(number(run, "idle.belows"), 14);
	assert_near(number(run, "idle.misses"), 20);
	assert_near(number(run, "idle.miss_ratio"), 0.25);
	assert_near(number(run, "idle.too_deep"), 7.5);
	assert_near(number(run, "idle.too_shallow"), 17.5);
	assert_near(number(run, "idle.share"), 20);
	assert_near(number(run, "idle.deepest"), 10);
	assert_near(number(run, "machine.idles"), 230);
	assert_int_equal(run_states(run), 2);
	assert_string_equal(run_state_name(run, 1), "C1");
	/* "Idle state 0 was too shallow": 70 % of its periods. */
	assert_true(run_state_number(run, 0, RUN_CPUS_TAKING_PART, RUN_STATE_TOO_SHALLOW,
				     &value));
	assert_near(value, 70);
	assert_true(run_state_number(run, 1, RUN_CPUS_ALL, RUN_STATE_TOO_DEEP, &value));
	assert_near(value, 35);
	assert_false(run_state_number(run, 2, RUN_CPUS_ALL, RUN_STATE_IDLES, &value));
	json_decref(run);
}

/* Where the kernel's own counters are not known, the traced ones count. */
static void test_idle_without_kernel(void **state)
{
	json_t *run = run_fixture(), *cpu, *poll;
	double value;

	(void)state;
	cpu = json_array_get(run_at(run, "idle.cpus"), 1);
	poll = json_array_get(run_at(cpu, "states"), 0);
	json_object_set_new(poll, "kernel", json_null());
	assert_near(number(run, "idle.idles"), 76);
	assert_near(number(run, "idle.belows"), 14);
	json_object_set_new(poll, "too_shallow", json_null());
	assert_false(run_number(run, "idle.belows", &value));
	assert_false(run_number(run, "idle.too_shallow", &value));
	assert_false(run_number(run, "idle.miss_ratio", &value));
	assert_near(number(run, "idle.idles"), 76);
	json_object_set_new(run, "idle", json_null());
	assert_false(run_number(run, "idle.idles", &value));
	assert_false(run_number(run, "idle.deepest", &value));
	assert_int_equal(run_states(run), 0);
	json_decref(run);
}

static void test_measures(void **state)
{
	struct run_measure m = {.better = BETTER_NONE};
	json_t *run = run_fixture();
	double value;

	(void)state;
	assert_true(run_headline(run, &m, &value));
	assert_string_equal(m.name, "usecs_per_loop");
	assert_string_equal(m.unit, "us");
	assert_int_equal(m.better, BETTER_LOWER);
	assert_true(run_metric(run, 1, &m, &value));
	assert_string_equal(m.name, "loops");
	assert_int_equal(m.better, BETTER_NONE);
	assert_false(run_metric(run, 2, &m, &value));
	assert_true(run_measure(run, "idle.too_shallow", &m));
	assert_string_equal(m.unit, "%");
	assert_int_equal(m.better, BETTER_LOWER);
	assert_false(run_measure(run, "power.watts", &m));
	json_decref(run);
}

static void test_the_rest(void **state)
{
	json_t *run = run_fixture();
	static struct hist h;

	(void)state;
	assert_string_equal(run_subject(run), "pingpong");
	assert_false(run_lossy(run));
	run_fixture_set(run, "loss.ring", json_integer(1));
	assert_true(run_lossy(run));
	assert_false(run_stopped(run));
	assert_true(run_latency(run, "wakeups.latency", &h));
	assert_true(run_latency(run, "wakeups.latency", &h));
	assert_int_equal(h.count, 200);
	assert_int_equal(hist_percentile(&h, 99), 5000);
	assert_false(run_latency(run, "wakeups.other", &h));
	run_fixture_set(run, "workload", json_null());
	assert_string_equal(run_subject(run), "profile");
	run_fixture_set(run, "command",
			json_pack("{s:[ss]}", "argv", "/usr/bin/fio", "x.fio"));
	assert_string_equal(run_subject(run), "fio");
	json_decref(run);
}

static void test_titles(void **state)
{
	json_t *run = run_fixture(), *class;
	char text[64], small[12];

	(void)state;
	assert_string_equal(run_title(run, text, sizeof(text)), "pingpong");
	run_fixture_set(run, "workload.name", json_string("adrestia"));
	run_fixture_set(run, "workload.given",
			json_pack("[ss]", "arrival-time", "threads"));
	run_fixture_set(run, "workload.options",
			json_pack("{s:i, s:i}", "arrival-time", 20000, "threads", 2));
	assert_string_equal(run_title(run, text, sizeof(text)),
			    "adrestia --arrival-time 20us --threads 2");
	assert_string_equal(run_title(run, small, sizeof(small)), "adrestia...");
	assert_string_equal(run_where(run, text, sizeof(text)),
			    "kernel 6.12.1 x86_64, 3 CPUs, cpuidle acpi_idle/menu");
	run_fixture_set(run, "workload", json_null());
	assert_string_equal(run_title(run, text, sizeof(text)), "profile of all tasks");
	run_fixture_set(run, "command",
			json_pack("{s:[sss]}", "argv", "sh", "-c", "a\n\tb"));
	assert_string_equal(run_title(run, text, sizeof(text)), "sh -c a b");
	class = json_pack("{s:s, s:s, s:s}", "class", "idle", "name", "C6", "verdict",
			  "too deep");
	assert_string_equal(run_class_name(class, text, sizeof(text)), "C6 too deep");
	json_object_set_new(class, "class", json_string("queued"));
	assert_string_equal(run_class_name(class, text, sizeof(text)),
			    "queued behind other");
	json_decref(class);
	json_decref(run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_execute),
		cmocka_unit_test(test_execute_fails),
		cmocka_unit_test(test_signal_is_passed_on),
		cmocka_unit_test(test_child_dies_with_us),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_idle_numbers),
		cmocka_unit_test(test_idle_without_kernel),
		cmocka_unit_test(test_measures),
		cmocka_unit_test(test_the_rest),
		cmocka_unit_test(test_titles),
	};

	if (argc > 1 && !strcmp(argv[1], "run"))
		return play_idletrace(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
