// SPDX-License-Identifier: GPL-2.0
/* Which idle state was entered, and who judges it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stream.h"

static void test_entered_differs(void **state)
{
	(void)state;
	/* The rule alone cannot know; a miss tells it as the account does. */
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		bool knows = truth != TRUTH_RULE;
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 3}, {5000, 1, WAKE, A},
		     {5010, 0, EXIT}, {5020, 0, ACCOUNT, 1, 5000}, {5030, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, knows ? 1 : 3,
			     knows ? VERDICT_TOO_SHALLOW : VERDICT_TOO_DEEP, BY_1,
			     .latency = 30, .exit = 10, .right = 2});
		PERIODS(&s, {0, 3, knows ? 1 : 3,
			     knows ? VERDICT_TOO_SHALLOW : VERDICT_TOO_DEEP,
			     END_INTERCEPTED, 5000, 2, .awake = 5000});
		COUNTS(&s, 0);
	}
}

static void test_rejected(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 3}, {12, 1, WAKE, A}, {14, 0, EXIT},
	     {15, 0, REJECT, 3}, {20, 0, RUN, A});
	assert_int_equal(s.nr_wakeups, 1);
	assert_int_equal(s.wakeups[0].class, CLASS_IDLE);
	assert_int_equal(s.wakeups[0].state, 3);
	assert_int_equal(s.wakeups[0].verdict, VERDICT_REJECTED);
	assert_int_equal(s.wakeups[0].exit, 2);
	assert_int_equal(s.nr_periods, 1);
	assert_int_equal(s.periods[0].verdict, VERDICT_REJECTED);
	assert_int_equal(s.periods[0].residency, 0);
	assert_false(s.periods[0].uncounted);
	assert_int_equal(s.rule_checked, 0);
	COUNTS(&s, 0);
}

static void test_uncounted(void **state)
{
	struct stream s;

	(void)state;
	/* The kernel did not account it (default_idle_call()), and says so. */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {500, 1, WAKE, A},
	     {510, 0, EXIT}, {520, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 1, VERDICT_UNKNOWN, BY_1, .latency = 20,
		     .exit = 10, .right = 1});
	PERIODS(&s, {0, 1, 1, VERDICT_UNKNOWN, END_INTERCEPTED, 500, 1, .uncounted = true,
		     .awake = 500});
	COUNTS(&s, 0);
	/* There is no driver that could. */
	stream_init(&s, TRUTH_RULE);
	s.settings.has_driver = false;
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {500, 1, WAKE, A},
	     {510, 0, EXIT}, {520, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 1, VERDICT_UNKNOWN, BY_1, .latency = 20,
		     .exit = 10, .right = 1});
	PERIODS(&s, {0, 1, 1, VERDICT_UNKNOWN, END_INTERCEPTED, 500, 1, .uncounted = true,
		     .awake = 500});
	COUNTS(&s, 0);
}

/* The kernel's residency, not the longer one between the events, meets the threshold. */
static void test_residency_is_the_kernels(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {1000, 1, WAKE, A},
	     {1015, 0, EXIT}, {1020, 0, ACCOUNT, 2, 999}, {1030, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 2, VERDICT_TOO_DEEP, BY_1, .latency = 30,
		     .exit = 15, .right = 1});
	PERIODS(&s, {0, 2, 2, VERDICT_TOO_DEEP, END_INTERCEPTED, 999, 1, .awake = 1005});
	COUNTS(&s, 0);
}

/* Disabled states are none to be right: too deep becomes a hit, too shallow skips. */
static void test_disabled(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	s.disabled = 1U << 0 | 1U << 2;
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {60, 0, EXIT},
	     {65, 0, ACCOUNT, 1, 50}, {100, 0, ENTER, 1}, {5100, 0, EXIT},
	     {5105, 0, ACCOUNT, 1, 5000}, {6000, 0, ENTER, 1}, {16010, 0, EXIT},
	     {16020, 0, ACCOUNT, 1, 10010}, {16030, 0, RUN, A});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 50, 1, .awake = 50},
		{0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 5000, 1, .awake = 5000},
		{0, 1, 1, VERDICT_TOO_SHALLOW, END_INTERCEPTED, 10010, 3,
		 .awake = 10010});
	assert_int_equal(s.rule_checked, 3);
	COUNTS(&s, 0);
}

/* One period of 2000 ns in state 2, a hit by the rule, and what others say of it. */
static u8 judged(const struct accounted *a, bool has_miss, enum miss miss,
		 u32 *rule_wrong)
{
	struct stream s;
	struct cpu_ctx *c = &s.cpu[0].ctx;
	union record r = {0};

	stream_init(&s, has_miss ? TRUTH_MISS : TRUTH_RULE);
	join_to_idle(c);
	join_idle_enter(c, 2, 100);
	join_idle_exit(c, 2100);
	if (miss)
		join_idle_miss(c, 2, miss == MISS_BELOW);
	assert_true(join_period(c, a, &s.settings, &r.period));
	join_complete(c, &s.settings, &r);
	assert_int_equal(r.period.entered, 2);
	*rule_wrong = !!(r.period.flags & PERIOD_RULE_WRONG);
	assert_false(join_period(c, a, &s.settings, &r.period));
	return r.period.verdict;
}

static void test_precedence(void **state)
{
	struct accounted none = {.known = false};
	struct accounted deep = {.known = true,
				 .counted = true,
				 .entered = 2,
				 .verdict = VERDICT_TOO_DEEP,
				 .residency = 2000};
	struct accounted hit = deep;
	u32 wrong;

	(void)state;
	hit.verdict = VERDICT_HIT;
	assert_int_equal(judged(&none, false, MISS_NONE, &wrong), VERDICT_HIT);
	assert_int_equal(wrong, 0);
	assert_int_equal(judged(&none, true, MISS_BELOW, &wrong), VERDICT_TOO_SHALLOW);
	assert_int_equal(judged(&none, true, MISS_ABOVE, &wrong), VERDICT_TOO_DEEP);
	assert_int_equal(wrong, 0);
	assert_int_equal(judged(&hit, true, MISS_BELOW, &wrong), VERDICT_HIT);
	assert_int_equal(wrong, 0);
	assert_int_equal(judged(&deep, true, MISS_BELOW, &wrong), VERDICT_TOO_DEEP);
	assert_int_equal(wrong, 1);
}

/* Disabled after the period, but before it is counted: the rule may take either. */
static void test_disabled_meanwhile(void **state)
{
	const u32 states[] = {0, 1U << 3, 1U << 2};
	const u8 wrong[] = {0, 0, PERIOD_RULE_WRONG};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct stream s;
		struct cpu_ctx *c = &s.cpu[0].ctx;
		union record r = {.period = {.type = RECORD_PERIOD,
					     .entered = 2,
					     .verdict = VERDICT_TOO_SHALLOW,
					     .residency = 20000,
					     .flags = PERIOD_RULE_CHECKED}};

		stream_init(&s, TRUTH_ACCOUNT);
		c->disabled = states[i];
		c->disabled_before = i == 2 ? 1U << 3 : 0;
		if (i == 2)
			c->disabled |= 1U << 3;
		join_complete(c, &s.settings, &r);
		assert_int_equal(r.period.flags & PERIOD_RULE_WRONG, wrong[i]);
		assert_int_equal(r.period.disabled, i == 2 ? 1U << 3 : 0);
		assert_int_equal(r.period.right, i == 2 ? 2 : 3);
		assert_int_equal(c->right, r.period.right);
	}
}

/* Where the kernel traces misses, a period without one is a hit, whatever we measured. */
static void test_no_miss_is_hit(void **state)
{
	(void)state;
	for (enum truth truth = TRUTH_MISS; truth <= TRUTH_RULE; truth++) {
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {1009, 0, EXIT},
		     {1010, 0, ACCOUNT, 2, 1000}, {1020, 0, RUN, A});
		assert_int_equal(s.nr_periods, 1);
		assert_int_equal(s.periods[0].verdict,
				 truth == TRUTH_MISS ? VERDICT_HIT : VERDICT_TOO_DEEP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entered_differs),
		cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_uncounted),
		cmocka_unit_test(test_residency_is_the_kernels),
		cmocka_unit_test(test_disabled),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_disabled_meanwhile),
		cmocka_unit_test(test_no_miss_is_hit),
	};

	return cmocka_run_group_tests_name("join_verdict", tests, NULL, NULL);
}
