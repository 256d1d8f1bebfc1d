// SPDX-License-Identifier: GPL-2.0
/* Options of workloads, what they print about themselves, and their results. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload.h"

struct every_type {
	uint64_t count, plain, least, duration, any_time, size, word;
	double number;
	int choice;
	bool flag;
	struct cpu_mask cpus;
	char *text;
};

static const char *const choices[] = {"closed", "absolute", "poisson", NULL};

#define FIELD(f) OPTION_FIELD(struct every_type, f)

static const struct workload_option every_option[] = {
	{"count", "help", NULL, "1", .type = OPTION_COUNT, .min = 1, .max = 100000,
	 FIELD(count)},
	{"plain", "help", NULL, "0", .type = OPTION_COUNT, FIELD(plain)},
	{"least", "help", NULL, "2", .type = OPTION_COUNT, .min = 2, FIELD(least)},
	{"duration", "help", NULL, "20us", .type = OPTION_DURATION, .min = 1000,
	 .max = 1000000000, FIELD(duration)},
	{"any-time", "help", NULL, "0", .type = OPTION_DURATION, FIELD(any_time)},
	{"size", "help", NULL, "256k", .type = OPTION_SIZE, .min = 1, .max = 1 << 30,
	 FIELD(size)},
	{"word", "help", NULL, "auto", .type = OPTION_COUNT, .word = "auto", .min = 1,
	 .max = 9, FIELD(word)},
	{"number", "help", "%", "12.5", .type = OPTION_NUMBER, .max = 100, FIELD(number)},
	{"choice", "help", NULL, "closed", .type = OPTION_ENUM, .choices = choices,
	 FIELD(choice)},
	{"flag", "help", NULL, "no", .type = OPTION_BOOL, FIELD(flag)},
	{"cpus", "help", NULL, "any", .type = OPTION_CPULIST, .word = "any", FIELD(cpus)},
	{"text",
	 "a help that is so long that it needs to be broken into more than one line",
	 NULL, "", .type = OPTION_TEXT, FIELD(text)},
};

static int check_nothing(const struct workload_config *config,
			 const struct workload_run *run, char *err, size_t size)
{
	const struct every_type *values = config->values;

	(void)run;
	if (values->plain != 13)
		return 0;
	snprintf(err, size, "--plain 13: needs another number");
	return -1;
}

static const struct workload every_workload = {
	.name = "every",
	.summary = "has an option of every type",
	.options = every_option,
	.nr_options = sizeof(every_option) / sizeof(every_option[0]),
	.options_size = sizeof(struct every_type),
	.check = check_nothing,
};

static int setup(void **state)
{
	static struct workload_config config;

	*state = &config;
	return workload_config_init(&config, &every_workload);
}

static int teardown(void **state)
{
	workload_config_free(*state);
	return 0;
}

static void test_defaults(void **state)
{
	const struct workload_config *config = *state;
	const struct every_type *values = config->values;

	assert_int_equal(values->count, 1);
	assert_int_equal(values->duration, 20000);
	assert_int_equal(values->size, 262144);
	assert_int_equal(values->word, 0);
	assert_true(values->number == 12.5);
	assert_int_equal(values->choice, 0);
	assert_false(values->flag);
	assert_int_equal(cpu_mask_count(&values->cpus), 0);
	assert_string_equal(values->text, "");
	assert_int_equal(config->given, 0);
}

static void test_values_and_their_text(void **state)
{
	static const struct {
		const char *name, *value, *text;
	} cases[] = {
		{"count", "10k", "10000"},  {"duration", "0.5ms", "500us"},
		{"any-time", "0", "0ns"},   {"size", "1024k", "1M"},
		{"word", "3", "3"},	    {"word", "auto", "auto"},
		{"number", "99.5", "99.5"}, {"choice", "poisson", "poisson"},
		{"flag", "yes", "yes"},	    {"flag", "no", "no"},
		{"flag", NULL, "yes"},	    {"cpus", "3,0-1", "0-1,3"},
		{"cpus", "any", "any"},	    {"text", "any thing", "any thing"},
		{"text", "again", "again"},
	};
	struct workload_config *config = *state;
	char err[WORKLOAD_ERROR_MAX], buf[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct workload_option *option;

		assert_false(i == 0 && workload_given(config, cases[i].name));
		assert_int_equal(workload_parse_option(config, cases[i].name,
						       cases[i].value, err, sizeof(err)),
				 0);
		assert_true(workload_given(config, cases[i].name));
		option = workload_find_option(config->workload, cases[i].name);
		assert_string_equal(workload_option_text(
					    config, (unsigned int)(option - every_option),
					    buf, sizeof(buf)),
				    cases[i].text);
	}
	assert_false(workload_given(config, "plain"));
	assert_false(workload_given(config, "nonsense"));
}

static void test_every_error_line(void **state)
{
	static const struct {
		const char *name, *value, *line;
	} cases[] = {
		{"count", "0", "--count 0: needs 1 to 100000"},
		{"count", "100001", "--count 100001: needs 1 to 100000"},
		{"count", "-1", "--count -1: needs 1 to 100000"},
		{"count", "x", "--count x: needs 1 to 100000"},
		{"count", "", "--count : needs 1 to 100000"},
		{"count", NULL, "--count: needs 1 to 100000"},
		{"count", "99999999999999999999",
		 "--count 99999999999999999999: needs 1 to 100000"},
		{"plain", "x", "--plain x: needs a number"},
		{"least", "1", "--least 1: needs 2 or more"},
		{"duration", "20", "--duration 20: needs a time with a unit, 1us to 1s"},
		{"duration", "999ns",
		 "--duration 999ns: needs a time with a unit, 1us to 1s"},
		{"any-time", "1",
		 "--any-time 1: needs a time with a unit, such as 20us or 10s"},
		{"size", "2G", "--size 2G: needs a size, 1 to 1G"},
		{"word", "10", "--word 10: needs auto or 1 to 9"},
		{"number", "101", "--number 101: needs 0 to 100"},
		{"number", "1e3", "--number 1e3: needs 0 to 100"},
		{"choice", "open", "--choice open: needs closed, absolute or poisson"},
		{"flag", "maybe", "--flag maybe: needs yes or no"},
		{"cpus", "3-1", "--cpus 3-1: needs any or a CPU list such as 0-3,8"},
		{"nonsense", "1",
		 "--nonsense: not an option of every (see --workload every --help)"},
	};
	struct workload_config *config = *state;
	char err[WORKLOAD_ERROR_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(workload_parse_option(config, cases[i].name, cases[i].value,
						  err, sizeof(err)) < 0);
		assert_string_equal(err, cases[i].line);
	}
	assert_int_equal(config->given, 0);
	test_defaults(state);
}

static void test_check(void **state)
{
	struct workload_config *config = *state;
	struct workload_run run = {0};
	char err[WORKLOAD_ERROR_MAX] = "";

	assert_int_equal(workload_check(config, &run, err, sizeof(err)), 0);
	assert_int_equal(workload_parse_option(config, "plain", "13", err, sizeof(err)),
			 0);
	assert_int_equal(workload_check(config, &run, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "--plain 13: needs another number");
}

static char *help_of(const struct workload *w)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	workload_print_help(w, out);
	fclose(out);
	return text;
}

static void check_width(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > 80)
			fail_msg("more than 80 columns: %.*s", (int)len, text);
		text += len + 1;
	}
}

static void test_help(void **state)
{
	char *text = help_of(&every_workload);

	(void)state;
	check_width(text);
	assert_non_null(strstr(text, "every: has an option of every type\n"));
	assert_non_null(
		strstr(text, "--count N                 help; 1 to 100000 [1]\n"));
	assert_non_null(
		strstr(text, "--duration TIME           help; 1us to 1s [20us]\n"));
	assert_non_null(
		strstr(text, "--word N                  help; auto or 1 to 9 [auto]\n"));
	assert_non_null(
		strstr(text, "--number %                help; 0 to 100 [12.5]\n"));
	assert_non_null(strstr(text, "--choice closed|absolute|poisson\n"));
	assert_non_null(strstr(
		text,
		" broken\n                            into more than one line [none]\n"));
	free(text);
}

/* Whatever is in the table must be sound. */
static void test_registry(void **state)
{
	static const size_t sizes[] = {
		[OPTION_COUNT] = sizeof(uint64_t),
		[OPTION_DURATION] = sizeof(uint64_t),
		[OPTION_SIZE] = sizeof(uint64_t),
		[OPTION_NUMBER] = sizeof(double),
		[OPTION_ENUM] = sizeof(int),
		[OPTION_BOOL] = sizeof(bool),
		[OPTION_TEXT] = sizeof(char *),
		[OPTION_CPULIST] = sizeof(struct cpu_mask),
	};

	(void)state;
	assert_null(workload_find("nonsense"));
	for (const struct workload *const *w = workloads; *w; w++) {
		struct workload_config config;
		char *text = help_of(*w);

		assert_ptr_equal(workload_find((*w)->name), *w);
		assert_true(strlen((*w)->name) < 16);
		assert_true((*w)->nr_options <= 64);
		check_width(text);
		free(text);
		for (unsigned int i = 0; i < (*w)->nr_options; i++) {
			const struct workload_option *option = &(*w)->options[i];

			assert_int_equal(option->size, sizes[option->type]);
			assert_true(option->offset + option->size <= (*w)->options_size);
			assert_ptr_equal(workload_find_option(*w, option->name), option);
		}
		assert_int_equal(workload_config_init(&config, *w), 0);
		workload_config_free(&config);
	}
}

static int new_result(void **state)
{
	*state = calloc(1, sizeof(struct workload_result));
	return *state ? 0 : -1;
}

static int free_result(void **state)
{
	free(*state);
	return 0;
}

static void test_result_metrics(void **state)
{
	struct workload_result *result = *state;

	for (int i = 0; i < RESULT_METRICS + 5; i++)
		result_metric(result, "a_name_that_is_longer_than_it_may_be", i, "ns",
			      BETTER_LOWER);
	assert_int_equal(result->nr_metrics, RESULT_METRICS);
	assert_int_equal(strlen(result->metrics[3].name), RESULT_NAME - 1);
	assert_true(result->metrics[3].value == 3);
	for (int i = 0; i < RESULT_LATENCIES; i++)
		assert_non_null(result_latency(result, "latency"));
	assert_null(result_latency(result, "latency"));
}

static void test_result_lines(void **state)
{
	struct workload_result *result = *state;
	size_t len;

	result_legacy(result, "usecs/op %d", 17);
	result_legacy(result, "already ended\n");
	assert_string_equal(result->legacy, "usecs/op 17\nalready ended\n");
	for (int i = 0; i < 1000; i++)
		result_text(result, "line %04d is one of many", i);
	len = strlen(result->text);
	assert_true(len > RESULT_TEXT - 50 && len < RESULT_TEXT);
	assert_int_equal(result->text[len - 1], '\n');
	assert_int_equal(len % strlen("line 0000 is one of many\n"), 0);
}

static void test_result_latency(void **state)
{
	struct workload_result *result = *state;
	struct hist *hist = result_latency(result, "wakeup");

	result_latency_report(result, "wakeup", hist);
	assert_int_equal(result->nr_metrics, 0);
	for (unsigned int i = 0; i < 99; i++)
		hist_add(hist, 3331);
	hist_add(hist, 2500000);
	result_latency_report(result, "wakeup", hist);
	assert_string_equal(result->text, "wakeup, us: p50 3.36 p90 3.36 p99 3.36 "
					  "p99.9 2500.00 max 2500.00\n");
	assert_int_equal(result->nr_metrics, 5);
	assert_string_equal(result->metrics[3].name, "wakeup_p99_9");
	assert_true(result->metrics[4].value == 2500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values_and_their_text, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_every_error_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check, setup, teardown),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_registry),
		cmocka_unit_test_setup_teardown(test_result_metrics, new_result,
						free_result),
		cmocka_unit_test_setup_teardown(test_result_lines, new_result,
						free_result),
		cmocka_unit_test_setup_teardown(test_result_latency, new_result,
						free_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
