// SPDX-License-Identifier: GPL-2.0
/* Wakeups and the idle periods that they ended: classes, phases, sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stream.h"

/* ---- the timelines of a wakeup; A to C with one task, D without ---- */

static void test_a_remote(void **state)
{
	(void)state;
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		struct stream s;

		/* The interrupt is served after the exit event ... */
		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2000, 1, WAKE, A},
		     {2060, 0, EXIT}, {2070, 0, WOKEN, A}, {2075, 0, ACCOUNT, 2, 2050},
		     {2080, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 2, VERDICT_HIT, BY_1, .latency = 80,
			     .exit = 60, .right = 2});
		PERIODS(&s,
			{0, 2, 2, VERDICT_HIT, END_INTERCEPTED, 2050, 2, .awake = 2050});
		COUNTS(&s, 0);
		/* ... or before it. */
		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2000, 1, WAKE, A},
		     {2055, 0, WOKEN, A}, {2060, 0, EXIT}, {2075, 0, ACCOUNT, 2, 2050},
		     {2080, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 2, VERDICT_HIT, BY_1, .latency = 80,
			     .exit = 55, .right = 2});
		PERIODS(&s,
			{0, 2, 2, VERDICT_HIT, END_INTERCEPTED, 2050, 2, .awake = 2045});
		COUNTS(&s, 0);
	}
}

static void test_b_polling(void **state)
{
	(void)state;
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 0}, {500, 1, WAKE, A},
		     {510, 0, EXIT}, {511, 0, ACCOUNT, 0, 500}, {512, 0, WOKEN, A},
		     {520, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 0, VERDICT_TOO_SHALLOW, BY_1,
			     .latency = 20, .exit = 10, .right = 1});
		PERIODS(&s, {0, 0, 0, VERDICT_TOO_SHALLOW, END_INTERCEPTED, 500, 1,
			     .awake = 500});
		COUNTS(&s, 0);
	}
}

static void test_c_timer(void **state)
{
	(void)state;
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 3}, {5010, 0, EXIT},
		     {5020, 0, SLEEPER, A, 40}, {5025, 0, WAKE, A}, {5030, 0, WOKEN, A},
		     {5040, 0, ACCOUNT, 3, 5000}, {5050, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 3, VERDICT_TOO_DEEP, SOURCE_TIMER,
			     .latency = 25, .late = 40, .right = 2});
		PERIODS(&s,
			{0, 3, 3, VERDICT_TOO_DEEP, END_TIMER, 5000, 2, .awake = 5000});
		COUNTS(&s, 0);

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 3},
		     {4990, 0, SLEEPER, A, 40}, {4995, 0, WAKE, A}, {5000, 0, WOKEN, A},
		     {5010, 0, EXIT}, {5040, 0, ACCOUNT, 3, 5000}, {5050, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 3, VERDICT_TOO_DEEP, SOURCE_TIMER,
			     .latency = 55, .late = 40, .right = 2});
		PERIODS(&s,
			{0, 3, 3, VERDICT_TOO_DEEP, END_TIMER, 5000, 2, .awake = 4980});
		COUNTS(&s, 0);
	}
}

static void test_d_no_task(void **state)
{
	(void)state;
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE},
		     /* the tick after the exit event */
		     {10, 0, ENTER, 1}, {60, 0, EXIT}, {65, 0, TICK, 3},
		     {70, 0, ACCOUNT, 1, 50},
		     /* the tick before it */
		     {100, 0, ENTER, 2}, {1600, 0, TICK, 3}, {1610, 0, EXIT},
		     {1620, 0, ACCOUNT, 2, 1510},
		     /* an IPI, and then a task */
		     {1700, 0, ENTER, 1}, {3200, 0, EXIT}, {3210, 0, ACCOUNT, 1, 1500},
		     {3300, 0, ENTER, 2}, {5300, 1, WAKE, A}, {5350, 0, EXIT},
		     {5360, 0, ACCOUNT, 2, 2050}, {5370, 0, RUN, A});
		PERIODS(&s, {0, 1, 1, VERDICT_TOO_DEEP, END_TICK, 50, 0, .awake = 50},
			{0, 2, 2, VERDICT_HIT, END_TICK, 1510, 2, .awake = 1500},
			{0, 1, 1, VERDICT_TOO_SHALLOW, END_INTERCEPTED, 1500, 2,
			 .awake = 1500},
			{0, 2, 2, VERDICT_HIT, END_INTERCEPTED, 2050, 2, .awake = 2050});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 2, VERDICT_HIT, BY_1, .latency = 70,
			     .exit = 50, .right = 2});
		COUNTS(&s, 0);
	}
}

/* ---- classes ---- */

static void test_queued(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2000, 1, WAKE, A},
	     {2010, 1, WAKE, B}, {2060, 0, EXIT}, {2065, 0, WAKE, C},
	     {2075, 0, ACCOUNT, 2, 2050}, {2078, 1, WAKE, D}, {2080, 0, RUN, A},
	     {2100, 0, SLEEP, B}, {2200, 0, PREEMPT, C}, {2300, 0, SLEEP, D});
	WAKEUPS(&s,
		{A, 0, CLASS_IDLE, 2, VERDICT_HIT, BY_1, .latency = 80, .exit = 60,
		 .right = 2},
		{B, 0, CLASS_QUEUED, BY_1, .latency = 90, .exit = 50},
		{C, 0, CLASS_QUEUED, .source = SOURCE_IRQ, .latency = 135},
		/* woken when the CPU already executed: no exit phase */
		{D, 0, CLASS_QUEUED, BY_1, .latency = 222});
	COUNTS(&s, 0);
}

/* The idle stretch goes from its first entry to the switch, spurious exits or not. */
static void test_queued_in_stretch(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {9, 1, WAKE, B}, {10, 0, ENTER, 1},
	     {10, 1, WAKE, C}, {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500},
	     {600, 0, ENTER, 1}, {1090, 1, WAKE, A}, {1100, 0, EXIT},
	     {1105, 0, ACCOUNT, 1, 500}, {1110, 0, RUN, A}, {1120, 0, SLEEP, B},
	     {1130, 0, SLEEP, C});
	WAKEUPS(&s,
		{A, 0, CLASS_IDLE, 1, VERDICT_HIT, BY_1, .latency = 20, .exit = 10,
		 .right = 1},
		{B, 0, CLASS_RUNNING, BY_1, .latency = 1111},
		{C, 0, CLASS_QUEUED, BY_1, .latency = 1120, .exit = 1090});
	COUNTS(&s, 0);
}

/* What is woken once the idle task is gone was not queued behind the idle period. */
static void test_running(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2060, 0, EXIT},
	     {2070, 0, ACCOUNT, 2, 2050}, {2080, 0, RUN, A}, {2080, 1, WAKE, B},
	     {2081, 0, WAKE, C}, {2100, 0, SLEEP, B}, {2200, 0, SLEEP, C});
	WAKEUPS(&s, {B, 0, CLASS_RUNNING, BY_1, .latency = 20},
		{C, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 119,
		 .waker = A});
	COUNTS(&s, 0);
}

/* Woken between the switch to the idle task and its first entry. */
static void test_waking_before_entry(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {4, 1, WAKE, A}, {10, 0, ENTER, 1}, {40, 0, EXIT},
	     {45, 0, ACCOUNT, 1, 30}, {50, 0, RUN, A});
	WAKEUPS(&s,
		{A, 0, CLASS_IDLE, 1, VERDICT_TOO_DEEP, BY_1, .latency = 46, .exit = 36});
	COUNTS(&s, 0);
}

/* Woken between two periods: the second one is the one it had to wait for. */
static void test_waking_between_periods(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2010, 0, EXIT},
	     {2015, 0, ACCOUNT, 2, 2000}, {2020, 1, WAKE, A}, {2030, 0, ENTER, 1},
	     {2080, 0, EXIT}, {2085, 0, ACCOUNT, 1, 50}, {2090, 0, RUN, A});
	WAKEUPS(&s,
		{A, 0, CLASS_IDLE, 1, VERDICT_TOO_DEEP, BY_1, .latency = 70, .exit = 60});
	COUNTS(&s, 0);
}

static void test_aborted(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	/* A period first, so that there is one to be taken for the aborted one's. */
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 2}, {2010, 0, EXIT},
	     {2015, 0, ACCOUNT, 2, 2000}, {2020, 0, RUN, A}, {3000, 0, SLEEP, IDLE},
	     {3010, 1, WAKE, A}, {3015, 1, WAKE, B}, {3020, 0, RUN, A},
	     {3100, 0, SLEEP, B});
	WAKEUPS(&s, {A, 0, CLASS_ABORTED, BY_1, .latency = 10},
		{B, 0, CLASS_RUNNING, BY_1, .latency = 85});
	PERIODS(&s, {0, 2, 2, VERDICT_HIT, END_INTERCEPTED, 2000, 2, .awake = 2000});
	COUNTS(&s, 0);
}

/* Idle injection enters states from a task of its own: none of the idle task's. */
static void test_injected_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 0, ENTER, 1}, {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500},
	     {600, 0, SLEEP, IDLE}, {610, 1, WAKE, A}, {620, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_ABORTED, BY_1, .latency = 10});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1, .awake = 500});
	COUNTS(&s, 0);
}

/* The CPU that runs the task says class and state; the waking's own CPU the source. */
static void test_runs_elsewhere(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {5, 1, SLEEP, IDLE}, {10, 0, ENTER, 1},
	     {15, 1, ENTER, 2}, {510, 0, EXIT}, {520, 0, SLEEPER, A, 9},
	     {530, 0, WAKE, A}, {540, 0, WAKE, B}, {600, 1, EXIT},
	     {605, 1, ACCOUNT, 2, 585}, {610, 1, RUN, A}, {650, 2, SLEEP, B});
	WAKEUPS(&s,
		{A, 1, CLASS_IDLE, 2, VERDICT_TOO_DEEP, SOURCE_REMOTE, .latency = 80,
		 .exit = 70, .right = 1},
		{B, 2, CLASS_RUNNING, .source = SOURCE_REMOTE, .latency = 110});
	PERIODS(&s, {1, 2, 2, VERDICT_TOO_DEEP, END_INTERCEPTED, 585, 1, .awake = 585});
	COUNTS(&s, 0);
}

/* The CPU polls on after an interrupt: that was not the wakeup's sign of life. */
static void test_polls_on(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 0}, {20, 0, TICK, 1},
	     {60, 1, WAKE, A}, {75, 0, EXIT}, {76, 0, ACCOUNT, 0, 65}, {77, 0, WOKEN, A},
	     {80, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 0, VERDICT_HIT, BY_1, .latency = 20, .exit = 15});
	PERIODS(&s, {0, 0, 0, VERDICT_HIT, END_TICK, 65, 0, .awake = 10});
	COUNTS(&s, 0);
}

/* ---- sources ---- */

static void test_sources_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE},
	     /* an interrupt wakes A */
	     {10, 0, ENTER, 0}, {50, 0, WAKE, A}, {60, 0, EXIT}, {61, 0, ACCOUNT, 0, 50},
	     {70, 0, RUN, A}, {90, 0, SLEEP, IDLE},
	     /* some timer's handler does */
	     {110, 0, ENTER, 0}, {148, 0, TIMER, 7}, {150, 0, WAKE, A}, {160, 0, EXIT},
	     {161, 0, ACCOUNT, 0, 50}, {170, 0, RUN, A}, {190, 0, SLEEP, IDLE},
	     /* the tick's does */
	     {210, 0, ENTER, 0}, {248, 0, TICK, 8}, {250, 0, WAKE, A}, {260, 0, EXIT},
	     {261, 0, ACCOUNT, 0, 50}, {270, 0, RUN, A}, {290, 0, SLEEP, IDLE},
	     /* another timer beside the tick, in either order, ends the period */
	     {310, 0, ENTER, 0}, {340, 0, TIMER, 9}, {341, 0, TICK, 2}, {360, 0, EXIT},
	     {361, 0, ACCOUNT, 0, 50}, {410, 0, ENTER, 0}, {440, 0, TICK, 2},
	     {441, 0, TIMER, 9}, {460, 0, EXIT}, {461, 0, ACCOUNT, 0, 50},
	     /* the timer of the last period is not this one's */
	     {510, 0, ENTER, 0}, {550, 0, WAKE, A}, {560, 0, EXIT},
	     {561, 0, ACCOUNT, 0, 50}, {570, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 0, VERDICT_HIT, SOURCE_IRQ, .latency = 20},
		{A, 0, CLASS_IDLE, 0, VERDICT_HIT, SOURCE_TIMER, .latency = 20,
		 .late = 7},
		{A, 0, CLASS_IDLE, 0, VERDICT_HIT, SOURCE_TIMER, .latency = 20,
		 .late = 8},
		{A, 0, CLASS_IDLE, 0, VERDICT_HIT, SOURCE_IRQ, .latency = 20});
	PERIODS(&s, {0, 0, 0, VERDICT_HIT, END_INTERCEPTED, 50, .awake = 40},
		{0, 0, 0, VERDICT_HIT, END_TIMER, 50, .awake = 38},
		{0, 0, 0, VERDICT_HIT, END_TICK, 50, .awake = 38},
		{0, 0, 0, VERDICT_HIT, END_TIMER, 50, .awake = 30},
		{0, 0, 0, VERDICT_HIT, END_TIMER, 50, .awake = 30},
		{0, 0, 0, VERDICT_HIT, END_INTERCEPTED, 50, .awake = 40});
	COUNTS(&s, 0);
}

/* On a busy CPU only a sleeper tells that the timer woke the task, and only its own. */
static void test_sources_busy(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 0, SLEEPER, A, 5}, {11, 0, WAKE, A}, {12, 0, WAKE, B},
	     {20, 0, PREEMPT, A}, {30, 0, SLEEP, B}, {40, 0, TIMER, 6}, {41, 0, WAKE, A},
	     {50, 0, SLEEP, A}, {60, 0, TICK, 6}, {61, 0, WAKE, B}, {70, 0, SLEEP, B},
	     {80, 0, SLEEPER, A, 7}, {81, 1, WAKE, A}, {90, 0, SLEEP, A});
	WAKEUPS(&s,
		{A, 0, CLASS_RUNNING, .source = SOURCE_TIMER, .latency = 9, .waker = BUSY,
		 .late = 5},
		{B, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 18,
		 .waker = BUSY},
		{A, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 9, .waker = B},
		{B, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 9, .waker = A},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 9});
	COUNTS(&s, 0);
}

/* Before the first entry since the switch to idle, no timer of an older period counts. */
static void test_source_after_old_timer(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 0}, {48, 0, TIMER, 7},
	     {50, 0, WAKE, A}, {60, 0, EXIT}, {61, 0, ACCOUNT, 0, 50}, {70, 0, RUN, A},
	     {90, 0, SLEEP, IDLE}, {95, 0, WAKE, A}, {99, 0, RUN, A});
	WAKEUPS(&s,
		{A, 0, CLASS_IDLE, 0, VERDICT_HIT, SOURCE_TIMER, .latency = 20,
		 .late = 7},
		{A, 0, CLASS_ABORTED, .source = SOURCE_IRQ, .latency = 4});
	COUNTS(&s, 0);
}

/* A sleeper wakes once; who wakes its task next on this CPU is another. */
static void test_source_after_sleeper(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 0, SLEEPER, A, 5}, {11, 0, WAKE, A}, {20, 1, SLEEP, A},
	     {30, 1, SLEEP, B}, {40, 0, WAKE, A}, {50, 0, SLEEP, A});
	WAKEUPS(&s,
		{A, 1, CLASS_RUNNING, .source = SOURCE_REMOTE, .latency = 9,
		 .waker = BUSY},
		{A, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 10,
		 .waker = BUSY});
	COUNTS(&s, 0);
}

/* A sleeper that found its task awake says nothing about a later waking. */
static void test_source_after_idle_sleeper(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {5, 0, WAKE, A}, {10, 0, SLEEPER, A, 5}, {20, 0, PREEMPT, A},
	     {100, 0, SLEEP, B}, {200, 0, WAKE, A}, {210, 0, SLEEP, A});
	WAKEUPS(&s,
		{A, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 15,
		 .waker = BUSY},
		{A, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 10, .waker = B});
	COUNTS(&s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_remote),
		cmocka_unit_test(test_b_polling),
		cmocka_unit_test(test_c_timer),
		cmocka_unit_test(test_d_no_task),
		cmocka_unit_test(test_queued),
		cmocka_unit_test(test_queued_in_stretch),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_waking_before_entry),
		cmocka_unit_test(test_waking_between_periods),
		cmocka_unit_test(test_aborted),
		cmocka_unit_test(test_injected_idle),
		cmocka_unit_test(test_runs_elsewhere),
		cmocka_unit_test(test_polls_on),
		cmocka_unit_test(test_sources_idle),
		cmocka_unit_test(test_sources_busy),
		cmocka_unit_test(test_source_after_old_timer),
		cmocka_unit_test(test_source_after_sleeper),
		cmocka_unit_test(test_source_after_idle_sleeper),
	};

	return cmocka_run_group_tests_name("join", tests, NULL, NULL);
}
