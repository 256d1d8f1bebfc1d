// SPDX-License-Identifier: GPL-2.0
/* The JSON adds up, is valid, has all that the text has, and is written whole or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report_capture.h"
#include "series.h"

static json_int_t get(json_t *o, const char *key)
{
	json_t *value = json_object_get(o, key);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", key);
	return json_integer_value(value);
}

/* Sum of an integer member over a list. */
static json_int_t total(json_t *list, const char *key)
{
	json_int_t sum = 0;
	json_t *o;
	size_t i;

	assert_true(json_is_array(list));
	json_array_foreach (list, i, o)
		sum += get(o, key);
	return sum;
}

static void assert_latency(json_t *o)
{
	json_int_t count = get(o, "count"), sum = 0, end = -1;
	json_t *bucket;
	size_t i;

	json_array_foreach (json_object_get(o, "buckets"), i, bucket) {
		json_int_t low = json_integer_value(json_array_get(bucket, 0));
		json_int_t high = json_integer_value(json_array_get(bucket, 1));

		assert_true(low > end && high >= low);
		end = high;
		sum += json_integer_value(json_array_get(bucket, 2));
	}
	assert_int_equal(sum, count);
	if (!count) {
		assert_true(json_is_null(json_object_get(o, "p50")));
		assert_true(json_is_null(json_object_get(o, "min")));
		return;
	}
	assert_true(get(o, "min") <= get(o, "p50") && get(o, "p50") <= get(o, "p90"));
	assert_true(get(o, "p90") <= get(o, "p99") && get(o, "p99") <= get(o, "p99_9"));
	assert_true(get(o, "p99_9") <= get(o, "max"));
}

static void assert_wakeups(json_t *w)
{
	json_t *o, *classes = json_object_get(w, "classes");
	size_t i;

	assert_int_equal(total(classes, "count"), get(w, "count"));
	assert_latency(json_object_get(w, "latency"));
	assert_latency(json_object_get(w, "exit"));
	json_array_foreach (classes, i, o) {
		assert_true(get(o, "count") > 0);
		assert_latency(json_object_get(o, "latency"));
		assert_int_equal(get(json_object_get(o, "latency"), "count"),
				 get(o, "count"));
	}
}

static void test_json_adds_up(void **state)
{
	static const char *const verdicts[] = {"hit",	   "too_deep", "too_shallow",
					       "rejected", "entered",  "requested",
					       "time"};
	struct fixture f;
	json_t *doc, *idle, *states, *cpus, *cpu;
	size_t i;

	(void)state;
	fixture_driver(&f);
	doc = json_of(&f.results);
	assert_wakeups(json_object_get(doc, "wakeups"));
	assert_wakeups(json_object_get(doc, "wakeups_other"));
	assert_int_equal(
		total(json_object_get(json_object_get(doc, "wakeups"), "sources"),
		      "count"),
		get(json_object_get(doc, "wakeups"), "count"));
	idle = json_object_get(doc, "idle");
	states = json_object_get(idle, "states");
	cpus = json_object_get(idle, "cpus");
	assert_int_equal(json_array_size(cpus), 12);
	assert_int_equal(total(cpus, "periods"), get(idle, "periods"));
	assert_int_equal(total(states, "hit") + total(states, "too_deep") +
				 total(states, "too_shallow"),
			 total(states, "entered"));
	for (size_t v = 0; v < sizeof(verdicts) / sizeof(verdicts[0]); v++) {
		json_int_t sum = 0;

		json_array_foreach (cpus, i, cpu)
			sum += total(json_object_get(cpu, "states"), verdicts[v]);
		assert_int_equal(sum, total(states, verdicts[v]));
	}
	assert_int_equal(
		total(json_object_get(json_object_get(doc, "timers"), "states"), "count"),
		get(json_object_get(doc, "timers"), "expired"));
	json_decref(doc);
	fixture_free(&f);
}

/* With tracing and without. */
static void test_json_kernel(void **state)
{
	json_int_t usage = 0;
	json_t *doc, *kernel;
	struct fixture f;

	(void)state;
	fixture_driver(&f);
	for (u32 cpu = 0; cpu < f.results.nr_cpus; cpu++)
		for (u32 i = 0; i < f.results.nr_states; i++)
			usage += f.results.cpus[cpu].state[i].kernel.usage;
	for (int traced = 1; traced >= 0; traced--) {
		f.results.traced = traced;
		doc = json_of(&f.results);
		kernel = json_object_get(doc, "kernel");
		assert_int_equal(get(kernel, "idle_entries"), usage);
		assert_int_equal(get(kernel, "cpus"), 12);
		assert_int_equal(get(kernel, "cpu_time"), f.results.cpu_time);
		json_decref(doc);
	}
	fixture_free(&f);
	fixture_no_driver(&f);
	doc = json_of(&f.results);
	kernel = json_object_get(doc, "kernel");
	assert_int_equal(get(kernel, "cpus"), 0);
	assert_true(json_is_null(json_object_get(kernel, "idle_entries")));
	json_decref(doc);
	fixture_free(&f);
}

static void test_json_unknown(void **state)
{
	struct fixture f;
	json_t *doc, *one;

	(void)state;
	fixture_no_driver(&f);
	doc = json_of(&f.results);
	one = json_array_get(json_object_get(json_object_get(doc, "idle"), "states"), 1);
	assert_int_equal(get(one, "entered"), 9600);
	assert_true(json_is_null(json_object_get(one, "hit")));
	assert_true(json_is_null(json_object_get(one, "kernel")));
	assert_true(json_is_null(json_object_get(one, "residual")));
	assert_true(json_is_null(json_object_get(doc, "cost")));
	assert_true(json_is_null(json_object_get(doc, "workload")));
	assert_true(json_is_null(json_object_get(doc, "wakeups_other")));
	assert_true(
		json_is_null(json_object_get(json_object_get(doc, "observer"), "bpf")));
	assert_true(json_is_null(json_object_get(doc, "timers")));
	json_decref(doc);
	fixture_free(&f);
}

static void test_json_options(void **state)
{
	struct fixture f;
	json_t *doc, *options, *metrics;

	(void)state;
	fixture_driver(&f);
	doc = json_of(&f.results);
	options = json_object_get(json_object_get(doc, "workload"), "options");
	assert_int_equal(get(options, "threads"), 500);
	assert_int_equal(get(options, "arrival"), 20000);
	assert_true(json_real_value(json_object_get(options, "load")) == 12.5);
	assert_true(json_is_true(json_object_get(options, "pin")));
	assert_string_equal(json_string_value(json_object_get(options, "mode")),
			    "periodic");
	assert_string_equal(json_string_value(json_object_get(options, "where")), "auto");
	metrics = json_object_get(json_object_get(doc, "workload"), "metrics");
	assert_true(json_is_null(json_object_get(json_array_get(metrics, 1), "value")));
	json_decref(doc);
	fixture_free(&f);
}

static bool json_has(json_t *value, json_int_t number)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_integer(value))
		return json_integer_value(value) == number;
	json_object_foreach (value, key, member)
		if (json_has(member, number))
			return true;
	json_array_foreach (value, i, member)
		if (json_has(member, number))
			return true;
	return false;
}

/* Every number with a thousands separator is a count of something. */
static void test_counts_in_json(void **state)
{
	struct fixture f;
	json_t *doc;
	char *text;
	int seen = 0;

	(void)state;
	fixture_driver(&f);
	text = text_of(&f.results, false);
	doc = json_of(&f.results);
	for (char *p = text; *p; p++) {
		json_int_t number = 0;
		bool count = false;

		if (!isdigit(*p) || (p > text && (isalnum(p[-1]) || p[-1] == '.')))
			continue;
		for (; isdigit(*p) || (*p == ',' && isdigit(p[1])); p++) {
			count |= *p == ',';
			number = *p == ',' ? number : number * 10 + (*p - '0');
		}
		if (!count)
			continue;
		seen++;
		if (!json_has(doc, number))
			fail_msg("%lld is not in the JSON", (long long)number);
	}
	assert_true(seen > 15);
	json_decref(doc);
	free(text);
	fixture_free(&f);
}

/* Two intervals: no wakeup and a third of the idle periods, and all the rest. */
static void add_series(struct fixture *f, struct series *s)
{
	static struct sample zero, part, all;
	struct power none = {.no_class = true};
	struct interval first, last;

	memset(&part, 0, sizeof(part));
	memset(&all, 0, sizeof(all));
	memset(s, 0, sizeof(*s));
	sample_of_results(&f->results, &all);
	part.time = 1000;
	part.state[1].entered = all.state[1].entered / 3;
	part.state[1].too_deep = all.state[1].too_deep / 3;
	part.state[1].time = all.state[1].time / 3;
	part.state[1].residency = all.state[1].time / 2;
	interval_between(&zero, &part, &none, &first);
	interval_between(&part, &all, &none, &last);
	s->every = 250 * NSEC_PER_MSEC;
	s->count = 2;
	s->keeps = s->in_json = true;
	assert_int_equal(spill_open(&s->rows, "-", sizeof(first)), 0);
	spill_add(&s->rows, &first);
	spill_add(&s->rows, &last);
	f->results.series = s;
}

static void test_json_intervals(void **state)
{
	json_t *doc, *list, *first, *states, *state1;
	const struct idle_row *row;
	struct fixture f;
	struct series s;
	char *text;

	(void)state;
	fixture_driver(&f);
	add_series(&f, &s);
	doc = json_of(&f.results);
	list = json_object_get(doc, "intervals");
	first = json_array_get(list, 0);
	states = json_object_get(first, "states");
	state1 = json_array_get(states, 1);
	row = &f.results.idle[1];
	assert_int_equal(get(doc, "interval"), 250 * NSEC_PER_MSEC);
	assert_int_equal(json_array_size(list), 2);
	assert_int_equal(total(list, "wakeups"),
			 get(json_object_get(doc, "wakeups"), "count"));
	assert_int_equal(get(first, "wakeups"), 0);
	assert_true(json_is_null(json_object_get(first, "p50")));
	assert_true(json_is_null(json_object_get(first, "frequency_khz")));
	assert_int_equal(json_object_size(json_object_get(first, "loss")), 0);
	assert_int_equal(get(json_object_get(json_array_get(list, 1), "loss"), "ring"),
			 f.results.loss.ring);
	assert_int_equal(json_array_size(states), f.results.nr_states);
	assert_true(row->verdict[VERDICT_TOO_DEEP] > 3);
	assert_int_equal(get(state1, "too_deep"), row->verdict[VERDICT_TOO_DEEP] / 3);
	assert_int_equal(get(state1, "time"), row->time / 3);
	assert_int_equal(get(state1, "residency"), row->time / 2);
	json_decref(doc);
	text = text_of(&f.results, false);
	assert_non_null(strstr(text, "INTERVALS  2 of 250ms, in the JSON\n"));
	free(text);
	series_close(&s);
	fixture_free(&f);
}

/* Intervals that are not all there are no report, and the old one stays. */
static void test_json_intervals_lost(void **state)
{
	char path[] = "/tmp/idletrace-test-XXXXXX", line[128], *err;
	int fd = mkstemp(path);
	struct fixture f;
	struct stat st;
	struct series s;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	fixture_driver(&f);
	add_series(&f, &s);
	s.rows.error = ENOSPC;
	assert_int_equal(json_to(&f.results, path, &err), -1);
	snprintf(line, sizeof(line), "idletrace: --json %s: its intervals: %s\n", path,
		 strerror(ENOSPC));
	assert_string_equal(err, line);
	free(err);
	s.rows.error = 0;
	s.count = 3; /* the third cannot be read */
	assert_int_equal(json_to(&f.results, path, &err), -1);
	free(err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	unlink(path);
	series_close(&s);
	fixture_free(&f);
}

static void assert_fails(const struct results *r, const char *path, int error)
{
	char line[256], *err;

	snprintf(line, sizeof(line), "idletrace: --json %s: %s\n", path, strerror(error));
	assert_int_equal(json_to(r, path, &err), -1);
	assert_string_equal(err, line);
	free(err);
}

static void test_json_errors(void **state)
{
	struct fixture f;

	(void)state;
	fixture_empty(&f);
	assert_fails(&f.results, "/dev/full", ENOSPC);
	assert_fails(&f.results, "/nonexistent/x.json", ENOENT);
	assert_fails(&f.results, "/", EISDIR);
	fixture_free(&f);
}

/* The old file stays until the new one is whole, and keeps its permissions. */
static void test_json_file(void **state)
{
	char dir[] = "/tmp/idletrace-test-XXXXXX", path[64], link[64], *err;
	struct fixture f;
	struct stat st;
	json_t *doc;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.json", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	fixture_driver(&f);
	assert_int_equal(json_to(&f.results, path, &err), 0);
	assert_string_equal(err, "");
	free(err);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("a.json", link), 0);
	assert_int_equal(json_to(&f.results, link, &err), 0);
	free(err);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	doc = json_load_file(path, 0, NULL);
	assert_non_null(doc);
	json_decref(doc);
	unlink(link);
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* no temporary file is left */
	fixture_free(&f);
}

/* Exit status of tests/validate-json on one report. */
static int validate(const struct results *r)
{
	char path[] = "/tmp/idletrace-test-XXXXXX", command[128], *err;
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(json_to(r, path, &err), 0);
	free(err);
	snprintf(command, sizeof(command), "tests/validate-json %s", path);
	status = system(command);
	unlink(path);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_json_schema(void **state)
{
	struct fixture f;
	struct series s;

	(void)state;
	if (access("tests/validate-json", X_OK))
		skip();
	for (size_t i = 0; i < FIXTURES; i++) {
		int status;

		/* The largest is slow to check, and has nothing that the first has not.
		 */
		if (report_fixtures[i] == fixture_large)
			continue;
		report_fixtures[i](&f);
		add_series(&f, &s);
		status = validate(&f.results);
		f.results.series = NULL;
		if (!status)
			status = validate(&f.results);
		f.results.traced = false;
		if (!status)
			status = validate(&f.results);
		series_close(&s);
		fixture_free(&f);
		if (status == 77)
			skip();
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_adds_up),
		cmocka_unit_test(test_json_kernel),
		cmocka_unit_test(test_json_unknown),
		cmocka_unit_test(test_json_options),
		cmocka_unit_test(test_counts_in_json),
		cmocka_unit_test(test_json_intervals),
		cmocka_unit_test(test_json_intervals_lost),
		cmocka_unit_test(test_json_errors),
		cmocka_unit_test(test_json_file),
		cmocka_unit_test(test_json_schema),
	};

	return cmocka_run_group_tests_name("report_json", tests, NULL, NULL);
}
