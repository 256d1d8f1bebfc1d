// SPDX-License-Identifier: GPL-2.0
/* `idletrace compare`, from the command line on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "compare.h"
#include "exit_status.h"
#include "report_capture.h"
#include "run_fixture.h"
#include "runs.h"

static char dir[] = "/tmp/idletrace-compare-XXXXXX";
static char *out, *said;

static void save(const char *name, json_t *doc)
{
	assert_int_equal(json_dump_file(doc, name, 0), 0);
	json_decref(doc);
}

static json_t *run_with(double value)
{
	json_t *run = run_fixture();

	run_fixture_metric(run, 0, value);
	return run;
}

static json_t *point(const char *name, double value)
{
	return json_pack("{s:s,s:[o,o]}", "name", name, "runs", run_with(value),
			 run_with(value));
}

static json_t *collection(const char *schema, double a, double b)
{
	return json_pack("{s:s,s:[o,o]}", "schema", schema, "points",
			 point("work=1us", a), point("work=2us", b));
}

/* A directory with all kinds of files, and that is where we are. */
static int begin(void **state)
{
	json_t *idle = run_fixture();
	char name[32];

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) || mkdir("other", 0700) || mkdir("another", 0700))
		return -1;
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "menu-%d.json", i);
		save(name, run_with(100 + i));
		snprintf(name, sizeof(name), "teo-%d.json", i);
		save(name, run_with(80 + i));
	}
	save("other/menu-0.json", run_with(70));
	run_fixture_set(idle, "workload.name", json_string("idle"));
	save("another/menu-0.json", run_with(90));
	save("idle.json", idle);
	save("sweep.json", collection("idletrace.sweep/1", 10, 20));
	save("sweep2.json", collection("idletrace.sweep/1", 11, 18));
	save("ab.json", collection("idletrace.ab/1", 10, 20));
	return 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return chdir("/") || system(command);
}

/* The arguments, blanks between them. Leaves what was printed in out and said. */
static int compare(const char *arguments)
{
	char *words = strdup(arguments),
	     *argv[32] = {(char *)"idletrace", (char *)"compare"};
	struct capture captures[2];
	int argc = 2, status;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	free(out);
	free(said);
	capture_begin(&captures[0], STDOUT_FILENO);
	capture_begin(&captures[1], STDERR_FILENO);
	status = compare_run(argc, argv, arguments);
	said = capture_end(&captures[1]);
	out = capture_end(&captures[0]);
	free(words);
	return status;
}

static void assert_shown(const char *arguments, const char *part)
{
	assert_int_equal(compare(arguments), EXIT_STATUS_DONE);
	assert_string_equal(said, "");
	if (!strstr(out, part))
		print_error("%s\nlacks: %s\n", out, part);
	assert_non_null(strstr(out, part));
}

static void assert_refused(const char *arguments, int status, const char *line)
{
	assert_int_equal(compare(arguments), status);
	assert_string_equal(said, line);
	assert_string_equal(out, "");
}

static void test_files(void **state)
{
	(void)state;
	assert_shown("menu-0.json teo-0.json --metric usecs_per_loop",
		     "  menu-0             1     100.0      -\n"
		     "  teo-0              1     80.00      -   -20.0% ");
	assert_shown("menu-0.json other/menu-0.json --metric usecs_per_loop",
		     "  menu-0             1     100.0      -\n"
		     "  other/menu-0       1     ");
	/* What all have in common says nothing; what is the same twice is told apart. */
	assert_shown("./other/menu-0.json ./another/menu-0.json --metric usecs_per_loop",
		     "  another/menu-0     1     ");
	assert_shown("menu-0.json menu-0.json", "\n  menu-0.json ");
}

static void test_sides(void **state)
{
	(void)state;
	assert_shown("--side menu=menu-*.json --side teo=teo-[0-9].json",
		     "2 sides, 10 runs; all against menu");
	assert_non_null(strstr(out, " 0.0079 "));
	assert_shown("--side menu=menu-0.json,menu-1.json teo-0.json",
		     "2 sides, 3 runs; all against menu");
}

static void test_collections(void **state)
{
	(void)state;
	assert_shown("sweep.json sweep2.json --format smythies --metric usecs_per_loop",
		     "  work=2us                      20.00   -10.00 %\n");
	assert_shown("ab.json", "2 sides, 4 runs; all against work=1us");
	assert_shown("ab.json --format loehle", "\npingpong\twork=2us\t2\t20\t80\t20\t");
	assert_refused("sweep.json", EXIT_STATUS_USAGE,
		       "idletrace: compare: needs two sides: BASE.json OTHER.json, or "
		       "--side twice\n");
	assert_refused("sweep.json menu-0.json", EXIT_STATUS_FAILED,
		       "idletrace: compare: the sides have no point in common\n");
}

static void test_points(void **state)
{
	(void)state;
	assert_shown("sweep.json sweep2.json --format smythies --points work=2us..",
		     " 18.00    -10.00 %\n");
	assert_shown("sweep.json sweep2.json --points ..work=1us", "2 sides, 4 runs;");
	assert_refused("sweep.json sweep2.json --points work=3us..", EXIT_STATUS_USAGE,
		       "idletrace: --points work=3us..: no point is called work=3us\n");
	assert_refused("sweep.json sweep2.json --points work=2us..work=1us",
		       EXIT_STATUS_USAGE,
		       "idletrace: --points work=2us..work=1us: work=2us comes after "
		       "work=1us\n");
	assert_refused("sweep.json sweep2.json --points 1", EXIT_STATUS_USAGE,
		       "idletrace: --points 1: needs FIRST..LAST\n");
}

static void test_force(void **state)
{
	(void)state;
	assert_refused("menu-0.json idle.json", EXIT_STATUS_FAILED,
		       "idletrace: compare: menu-0 ran pingpong, but idle ran idle; "
		       "--force compares them all the same\n");
	assert_shown("menu-0.json idle.json --force",
		     "DIFFERS    workload: pingpong (menu-0), idle (idle)\n");
}

static void test_json(void **state)
{
	json_t *doc;

	(void)state;
	assert_shown("menu-0.json teo-0.json --json out.json", "usecs_per_loop");
	doc = json_load_file("out.json", 0, NULL);
	assert_string_equal(run_text(doc, "schema"), "idletrace.compare/1");
	json_decref(doc);
	assert_shown("menu-0.json teo-0.json --json -", "{\n \"schema\": ");
	assert_null(strstr(out, "DIFFERS"));
	assert_int_equal(compare("menu-0.json teo-0.json --json /nonexistent/x"),
			 EXIT_STATUS_FAILED);
	assert_string_equal(said, "idletrace: --json /nonexistent/x: No such file or "
				  "directory\n");
}

static void test_usage(void **state)
{
	static const struct {
		const char *arguments, *line;
	} wrong[] = {
		{"--format best a b", "--format best: needs one of native, nayak, "
				      "smythies, loehle, percentiles, mmtests"},
		{"--nonsense",
		 "--nonsense: no such option, see idletrace compare --help"},
		{"-x", "-x: no such option, see idletrace compare --help"},
		{"menu-0.json -xy", "-xy: no such option, see idletrace compare --help"},
		{"--side", "--side: needs NAME=FILE"},
		{"--side menu-0.json",
		 "--side menu-0.json: needs NAME=FILE, or more files after commas"},
		{"--metric ,", "--metric ',': needs the name of a metric"},
		{"menu-0.json",
		 "compare: needs two sides: BASE.json OTHER.json, or --side "
		 "twice"},
		{"", "compare: needs two sides: BASE.json OTHER.json, or --side twice"},
	};
	char line[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "idletrace: %s\n", wrong[i].line);
		assert_refused(wrong[i].arguments, EXIT_STATUS_USAGE, line);
	}
	assert_refused("menu-0.json missing.json", EXIT_STATUS_FAILED,
		       "idletrace: missing.json: No such file or directory\n");
	assert_refused("--side a=none-*.json menu-0.json", EXIT_STATUS_FAILED,
		       "idletrace: none-*.json: No such file or directory\n");
	assert_refused("menu-0.json teo-0.json --metric power.watts", EXIT_STATUS_FAILED,
		       "idletrace: compare: no run has a number power.watts\n");
}

static void test_help(void **state)
{
	(void)state;
	assert_shown("--help", "\n  loehle       TSV");
	for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(out);
	free(said);
	out = said = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),	    cmocka_unit_test(test_sides),
		cmocka_unit_test(test_collections), cmocka_unit_test(test_points),
		cmocka_unit_test(test_force),	    cmocka_unit_test(test_json),
		cmocka_unit_test(test_usage),	    cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
