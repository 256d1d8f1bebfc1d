// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "modes.h"

#define NR 1000

static struct mode_sample samples[NR];
static uint64_t seed;

static double uniform(void)
{
	seed = seed * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
	return (double)(seed >> 11) * 0x1p-53;
}

/* Of mean 0 and variance 1. */
static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

static int reset(void **state)
{
	(void)state;
	seed = 1;
	for (size_t i = 0; i < NR; i++)
		samples[i].weight = 1;
	return 0;
}

static struct modes find(size_t nr)
{
	struct modes modes;

	modes_find(samples, nr, &modes);
	return modes;
}

static void test_one_level(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++)
		samples[i].value = 10 + normal();
	assert_true(find(NR).known);
	assert_false(find(NR).two);
	for (size_t i = 0; i < NR; i++)
		samples[i].value = 5 + 10 * uniform();
	assert_false(find(NR).two);
	for (size_t i = 0; i < NR; i++)
		samples[i].value = 1 - log(1 - uniform());
	assert_false(find(NR).two);
	for (size_t i = 0; i < NR; i++)
		samples[i].value = 7;
	assert_false(find(NR).two);
}

static void test_two_levels(void **state)
{
	struct modes modes;

	(void)state;
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i % 4 ? 4 + 0.1 * normal() : 12 + 0.3 * normal();
	modes = find(NR);
	assert_true(modes.two);
	assert_true(fabs(modes.low_mean - 4) < 0.1);
	assert_true(fabs(modes.high_mean - 12) < 0.3);
	/* The outliers that are cut off on both sides weigh more in the smaller one. */
	assert_true(fabs(modes.low_share - 0.70 / 0.90) < 0.01);
	/* Exactly two values: no scatter at all. */
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i < NR / 2 ? 1 : 2;
	assert_true(find(NR).two);
}

/* A few values far away are neither a level nor do they hide one. */
static void test_outliers(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i % 50 ? 10 + 0.2 * normal() : 1000;
	assert_false(find(NR).two);
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i % 50 ? (i & 4 ? 10 : 14) + 0.2 * normal() : 1000;
	assert_true(find(NR).two);
}

static void test_small_difference(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i % 2 ? 1 : 1.09;
	assert_false(find(NR).two);
}

static void test_weights(void **state)
{
	(void)state;
	/* Rare by number, but half of the time. */
	for (size_t i = 0; i < 100; i++) {
		samples[i].value = i < 95 ? 1 + 0.01 * normal() : 10;
		samples[i].weight = i < 95 ? 1 : 19;
	}
	assert_true(find(100).two);
	for (size_t i = 0; i < 100; i++)
		samples[i].weight = i < 95 ? 1 : 0.5;
	for (size_t i = 0; i < 100; i++)
		samples[i].value = i < 95 ? 1 + 0.01 * normal() : 10;
	assert_false(find(100).two);
}

static void test_too_few(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++)
		samples[i].value = i % 2 ? 1 : 2;
	assert_false(find(0).known);
	assert_false(find(MODES_MIN_SAMPLES - 1).known);
	assert_false(find(MODES_MIN_SAMPLES - 1).two);
	assert_true(find(MODES_MIN_SAMPLES).known);
}

#define FRESH(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(test_one_level), FRESH(test_two_levels),	     FRESH(test_outliers),
		FRESH(test_weights),   FRESH(test_small_difference), FRESH(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
