// SPDX-License-Identifier: GPL-2.0
/* What tracing costs, of runs made up: numbers, directions, and the text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "calibration.h"
#include "report_capture.h"
#include "run_fixture.h"
#include "runs.h"

#define ROUNDS 6

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static char err[256];

static json_t *run(bool traced, double usecs, double loops, int entries)
{
	json_t *r = run_fixture();
	json_t *metrics = run_at(r, "workload.metrics");

	run_fixture_metric(r, 0, usecs);
	run_fixture_metric(r, 1, loops);
	json_object_set_new(json_array_get(metrics, 1), "better", json_string("higher"));
	json_object_set_new(r, "kernel",
			    json_pack("{s:i, s:I, s:o}", "cpus", 2, "cpu_time",
				      (json_int_t)2000000000, "idle_entries",
				      entries ? json_integer(entries) : json_null()));
	json_object_set_new(
		r, "observer",
		traced ? json_pack("{s:f, s:f}", "bpf", 450.5, "bpf_cpu_idle", 95.25)
		       : json_null());
	if (!traced)
		json_object_set_new(r, "wakeups", json_null());
	return r;
}

/* Tracing makes usecs_per_loop 10 % more, loops 20 % less; 50 entries/s of 1000 more. */
static json_t *point(const char *trace, bool entries)
{
	bool on = !strcmp(trace, "on");
	json_t *runs = json_array();

	for (int i = 0; i < ROUNDS; i++)
		json_array_append_new(runs, run(on, (on ? 110 : 100) + 0.01 * i,
						(on ? 800 : 1000) + 0.01 * i,
						entries ? (on ? 1050 : 1000) : 0));
	return json_pack("{s:s, s:b, s:{s:s}, s:o}", "name", trace, "control", 0,
			 "values", "trace", trace, "runs", runs);
}

static json_t *document(const char *first, const char *second, bool entries)
{
	return json_pack("{s:s, s:[s], s:[o, o]}", "schema", "idletrace.ab/1", "vary",
			 "trace", "points", point(first, entries),
			 point(second, entries));
}

static double at(const json_t *o, const char *path)
{
	const json_t *value = run_at(o, path);

	if (!json_is_number(value))
		fail_msg("%s is no number", path);
	return json_number_value(value);
}

static void assert_ratio(const json_t *o, const char *name, double ratio)
{
	assert_true(fabs(at(o, name) - ratio) < 0.001);
	assert_true(at(o, "low") <= at(o, name) && at(o, name) <= at(o, "high"));
	assert_true(at(o, "high") < ratio + 0.001 && at(o, "low") > ratio - 0.001);
}

/* Whichever of the two comes first. */
static void test_numbers(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		json_t *doc = document(turn ? "on" : "off", turn ? "off" : "on", true);
		json_t *c = calibration_json(doc, err, sizeof(err)), *metrics, *m;

		assert_non_null(c);
		assert_string_equal(err, "");
		assert_int_equal(at(c, "rounds"), ROUNDS);
		metrics = run_at(c, "metrics");
		assert_int_equal(json_array_size(metrics), 2);
		m = json_array_get(metrics, 0);
		assert_string_equal(run_text(m, "name"), "usecs_per_loop");
		assert_string_equal(run_text(m, "better"), "lower");
		assert_string_equal(run_text(m, "verdict"), "worse");
		assert_near(at(m, "off"), 100.025);
		assert_near(at(m, "on"), 110.025);
		assert_ratio(m, "slowdown", 1.1);
		m = json_array_get(metrics, 1);
		assert_string_equal(run_text(m, "better"), "higher");
		assert_string_equal(run_text(m, "verdict"), "worse");
		assert_ratio(m, "slowdown", 1.25);
		m = run_at(c, "idle_entries");
		assert_near(at(m, "off"), 1000);
		assert_near(at(m, "added"), 50);
		assert_ratio(m, "ratio", 1.05);
		assert_near(at(c, "exit_program"), 95.25);
		assert_near(at(c, "exit_phase"), 2000);
		assert_near(at(c, "bpf"), 450.5);
		json_decref(c);
		json_decref(doc);
	}
}

static void test_of_something_else(void **state)
{
	json_t *doc = document("off", "on", true);

	(void)state;
	json_array_append_new(run_at(doc, "vary"), json_string("none"));
	assert_null(calibration_json(doc, err, sizeof(err)));
	assert_string_equal(err, "");
	json_object_set_new(doc, "vary", json_pack("[s]", "governor"));
	assert_null(calibration_json(doc, err, sizeof(err)));
	assert_string_equal(err, "");
	json_decref(doc);
	/* Only one of the two. */
	doc = document("on", "on", true);
	assert_null(calibration_json(doc, err, sizeof(err)));
	assert_string_equal(err, "");
	json_decref(doc);
}

static char *print(const json_t *c)
{
	struct capture capture;

	capture_begin(&capture, STDOUT_FILENO);
	calibration_print(c);
	return capture_end(&capture);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_text(void **state)
{
	json_t *doc = document("off", "on", true);
	json_t *c = calibration_json(doc, err, sizeof(err));
	char *text = print(c);

	(void)state;
	assert_has(text, "medians of 6 runs without it and with it\n");
	assert_has(text, "+10.0%  [+10.0%, +10.0%]  0.0022  worse\n");
	assert_has(text, "+25.0%  [+25.0%, +25.0%]  0.0022  worse\n");
	assert_has(text, "off 1000, on 1050, added +50.00 (+5.0%,");
	assert_has(text, "at most 95 ns to an exit phase");
	assert_has(text, "450 ns per wakeup");
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 80);
	free(text);
	json_decref(c);
	json_decref(doc);
}

/* No cpuidle driver, no privilege for BPF statistics. */
static void test_unknown(void **state)
{
	json_t *doc = document("off", "on", false), *r, *c;
	size_t i;
	char *text;

	(void)state;
	json_array_foreach (run_at(json_array_get(run_at(doc, "points"), 1), "runs"), i,
			    r)
		json_object_set_new(r, "observer",
				    json_pack("{s:n, s:n}", "bpf", "bpf_cpu_idle"));
	c = calibration_json(doc, err, sizeof(err));
	assert_non_null(c);
	assert_null(run_at(c, "idle_entries"));
	assert_null(run_at(c, "exit_program"));
	assert_null(run_at(c, "bpf"));
	text = print(c);
	assert_has(text, "entries per second: - (");
	assert_has(text, "cpu_idle: - (not measured)");
	assert_has(text, "BPF        - (not measured)");
	free(text);
	json_decref(c);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_of_something_else),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
