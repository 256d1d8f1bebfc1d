// SPDX-License-Identifier: GPL-2.0
/* The command line of ab, and the settings that come of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "ab_options.h"
#include "ab_settings.h"
#include "tree.h"

#define ARGS 32

static struct ab_options o;
static char words[1024], err[8192];
static char *argv[ARGS + 1];

static int setup(void **state)
{
	o = (struct ab_options){0};
	return tree_setup(state);
}

static int teardown(void **state)
{
	ab_options_free(&o);
	return tree_teardown(state);
}

/* What is said on stderr, or on stdout if it asks for help, goes to err. */
static enum options_result parse(const char *line)
{
	FILE *said = tmpfile();
	int old_out, old_err, argc = 0;
	enum options_result result;
	size_t len;

	assert_non_null(said);
	ab_options_free(&o);
	snprintf(words, sizeof(words), "idletrace ab %s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = strcmp(w, "''") ? w : w + 2;
	argv[argc] = NULL;
	fflush(stdout);
	old_out = dup(STDOUT_FILENO);
	old_err = dup(STDERR_FILENO);
	dup2(fileno(said), STDOUT_FILENO);
	dup2(fileno(said), STDERR_FILENO);
	result = ab_options_parse(&o, argc, argv);
	fflush(stdout);
	dup2(old_out, STDOUT_FILENO);
	dup2(old_err, STDERR_FILENO);
	close(old_out);
	close(old_err);
	rewind(said);
	len = fread(err, 1, sizeof(err) - 1, said);
	err[len] = '\0';
	fclose(said);
	return result;
}

static void accept(const char *line)
{
	if (parse(line) != OPTIONS_OK || *err)
		fail_msg("%s: %s", line, err);
}

static void refuse(const char *line, const char *want)
{
	if (parse(line) != OPTIONS_WRONG)
		fail_msg("%s: was accepted", line);
	if (strncmp(err, "idletrace: ", 11) || strcmp(err + 11, want))
		fail_msg("%s: \"%s\"", line, err);
}

static void test_defaults(void **state)
{
	(void)state;
	accept("--vary none=a,b");
	assert_int_equal(o.rounds, 10);
	assert_int_equal(o.settle_ns, NSEC_PER_SEC);
	assert_string_equal(o.root, "");
	assert_false(o.aa || o.discard_first || o.force || o.knobs);
	assert_null(o.json);
	assert_string_equal(o.format->name, "native");
	assert_int_equal(o.nr_run, 0);
}

static void test_own_among_those_of_the_run(void **state)
{
	(void)state;
	accept("-w adrestia --rounds=3 --loops 5 --vary none=a,b --aa --vary=state1=on "
	       "--settle 0 --discard-first --json x --no-trace -- cmd --rounds 7 -h");
	assert_int_equal(o.nr_vary, 2);
	assert_string_equal(o.vary[1], "state1=on");
	assert_int_equal(o.rounds, 3);
	assert_int_equal(o.settle_ns, 0);
	assert_true(o.aa && o.discard_first);
	assert_string_equal(o.json, "x");
	assert_int_equal(o.nr_run, 10);
	assert_string_equal(o.run[0], "-w");
	assert_string_equal(o.run[4], "--no-trace");
	assert_string_equal(o.run[9], "-h");
	assert_null(o.run[10]);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("", "--vary: needs KNOB=VALUE,VALUE, see idletrace ab --help\n");
	refuse("--vary", "--vary: needs KNOB=VALUE,VALUE, see idletrace ab --help\n");
	refuse("--rounds 0 --vary none=a,b", "--rounds 0: needs 1 to 10000\n");
	refuse("--rounds 10001", "--rounds 10001: needs 1 to 10000\n");
	refuse("--rounds x", "--rounds x: needs 1 to 10000\n");
	refuse("--rounds", "--rounds: needs 1 to 10000\n");
	refuse("--rounds ''", "--rounds '': needs 1 to 10000\n");
	refuse("--settle 5", "--settle 5: needs a time with a unit, 0 to 1h\n");
	refuse("--settle 61m", "--settle 61m: needs a time with a unit, 0 to 1h\n");
	refuse("--json ''", "--json '': needs the name of a file\n");
	refuse("--format x", "--format x: needs one of native, nayak, smythies, loehle, "
			     "percentiles, mmtests\n");
	refuse("--aa=yes", "--aa yes: takes no value\n");
	refuse("--rounds \x1b", "--rounds ?: needs 1 to 10000\n");
	refuse("--vary a=1 --vary a=1 --vary a=1 --vary a=1 --vary a=1 --vary a=1 "
	       "--vary a=1 --vary a=1 --vary a=1",
	       "--vary: at most 8 times\n");
}

static void test_help(void **state)
{
	(void)state;
	assert_int_equal(parse("--rounds 3 --help"), OPTIONS_DONE);
	assert_non_null(strstr(err, "Usage: idletrace ab --vary"));
	assert_int_equal(parse("-h"), OPTIONS_DONE);
	for (char *line = err, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 80);
	accept("--knobs");
	assert_true(o.knobs);
}

static void calibrate(const char *line)
{
	const struct options parsed = {.calibrate = true, .rounds = 6};
	int argc = 0;

	ab_options_free(&o);
	snprintf(words, sizeof(words), "idletrace %s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	assert_int_equal(ab_options_calibrate(&o, &parsed, argc, argv), OPTIONS_OK);
	assert_true(o.calibrate);
	assert_int_equal(o.nr_vary, 1);
	assert_string_equal(o.vary[0], "trace=off,on");
}

/* Whatever is not --calibrate's own goes to the runs, --settle as well. */
static void test_calibrate(void **state)
{
	(void)state;
	calibrate("run -w adrestia --calibrate --settle 5ms --json=x --loops 5");
	assert_int_equal(o.rounds, 6);
	assert_string_equal(o.json, "x");
	assert_int_equal(o.settle_ns, NSEC_PER_SEC);
	assert_int_equal(o.nr_run, 6);
	assert_string_equal(o.run[0], "-w");
	assert_string_equal(o.run[3], "5ms");
	assert_string_equal(o.run[5], "5");
	calibrate("--rounds 2 --calibrate --preset perf-bench -- run --rounds 9");
	assert_int_equal(o.rounds, 2);
	assert_int_equal(o.nr_run, 6);
	assert_string_equal(o.run[2], "--");
	assert_string_equal(o.run[5], "9");
}

static struct knobs knobs;
static struct ab_settings settings;

/* The settings of a command line; the knobs' files are below tree_root. */
static int make(const char *line, char *said, size_t size)
{
	const struct workload *workload = workload_find("adrestia");

	accept(line);
	knobs_init(&knobs, tree_root);
	for (unsigned int i = 0; i < o.nr_vary; i++)
		if (!knobs_add(&knobs, o.vary[i], workload, said, size))
			fail_msg("%s: %s", o.vary[i], said);
	return ab_settings_init(&settings, &knobs, &o, said, size);
}

static void done(void)
{
	ab_settings_free(&settings);
	knobs_free(&knobs);
}

static void expect(unsigned int i, const char *name)
{
	assert_true(i < settings.nr);
	assert_string_equal(settings.settings[i].name, name);
}

static void test_cross_product(void **state)
{
	char said[KNOB_ERROR];

	(void)state;
	assert_int_equal(make("--vary none=a,b --vary loops=1,2,3 -w adrestia", said,
			      sizeof(said)),
			 0);
	assert_int_equal(settings.nr, 6);
	expect(0, "none=a loops=1");
	expect(1, "none=a loops=2");
	expect(3, "none=b loops=1");
	expect(5, "none=b loops=3");
	assert_string_equal(settings.settings[4].argv[0], "--loops=2");
	assert_string_equal(settings.settings[4].argv[1], "-w");
	assert_string_equal(settings.settings[4].argv[2], "adrestia");
	assert_null(settings.settings[4].argv[3]);
	done();
}

static void test_trace(void **state)
{
	char said[KNOB_ERROR];

	(void)state;
	assert_int_equal(make("--vary trace=off,on -w adrestia", said, sizeof(said)), 0);
	expect(0, "trace=off");
	assert_string_equal(settings.settings[0].argv[0], "--no-trace");
	assert_string_equal(settings.settings[0].argv[1], "-w");
	assert_string_equal(settings.settings[1].argv[0], "-w");
	assert_true(ab_setting_has(&settings, 1, "trace", "on"));
	assert_false(ab_setting_has(&settings, 0, "trace", "on"));
	assert_false(ab_setting_has(&settings, 0, "none", "on"));
	done();
}

static void test_control(void **state)
{
	char said[KNOB_ERROR];
	json_t *json;

	(void)state;
	assert_int_equal(make("--vary loops=1,2 --aa", said, sizeof(said)), 0);
	assert_int_equal(settings.nr, 3);
	expect(1, "loops=2");
	expect(2, "loops=1 (A/A)");
	assert_true(settings.settings[2].control);
	assert_false(settings.settings[0].control);
	assert_string_equal(settings.settings[2].argv[0], "--loops=1");
	json = ab_setting_json(&settings, 2);
	assert_true(json_is_true(json_object_get(json, "control")));
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(json, "values"), "loops")),
			    "1");
	json_decref(json);
	done();
	assert_int_equal(make("--vary none=a --aa", said, sizeof(said)), 0);
	assert_int_equal(settings.nr, 2);
	done();
}

static void test_settings_refused(void **state)
{
	char said[KNOB_ERROR];

	(void)state;
	assert_int_equal(make("--vary none=a", said, sizeof(said)), -1);
	assert_string_equal(said, "--vary none=a: needs two values, or --aa");
	done();
	assert_int_equal(
		make("--vary none=a,b,c,d,e,f,g,h --vary loops=1,2,3,4,5,6,7,8,9", said,
		     sizeof(said)),
		-1);
	assert_string_equal(said, "--vary: more than 64 combinations");
	done();
	assert_int_equal(make("--aa --vary none=a,b,c,d,e,f,g,h --vary "
			      "loops=1,2,3,4,5,6,7,8",
			      said, sizeof(said)),
			 0);
	assert_int_equal(settings.nr, 65);
	done();
}

static void test_apply(void **state)
{
	char said[KNOB_ERROR];

	(void)state;
	tree_put("0\n", "/x");
	tree_put("0\n", "/y");
	assert_int_equal(
		make("--vary file:/x=1,2 --vary file:/y=3,4", said, sizeof(said)), 0);
	assert_int_equal(ab_setting_apply(&settings, 2, said, sizeof(said)), 0);
	tree_expect("2", "/x");
	tree_expect("3", "/y");
	tree_remove("/y");
	assert_int_equal(ab_setting_apply(&settings, 0, said, sizeof(said)), -1);
	assert_non_null(strstr(said, "file:/y=3: "));
	tree_put("", "/y");
	assert_int_equal(knobs_restore(&knobs, stderr), 0);
	tree_expect("0\n", "/x");
	tree_expect("0\n", "/y");
	done();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_defaults),	     TEST(test_own_among_those_of_the_run),
		TEST(test_refused),	     TEST(test_help),
		TEST(test_cross_product),    TEST(test_control),
		TEST(test_settings_refused), TEST(test_apply),
		TEST(test_calibrate),	     TEST(test_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
