// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "units.h"

struct number_case {
	const char *text;
	int ret;
	uint64_t value;
};

#define UNTOUCHED 0xdeadULL

static void check_all(int (*parse)(const char *, uint64_t *),
		      const struct number_case *cases)
{
	for (; cases->text; cases++) {
		uint64_t value = UNTOUCHED;
		int ret = parse(cases->text, &value);

		if (ret != cases->ret || value != (ret ? UNTOUCHED : cases->value))
			fail_msg("\"%s\": returned %d, value %llu", cases->text, ret,
				 (unsigned long long)value);
	}
}

static void test_u64(void **state)
{
	static const struct number_case cases[] = {
		{"0", 0, 0},
		{"42", 0, 42},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"99999999999999999999999x", -EINVAL, 0},
		{NULL, 0, 0},
	};

	(void)state;
	check_all(parse_u64, cases);
}

static void test_count(void **state)
{
	static const struct number_case cases[] = {
		{"500", 0, 500},
		{"10k", 0, 10000},
		{"3M", 0, 3000000},
		{"2G", 0, 2000000000},
		{"18446744073G", 0, 18446744073000000000ULL},
		{"18446744074G", -ERANGE, 0},
		{"k", -EINVAL, 0},
		{"1K", -EINVAL, 0},
		{"1kk", -EINVAL, 0},
		{"1.5k", -EINVAL, 0},
		{NULL, 0, 0},
	};

	(void)state;
	check_all(parse_count, cases);
}

static void test_size(void **state)
{
	static const struct number_case cases[] = {
		{"4096", 0, 4096},
		{"256k", 0, 262144},
		{"1M", 0, 1048576},
		{"2G", 0, 2147483648ULL},
		{"17179869183G", 0, 18446744072635809792ULL},
		{"17179869184G", -ERANGE, 0},
		{"1kB", -EINVAL, 0},
		{"-1k", -EINVAL, 0},
		{NULL, 0, 0},
	};

	(void)state;
	check_all(parse_size, cases);
}

static int duration_with_unit(const char *text, uint64_t *ns)
{
	return parse_duration(text, NULL, ns);
}

static int duration_in_us(const char *text, uint64_t *ns)
{
	return parse_duration(text, "us", ns);
}

static void test_duration(void **state)
{
	static const struct number_case cases[] = {
		{"10s", 0, 10000000000ULL},
		{"250ms", 0, 250000000},
		{"20us", 0, 20000},
		{"5ns", 0, 5},
		{"1.5s", 0, 1500000000},
		{"2m", 0, 120000000000ULL},
		{"1h", 0, 3600000000000ULL},
		{"0.000000001s", 0, 1},
		{"1.50000000000000000000s", 0, 1500000000},
		{"0", 0, 0},
		{"0.0", 0, 0},
		{"0us", 0, 0},
		{"18446744073.709551615s", 0, UINT64_MAX},
		{"18446744073.709551616s", -ERANGE, 0},
		{"18446744074s", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
		{"20", -EINVAL, 0},
		{"0.5", -EINVAL, 0},
		{"99999999999999999999", -EINVAL, 0},
		{"1.5ns", -EINVAL, 0},
		{"0.0000000001s", -EINVAL, 0},
		{"0.00000000000001h", -EINVAL, 0},
		{"1.s", -EINVAL, 0},
		{".5s", -EINVAL, 0},
		{"1..5s", -EINVAL, 0},
		{"1.5.5s", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{" 1s", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1sec", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1s1", -EINVAL, 0},
		{NULL, 0, 0},
	};
	static const struct number_case in_us[] = {
		{"20", 0, 20000},
		{"1.5", 0, 1500},
		{"20ms", 0, 20000000},
		{"0.0001", -EINVAL, 0},
		{"99999999999999999999", -ERANGE, 0},
		{NULL, 0, 0},
	};

	(void)state;
	check_all(duration_with_unit, cases);
	check_all(duration_in_us, in_us);
}

static void test_number(void **state)
{
	static const char *const bad[] = {"",	 ".",	"1.", ".5", "-1",  "+1",  "1e3",
					  "inf", "nan", "1 ", " 1", "0x1", "1.5x"};
	double value = 7;
	char huge[400];

	(void)state;
	assert_int_equal(parse_number("12.5", &value), 0);
	assert_true(value == 12.5);
	assert_int_equal(parse_number("0", &value), 0);
	assert_true(value == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_number(bad[i], &value), -EINVAL);
	memset(huge, '9', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(parse_number(huge, &value), -ERANGE);
	assert_true(value == 0);
}

static void test_format_duration(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1.00 us"},
		{3331, "3.33 us"},
		{9994, "9.99 us"},
		{9995, "10.0 us"},
		{99949, "99.9 us"},
		{99951, "100 us"},
		{999499, "999 us"},
		{999500, "1.00 ms"},
		{20000000, "20.0 ms"},
		{1500000000, "1.50 s"},
		{3600000000000ULL, "3600 s"},
		{UINT64_MAX, "18446744074 s"},
	};
	char buf[UNITS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(format_duration(cases[i].ns, buf, sizeof(buf)),
				    cases[i].text);
	assert_string_equal(format_duration(3331, buf, 4), "3.3");
}

static void test_format_exact(void **state)
{
	static const uint64_t values[] = {
		0,     1,	   999,	 1000,		 1001,
		20000, 1500000000, 3331, 90000000000ULL, UINT64_MAX};
	char buf[UNITS_TEXT_MAX];

	(void)state;
	assert_string_equal(format_duration_exact(0, buf, sizeof(buf)), "0ns");
	assert_string_equal(format_duration_exact(20000, buf, sizeof(buf)), "20us");
	assert_string_equal(format_duration_exact(1500000000, buf, sizeof(buf)),
			    "1500ms");
	assert_string_equal(format_duration_exact(3331, buf, sizeof(buf)), "3331ns");
	assert_string_equal(format_duration_exact(90000000000ULL, buf, sizeof(buf)),
			    "90s");
	assert_string_equal(format_size(0, buf, sizeof(buf)), "0");
	assert_string_equal(format_size(262144, buf, sizeof(buf)), "256k");
	assert_string_equal(format_size(1ULL << 31, buf, sizeof(buf)), "2G");
	assert_string_equal(format_size(1025, buf, sizeof(buf)), "1025");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t back = UNTOUCHED;

		format_duration_exact(values[i], buf, sizeof(buf));
		assert_int_equal(parse_duration(buf, NULL, &back), 0);
		assert_true(back == values[i]);
		format_size(values[i], buf, sizeof(buf));
		assert_int_equal(parse_size(buf, &back), 0);
		assert_true(back == values[i]);
	}
}

static void test_format_count(void **state)
{
	char buf[UNITS_TEXT_MAX];

	(void)state;
	assert_string_equal(format_count(0, buf, sizeof(buf)), "0");
	assert_string_equal(format_count(999, buf, sizeof(buf)), "999");
	assert_string_equal(format_count(1000, buf, sizeof(buf)), "1,000");
	assert_string_equal(format_count(3100412, buf, sizeof(buf)), "3,100,412");
	assert_string_equal(format_count(UINT64_MAX, buf, sizeof(buf)),
			    "18,446,744,073,709,551,615");
}

static void test_cpu_list(void **state)
{
	static const struct {
		const char *text;
		const char *back;
	} good[] = {
		{"0", "0"},	      {"0-3,8", "0-3,8"},
		{"8,0-3", "0-3,8"},   {"1,2,3", "1-3"},
		{"5-5", "5"},	      {"0-1,1-2", "0-2"},
		{"63-64", "63-64"},   {"8190-8191", "8190-8191"},
		{"0-8191", "0-8191"},
	};
	static const char *const bad[] = {"",	",",	  "-",	  "1-",	   "-1", "3-1",
					  "1,", ",1",	  "1,,2", "1-2-3", "a",	 "1 ",
					  " 1", "0-10:2", "all",  "0x1",   "1;2"};
	struct cpu_mask mask, before;
	char buf[128];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(cpu_mask_parse(good[i].text, &mask), 0);
		assert_string_equal(cpu_mask_format(&mask, buf, sizeof(buf)),
				    good[i].back);
	}
	before = mask;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpu_mask_parse(bad[i], &mask), -EINVAL);
	assert_int_equal(cpu_mask_parse("8192", &mask), -ERANGE);
	assert_int_equal(cpu_mask_parse("0-99999999999999999999", &mask), -ERANGE);
	assert_memory_equal(&before, &mask, sizeof(mask));
}

static void test_cpu_mask(void **state)
{
	struct cpu_mask mask;
	unsigned int cpu, seen = 0;
	char buf[16];

	(void)state;
	cpu_mask_clear(&mask);
	assert_int_equal(cpu_mask_count(&mask), 0);
	assert_int_equal(cpu_mask_next(&mask, 0), CPU_MASK_MAX);
	assert_string_equal(cpu_mask_format(&mask, buf, sizeof(buf)), "");
	cpu_mask_set(&mask, 0);
	cpu_mask_set(&mask, 64);
	cpu_mask_set(&mask, 8191);
	cpu_mask_set(&mask, 8192);
	assert_int_equal(cpu_mask_count(&mask), 3);
	assert_true(cpu_mask_test(&mask, 64));
	assert_false(cpu_mask_test(&mask, 63));
	assert_false(cpu_mask_test(&mask, 8192));
	for_each_cpu (cpu, &mask)
		seen += cpu;
	assert_int_equal(seen, 64 + 8191);
	assert_int_equal(cpu_mask_parse("0,2,4,6,8,10,12,14", &mask), 0);
	assert_string_equal(cpu_mask_format(&mask, buf, sizeof(buf)), "0,2,4,6,8,...");
}

static void test_affinity(void **state)
{
	struct cpu_mask all, one, now;

	(void)state;
	assert_int_equal(cpu_mask_get_affinity(&all), 0);
	assert_true(cpu_mask_count(&all) > 0);
	cpu_mask_clear(&one);
	cpu_mask_set(&one, cpu_mask_next(&all, 0));
	assert_int_equal(cpu_mask_set_affinity(&one), 0);
	assert_int_equal(cpu_mask_get_affinity(&now), 0);
	assert_memory_equal(&now, &one, sizeof(now));
	assert_int_equal(cpu_mask_set_affinity(&all), 0);
	cpu_mask_clear(&one);
	assert_int_equal(cpu_mask_set_affinity(&one), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_format_duration),
		cmocka_unit_test(test_format_exact),
		cmocka_unit_test(test_format_count),
		cmocka_unit_test(test_cpu_list),
		cmocka_unit_test(test_cpu_mask),
		cmocka_unit_test(test_affinity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
