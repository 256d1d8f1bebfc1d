// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "units.h"
#include "work.h"
#include "workload.h"
#include "workers.h"

static void parses(const char *text, uint64_t value, bool is_time)
{
	struct work_amount amount;

	assert_int_equal(work_parse(text, &amount), 0);
	assert_int_equal(amount.value, value);
	assert_int_equal(amount.is_time, is_time);
}

static void test_parse(void **state)
{
	(void)state;
	parses("0", 0, false);
	parses("10000", 10000, false);
	parses("10k", 10000, false);
	parses("1M", 1000000, false);
	parses("50us", 50000, true);
	parses("1.5ms", 1500000, true);
	parses("2m", 120 * NSEC_PER_SEC, true);
	parses("0us", 0, true);
}

static void test_parse_refuses(void **state)
{
	struct work_amount amount = {42, true};
	char err[WORKLOAD_ERROR_MAX];

	(void)state;
	assert_int_equal(work_parse("", &amount), -EINVAL);
	assert_int_equal(work_parse("50 us", &amount), -EINVAL);
	assert_int_equal(work_parse("-1", &amount), -EINVAL);
	assert_int_equal(work_parse("1001s", &amount), -ERANGE);
	assert_int_equal(work_parse("1001G", &amount), -ERANGE);
	assert_int_equal(work_parse("99999999999999999999", &amount), -ERANGE);
	assert_int_equal(amount.value, 42);
	assert_int_equal(work_check("work", "50us", err, sizeof(err)), 0);
	assert_int_equal(work_check("work", "fast", err, sizeof(err)), -1);
	assert_string_equal(err, "--work fast: needs a time such as 50us, or units such "
				 "as 10000");
	assert_int_equal(work_check("work", "2000G", err, sizeof(err)), -1);
	assert_string_equal(err, "--work 2000G: needs at most 1000s or 1000G units");
}

static void test_units(void **state)
{
	const struct work_calibration cal = {.start_ns = 1.25, .end_ns = 1.0};

	(void)state;
	assert_int_equal(work_units(&(struct work_amount){777, false}, &cal), 777);
	assert_int_equal(work_units(&(struct work_amount){777, false}, NULL), 777);
	assert_int_equal(work_units(&(struct work_amount){50000, true}, &cal), 40000);
	assert_int_equal(work_units(&(struct work_amount){1, true}, &cal), 1);
	assert_int_equal(work_units(&(struct work_amount){0, true}, &cal), 0);
}

static void test_drift(void **state)
{
	struct work_calibration cal = {.start_ns = 1.25, .end_ns = 1.5};

	(void)state;
	assert_true(fabs(work_drift(&cal) - 20) < 1e-9);
	cal.end_ns = 1.0;
	assert_true(fabs(work_drift(&cal) + 20) < 1e-9);
	cal.end_ns = 0;
	assert_true(work_drift(&cal) == 0);
}

static void test_report(void **state)
{
	const struct work_calibration cal = {.start_ns = 1.25, .end_ns = 1.5, .cpu = 3};
	struct workload_result *result = calloc(1, sizeof(*result));

	(void)state;
	assert_non_null(result);
	work_report(result, 0, &cal);
	assert_int_equal(result->nr_metrics, 0);
	work_report(result, 40000, &cal);
	assert_int_equal(result->nr_metrics, 4);
	assert_string_equal(result->text,
			    "work 40,000 units = 50.0 us; 1.250 ns per unit on CPU 3, "
			    "drift +20.0 % (!)\n");
	assert_true(strlen(result->text) <= 81);
	free(result);
}

/* A thousand times the units takes longer, whatever the machine does meanwhile. */
static void test_work_is_done(void **state)
{
	uint64_t start = now_ns(), little, much;

	(void)state;
	work_do(0);
	work_do(10000);
	little = now_ns() - start;
	work_do(100000000);
	much = now_ns() - start - little;
	assert_true(much >= 10000000); /* 0.1 ns per unit is beyond any CPU */
}

static void test_calibrate(void **state)
{
	struct cpu_mask before, after;
	struct work_calibration cal;
	unsigned int cpu;

	(void)state;
	assert_int_equal(cpu_mask_get_affinity(&before), 0);
	cpu = cpu_mask_next(&before, 0);
	work_calibrate(&cal, (int)cpu);
	assert_int_equal(cal.cpu, cpu);
	assert_true(cal.start_ns > 0.1);
	assert_true(cal.end_ns == 0);
	work_calibrate_end(&cal);
	assert_true(cal.end_ns > 0.1);
	assert_true(isfinite(work_drift(&cal)));
	work_calibrate(&cal, WORK_ANYWHERE);
	assert_true(cpu_mask_test(&before, cal.cpu));
	work_calibrate(&cal, CPU_MASK_MAX - 1);
	assert_true(cpu_mask_test(&before, cal.cpu));
	assert_int_equal(cpu_mask_get_affinity(&after), 0);
	assert_memory_equal(&before, &after, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),	  cmocka_unit_test(test_parse_refuses),
		cmocka_unit_test(test_units),	  cmocka_unit_test(test_drift),
		cmocka_unit_test(test_report),	  cmocka_unit_test(test_work_is_done),
		cmocka_unit_test(test_calibrate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
