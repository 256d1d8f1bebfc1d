// SPDX-License-Identifier: GPL-2.0
/* The command line with the workloads as they are: names, defaults, help. */
#include "options_attempt.h"
#include "options_table.h"

static void test_no_name_twice(void **state)
{
	(void)state;
	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];

		for (unsigned int k = 0; k < w->nr_options; k++) {
			const char *name = w->options[k].name;

			if (option_by_name(name, strlen(name)))
				fail_msg("%s: --%s is an option of every run", w->name,
					 name);
			assert_ptr_equal(workload_find_option(w, name), &w->options[k]);
		}
	}
}

static void test_defaults_pass(void **state)
{
	char line[128];

	(void)state;
	for (int i = 0; workloads[i]; i++) {
		struct attempt *a;

		snprintf(line, sizeof(line), "--workload %s", workloads[i]->name);
		a = parse(line);
		assert_string_equal(a->err, "");
		assert_int_equal(a->result, OPTIONS_OK);
		assert_ptr_equal(a->o.workload, workloads[i]);
		done(a);
	}
}

/* Each option takes its own default back as text. */
static void test_defaults_as_text(void **state)
{
	char line[256];

	(void)state;
	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];

		for (unsigned int k = 0; k < w->nr_options; k++) {
			struct attempt *a;

			snprintf(line, sizeof(line), "--%s=%s -w %s -h",
				 w->options[k].name, w->options[k].def, w->name);
			a = parse(line);
			assert_string_equal(a->err, "");
			assert_int_equal(a->result, OPTIONS_DONE);
			done(a);
		}
	}
}

static void test_help(void **state)
{
	char text[128];

	(void)state;
	for (int i = 0; workloads[i]; i++) {
		const struct workload *w = workloads[i];
		struct attempt *a;

		snprintf(text, sizeof(text), "--workload %s --help", w->name);
		a = parse(text);
		assert_int_equal(a->result, OPTIONS_DONE);
		expect_tidy(a->out);
		for (unsigned int k = 0; k < w->nr_options; k++) {
			snprintf(text, sizeof(text), "\n  --%s", w->options[k].name);
			assert_non_null(strstr(a->out, text));
		}
		done(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_name_twice),
		cmocka_unit_test(test_defaults_pass),
		cmocka_unit_test(test_defaults_as_text),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests_name("options of workloads", tests, NULL, NULL);
}
