// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ab_order.h"

#define MAX 65

static void test_two_are_abba(void **state)
{
	unsigned int order[2];

	(void)state;
	for (unsigned int round = 0; round < 8; round++) {
		ab_order(2, round, order);
		assert_int_equal(order[0], round % 2);
		assert_int_equal(order[1], 1 - round % 2);
	}
}

static void test_each_round_has_each_once(void **state)
{
	unsigned int order[MAX];

	(void)state;
	for (unsigned int nr = 1; nr <= MAX; nr++) {
		for (unsigned int round = 0; round < 3 * nr; round++) {
			unsigned char seen[MAX] = {0};

			ab_order(nr, round, order);
			for (unsigned int i = 0; i < nr; i++) {
				assert_in_range(order[i], 0, nr - 1);
				assert_int_equal(seen[order[i]]++, 0);
			}
		}
	}
}

/* Linear drift then has the same sum for all of them. */
static void test_every_second_round_is_backwards(void **state)
{
	unsigned int there[MAX], back[MAX];

	(void)state;
	for (unsigned int nr = 1; nr <= MAX; nr++) {
		for (unsigned int round = 0; round < 2 * nr; round += 2) {
			ab_order(nr, round, there);
			ab_order(nr, round + 1, back);
			for (unsigned int i = 0; i < nr; i++)
				assert_int_equal(there[i], back[nr - 1 - i]);
		}
	}
}

static void test_a_period_is_balanced(void **state)
{
	static unsigned int place[MAX][MAX], after[MAX][MAX];
	unsigned int order[MAX];

	(void)state;
	for (unsigned int nr = 2; nr <= MAX; nr++) {
		unsigned int period = ab_order_period(nr), each = period / nr;

		assert_int_equal(period % nr, 0);
		memset(place, 0, sizeof(place));
		memset(after, 0, sizeof(after));
		/* It does not matter where a period begins, at an even round. */
		for (unsigned int round = 2; round < 2 + period; round++) {
			ab_order(nr, round, order);
			for (unsigned int i = 0; i < nr; i++) {
				place[order[i]][i]++;
				if (i)
					after[order[i - 1]][order[i]]++;
			}
		}
		for (unsigned int a = 0; a < nr; a++) {
			for (unsigned int b = 0; b < nr; b++) {
				assert_int_equal(place[a][b], each);
				assert_int_equal(after[a][b], a == b ? 0 : each);
			}
		}
	}
	assert_int_equal(ab_order_period(1), 1);
	assert_int_equal(ab_order_period(2), 2);
	assert_int_equal(ab_order_period(3), 6);
	assert_int_equal(ab_order_period(4), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_are_abba),
		cmocka_unit_test(test_each_round_has_each_once),
		cmocka_unit_test(test_every_second_round_is_backwards),
		cmocka_unit_test(test_a_period_is_balanced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
