// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats.h"

#define NR(a)		  (sizeof(a) / sizeof((a)[0]))
#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static const double three[] = {3, 1, 2}, four[] = {4, 1, 3, 2}, zero[] = {1, 0};

static void test_moments(void **state)
{
	static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};

	(void)state;
	assert_near(stats_mean(values, 8), 5);
	assert_near(stats_deviation(values, 8), sqrt(32. / 7));
	assert_near(stats_cv(values, 8), 20 * sqrt(32. / 7));
	assert_near(stats_harmonic_mean(four, 4), 1.92);
	assert_near(stats_median(three, 3), 2);
	assert_near(stats_median(four, 4), 2.5);
	assert_near(stats_median(three, 1), 3);
	assert_near(three[0], 3);
}

static void test_undefined(void **state)
{
	(void)state;
	assert_true(isnan(stats_mean(three, 0)));
	assert_true(isnan(stats_median(three, 0)));
	assert_true(isnan(stats_deviation(three, 1)));
	assert_true(isnan(stats_cv(three, 1)));
	assert_true(isnan(stats_harmonic_mean(zero, 2)));
	assert_true(isnan(stats_harmonic_mean(three, 0)));
}

/* b has the u, and such a difference or more by chance the p. */
static void check_test(const double *a, size_t nr_a, const double *b, size_t nr_b,
		       double u, double p)
{
	struct stats_test test;

	assert_true(stats_mann_whitney(a, nr_a, b, nr_b, &test));
	assert_true(test.exact);
	assert_near(test.u, u);
	assert_near(test.p, p);
	assert_true(stats_mann_whitney(b, nr_b, a, nr_a, &test));
	assert_near(test.u, (double)(nr_a * nr_b) - u);
	assert_near(test.p, p);
}

static void test_exact(void **state)
{
	static const double low[] = {1.1, 2.2, 3.3}, high[] = {4.4, 5.5, 6.6};
	/* Hollander and Wolfe (1973), page 69: one-sided p 0.1272. */
	static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45,
				      1.38, 1.91, 1.64, 0.73, 1.46};
	static const double weeks[] = {1.15, 0.88, 0.90, 0.74, 1.21};
	/* The example of SciPy's manual: U 17 of the first, p 1/9. */
	static const double males[] = {19, 22, 16, 29, 24}, females[] = {20, 11, 17, 12};

	(void)state;
	check_test(low, 3, high, 3, 9, 0.1);
	check_test(term, 10, weeks, 5, 15, 764. / 3003);
	check_test(males, 5, females, 4, 3, 1. / 9);
}

/* By counting all ways to deal them out. */
static void test_exact_ties(void **state)
{
	static const double a[] = {1, 2, 2, 3, 5}, b[] = {2, 4, 4, 6, 7, 7};
	static const double same[] = {1, 1, 1, 1, 1}, one[] = {1, 1, 1, 1, 2};

	(void)state;
	check_test(a, 5, b, 6, 25, 31. / 462);
	check_test(same, 4, same, 5, 10, 1);
	check_test(same, 5, one, 5, 15, 1);
}

static void test_normal(void **state)
{
	double a[30], b[30];
	struct stats_test test;

	(void)state;
	for (int i = 0; i < 30; i++) {
		a[i] = i * 7 % 30;
		b[i] = i * 11 % 30 + 3;
	}
	assert_true(stats_mann_whitney(a, 30, b, 26, &test));
	assert_false(test.exact);
	assert_near(test.u, 452);
	assert_near(test.p, 0.31211889208706994);
	/* Almost the same by both. */
	assert_true(stats_mann_whitney(a, 25, b, 25, &test));
	assert_true(test.exact);
	for (int i = 0; i < 30; i++)
		a[i] = b[i] = 1;
	assert_true(stats_mann_whitney(a, 30, b, 26, &test));
	assert_near(test.p, 1);
	assert_int_equal(test.direction, 0);
	assert_false(stats_mann_whitney(a, 0, b, 26, &test));
}

/* The tables have 13 for p < 0.05 of 8 and 8 samples: U of 13 is, 14 is not. */
static void test_critical_values(void **state)
{
	double a[8], b[8];
	struct stats_test test;

	(void)state;
	for (int i = 0; i < 8; i++) {
		a[i] = 10 * i;
		b[i] = 10 * i + (i < 4 ? 25 : 26);
	}
	assert_true(stats_mann_whitney(a, 8, b, 8, &test));
	assert_near(test.u, 64 - 15);
	assert_true(test.p > 0.05);
	b[0] += 10;
	b[1] += 10;
	assert_true(stats_mann_whitney(a, 8, b, 8, &test));
	assert_near(test.u, 64 - 13);
	assert_true(test.p < 0.05);
	b[0] -= 10;
	assert_true(stats_mann_whitney(a, 8, b, 8, &test));
	assert_near(test.u, 64 - 14);
	assert_true(test.p > 0.05);
}

static void test_ratio(void **state)
{
	static const double a[] = {100, 101, 99, 100, 102, 98};
	static const double b[] = {110, 111, 109, 110, 112, 108};
	struct stats_ratio first, again;

	(void)state;
	assert_true(stats_ratio(a, 6, b, 6, &first));
	assert_near(first.ratio, 1.1);
	assert_true(first.low > 1.06 && first.low < first.ratio);
	assert_true(first.high < 1.14 && first.high > first.ratio);
	assert_true(stats_ratio(a, 6, b, 6, &again));
	assert_memory_equal(&first, &again, sizeof(first));
	/* All resamples have the same median. */
	assert_true(stats_ratio(a, 1, b, 6, &first));
	assert_true(isnan(first.low));
	assert_false(stats_ratio(zero + 1, 1, b, 6, &first));
	/* Some resamples have a median of 0. */
	assert_true(stats_ratio(zero, 2, b, 6, &first));
	assert_true(isnan(first.high));
	assert_near(first.ratio, 220);
}

/* The interval is of 95 %: of a normal distribution's median, about 1.96 * 1.2533 s. */
static void test_coverage(void **state)
{
	double values[2][40];
	struct stats_ratio ratio;
	uint64_t seed = 1;
	int inside = 0;

	(void)state;
	for (int round = 0; round < 24; round++) {
		for (int i = 0; i < 80; i++) {
			double sum = 0;

			for (int k = 0; k < 12; k++) {
				seed = seed * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
				sum += (double)(seed >> 11) * 0x1p-53;
			}
			values[i / 40][i % 40] = 100 + sum;
		}
		assert_true(stats_ratio(values[0], 40, values[1], 40, &ratio));
		inside += ratio.low <= 1 && ratio.high >= 1;
	}
	assert_in_range(inside, 20, 24);
}

static void test_adjust(void **state)
{
	/* The example of Benjamini and Hochberg (1995): four of 15 at 0.05. */
	double p[] = {0.0459, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, NAN,    0.0278,
		      0.0298, 0.0344, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1};
	int found = 0;

	(void)state;
	stats_adjust(p, NR(p));
	for (size_t i = 0; i < NR(p); i++)
		found += p[i] < 0.05;
	assert_int_equal(found, 4);
	assert_near(p[1], 0.0015);
	assert_near(p[4], 0.0095 * 15 / 4);
	/* Not above that of a larger one. */
	assert_near(p[8], 0.0344 * 15 / 8 < 0.0298 * 15 / 7 ? 0.0344 * 15 / 8
							    : 0.0298 * 15 / 7);
	assert_true(isnan(p[6]));
	assert_near(p[15], 1);
	stats_adjust(p, 0);
}

static enum stats_verdict decide(double p, double low, double high, double noise,
				 enum metric_better better)
{
	struct stats_test test = {.least = 0.002, .direction = 1};
	struct stats_ratio ratio = {(low + high) / 2, low, high};

	return stats_decide(&test, p, &ratio, noise, better);
}

static void test_decide(void **state)
{
	struct stats_test test = {.least = 0.002, .direction = -1};
	struct stats_ratio unknown = {1.2, NAN, NAN};

	(void)state;
	assert_int_equal(decide(0.01, 1.1, 1.2, 0, BETTER_LOWER), STATS_WORSE);
	assert_int_equal(decide(0.01, 1.1, 1.2, 0, BETTER_HIGHER), STATS_BETTER);
	assert_int_equal(decide(0.01, 1.1, 1.2, 0, BETTER_NONE), STATS_DIFFERS);
	assert_int_equal(decide(0.05, 1.1, 1.2, 0, BETTER_LOWER), STATS_SAME);
	assert_int_equal(decide(NAN, 1.1, 1.2, 0, BETTER_LOWER), STATS_SAME);
	assert_int_equal(decide(0.01, 0.9, 1.2, 0, BETTER_LOWER), STATS_SAME);
	assert_int_equal(decide(0.01, 1.1, 1.2, 0.2, BETTER_LOWER), STATS_SAME);
	/* Without a ratio or its interval the ranks decide. */
	assert_int_equal(stats_decide(&test, 0.01, NULL, 0.1, BETTER_LOWER),
			 STATS_BETTER);
	assert_int_equal(stats_decide(&test, 0.01, &unknown, 0.1, BETTER_LOWER),
			 STATS_BETTER);
	test.least = 0.1;
	assert_int_equal(stats_decide(&test, 0.1, NULL, 0, BETTER_LOWER), STATS_TOO_FEW);
	assert_string_equal(stats_verdict_name(STATS_TOO_FEW), "too few");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments), cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_exact),	cmocka_unit_test(test_exact_ties),
		cmocka_unit_test(test_normal),	cmocka_unit_test(test_critical_values),
		cmocka_unit_test(test_ratio),	cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_adjust),	cmocka_unit_test(test_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
