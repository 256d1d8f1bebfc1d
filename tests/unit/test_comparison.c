// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "comparison.h"
#include "report_capture.h"
#include "run_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static char err[256];
static struct comparison c;

static int begin(void **state)
{
	(void)state;
	comparison_init(&c);
	return 0;
}

static int end(void **state)
{
	(void)state;
	comparison_free(&c);
	return 0;
}

static void add(const char *side, const char *name, json_t *run)
{
	json_t *runs = json_pack("[o]", run);

	assert_int_equal(comparison_add(&c, side, name, runs, err, sizeof(err)), 0);
	json_decref(runs);
}

/* So many runs whose metric goes up from value by 1 %. */
static void add_runs(const char *side, int nr, double value)
{
	for (int i = 0; i < nr; i++) {
		json_t *run = run_fixture();

		run_fixture_metric(run, 0, value * (1 + 0.01 * i));
		add(side, "", run);
	}
}

static void finish(const char *name)
{
	const char *names[] = {name, NULL};

	assert_int_equal(comparison_finish(&c, name ? names : NULL, err, sizeof(err)), 0);
}

static void test_cells(void **state)
{
	const struct comparison_cell *cells;

	(void)state;
	add_runs("a", 6, 100);
	add_runs("b", 6, 110);
	finish("usecs_per_loop");
	assert_int_equal(c.nr_sides, 2);
	assert_int_equal(c.nr_cases, 1);
	assert_int_equal(c.nr_measures, 1);
	cells = comparison_row(&c, 0, 0)->cells;
	assert_int_equal(cells[0].nr, 6);
	assert_near(cells[0].median, 102.5);
	assert_near(cells[1].mean, 112.75);
	assert_false(cells[0].tested);
	assert_true(cells[1].tested && cells[1].has_ratio);
	assert_near(cells[1].ratio.ratio, 1.1);
	assert_near(cells[1].test.p, 2. / 924);
	assert_int_equal(cells[1].verdict, STATS_WORSE);
}

static enum stats_verdict verdict(double value, int nr)
{
	enum stats_verdict found;

	comparison_init(&c);
	add_runs("a", nr, 100);
	add_runs("b", nr, value);
	finish("usecs_per_loop");
	found = comparison_row(&c, 0, 0)->cells[1].verdict;
	comparison_free(&c);
	return found;
}

static void test_verdicts(void **state)
{
	(void)state;
	assert_int_equal(verdict(80, 6), STATS_BETTER);
	assert_int_equal(verdict(120, 6), STATS_WORSE);
	assert_int_equal(verdict(100.5, 6), STATS_SAME);
	assert_int_equal(verdict(80, 3), STATS_TOO_FEW);
}

/* Ten measures that show nothing, one that seems to: by chance, one of 20 does. */
static void test_many_tests(void **state)
{
	static const double a[] = {100, 101, 102, 103, 104, 105, 106};
	static const double b[] = {104.5, 105.5, 106.5, 107, 108, 109, 102.5};
	const struct comparison_cell *cell;

	(void)state;
	for (int i = 0; i < 7; i++) {
		for (int side = 0; side < 2; side++) {
			json_t *run = run_fixture();

			run_fixture_metric(run, 0, side ? b[i] : a[i]);
			add(side ? "b" : "a", "", run);
		}
	}
	finish(NULL);
	assert_true(c.nr_measures > 6);
	cell = &comparison_row(&c, 0, 0)->cells[1];
	assert_true(cell->test.p < 0.05);
	assert_true(cell->adjusted > 0.05);
	assert_int_equal(cell->verdict, STATS_SAME);
}

/* What the machine does by itself is no difference. */
static void test_control(void **state)
{
	json_t *runs[3] = {json_array(), json_array(), json_array()}, *doc;
	static const double values[3] = {100, 112, 110};

	(void)state;
	for (int side = 0; side < 3; side++)
		for (int i = 0; i < 6; i++) {
			json_t *run = run_fixture();

			run_fixture_metric(run, 0, values[side] + i);
			json_array_append_new(runs[side], run);
		}
	doc = json_pack("{s:s,s:[{s:s,s:b,s:o},{s:s,s:b,s:o},{s:s,s:b,s:o}]}", "schema",
			"idletrace.ab/1", "points", "name", "a", "control", 0, "runs",
			runs[0], "name", "a again", "control", 1, "runs", runs[1], "name",
			"b", "control", 0, "runs", runs[2]);
	assert_int_equal(comparison_add_ab(&c, doc, err, sizeof(err)), 0);
	json_decref(doc);
	finish("usecs_per_loop");
	assert_int_equal(c.nr_sides, 3);
	assert_true(c.sides[1].control && !c.sides[2].control);
	assert_near(comparison_row(&c, 0, 0)->noise, 114.5 / 102.5 - 1);
	assert_int_equal(comparison_row(&c, 0, 0)->cells[1].verdict, STATS_WORSE);
	assert_int_equal(comparison_row(&c, 0, 0)->cells[2].verdict, STATS_SAME);
}

static void test_measures(void **state)
{
	const char *missing[] = {"wakeup.p50", "power.watts", NULL};

	(void)state;
	add_runs("a", 1, 100);
	add_runs("b", 1, 100);
	assert_int_equal(comparison_finish(&c, missing, err, sizeof(err)), -1);
	assert_string_equal(err, "no run has a number power.watts");
	comparison_free(&c);
	add_runs("a", 1, 100);
	add_runs("b", 1, 100);
	finish(NULL);
	/* No loops, which are neither good nor bad; no watts, which nobody measured. */
	assert_int_equal(c.nr_measures, 8);
	assert_string_equal(c.measures[0].name, "usecs_per_loop");
	assert_string_equal(c.measures[1].name, "wakeup.p50");
	assert_string_equal(c.measures[7].name, "observer.bpf");
}

/* Samples that do not know a number are none. */
static void test_unknown(void **state)
{
	json_t *run = run_fixture();
	const struct comparison_cell *cells;

	(void)state;
	run_fixture_set(run, "idle", json_null());
	add("a", "", run);
	add("a", "", run_fixture());
	run = run_fixture();
	run_fixture_set(run, "idle", json_null());
	add("b", "", run);
	finish("idle.too_shallow");
	cells = comparison_row(&c, 0, 0)->cells;
	assert_int_equal(cells[0].nr, 1);
	assert_int_equal(cells[1].nr, 0);
	assert_false(cells[1].tested);
	assert_true(isnan(cells[1].median));
}

static void test_check(void **state)
{
	json_t *run = run_fixture();

	(void)state;
	add_runs("a", 1, 1);
	add_runs("b", 1, 1);
	assert_int_equal(comparison_check(&c, err, sizeof(err)), 0);
	run_fixture_set(run, "workload.name", json_string("idle"));
	add("c", "", run);
	assert_int_equal(comparison_check(&c, err, sizeof(err)), -1);
	assert_string_equal(err, "a ran pingpong, but c ran idle");
	comparison_free(&c);
	add_runs("a", 1, 1);
	run = run_fixture();
	run_fixture_set(run, "workload.metrics", json_array());
	add("b", "", run);
	assert_int_equal(comparison_check(&c, err, sizeof(err)), -1);
	assert_string_equal(err, "a has metric usecs_per_loop, but b has none");
}

static void test_differences(void **state)
{
	json_t *run = run_fixture(), *found, *expected;

	(void)state;
	add("a", "", run_fixture());
	add("a", "", run_fixture());
	run_fixture_set(run, "host.kernel", json_string("6.13"));
	run_fixture_set(run, "host.cpuidle.driver", json_null());
	run_fixture_set(run, "tool.version", json_string("1.0"));
	run_fixture_set(run, "workload.nr_threads", json_integer(4));
	run_fixture_set(run, "workload.options.tasks", json_integer(4));
	run_fixture_set(run, "window.duration", json_integer(1000000001));
	add("b", "", run);
	found = comparison_differences(&c);
	expected = json_pack(
		"{s:{s:[s],s:[s]},s:{s:[s],s:[s]},s:{s:[s],s:[s]},s:{s:[s],s:[s]},"
		"s:{s:[s],s:[s]}}",
		"kernel", "6.12.1", "a", "6.13", "b", "cpuidle driver", "acpi_idle", "a",
		"none", "b", "version of idletrace", "0", "a", "1", "b", "threads", "2",
		"a", "4", "b", "--tasks", "2", "a", "4", "b");
	assert_true(json_equal(found, expected));
	json_decref(found);
	json_decref(expected);
}

/* The axis of a sweep is the same on all sides. */
static void test_no_differences(void **state)
{
	json_t *found;

	(void)state;
	for (int i = 0; i < 4; i++) {
		json_t *run = run_fixture();

		run_fixture_set(run, "workload.options.tasks", json_integer(i / 2));
		run_fixture_set(run, "workload.nr_threads", json_integer(i / 2));
		add(i % 2 ? "b" : "a", i / 2 ? "tasks=1" : "tasks=0", run);
	}
	found = comparison_differences(&c);
	assert_int_equal(json_object_size(found), 0);
	json_decref(found);
}

static char *print_native(void)
{
	struct capture capture;

	capture_begin(&capture, STDOUT_FILENO);
	comparison_print(&c, comparison_formats[0]);
	return capture_end(&capture);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("%s\nlacks: %s\n", text, part);
	assert_non_null(strstr(text, part));
}

static void test_native(void **state)
{
	json_t *run = run_fixture();
	char *text;

	(void)state;
	add_runs("menu", 6, 100);
	add_runs("teo", 6, 90);
	run_fixture_set(run, "loss.ring", json_integer(1));
	add("other", "", run);
	finish("usecs_per_loop");
	text = print_native();
	assert_says(text, "pingpong: 3 sides, 13 runs; all against menu\n");
	assert_says(text, "DIFFERS    nothing that the runs tell");
	assert_says(text,
		    "CAUTION    1 run lost records; those numbers are incomplete\n");
	assert_says(text, "\nusecs_per_loop, us: lower is better\n"
			  "  menu               6     102.5   1.8%\n"
			  "  teo                6     92.25   1.8%   -10.0%    [");
	assert_says(text, "] 0.0022 better\n");
	assert_says(text, "  other              1     6.500      -   -93.7% ");
	assert_says(text, "too few: ");
	free(text);
}

static void test_bimodal(void **state)
{
	json_t *run;
	char *text;

	(void)state;
	for (int i = 0; i < 30; i++) {
		run = run_fixture();
		run_fixture_metric(run, 0, (i % 2 ? 100 : 200) + i % 7);
		add("a", "", run);
	}
	add_runs("b", 30, 100);
	finish("usecs_per_loop");
	assert_true(comparison_row(&c, 0, 0)->cells[0].bimodal);
	assert_false(comparison_row(&c, 0, 0)->cells[1].bimodal);
	text = print_native();
	assert_says(text, "\n  a has two levels: no one number describes it\n");
	free(text);
}

static void test_json(void **state)
{
	json_t *doc, *row, *cell;

	(void)state;
	add_runs("a", 6, 100);
	add_runs("b", 6, 110);
	finish(NULL);
	doc = comparison_json(&c, "idletrace compare");
	assert_string_equal(run_text(doc, "schema"), "idletrace.compare/1");
	assert_string_equal(run_text(doc, "tool.args"), "idletrace compare");
	assert_int_equal(json_array_size(run_at(doc, "rows")), c.nr_measures);
	row = json_array_get(run_at(doc, "rows"), 0);
	assert_string_equal(run_text(row, "measure"), "usecs_per_loop");
	assert_string_equal(run_text(row, "better"), "lower");
	cell = json_array_get(run_at(row, "cells"), 1);
	assert_int_equal(json_array_size(run_at(cell, "samples")), 6);
	assert_near(json_number_value(run_at(cell, "ratio")), 1.1);
	assert_string_equal(run_text(cell, "verdict"), "worse");
	json_decref(doc);
}

static void test_numbers(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(comparison_number(3331, "ns", text, 32), "3.331");
	assert_string_equal(comparison_number(0, "%", text, 32), "0");
	assert_string_equal(comparison_number(12.345, "%", text, 32), "12.35");
	assert_string_equal(comparison_number(99.996, "", text, 32), "100.0");
	assert_string_equal(comparison_number(-123456, "", text, 32), "-123456");
	assert_string_equal(comparison_number(1.5e9, "", text, 32), "1.500e+09");
	assert_string_equal(comparison_number(NAN, "", text, 32), "-");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cells),   TEST(test_verdicts),    TEST(test_many_tests),
		TEST(test_control), TEST(test_measures),    TEST(test_unknown),
		TEST(test_check),   TEST(test_differences), TEST(test_no_differences),
		TEST(test_native),  TEST(test_bimodal),	    TEST(test_json),
		TEST(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
