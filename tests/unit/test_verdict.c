// SPDX-License-Identifier: GPL-2.0
/* The rule by which an idle period is judged, against the kernel's, told another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stream.h"
#include "verdict.h"

struct judge_case {
	u32 disabled, entered;
	u64 residency;
	enum verdict verdict;
	u8 right;
};

/* POLL, and three states as of a small server, in ns. */
static const struct state_param server[STATES_ARRAY] = {
	{0, 0}, {2000, 2000}, {20000, 10000}, {600000, 133000}};

static void test_by_hand(void **state)
{
	static const struct judge_case cases[] = {
		/* Nobody sleeps too deep in the shallowest. */
		{0, 0, 0, VERDICT_HIT, 0},
		{0, 0, 1999, VERDICT_HIT, 0},
		{0, 0, 2000, VERDICT_TOO_SHALLOW, 1},
		/* Only the next deeper one is looked at, however long it was. */
		{0, 0, 1000000000, VERDICT_TOO_SHALLOW, 1},
		{1U << 1, 0, 2000, VERDICT_HIT, 0},
		{1U << 1, 0, 20000, VERDICT_TOO_SHALLOW, 2},
		{1U << 1 | 1U << 2, 0, 599999, VERDICT_HIT, 0},
		{1U << 1 | 1U << 2 | 1U << 3, 0, 1000000000, VERDICT_HIT, 0},
		/* Its own exit latency does not count as sleep, when it is too shallow.
		 */
		{0, 1, 1999, VERDICT_TOO_DEEP, 0},
		{0, 1, 2000, VERDICT_HIT, 1},
		{0, 1, 21999, VERDICT_HIT, 1},
		{0, 1, 22000, VERDICT_TOO_SHALLOW, 2},
		/* Too deep: the deepest one that would have paid off. */
		{0, 3, 599999, VERDICT_TOO_DEEP, 2},
		{0, 3, 20000, VERDICT_TOO_DEEP, 2},
		{0, 3, 19999, VERDICT_TOO_DEEP, 1},
		{0, 3, 1999, VERDICT_TOO_DEEP, 0},
		{1U << 2, 3, 599999, VERDICT_TOO_DEEP, 1},
		/* None pays off: the shallowest is the least wrong. */
		{1U << 0, 3, 1000, VERDICT_TOO_DEEP, 1},
		{1U << 0 | 1U << 1, 3, 1000, VERDICT_TOO_DEEP, 2},
		/* Nothing shallower is enabled. */
		{1U << 0 | 1U << 1 | 1U << 2, 3, 1000, VERDICT_HIT, 3},
		/* Nothing is deeper. Whether it is disabled itself matters not. */
		{0, 3, 1000000000, VERDICT_HIT, 3},
		{1U << 3, 3, 1000, VERDICT_TOO_DEEP, 0},
		{1U << 1, 1, 22000, VERDICT_TOO_SHALLOW, 2},
		/* No such state. */
		{0, 4, 1000, VERDICT_UNKNOWN, 4},
		{0, 255, 1000, VERDICT_UNKNOWN, 255},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct judge_case *c = &cases[i];
		struct judgement j =
			judge(server, 4, c->disabled, c->entered, c->residency);

		if (j.verdict != c->verdict || j.right != c->right)
			fail_msg("case %zu: verdict %u, right %u", i, j.verdict, j.right);
	}
}

static void check(const struct state_param *param, u32 states, u32 disabled, u32 entered,
		  u64 residency)
{
	struct judgement j = judge(param, states, disabled, entered, residency);
	enum verdict want;
	u8 right;

	want = kernel_rule(param, states, disabled, entered, residency, &right);
	if (j.verdict != want || j.right != right)
		fail_msg("%u states, disabled %#x, entered %u, %llu ns: verdict %u right "
			 "%u, "
			 "not %u and %u",
			 states, disabled, entered, (unsigned long long)residency,
			 j.verdict, j.right, want, right);
}

/* Residencies at every threshold that could matter to the entered state, and beside it.
 */
static void check_around(const struct state_param *param, u32 states, u32 disabled,
			 u32 entered)
{
	check(param, states, disabled, entered, 0);
	check(param, states, disabled, entered, UINT64_MAX);
	for (int d = -1; d <= 1; d++) {
		check(param, states, disabled, entered, param[entered].latency_ns + d);
		for (u32 i = 0; i < states; i++) {
			u64 target = param[i].residency_ns + d;

			check(param, states, disabled, entered, target);
			check(param, states, disabled, entered,
			      target + param[entered].latency_ns);
		}
	}
}

static void check_machine(const struct state_param *param, u32 states)
{
	for (u32 disabled = 0; disabled < 1U << states; disabled++)
		for (u32 entered = 0; entered < states; entered++)
			check_around(param, states, disabled, entered);
}

static u64 random_u64(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* As drivers have them: both grow with depth. */
static void test_growing(void **state)
{
	struct state_param param[STATES_ARRAY] = {{0, 0}};

	(void)state;
	for (u32 i = 1; i < STATES_MAX; i++) {
		param[i].residency_ns = 1000ULL << i;
		param[i].latency_ns = 300ULL << i;
	}
	for (u32 states = 2; states <= STATES_MAX; states++)
		check_machine(param, states);
}

/* As firmware may have them: equal, or in no order at all. */
static void test_odd_machines(void **state)
{
	struct state_param param[STATES_ARRAY] = {{0, 0}};
	u64 seed = 88172645463325252ULL;

	(void)state;
	for (u32 states = 2; states <= 8; states++)
		for (u32 round = 0; round < 4; round++) {
			for (u32 i = 0; i < states; i++) {
				param[i].residency_ns =
					random_u64(&seed) % (round ? 1000 : 2);
				param[i].latency_ns =
					random_u64(&seed) % (round > 1 ? 500 : 2);
			}
			check_machine(param, states);
		}
}

static void test_random(void **state)
{
	struct state_param param[STATES_ARRAY] = {{0, 0}};
	u64 seed = 2463534242;
	u32 seen[VERDICTS] = {0};

	(void)state;
	for (u32 n = 0; n < 200000; n++) {
		u32 states = 2 + random_u64(&seed) % (STATES_MAX - 1);
		u32 disabled =
			random_u64(&seed) & random_u64(&seed) & ((1U << states) - 1);
		u32 entered = random_u64(&seed) % states;
		u64 residency = random_u64(&seed) % 5000;

		for (u32 i = 0; i < states; i++) {
			param[i].residency_ns = i * (random_u64(&seed) % 1000);
			param[i].latency_ns = i * (random_u64(&seed) % 100);
		}
		check(param, states, disabled, entered, residency);
		seen[judge(param, states, disabled, entered, residency).verdict]++;
	}
	/* The grid meets each of them often, or it says little. */
	assert_true(seen[VERDICT_HIT] > 10000);
	assert_true(seen[VERDICT_TOO_DEEP] > 10000);
	assert_true(seen[VERDICT_TOO_SHALLOW] > 10000);
	assert_int_equal(seen[VERDICT_UNKNOWN], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_growing),
		cmocka_unit_test(test_odd_machines),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
