// SPDX-License-Identifier: GPL-2.0
/* When intervals end, and what becomes of them; samples are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report_fixtures.h"
#include "series.h"
#include "tree.h"
#include "workers.h"

#define EVERY NSEC_PER_SEC

static struct fixture f;
static struct series s;
static struct power power;
static struct power_snapshot snapshot;
static char path[128], err[256];
static u64 entered; /* what the next sample has of state 1 */
static bool unreadable;

/* In place of the one that reads maps. */
bool tracer_sample(struct tracer *t, const struct cpu_mask *cpus, struct sample *sample)
{
	(void)t;
	(void)cpus;
	sample->time = now_ns();
	sample->state[1].entered = entered;
	return !unreadable;
}

static int setup(void **state)
{
	if (tree_setup(state))
		return -1;
	fixture_driver(&f);
	power_open(&power, tree_root);
	snprintf(path, sizeof(path), "%s/series", tree_root);
	entered = 0;
	unreadable = false;
	return 0;
}

static int teardown(void **state)
{
	series_close(&s);
	fixture_free(&f);
	return tree_teardown(state);
}

/* A window that has been open for a while. */
static void begin(const struct options *o, u64 ago, u64 duration)
{
	u64 began = now_ns() - ago;

	assert_int_equal(series_open(&s, o, &f.machine, err, sizeof(err)), 0);
	f.results.start = began;
	for (u32 cpu = 0; cpu < f.results.nr_cpus; cpu++) {
		f.results.cpus[cpu].start = began;
		f.results.cpus[cpu].end = began + 10 * EVERY;
	}
	series_begin(&s, &f.results, &f.machine.online, &power, &snapshot, began,
		     duration);
}

static unsigned int lines(void)
{
	FILE *file = fopen(path, "r");
	unsigned int n = 0;

	assert_non_null(file);
	for (int c; (c = getc(file)) != EOF;)
		n += c == '\n';
	fclose(file);
	return n;
}

static void test_none(void **state)
{
	struct options o = {.json = "-"};

	(void)state;
	begin(&o, 0, EVERY);
	assert_true(series_due(&s) == UINT64_MAX);
	series_stop(&s, &snapshot);
	assert_int_equal(series_finish(&s, &f.results, err, sizeof(err)), 0);
	assert_int_equal(s.count, 0);
	assert_false(series_kept(&s));
}

/* Ends are multiples; the work's own end is none, as it takes a little longer. */
static void test_ends(void **state)
{
	static const struct {
		u64 duration, due; /* in tenths of the interval */
	} cases[] = {{0, 10}, {100, 10}, {11, 10}, {10, 20}, {9, 20}, {1, 20}};
	struct options o = {.interval_ns = EVERY};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&o, 0, cases[i].duration * EVERY / 10);
		assert_int_equal(series_due(&s) - s.began, cases[i].due * EVERY / 10);
		series_close(&s);
	}
}

/* One that comes late is longer, and those that it missed are none. */
static void test_late(void **state)
{
	struct options o = {.interval_ns = EVERY, .json = "-"};
	struct interval i;

	(void)state;
	begin(&o, 5 * EVERY + EVERY / 2, 0);
	assert_int_equal(series_due(&s), s.began + EVERY);
	entered = 30;
	series_take(&s, NULL, &f.results);
	assert_int_equal(s.count, 1);
	assert_int_equal((series_due(&s) - s.began) % EVERY, 0);
	assert_true(series_due(&s) >= s.began + 6 * EVERY);
	assert_int_equal(series_read(&s, 0, &i), 0);
	assert_true(i.length >= 5 * EVERY + EVERY / 2);
	assert_int_equal(i.cpu_time, i.length * f.results.nr_cpus);
	assert_int_equal(i.state[1].entered, 30);
}

/* What could not be read is in the next one. */
static void test_unreadable(void **state)
{
	struct options o = {.interval_ns = EVERY, .json = "-"};
	struct interval i;

	(void)state;
	begin(&o, EVERY, 0);
	unreadable = true;
	entered = 5;
	series_take(&s, NULL, &f.results);
	assert_int_equal(s.count, 0);
	assert_true(series_due(&s) >= s.began + 2 * EVERY);
	unreadable = false;
	entered = 17;
	series_take(&s, NULL, &f.results);
	assert_int_equal(s.count, 1);
	assert_int_equal(series_read(&s, 0, &i), 0);
	assert_int_equal(i.start, 0);
	assert_int_equal(i.state[1].entered, 17);
}

/* The last one ends with the results, whatever the samples before were. */
static void test_finish(void **state)
{
	struct options o = {.interval_ns = EVERY, .series = path, .json = path};
	struct interval i;
	u64 sum = 0, length = 0;

	(void)state;
	begin(&o, 2 * EVERY, 0);
	for (int n = 1; n <= 2; n++) {
		entered = (u64)n;
		series_take(&s, NULL, &f.results);
		assert_int_equal(lines(), 1 + n);
	}
	series_stop(&s, &snapshot);
	assert_int_equal(series_finish(&s, &f.results, err, sizeof(err)), 0);
	assert_int_equal(s.count, 3);
	assert_int_equal(lines(), 4);
	assert_true(series_kept(&s));
	for (u64 n = 0; n < s.count; n++) {
		assert_int_equal(series_read(&s, n, &i), 0);
		assert_int_equal(i.start, length);
		length += i.length;
		sum += i.state[1].entered;
	}
	assert_int_equal(length, 10 * EVERY);
	assert_true(f.results.idle[1].entered > 2);
	assert_int_equal(sum, f.results.idle[1].entered);
}

static void test_full(void **state)
{
	struct options o = {.interval_ns = EVERY, .series = "/dev/full"};

	(void)state;
	begin(&o, EVERY, 0);
	series_take(&s, NULL, &f.results);
	assert_int_equal(s.count, 1);
	assert_int_equal(series_finish(&s, &f.results, err, sizeof(err)), -1);
	assert_string_equal(err, "--series /dev/full: No space left on device");
	assert_false(series_kept(&s));
	series_close(&s);
	o.series = "/nowhere/at/all";
	assert_int_equal(series_open(&s, &o, &f.machine, err, sizeof(err)), -1);
	assert_string_equal(err, "--series /nowhere/at/all: No such file or directory");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_none),       TEST(test_ends),	  TEST(test_late),
		TEST(test_unreadable), TEST(test_finish), TEST(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
