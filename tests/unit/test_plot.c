// SPDX-License-Identifier: GPL-2.0
/* Pictures: their scripts and data, with and without gnuplot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "comparison.h"
#include "plot_private.h"
#include "report_capture.h"
#include "run_fixture.h"
#include "tree.h"

static char err[256];
static struct plots plots;

static const char *in_tree(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", tree_root, name);
	return path;
}

static int setup(void **state)
{
	/* No gnuplot but the one that a test puts there. */
	return tree_setup(state) || setenv("PATH", tree_root, 1) ||
			       plots_open(&plots, in_tree("p"))
		       ? -1
		       : 0;
}

/* The file's text; free it. */
static char *text_of_file(const char *name)
{
	FILE *f = fopen(in_tree(name), "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		fail_msg("no %s", name);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

static void assert_has(const char *file, const char *part)
{
	char *text = text_of_file(file);

	if (!strstr(text, part))
		fail_msg("\"%s\" is not in %s:\n%s", part, file, text);
	free(text);
}

static void put_gnuplot(const char *script)
{
	tree_put(script, "/gnuplot");
	assert_int_equal(chmod(in_tree("gnuplot"), 0755), 0);
}

/* A sweep with points 1 and 5 us, and, if word, of an option that has no numbers. */
static json_t *sweep(bool word)
{
	json_t *run = run_fixture();
	json_t *doc = json_pack(
		"{s:s, s:[{s:s, s:s, s:b, s:b, s:[s,s]}], s:[{s:s, s:{s:s}, s:{s:o}, "
		"s:b, s:[O]}, {s:s, s:{s:s}, s:{s:o}, s:b, s:[O]}]}",
		"schema", "idletrace.sweep/1", "axes", "option", "work", "unit", "ns",
		"log", !word, "updown", 0, "values", "1us", "5us", "points", "name",
		"work=1us", "values", "work", "1us", "numbers", "work",
		word ? json_null() : json_integer(1000), "back", 0, "runs", run, "name",
		"work=5us", "values", "work", "5us", "numbers", "work",
		word ? json_null() : json_integer(5000), "back", 0, "runs", run);

	assert_non_null(doc);
	json_decref(run);
	return doc;
}

static void test_sweep(void **state)
{
	json_t *doc = sweep(false);

	(void)state;
	put_gnuplot("#!/bin/sh\necho \"$1\" >drawn\n");
	assert_int_equal(plot_sweep(&plots, doc, "usecs_per_loop"), 0);
	assert_has("p/drawn", "sweep.gp");
	/* x, its text, metric, p50, p99, too deep, too shallow, deepest, both states */
	assert_has("p/sweep.dat", "1 \"1us\" 6.5 5 5 7.5 17.5 10 10 20\n");
	assert_has("p/sweep.dat", "5 \"5us\" 6.5 5 5 7.5 17.5 10 10 20\n");
	assert_has("p/sweep.gp", "set logscale x");
	assert_has("p/sweep.gp", "set xlabel 'work, us'");
	assert_has("p/sweep.gp", "set ylabel 'usecs_per_loop, us'");
	assert_has("p/sweep.gp", "title 'C1'");
	json_decref(doc);
}

static void test_sweep_of_words(void **state)
{
	json_t *doc = sweep(true);

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	assert_int_equal(plot_sweep(&plots, doc, NULL), 0);
	assert_has("p/sweep.dat", "0 \"1us\" ? 5 5 ");
	assert_has("p/sweep.dat", "1 \"5us\" ? 5 5 ");
	assert_has("p/sweep.gp", "with boxes");
	json_decref(doc);
}

/* Verdicts may be unknown at every point. */
static void test_sweep_without_verdicts(void **state)
{
	json_t *doc = sweep(false);
	json_t *run = json_array_get(
		json_object_get(json_array_get(json_object_get(doc, "points"), 0),
				"runs"),
		0);

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	run_fixture_set(run, "idle",
			json_pack("{s:[{s:s}], s:[]}", "states", "name", "C1", "cpus"));
	assert_int_equal(plot_sweep(&plots, doc, NULL), 0);
	assert_has("p/sweep.dat", "1 \"1us\" ? 5 5 ? ? ?");
	assert_has("p/sweep.gp", "set ylabel '% of idle periods'\nset yrange [0:1]\n");
	json_decref(doc);
}

static void test_run(void **state)
{
	json_t *run = run_fixture(), *wakeups = json_object_get(run, "wakeups");

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	json_object_set_new(wakeups, "classes",
			    json_pack("[{s:s, s:s, s:s, s:i, s:O}]", "class", "idle",
				      "name", "it's", "verdict", "too deep", "count", 100,
				      "latency", json_object_get(wakeups, "latency")));
	assert_int_equal(plot_run(&plots, run), 0);
	assert_has("p/latency.gp", "title 'it''s too deep'");
	assert_has("p/latency.dat", "5 2.000000\n");
	/* Each state took a tenth of each CPU's time; the deepest is at the foot. */
	assert_has("p/idle.dat", "0 0 10 10 20 20 100\n1 0 10 10 20 20 100\n");
	json_decref(run);
}

static json_t *interval(const void *ctx, uint64_t i)
{
	const uint64_t *length = ctx;

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:o?, s:o?, s:n, s:[{s:I, s:i, s:i, s:i}, "
		"{s:I, s:i, s:i, s:i}]}",
		"start", (json_int_t)(i * *length), "duration", (json_int_t)*length,
		"cpu_time", (json_int_t)(2 * *length), "wakeups",
		(json_int_t)(i ? 0 : 50), "p50", i ? json_null() : json_integer(3000),
		"p99", i ? json_null() : json_integer(9000), "power", "states",
		"residency", (json_int_t)(*length / 2), "entered", 10, "too_deep", 0,
		"too_shallow", 2, "residency", (json_int_t)(*length / 2), "entered", 10,
		"too_deep", 1, "too_shallow", 0);
}

static void test_series(void **state)
{
	uint64_t length = NSEC_PER_SEC;
	struct plot_intervals from = {
		.count = 2, .every = length, .read = interval, .ctx = &length};
	json_t *run = run_fixture();

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	assert_int_equal(plot_series(&plots, run, &from), 0);
	/* Time, wakeups/s, p50, p99, too deep, too shallow, W, both states: both ends. */
	assert_has("p/series.dat", "0 50 3 9 5 10 NaN 25 50\n1 50 3 9 5 10 NaN 25 50\n"
				   "1 0 NaN NaN 5 10 NaN 25 50\n2 0 NaN NaN 5 10");
	assert_has("p/series.gp", "set xrange [0:2]");
	assert_has("p/series.gp", "intervals of 1.00 s");
	/* Too many for a point each: they become fewer, which add up. */
	length = NSEC_PER_SEC / 1000;
	from.count = 1000;
	from.every = length;
	assert_int_equal(plot_series(&plots, run, &from), 0);
	assert_has("p/series.dat", "0 25000 3 9 5 10 NaN 25 50\n0.002 25000");
	assert_has("p/series.gp", "intervals of 2.00 ms");
	assert_has("p/series.gp", "latency, us (highest)");
	json_decref(run);
}

/* A run alone, without a trace: there is nothing to draw, and that is no error. */
static void test_run_untraced(void **state)
{
	json_t *run = run_fixture();

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	run_fixture_set(run, "wakeups", json_null());
	run_fixture_set(run, "idle", json_null());
	assert_int_equal(plot_run(&plots, run), 0);
	json_decref(run);
}

static void test_no_gnuplot(void **state)
{
	json_t *doc = sweep(false);
	struct capture capture;
	char *said;

	(void)state;
	capture_begin(&capture, STDERR_FILENO);
	assert_int_equal(plot_sweep(&plots, doc, NULL), 0);
	assert_int_equal(plot_sweep(&plots, doc, NULL), 0);
	said = capture_end(&capture);
	assert_non_null(strstr(said, "gnuplot is not installed"));
	/* Once is enough. */
	assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said));
	assert_has("p/sweep.gp", "multiplot");
	free(said);
	json_decref(doc);
}

static void test_failures(void **state)
{
	json_t *doc = sweep(false);

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 1\n");
	assert_int_equal(plot_sweep(&plots, doc, NULL), -1);
	assert_non_null(strstr(plots.err, "gnuplot sweep.gp failed there"));
	assert_int_equal(plots.nr, 0);
	tree_put("a file", "/f");
	assert_int_equal(plots_open(&plots, in_tree("f")), 0);
	assert_int_equal(plot_sweep(&plots, doc, NULL), -1);
	assert_non_null(strstr(plots.err, "/f/sweep.gp: Not a directory"));
	assert_int_equal(plots_open(&plots, in_tree("no/p")), -1);
	assert_non_null(strstr(plots.err, "No such file"));
	json_decref(doc);
}

/* A directory of its own is there for as long as the pictures are needed. */
static void test_own_directory(void **state)
{
	json_t *doc = sweep(false);
	char dir[PATH_MAX];

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	setenv("TMPDIR", tree_root, 1);
	assert_int_equal(plots_open(&plots, NULL), 0);
	unsetenv("TMPDIR");
	strcpy(dir, plots.dir);
	assert_non_null(strstr(dir, tree_root));
	assert_int_equal(plot_sweep(&plots, doc, NULL), 0);
	assert_int_equal(plots.nr, 1);
	assert_string_equal(plots.drawn[0].name, "sweep");
	assert_non_null(strstr(plots.drawn[0].title, "pingpong over work"));
	plots_close(&plots);
	assert_int_equal(access(dir, F_OK), -1);
	json_decref(doc);
}

static void add_side(struct comparison *c, const char *side, const char *case_name,
		     double usecs)
{
	json_t *run = run_fixture(), *runs;

	run_fixture_metric(run, 0, usecs);
	runs = json_pack("[o]", run);
	assert_int_equal(comparison_add(c, side, case_name, runs, err, sizeof(err)), 0);
	json_decref(runs);
}

static void test_comparison(void **state)
{
	struct comparison c;

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	comparison_init(&c);
	add_side(&c, "governor=menu", "", 6);
	add_side(&c, "governor=menu", "", 8);
	add_side(&c, "governor=teo", "", 12);
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	assert_int_equal(plot_comparison(&plots, &c), 0);
	/* Side by side, then the medians. */
	assert_has("p/samples.dat", "-0.1250 6 1\n0.1250 8 1\n1.0000 12 2\n");
	assert_has("p/samples.dat", "0 7\n1 12\n");
	assert_has("p/samples.gp", "'menu' 0, 'teo' 1");
	assert_has("p/samples.gp", "head = 'pingpong: every run, and the median of each "
				   "side'.\"\\n\".'kernel 6.12.1 x86_64, cpuidle "
				   "acpi_idle/menu'\n");
	assert_has("p/latency.gp", "title 'teo'");
	comparison_free(&c);
}

static void test_comparison_of_cases(void **state)
{
	struct comparison c;

	(void)state;
	put_gnuplot("#!/bin/sh\nexit 0\n");
	comparison_init(&c);
	add_side(&c, "a", "work=0", 10);
	add_side(&c, "a", "work=5us", 10);
	add_side(&c, "b", "work=0", 15);
	add_side(&c, "b", "work=5us", 5);
	assert_int_equal(comparison_finish(&c, NULL, err, sizeof(err)), 0);
	assert_int_equal(plot_comparison(&plots, &c), 0);
	assert_has("p/relative.dat", "0 50 ");
	assert_has("p/relative.dat", "1 -50 ");
	assert_has("p/relative.gp", "'0' 0, '5us' 1");
	assert_has("p/relative.gp", "set xlabel 'work'");
	comparison_free(&c);
}

static void test_helpers(void **state)
{
	char text[8];

	(void)state;
	assert_string_equal(plot_quoted("a'b", text, sizeof(text)), "'a''b'");
	assert_string_equal(plot_quoted("\n", text, sizeof(text)), "'?'");
	assert_string_equal(plot_quoted("123456789", text, sizeof(text)), "'1234'");
	assert_string_equal(plot_state_colour(0, 4, text), "#e3eef9");
	assert_string_equal(plot_state_colour(3, 4, text), "#08306b");
	assert_string_equal(plot_state_colour(0, 1, text), "#08306b");
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(test_sweep),
		WITH_TREE(test_sweep_of_words),
		WITH_TREE(test_sweep_without_verdicts),
		WITH_TREE(test_run),
		WITH_TREE(test_run_untraced),
		WITH_TREE(test_series),
		WITH_TREE(test_no_gnuplot),
		WITH_TREE(test_failures),
		WITH_TREE(test_own_directory),
		WITH_TREE(test_comparison),
		WITH_TREE(test_comparison_of_cases),
		cmocka_unit_test(test_helpers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
