// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hist.h"

#define LAST	  (HIST_BUCKETS - 1)
#define TOO_LARGE (1ULL << BUCKET_MAX_BITS)

static void test_highest_bit(void **state)
{
	(void)state;
	for (u32 bit = 0; bit < 64; bit++) {
		assert_int_equal(highest_bit(1ULL << bit), bit);
		assert_int_equal(highest_bit((1ULL << bit) | 1), bit);
		assert_int_equal(highest_bit(~0ULL >> (63 - bit)), bit);
	}
}

/* The buckets cover everything without gap or overlap, none wider than it may be. */
static void test_bounds(void **state)
{
	(void)state;
	assert_int_equal(HIST_BUCKETS, 64 + 28 * 64);
	assert_int_equal(hist_low(0), 0);
	for (u32 i = 0; i < LAST; i++) {
		u64 low = hist_low(i), high = hist_high(i);

		assert_int_equal(hist_bucket(low), i);
		assert_int_equal(hist_bucket(high), i);
		assert_int_equal(hist_bucket(high + 1), i + 1);
		assert_int_equal(hist_low(i + 1), high + 1);
		if (i < 64)
			assert_int_equal(high, low);
		else if ((high - low + 1) * 64 > low)
			fail_msg("bucket %u is wider than 1/64: %llu to %llu", i,
				 (unsigned long long)low, (unsigned long long)high);
	}
	assert_int_equal(hist_bucket(hist_low(LAST)), LAST);
	assert_int_equal(hist_bucket(TOO_LARGE - 1), LAST);
	assert_int_equal(hist_bucket(TOO_LARGE), LAST);
	assert_int_equal(hist_bucket(UINT64_MAX), LAST);
	assert_int_equal(hist_high(LAST), UINT64_MAX);
	assert_true(hist_low(LAST) < TOO_LARGE);
}

static void test_empty(void **state)
{
	struct hist h = {0}, other = {0};

	(void)state;
	assert_int_equal(hist_mean(&h), 0);
	assert_int_equal(hist_percentile(&h, 50), 0);
	assert_int_equal(hist_percentile(&h, 100), 0);
	hist_merge(&h, &other);
	assert_int_equal(h.count, 0);
	hist_add(&h, 7);
	hist_merge(&h, &other);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.min, 7);
	assert_int_equal(h.max, 7);
	/* What is merged into nothing is what it was, its minimum as well. */
	hist_merge(&other, &h);
	assert_memory_equal(&other, &h, sizeof(h));
}

static void test_add(void **state)
{
	struct hist h = {0};

	(void)state;
	hist_add(&h, 1000);
	hist_add(&h, 0);
	hist_add(&h, 3333333);
	hist_add(&h, 1000);
	assert_int_equal(h.count, 4);
	assert_int_equal(h.sum, 3335333);
	assert_int_equal(h.min, 0);
	assert_int_equal(h.max, 3333333);
	assert_int_equal(h.bucket[0], 1);
	assert_int_equal(h.bucket[hist_bucket(1000)], 2);
	assert_int_equal(h.bucket[hist_bucket(3333333)], 1);
	assert_int_equal(hist_mean(&h), 833833);
}

/* Values below 64 have buckets of their own: there the percentile is exact. */
static void test_percentile_small(void **state)
{
	struct hist h = {0};

	(void)state;
	for (u64 value = 1; value <= 10; value++)
		hist_add(&h, value);
	assert_int_equal(hist_percentile(&h, 0), 1);
	assert_int_equal(hist_percentile(&h, 10), 1);
	assert_int_equal(hist_percentile(&h, 10.1), 2);
	assert_int_equal(hist_percentile(&h, 50), 5);
	assert_int_equal(hist_percentile(&h, 51), 6);
	assert_int_equal(hist_percentile(&h, 90), 9);
	assert_int_equal(hist_percentile(&h, 99), 10);
	assert_int_equal(hist_percentile(&h, 100), 10);
}

/* A histogram whose rank-th smallest of count values is 20, lower ones 10, higher
 * ones 30. */
static void check_rank(u64 count, double percent, u64 rank)
{
	static struct hist h;

	h.count = count;
	h.min = rank > 1 ? 10 : 20;
	h.max = count > rank ? 30 : 20;
	h.bucket[10] = rank - 1;
	h.bucket[20] = 1;
	h.bucket[30] = count - rank;
	if (hist_percentile(&h, percent) != 20)
		fail_msg("%g %% of %llu is not the value of rank %llu", percent,
			 (unsigned long long)count, (unsigned long long)rank);
}

/* ceil(percent / 100 * count), in whole numbers. */
static u64 nearest_rank(u64 count, u64 per_mille)
{
	return (count * per_mille + 999) / 1000;
}

static void test_percentile_rank(void **state)
{
	(void)state;
	check_rank(1000, 99.9, 999);
	check_rank(1001, 99.9, 1000);
	check_rank(1, 99.9, 1);
	check_rank(1, 50, 1);
	check_rank(2, 50, 1);
	check_rank(3, 50, 2);
	for (u64 count = 1; count < 200000; count++) {
		check_rank(count, 50, nearest_rank(count, 500));
		check_rank(count, 90, nearest_rank(count, 900));
		check_rank(count, 99, nearest_rank(count, 990));
		check_rank(count, 99.9, nearest_rank(count, 999));
		check_rank(count, 100, count);
	}
	/* A long run of pipes: the products are no longer exact by far. */
	for (u64 count = 17000000; count < 4000000000; count += count / 1000 / 500 * 1000)
		check_rank(count, 99.9, nearest_rank(count, 999));
}

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Never below the true value, above it by 1/64 at most; min and max are exact. */
static void test_percentile_error(void **state)
{
	static u64 values[5000];
	static struct hist h;
	size_t nr = sizeof(values) / sizeof(values[0]);
	u64 seed = 1;

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		values[i] = (seed >> 31) >> (seed % 29);
		hist_add(&h, values[i]);
	}
	qsort(values, nr, sizeof(values[0]), ascending);
	assert_int_equal(h.min, values[0]);
	assert_int_equal(h.max, values[nr - 1]);
	for (u64 per_mille = 1; per_mille <= 1000; per_mille++) {
		u64 value = values[nearest_rank(nr, per_mille) - 1];
		u64 got = hist_percentile(&h, per_mille / 10.0);

		if (got < value || got > value + value / 64 || got > h.max)
			fail_msg("%llu per mille is %llu, not %llu",
				 (unsigned long long)per_mille, (unsigned long long)got,
				 (unsigned long long)value);
	}
}

/* One value: every percentile is that value, not its bucket's end. */
static void test_percentile_clipped(void **state)
{
	struct hist h = {0};

	(void)state;
	hist_add(&h, 1000001);
	assert_int_equal(hist_percentile(&h, 1), 1000001);
	assert_int_equal(hist_percentile(&h, 99.9), 1000001);
}

static void test_overflow(void **state)
{
	struct hist h = {0};

	(void)state;
	for (int i = 0; i < 9; i++)
		hist_add(&h, 100);
	hist_add(&h, TOO_LARGE * 3);
	assert_int_equal(h.bucket[LAST], 1);
	assert_int_equal(h.max, TOO_LARGE * 3);
	assert_in_range(hist_percentile(&h, 90), 100, 101);
	assert_int_equal(hist_percentile(&h, 91), TOO_LARGE * 3);
}

/* Merged, two halves are what one histogram of all would have been. */
static void test_merge(void **state)
{
	static struct hist all, half[2];

	(void)state;
	for (u64 i = 0; i < 2000; i++) {
		u64 value = 77 + i * i * i * 13;

		hist_add(&all, value);
		hist_add(&half[i % 3 == 1], value);
	}
	hist_merge(&half[0], &half[1]);
	assert_memory_equal(&half[0], &all, sizeof(all));
	/* From the other side: the minimum comes from the one merged into. */
	memset(half, 0, sizeof(half));
	hist_add(&half[0], 5);
	hist_add(&half[1], 9);
	hist_merge(&half[1], &half[0]);
	assert_int_equal(half[1].min, 5);
	assert_int_equal(half[1].max, 9);
	assert_int_equal(half[1].sum, 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_highest_bit),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_percentile_small),
		cmocka_unit_test(test_percentile_rank),
		cmocka_unit_test(test_percentile_error),
		cmocka_unit_test(test_percentile_clipped),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
