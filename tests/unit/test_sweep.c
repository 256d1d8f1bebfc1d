// SPDX-License-Identifier: GPL-2.0
/* Points of a sweep, what is kept of it, its document and its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report_capture.h"
#include "run_fixture.h"
#include "sweep_points.h"
#include "sweep_report.h"
#include "tree.h"

static char err[SWEEP_ERROR];
static char *no_words[] = {NULL};

static void begin(struct sweep_points *s, const char *const *specs)
{
	const struct workload *pingpong = workload_find("pingpong");

	*s = (struct sweep_points){.words = no_words};
	for (; *specs; specs++)
		if (axis_parse(&s->axes[s->nr_axes++], pingpong, *specs, err,
			       sizeof(err)))
			fail_msg("%s", err);
	assert_int_equal(sweep_points_init(s, err, sizeof(err)), 0);
}

static void begin_one(struct sweep_points *s, const char *spec)
{
	const char *specs[] = {spec, NULL};

	begin(s, specs);
}

static void give_run(struct sweep_points *s, unsigned int point, double usecs)
{
	s->points[point].run = run_fixture();
	run_fixture_metric(s->points[point].run, 0, usecs);
}

static void assert_name(const struct sweep_points *s, unsigned int point,
			const char *expected)
{
	char name[256];

	assert_string_equal(sweep_point_name(s, point, name, sizeof(name)), expected);
}

static void test_cross_product(void **state)
{
	static const char *const specs[] = {"work=0,5us", "tasks=2:4:1", NULL};
	static char word[] = "--rings", value[] = "1";
	static char *words[] = {word, value, NULL};
	struct sweep_points s;
	char **argv;

	(void)state;
	begin(&s, specs);
	assert_int_equal(s.nr, 6);
	assert_name(&s, 0, "work=0,tasks=2");
	assert_name(&s, 1, "work=0,tasks=3");
	assert_name(&s, 5, "work=5us,tasks=4");
	s.words = words;
	s.nr_words = 2;
	argv = sweep_point_argv(&s, 4);
	assert_string_equal(argv[0], "--rings");
	assert_string_equal(argv[1], "1");
	assert_string_equal(argv[2], "--work=5us");
	assert_string_equal(argv[3], "--tasks=3");
	assert_null(argv[4]);
	sweep_point_argv_free(&s, argv);
	sweep_points_free(&s);
}

static void test_too_many(void **state)
{
	static const char *const specs[] = {"work=1:200:1", "tasks=2:102:1", NULL};
	const struct workload *pingpong = workload_find("pingpong");
	struct sweep_points s = {.nr_axes = 2};

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			axis_parse(&s.axes[i], pingpong, specs[i], err, sizeof(err)), 0);
	assert_int_equal(sweep_points_init(&s, err, sizeof(err)), -1);
	assert_non_null(strstr(err, "at most 10000 points"));
	sweep_points_free(&s);
}

/* ---- the document ---- */

static void test_document(void **state)
{
	struct sweep_points s;
	json_t *doc, *point;
	char path[300];

	(void)state;
	begin_one(&s, "work=0,5us:updown");
	give_run(&s, 0, 3);
	s.points[1].error = strdup("broken");
	give_run(&s, 2, 4);
	doc = sweep_document(&s, "idletrace sweep ...", "usecs_per_loop");
	assert_false(json_is_true(run_at(doc, "complete")));
	assert_int_equal(json_integer_value(run_at(doc, "points_asked")), 3);
	assert_string_equal(run_text(doc, "metric"), "usecs_per_loop");
	assert_string_equal(run_text(json_array_get(run_at(doc, "axes"), 0), "unit"),
			    "ns");
	point = json_array_get(run_at(doc, "points"), 1);
	assert_string_equal(run_text(point, "error"), "broken");
	assert_int_equal(json_array_size(run_at(point, "runs")), 0);
	assert_int_equal(json_integer_value(run_at(point, "numbers.work")), 5000);
	point = json_array_get(run_at(doc, "points"), 2);
	assert_string_equal(run_text(point, "name"), "work=0 (back)");
	assert_string_equal(run_text(point, "values.work"), "0");
	assert_true(json_is_true(run_at(point, "back")));
	/* It is what comparisons read. */
	snprintf(path, sizeof(path), "%s/sweep.json", tree_root);
	assert_int_equal(json_dump_file(doc, path, 0), 0);
	json_decref(doc);
	doc = runs_load(path, err, sizeof(err));
	assert_non_null(doc);
	assert_string_equal(runs_collection(doc), "sweep");
	json_decref(doc);
	sweep_points_free(&s);
}

/* ---- what is kept ---- */

static const char *partial(void)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/x.partial", tree_root);
	return path;
}

/* Opens it for a new sweep over those values. What open says. */
static int reopen(struct sweep_state *kept, struct sweep_points *s, const char *spec)
{
	begin_one(s, spec);
	return sweep_state_open(kept, partial(), s, err, sizeof(err));
}

/* A sweep of three points that was stopped after the first and the last. */
static void leave_two(void)
{
	struct sweep_points s;
	struct sweep_state kept;

	assert_int_equal(reopen(&kept, &s, "work=0,5us,10us"), 0);
	give_run(&s, 0, 3);
	give_run(&s, 2, 7);
	assert_int_equal(sweep_state_add(&kept, &s, 0), 0);
	assert_int_equal(sweep_state_add(&kept, &s, 2), 0);
	sweep_state_close(&kept, false);
	sweep_points_free(&s);
}

static void test_resume(void **state)
{
	struct sweep_points s;
	struct sweep_state kept;
	double value;

	(void)state;
	leave_two();
	assert_int_equal(reopen(&kept, &s, "work=0,5us,10us"), 2);
	assert_int_equal(sweep_points_done(&s), 2);
	assert_null(s.points[1].run);
	assert_true(run_number(s.points[2].run, "usecs_per_loop", &value));
	assert_true(value == 7);
	give_run(&s, 1, 5);
	assert_int_equal(sweep_state_add(&kept, &s, 1), 0);
	sweep_state_close(&kept, false);
	sweep_points_free(&s);
	assert_int_equal(reopen(&kept, &s, "work=0,5us,10us"), 3);
	sweep_state_close(&kept, true);
	sweep_points_free(&s);
	assert_int_equal(access(partial(), F_OK), -1);
}

/* Killed in the middle of a line, at each of some lengths. */
static void test_resume_torn(void **state)
{
	(void)state;
	for (off_t cut = 1; cut < 4000; cut += 97) {
		struct sweep_points s;
		struct sweep_state kept;
		char path[300];
		FILE *f;
		long size;
		int runs;

		leave_two();
		snprintf(path, sizeof(path), "%s", partial());
		f = fopen(path, "r");
		assert_int_equal(fseek(f, 0, SEEK_END), 0);
		size = ftell(f);
		fclose(f);
		assert_int_equal(truncate(path, size > cut ? size - cut : 1), 0);
		runs = reopen(&kept, &s, "work=0,5us,10us");
		if (runs < 0)
			fail_msg("without the last %ld: %s", (long)cut, err);
		assert_int_equal(runs, sweep_points_done(&s));
		assert_true(runs < 2);
		give_run(&s, 1, 5);
		assert_int_equal(sweep_state_add(&kept, &s, 1), 0);
		sweep_state_close(&kept, false);
		sweep_points_free(&s);
		assert_int_equal(reopen(&kept, &s, "work=0,5us,10us"), runs + 1);
		sweep_state_close(&kept, true);
		sweep_points_free(&s);
	}
}

static void test_resume_another(void **state)
{
	struct sweep_points s;
	struct sweep_state kept;

	(void)state;
	leave_two();
	assert_int_equal(reopen(&kept, &s, "work=0,5us,20us"), -1);
	assert_non_null(strstr(err, "is of another sweep (points)"));
	sweep_points_free(&s);
	/* It is as it was. */
	assert_int_equal(reopen(&kept, &s, "work=0,5us,10us"), 2);
	sweep_state_close(&kept, true);
	sweep_points_free(&s);
}

/* Files of others stay as they are. */
static void test_resume_foreign(void **state)
{
	static const char *const texts[] = {"a letter\n", "a letter", "{}\n", "\n",
					    "{\"schema\":\"idletrace.run/1\"}"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sweep_points s;
		struct sweep_state kept;

		tree_put(texts[i], "/x.partial");
		assert_int_equal(reopen(&kept, &s, "work=0"), -1);
		assert_non_null(strstr(err, "x.partial: is "));
		tree_expect(texts[i], "/x.partial");
		sweep_points_free(&s);
	}
}

static void test_resume_locked(void **state)
{
	struct sweep_points s, other;
	struct sweep_state kept, second;

	(void)state;
	assert_int_equal(reopen(&kept, &s, "work=0,5us"), 0);
	assert_int_equal(reopen(&second, &other, "work=0,5us"), -1);
	assert_non_null(strstr(err, "another sweep is writing it"));
	sweep_state_close(&kept, true);
	sweep_points_free(&s);
	sweep_points_free(&other);
}

/* ---- the table ---- */

static char *print(const json_t *doc, const char *metric)
{
	struct run_measure measure;
	bool has = sweep_metric(doc, metric, &measure, err, sizeof(err));
	struct capture capture;

	capture_begin(&capture, STDOUT_FILENO);
	sweep_print(doc, has ? &measure : NULL);
	return capture_end(&capture);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void assert_narrow(const char *text)
{
	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		if (len > 80)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
	}
}

static void test_table(void **state)
{
	struct sweep_points s;
	json_t *doc;
	char *text;

	(void)state;
	begin_one(&s, "work=0,5us,10us,20us");
	give_run(&s, 0, 6.5);
	give_run(&s, 1, 12345.6);
	s.points[2].error = strdup("something broke");
	doc = sweep_document(&s, "", NULL);
	text = print(doc, NULL);
	assert_narrow(text);
	/* CPUs 1 and 2: 80 periods, of which 6 too deep and 14 too shallow. */
	assert_string_equal(
		text,
		"pingpong swept: 3 of 4 points  kernel 6.12.1, cpuidle acpi_idle/menu\n"
		"usecs_per_loop (lower is better); idle states of CPUs that take part: "
		"1-2\n"
		"\n"
		"      usecs_per_loop   too      too  wakeup  wakeup     in\n"
		"work              us  deep  shallow  p50 us  p99 us     C1\n"
		"0              6.500  7.5%    17.5%    5.00    5.00  10.0%\n"
		"5us           12,346  7.5%    17.5%    5.00    5.00  10.0%\n"
		"10us          failed\n"
		"failed at work=10us: something broke\n");
	free(text);
	json_decref(doc);
	sweep_points_free(&s);
}

static void test_table_watts(void **state)
{
	struct sweep_points s;
	json_t *doc;
	char *text;

	(void)state;
	begin_one(&s, "work=0,5us");
	give_run(&s, 0, 6.5);
	give_run(&s, 1, 7.5);
	json_object_set_new(s.points[0].run, "power",
			    json_pack("{s:f}", "package_watts", 12.345));
	doc = sweep_document(&s, "", NULL);
	text = print(doc, "wakeup.p99");
	assert_has(text, "wakeup.p99 (lower is better)");
	assert_has(text, "  watts  ");
	assert_has(text, "0           5.00    12.3");
	assert_has(text, "5us         5.00        -  ");
	free(text);
	json_decref(doc);
	sweep_points_free(&s);
}

/* More rows than a table has, five axes, and nothing but failures beside one run. */
static void test_table_large(void **state)
{
	static const char *const specs[] = {"work=1:250:1",  "rings=1",	    "token=pipe",
					    "loops=1000000", "place=cores", NULL};
	struct sweep_points s;
	unsigned int rows = 0;
	json_t *doc;
	char *text;

	(void)state;
	begin(&s, specs);
	for (unsigned int i = 0; i < s.nr; i++)
		give_run(&s, i, i);
	doc = sweep_document(&s, "", NULL);
	text = print(doc, NULL);
	assert_narrow(text);
	for (const char *c = text; (c = strchr(c, '\n')); c++)
		rows++;
	assert_int_equal(rows, 2 + 250 + 3 * 3);
	free(text);
	json_decref(doc);
	sweep_points_free(&s);
}

static void test_metric(void **state)
{
	struct run_measure measure;
	struct sweep_points s;
	json_t *doc;

	(void)state;
	begin_one(&s, "work=0,5us");
	s.points[0].error = strdup("broken");
	give_run(&s, 1, 7.5);
	doc = sweep_document(&s, "", NULL);
	assert_true(sweep_metric(doc, NULL, &measure, err, sizeof(err)));
	assert_string_equal(measure.name, "usecs_per_loop");
	assert_true(sweep_metric(doc, "loops", &measure, err, sizeof(err)));
	assert_true(sweep_metric(doc, "idle.too_deep", &measure, err, sizeof(err)));
	assert_false(sweep_metric(doc, "nothing", &measure, err, sizeof(err)));
	assert_string_equal(err, "--metric nothing: needs one of usecs_per_loop, loops, "
				 "or one such as wakeup.p99");
	json_decref(doc);
	sweep_points_free(&s);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cross_product),
		cmocka_unit_test(test_too_many),
		WITH_TREE(test_document),
		WITH_TREE(test_resume),
		WITH_TREE(test_resume_torn),
		WITH_TREE(test_resume_another),
		WITH_TREE(test_resume_foreign),
		WITH_TREE(test_resume_locked),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_watts),
		cmocka_unit_test(test_table_large),
		cmocka_unit_test(test_metric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
