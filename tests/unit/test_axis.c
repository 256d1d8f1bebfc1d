// SPDX-License-Identifier: GPL-2.0
/* Ranges of a sweep, and the gaps that are derived from idle states. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "axis.h"
#include "tree.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static char err[WORKLOAD_ERROR_MAX];

static const char *const choices[] = {"pipe", "fifo", NULL};

struct values {
	uint64_t count, time, size;
	double number;
	int word;
	char *text;
};

static const struct workload_option options[] = {
	{.name = "count",
	 .def = "1",
	 .type = OPTION_COUNT,
	 .word = "auto",
	 .word_value = 0,
	 OPTION_FIELD(struct values, count),
	 .min = 1,
	 .max = 100000},
	{.name = "time",
	 .def = "1us",
	 .type = OPTION_DURATION,
	 OPTION_FIELD(struct values, time)},
	{.name = "size",
	 .def = "1k",
	 .type = OPTION_SIZE,
	 OPTION_FIELD(struct values, size)},
	{.name = "number",
	 .def = "1",
	 .type = OPTION_NUMBER,
	 OPTION_FIELD(struct values, number)},
	{.name = "word",
	 .def = "pipe",
	 .type = OPTION_ENUM,
	 .choices = choices,
	 OPTION_FIELD(struct values, word)},
	{.name = "text",
	 .def = "0",
	 .type = OPTION_TEXT,
	 .min = 1,
	 OPTION_FIELD(struct values, text)},
};

static const struct workload made_up = {
	.name = "made-up",
	.options = options,
	.nr_options = NR(options),
	.options_size = sizeof(struct values),
};

/* All values, a blank in between; those on the way back have a "<" before them. */
static const char *values_of(const struct axis *axis)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < axis->nr; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s",
					 i ? " " : "", axis->values[i].back ? "<" : "",
					 axis->values[i].text);
	return text;
}

static void test_values(void **state)
{
	static const struct {
		const char *spec, *values;
		enum axis_kind kind;
	} cases[] = {
		{"time=5us", "5us", AXIS_TIME},
		{"time=0,20us,1.5ms", "0 20us 1.5ms", AXIS_TIME},
		{"count=1,10k", "1 10k", AXIS_NUMBER},
		{"count=auto,2", "auto 2", AXIS_WORDS},
		{"word=pipe,fifo", "pipe fifo", AXIS_WORDS},
		{"word=pipe,fifo:updown", "pipe fifo <pipe", AXIS_WORDS},
		{"text=0,10us,20us", "0 10us 20us", AXIS_TIME},
		{"text=20us,0,10us", "20us 0 10us", AXIS_TIME},
		{"text=0,10,20", "0 10 20", AXIS_NUMBER},
		{"text=10,10us", "10 10us", AXIS_WORDS},
		{"text=0,10,10us", "0 10 10us", AXIS_WORDS},
		{"text=a\\,b,c\\:d", "a,b c:d", AXIS_WORDS},
		{"text=a\\b", "a\\b", AXIS_WORDS},
		{"count=1,1,2,2", "1 2", AXIS_NUMBER},
		/* steps */
		{"count=1:7:2", "1 3 5 7", AXIS_NUMBER},
		{"count=1:8:2", "1 3 5 7", AXIS_NUMBER},
		{"count=7:1:3", "7 4 1", AXIS_NUMBER},
		{"time=0:1ms:250us", "0 250us 500us 750us 1ms", AXIS_TIME},
		{"time=1ms:0:500us", "1ms 500us 0", AXIS_TIME},
		{"number=0:1:0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1",
		 AXIS_NUMBER},
		{"size=4k:16k:4k", "4k 8k 12k 16k", AXIS_SIZE},
		{"text=0:100us:50us", "0 50us 100us", AXIS_TIME},
		{"text=10:30:10", "10 20 30", AXIS_NUMBER},
		/* lin */
		{"time=0:1ms:lin:5", "0 250us 500us 750us 1ms", AXIS_TIME},
		{"time=0:1ms:lin:4", "0 333us 667us 1ms", AXIS_TIME},
		{"time=100us:0:lin:3", "100us 50us 0", AXIS_TIME},
		{"count=1:2:lin:4", "1 2", AXIS_NUMBER},
		{"count=10:20:lin:2", "10 20", AXIS_NUMBER},
		{"number=0:1:lin:4", "0 0.333 0.667 1", AXIS_NUMBER},
		{"text=0:10:lin:4", "0 3 7 10", AXIS_NUMBER},
		/* log */
		{"time=1us:1ms:log:4", "1us 10us 100us 1ms", AXIS_TIME},
		{"time=1ms:1us:log:4", "1ms 100us 10us 1us", AXIS_TIME},
		{"time=1us:10us:log:3", "1us 3.16us 10us", AXIS_TIME},
		{"time=0:1ms:log:5", "0 1us 10us 100us 1ms", AXIS_TIME},
		{"time=0:1ms:log:2", "0 1ms", AXIS_TIME},
		{"time=0:100ns:log:4", "0 1ns 10ns 100ns", AXIS_TIME},
		{"text=0:1ms:log:5", "0 1us 10us 100us 1ms", AXIS_TIME},
		{"text=0:10000:log:6", "0 1 10 100 1000 10000", AXIS_NUMBER},
		{"count=1:10:log:20", "1 2 3 4 5 6 7 8 9 10", AXIS_NUMBER},
		{"size=1k:4k:log:3", "1k 2050 4k", AXIS_SIZE},
		/* together */
		{"time=0,1us:100us:log:3,1ms", "0 1us 10us 100us 1ms", AXIS_TIME},
		{"count=1:3:1:updown", "1 2 3 <2 <1", AXIS_NUMBER},
		{"time=0:10us:lin:3:updown", "0 5us 10us <5us <0", AXIS_TIME},
		{"text=0,5us:updown", "0 5us <0", AXIS_TIME},
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct axis axis;

		if (axis_parse(&axis, &made_up, cases[i].spec, err, sizeof(err)))
			fail_msg("%s: %s", cases[i].spec, err);
		if (strcmp(values_of(&axis), cases[i].values))
			fail_msg("%s: %s", cases[i].spec, values_of(&axis));
		if (axis.kind != cases[i].kind)
			fail_msg("%s: of kind %d", cases[i].spec, axis.kind);
		assert_int_equal(axis.updown, strstr(cases[i].spec, "updown") != NULL);
		assert_int_equal(axis.logarithmic, strstr(cases[i].spec, "log") != NULL);
		axis_free(&axis);
	}
}

/* A number for where it is a number, in ns and bytes. */
static void test_numbers(void **state)
{
	struct axis axis;

	(void)state;
	assert_int_equal(axis_parse(&axis, &made_up, "time=2us,1.5ms", err, sizeof(err)),
			 0);
	assert_true(axis.values[0].number == 2000 && axis.values[1].number == 1500000);
	axis_free(&axis);
	assert_int_equal(axis_parse(&axis, &made_up, "size=2k", err, sizeof(err)), 0);
	assert_true(axis.values[0].number == 2048);
	axis_free(&axis);
	assert_int_equal(axis_parse(&axis, &made_up, "word=fifo", err, sizeof(err)), 0);
	assert_true(isnan(axis.values[0].number));
	axis_free(&axis);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *spec, *why;
	} cases[] = {
		{"", "needs OPTION=RANGE"},
		{"time", "needs OPTION=RANGE"},
		{"=1", "needs OPTION=RANGE"},
		{"nothing=1", "not an option of made-up"},
		{"time=", "needs values such as"},
		{"time=1us,", "needs values such as"},
		{"time=,1us", "needs values such as"},
		{"time=1us::lin:3", "needs values such as"},
		{"time=1us:2us", "needs values such as"},
		{"time=1us:2us:lin:3:4", "needs values such as"},
		{"time=:updown", "needs values such as"},
		{"time=1us:updown", "needs two values or more"},
		{"time=5", "--time 5: needs"},
		{"time=1us,x", "--time x: needs"},
		{"count=0", "--count 0: needs"},
		{"count=0:10:5", "--count 0: needs"},
		{"count=1:1000000:log:5", "--count 1000000: needs"},
		{"word=socket", "--word socket: needs"},
		{"word=pipe:fifo:1", "no ends of a range"},
		{"count=auto:5:1", "no ends of a range"},
		{"text=0:1ms:lin:x", "needs 2 to 10000"},
		{"text=10us:20:lin:2", "no ends of a range"},
		{"time=0:1ms:lin", "needs a step"},
		{"time=0:1ms:x", "needs a step"},
		{"time=0:1ms:0", "more than 0"},
		{"time=0:1s:1ns", "at most 10000"},
		{"time=0:1ms:lin:1", "needs 2 to 10000"},
		{"time=0:1ms:lin:10001", "needs 2 to 10000"},
		{"time=0:1ms:lin:-3", "needs 2 to 10000"},
		{"time=0:1ms:exp:5", "needs lin or log"},
		{"time=1ms:0:log:5", "0 as its first value only"},
		{"time=0:0:log:5", "0 as its first value only"},
		{"count=1:6000:1,6001:12000:1", "at most 10000"},
		{"count=1:6000:1:updown", "at most 10000"},
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct axis axis;

		if (!axis_parse(&axis, &made_up, cases[i].spec, err, sizeof(err)))
			fail_msg("%s: taken as %s", cases[i].spec, values_of(&axis));
		if (!strstr(err, cases[i].why))
			fail_msg("%s: %s", cases[i].spec, err);
		assert_null(strchr(err, '\n'));
		axis_free(&axis);
	}
}

static void test_time(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1, "1ns"},
		{999, "999ns"},
		{1000, "1us"},
		{1001, "1.001us"},
		{1010, "1.01us"},
		{1500, "1.5us"},
		{999999, "999.999us"},
		{1000000, "1ms"},
		{1000001, "1000.001us"},
		{1500000000, "1.5s"},
		{60000000000, "60s"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		uint64_t ns = 1;

		assert_string_equal(axis_time(cases[i].ns, text, sizeof(text)),
				    cases[i].text);
		assert_int_equal(parse_duration(text, NULL, &ns), 0);
		assert_int_equal(ns, cases[i].ns);
	}
}

/* ---- gap=auto ---- */

static void put_states(unsigned int cpu, const char *const *residencies)
{
	tree_put("x\n", "/sys/devices/system/cpu/cpufreq/x");
	for (unsigned int i = 0; residencies[i]; i++)
		tree_put(residencies[i],
			 "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/residency", cpu,
			 i);
}

/* What gap=auto makes of that workload and option, or NULL with err. */
static const char *gap(const char *name, const char *option, const char *value)
{
	const struct workload *workload = workload_find(name);
	struct workload_run run = {0};
	struct workload_config config;
	const char *text = NULL;
	struct axis axis;

	assert_non_null(workload);
	assert_int_equal(workload_config_init(&config, workload), 0);
	if (option)
		assert_int_equal(
			workload_parse_option(&config, option, value, err, sizeof(err)),
			0);
	if (!axis_gap(&axis, &config, &run, tree_root, err, sizeof(err)))
		text = values_of(&axis);
	axis_free(&axis);
	workload_config_free(&config);
	return text;
}

static void test_gap(void **state)
{
	static const char *const states[] = {"0\n", "2\n", "20\n", "600\n", NULL};

	(void)state;
	put_states(0, states);
	put_states(1, states);
	assert_string_equal(gap("pingpong", NULL, NULL),
			    "1us 2us 4us 10us 20us 40us 300us 600us 1.2ms");
	assert_string_equal(gap("adrestia", NULL, NULL),
			    "1us 2us 4us 10us 20us 40us 300us 600us 1.2ms");
	/* Two others work in the gap of each. */
	assert_string_equal(gap("pingpong", "tasks", "3"),
			    "500ns 1us 2us 5us 10us 20us 150us 300us 600us");
	assert_string_equal(gap("waiters", "threads", "1"),
			    "1us 2us 4us 10us 20us 40us 300us 600us 1.2ms");
	assert_string_equal(gap("schbench", NULL, NULL),
			    "1us 2us 4us 10us 20us 40us 300us 600us 1.2ms");
	assert_string_equal(gap("ebizzy", "threads", "1"),
			    "1us 2us 4us 10us 20us 40us 300us 600us 1.2ms");
}

/* Little and big CPUs; 2 x 10 and 0.5 x 40 are the same. */
static void test_gap_of_all_cpus(void **state)
{
	static const char *const little[] = {"1\n", "10\n", NULL};
	static const char *const big[] = {"1\n", "40\n", NULL};

	(void)state;
	put_states(0, little);
	put_states(7, big);
	assert_string_equal(gap("pingpong", NULL, NULL),
			    "500ns 1us 2us 5us 10us 20us 40us 80us");
}

static void assert_no_gap(const char *workload, const char *option, const char *value,
			  const char *why)
{
	if (gap(workload, option, value))
		fail_msg("%s --%s %s has gaps", workload, option, value);
	if (!strstr(err, why))
		fail_msg("%s: %s", workload, err);
}

static void test_no_gap(void **state)
{
	static const char *const states[] = {"0\n", "2\n", NULL};
	static const char *const poll_only[] = {"0\n", NULL};

	(void)state;
	assert_no_gap("pingpong", NULL, NULL, "give --over work=RANGE");
	put_states(0, poll_only);
	assert_no_gap("adrestia", NULL, NULL, "give --over arrival-time=RANGE");
	put_states(0, states);
	assert_no_gap("jobs", NULL, NULL, "adrestia, ebizzy, pingpong");
	assert_no_gap("idle", NULL, NULL, "adrestia, ebizzy, pingpong");
	assert_no_gap("pingpong", "rings", "2", "needs --rings 1");
	assert_no_gap("adrestia", "test", "single", "needs --test periodic");
	assert_no_gap("waiters", "threads", "99999", "needs --threads 1 to ");
	assert_no_gap("ebizzy", "sleep-every", "0", "needs --sleep-every 1");
	assert_no_gap("schbench", "style", "old", "needs --style new");
}

static void test_gap_spec(void **state)
{
	(void)state;
	assert_true(axis_is_gap("gap=auto"));
	assert_false(axis_is_gap("gap=1us"));
	assert_false(axis_is_gap("gap"));
	assert_true(axis_gap_needs(workload_find("pingpong"), "tasks"));
	assert_true(axis_gap_needs(workload_find("waiters"), "threads"));
	assert_false(axis_gap_needs(workload_find("pingpong"), "token"));
	assert_false(axis_gap_needs(workload_find("jobs"), "workers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_time),
		cmocka_unit_test_setup_teardown(test_gap, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_gap_of_all_cpus, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_no_gap, tree_setup, tree_teardown),
		cmocka_unit_test(test_gap_spec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
