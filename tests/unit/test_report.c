// SPDX-License-Identifier: GPL-2.0
/* The text of the report keeps its form, and says unknown where it does not know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_capture.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

/* 80 columns of printable ASCII, no trailing blanks. */
static void assert_form(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > 80)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		for (size_t i = 0; i < len; i++)
			assert_in_range(text[i], ' ', '~');
		if (len && text[len - 1] == ' ')
			fail_msg("blank at the end: \"%.*s\"", (int)len, text);
		text += len;
		assert_int_equal(*text, '\n');
		text++;
	}
}

static void test_form(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		char *text;

		report_fixtures[i](&f);
		text = text_of(&f.results, true);
		assert_form(text);
		free(text);
		fixture_free(&f);
	}
}

static void test_long_command(void **state)
{
	char unbroken[400], *argv[] = {"sh", "-c", unbroken, "\xc3\xa4\tb", NULL}, *text;
	struct fixture f;

	(void)state;
	memset(unbroken, 'x', sizeof(unbroken) - 1);
	unbroken[sizeof(unbroken) - 1] = '\0';
	fixture_no_driver(&f);
	f.results.argv = argv;
	f.results.exit_status = 3;
	text = text_of(&f.results, false);
	assert_form(text);
	assert_has(text, "exit status 3");
	assert_has(text, "WAKEUPS (command), us");
	free(text);
	fixture_free(&f);
}

static void test_command_metrics(void **state)
{
	static const char output[] = "# /dev/cpu_dma_latency set to 0us\n"
				     "T: 0 (1) C: 9 Min: 3 Act: 4 Avg:    5 Max: 123456\n"
				     "a 1234567.891\n";
	static struct metric_rules rules;
	static struct metric_scan scan;
	char err[128], *argv[] = {"cyclictest", NULL}, *text;
	struct fixture f;

	(void)state;
	assert_int_equal(
		metric_rules_add(&rules, "big=a ([0-9.]+):higher", err, sizeof(err)), 0);
	assert_int_equal(metric_rules_add(&rules, "no=b (.)", err, sizeof(err)), 0);
	assert_int_equal(metric_rules_add_preset(&rules, "cyclictest", err, sizeof(err)),
			 0);
	metric_scan_init(&scan, &rules);
	metric_scan_feed(&scan, output, strlen(output));
	metric_scan_end(&scan);
	fixture_no_driver(&f);
	f.results.argv = argv;
	f.results.metrics = &scan;
	text = text_of(&f.results, false);
	assert_form(text);
	assert_has(text, "\nbig             1234567.891, higher is better\n");
	assert_has(text, "\nno              -\n");
	assert_has(text, "\nmax             123456 us, lower is better\n");
	assert_has(text, "\nWARNING: cyclictest held /dev/cpu_dma_latency at 0");
	free(text);
	fixture_free(&f);
	metric_rules_free(&rules);
}

/* The shares of the wakeup table, as printed. */
static void test_shares(void **state)
{
	struct fixture f;
	double sum = 0;
	int rows = 0;
	char *text, *line;

	(void)state;
	fixture_driver(&f);
	text = text_of(&f.results, false);
	line = strstr(text, "WAKEUPS");
	assert_non_null(line);
	for (line = strchr(line, '\n') + 1; strncmp(line, "  all ", 6);
	     line = strchr(line, '\n') + 1) {
		char *percent = strchr(line, '%');

		while (percent > line && (isdigit(percent[-1]) || percent[-1] == '.'))
			percent--;
		sum += strtod(percent, NULL);
		rows++;
	}
	assert_true(rows > 5);
	assert_true(sum > 100 - rows * 0.051 - 0.2 && sum < 100 + rows * 0.051 + 0.2);
	assert_has(line, " 100.0% ");
	free(text);
	fixture_free(&f);
}

static void test_driver_words(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_driver(&f);
	text = text_of(&f.results, false);
	assert_has(text, "fixture --threads 500 --pin, 3 threads, 30.0 s, 12 CPUs\n");
	assert_has(text, "cpuidle intel_idle/menu");
	assert_has(text, "C2_ACPI 360 (disabled)");
	assert_has(text, "wakeup cost (periodic, 20us): 3331nSec\n");
	assert_has(text, "\n  achieved period 1.71 ms\n");
	assert_has(text, "kernel's own counters agree: residual 0 of");
	assert_has(text, "12 records refused by a full ring");
	assert_has(text, "\n           the loader woke up to 61.2 ms later than it had "
			 "wanted to;");
	assert_has(text, "BPF 284 ns per wakeup (184, and 1200 per idle period);");
	assert_has(text, "loader 0.4% of CPU 11");
	assert_has(text,
		   "start 0.41 s, finish 0.02 s; memory 15.0 MiB, 3.5 MiB in the kernel");
	assert_has_not(text, "CHANGED");
	assert_has_not(text, "nothing lost");
	free(text);
	fixture_free(&f);
}

static void test_no_driver_words(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_no_driver(&f);
	text = text_of(&f.results, false);
	assert_has(text, "no cpuidle driver here: states as the kernel traces them");
	assert_has(text, "state1");
	assert_has_not(text, "state0");
	assert_has(text, "COST       unknown");
	assert_has(text, "nothing lost");
	assert_has(text, "BPF - (");
	assert_has(text, "- by the kernel");
	assert_has_not(text, "HZ");
	free(text);
	fixture_free(&f);
}

static void test_changes_and_residual(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_large(&f);
	text = text_of(&f.results, false);
	assert_has(text, "CHANGED in the window: cpuidle governor menu to teo\n");
	assert_has(text, "CHANGED in the window: online CPUs 0-4095 to 0,2,4,");
	assert_has(text, "enabled to disabled");
	assert_has(text, "usage +1");
	assert_has(text, "above -3");
	assert_has(text, "known for 2048 of 4096 CPUs");
	assert_has_not(text, "agree");
	free(text);
	fixture_free(&f);
}

static void test_cost_unknown(void **state)
{
	struct fixture f;
	json_t *doc;
	char *text;

	(void)state;
	fixture_driver(&f);
	f.results.deep[3].known = false;
	text = text_of(&f.results, false);
	doc = json_of(&f.results);
	assert_has(text, "unknown for");
	assert_true(json_is_null(json_object_get(
		json_array_get(
			json_object_get(
				json_object_get(json_object_get(doc, "cost"), "too_deep"),
				"states"),
			2),
		"time")));
	json_decref(doc);
	free(text);
	fixture_free(&f);
}

static void test_not_traced(void **state)
{
	struct fixture f;
	json_t *doc;
	char *text;

	(void)state;
	fixture_driver(&f);
	f.results.traced = false;
	text = text_of(&f.results, true);
	assert_has(text, "30.0 s, not traced");
	assert_has(text, "3331nSec");
	assert_has_not(text, "WAKEUPS");
	assert_has_not(text, "OBSERVER");
	doc = json_of(&f.results);
	assert_true(json_is_null(json_object_get(doc, "wakeups")));
	assert_true(json_is_null(json_object_get(doc, "loss")));
	assert_true(json_is_object(json_object_get(doc, "workload")));
	json_decref(doc);
	free(text);
	fixture_free(&f);
}

static void test_format(void **state)
{
	const struct unit us = unit_for(0);
	char buf[UNITS_TEXT_MAX];

	(void)state;
	assert_string_equal(format_in(2914, us, buf, sizeof(buf)), "2.91");
	assert_string_equal(format_in(9996, us, buf, sizeof(buf)), "10.0");
	assert_string_equal(format_in(99960, us, buf, sizeof(buf)), "100");
	assert_string_equal(format_in(913000, us, buf, sizeof(buf)), "913");
	assert_string_equal(format_in(64, us, buf, sizeof(buf)), "0.064");
	assert_string_equal(format_in(999.6, us, buf, sizeof(buf)), "1.00");
	assert_string_equal(format_in(0, us, buf, sizeof(buf)), "0");
	assert_string_equal(unit_for(20 * NSEC_PER_SEC).name, "ms");
	assert_string_equal(format_share(0, 10, buf, sizeof(buf)), "0.0%");
	assert_string_equal(format_share(1, 100000, buf, sizeof(buf)), "<0.1%");
	assert_string_equal(format_share(0, 0, buf, sizeof(buf)), "-");
}

/* Shows a fixture's reports: for reading, and for tests/validate-json. */
static int show(const char *name, bool json)
{
	static const char *const names[FIXTURES] = {"driver", "no-driver", "large",
						    "empty"};
	struct fixture f;
	int ret = 0;

	for (size_t i = 0; i < FIXTURES; i++) {
		if (strcmp(name, names[i]))
			continue;
		report_fixtures[i](&f);
		if (json)
			ret = report_files(&f.results,
					   &(struct report_files){.json = "-"});
		else
			report_text(&f.results, true);
		fixture_free(&f);
		return ret;
	}
	return 2;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_long_command),
		cmocka_unit_test(test_command_metrics),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_driver_words),
		cmocka_unit_test(test_no_driver_words),
		cmocka_unit_test(test_changes_and_residual),
		cmocka_unit_test(test_cost_unknown),
		cmocka_unit_test(test_not_traced),
	};

	if (argc == 3)
		return show(argv[2], !strcmp(argv[1], "json"));
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
