// SPDX-License-Identifier: GPL-2.0
/* The text keeps its form and says nothing that the JSON does not; the JSON adds up. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report.h"
#include "report_fixtures.h"

typedef void (*fixture_fn)(struct fixture *f);

static const fixture_fn all_fixtures[] = {fixture_driver, fixture_no_driver,
					  fixture_large, fixture_empty};
#define FIXTURES (sizeof(all_fixtures) / sizeof(all_fixtures[0]))

/* What a file descriptor gets while it is redirected to a temporary file. */
struct capture {
	FILE *tmp;
	int fd, saved;
};

static void capture_begin(struct capture *c, int fd)
{
	fflush(NULL);
	c->fd = fd;
	c->tmp = tmpfile();
	assert_non_null(c->tmp);
	c->saved = dup(fd);
	dup2(fileno(c->tmp), fd);
}

static char *capture_end(struct capture *c)
{
	char *text;
	long size;

	fflush(NULL);
	dup2(c->saved, c->fd);
	close(c->saved);
	fseek(c->tmp, 0, SEEK_END);
	size = ftell(c->tmp);
	rewind(c->tmp);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, c->tmp), size);
	fclose(c->tmp);
	return text;
}

static char *text_of(const struct results *r, bool histogram)
{
	struct capture c;

	capture_begin(&c, STDOUT_FILENO);
	report_text(r, histogram);
	return capture_end(&c);
}

static json_t *json_of(const struct results *r)
{
	struct capture c;
	json_error_t err;
	json_t *doc;
	char *text;
	int ret;

	capture_begin(&c, STDOUT_FILENO);
	ret = report_json(r, "-");
	text = capture_end(&c);
	assert_int_equal(ret, 0);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, &err);
	if (!doc)
		fail_msg("line %d: %s", err.line, err.text);
	free(text);
	return doc;
}

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

		all_fixtures[i](&f);
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
	assert_has(text, "284 ns per wakeup; loader 0.4% of CPU 11");
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

static int json_to(const struct results *r, const char *path, char **err)
{
	struct capture c;
	int ret;

	capture_begin(&c, STDERR_FILENO);
	ret = report_json(r, path);
	*err = capture_end(&c);
	return ret;
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

	(void)state;
	if (access("tests/validate-json", X_OK))
		skip();
	for (size_t i = 0; i < FIXTURES; i++) {
		int status;

		/* The largest is slow to check, and has nothing that the first has not.
		 */
		if (all_fixtures[i] == fixture_large)
			continue;
		all_fixtures[i](&f);
		status = validate(&f.results);
		f.results.traced = false;
		if (!status)
			status = validate(&f.results);
		fixture_free(&f);
		if (status == 77)
			skip();
		assert_int_equal(status, 0);
	}
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
		all_fixtures[i](&f);
		if (json)
			ret = report_json(&f.results, "-");
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
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_driver_words),
		cmocka_unit_test(test_no_driver_words),
		cmocka_unit_test(test_changes_and_residual),
		cmocka_unit_test(test_cost_unknown),
		cmocka_unit_test(test_not_traced),
		cmocka_unit_test(test_json_adds_up),
		cmocka_unit_test(test_json_unknown),
		cmocka_unit_test(test_json_options),
		cmocka_unit_test(test_counts_in_json),
		cmocka_unit_test(test_json_errors),
		cmocka_unit_test(test_json_file),
		cmocka_unit_test(test_json_schema),
	};

	if (argc == 3)
		return show(argv[2], !strcmp(argv[1], "json"));
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
