// SPDX-License-Identifier: GPL-2.0
/* The join where wakings, runs and periods do not come in pairs: races, deaths, losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stream.h"

#define LOST .lost = true

/* ---- wakings that no run answers, or not the next one ---- */

/* Of tasks that are not asleep: by themselves, by others, several times, preempted. */
static void test_unslept(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {5, 1, WAKE, A}, {10, 0, SLEEP, A}, {20, 0, WAKE, A}, {30, 1, WAKE, A},
	     {40, 1, WAKE, A}, {50, 0, PREEMPT, B}, {60, 1, WAKE, A}, {70, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 5});
	COUNTS(&s, .unslept = 4);
	/* The next sleep is as any other. */
	FEED(&s, {80, 1, WAKE, A}, {90, 0, SLEEP, B}, {500, 1, WAKE, A},
	     {520, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 5},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 20});
	COUNTS(&s, .unslept = 5);
}

/* It still ran at the waking, but was on its way to sleep. */
static void test_race_with_sleep(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {5, 1, WAKE, A}, {10, 0, SLEEP, A}, {100, 1, WAKE, A},
	     {101, 0, SLEEP, IDLE}, {150, 0, RUN, A}, {200, 1, WAKE, A},
	     {201, 0, SLEEP, B}, {260, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 5},
		{A, 0, CLASS_ABORTED, BY_1, .latency = 50},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 60});
	COUNTS(&s, 0);
}

/* A wakeup is answered once; what follows a preemption answers nothing. */
static void test_preempted(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {100, 1, WAKE, A}, {110, 0, PREEMPT, A}, {200, 0, PREEMPT, B},
	     {300, 0, SLEEP, A}, {400, 0, PREEMPT, BUSY}, {500, 0, PREEMPT, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, 0);
}

/* Woken twice before it ran: the first waking is when the latency began. */
static void test_oldest_waking_counts(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {100, 1, WAKE, A}, {150, 2, WAKE, A}, {180, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 80});
	COUNTS(&s, 0);
}

static void test_negative(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {200, 1, WAKE, A}, {199, 0, SLEEP, A}, {300, 0, SLEEP, B},
	     {400, 1, WAKE, A}, {400, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 0});
	COUNTS(&s, .negative = 1);
	/* The same out of an idle period, which is judged all the same. */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {500, 1, WAKE, A},
	     {410, 0, EXIT}, {415, 0, ACCOUNT, 1, 400}, {420, 0, RUN, A});
	WAKEUPS(&s);
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 400, 1, .awake = 400});
	COUNTS(&s, .negative = 1);
}

/* ---- tasks that come and go ---- */

static void test_exit(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	/* As it should be: nothing pending. */
	FEED(&s, {100, 1, WAKE, A}, {110, 0, SLEEP, A}, {120, 0, GONE},
	     {130, 0, SLEEP, B});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, 0);
	/* In flight: it dies with a waking whose run was not seen. */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {90, 0, SLEEP, B}, {100, 1, WAKE, A}, {110, 0, SLEEP, A, LOST},
	     {120, 0, GONE}, {130, 0, SLEEP, B});
	WAKEUPS(&s);
	COUNTS(&s, .orphans = 1, .unseen = 1);
	/* With one that was for nothing. */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {90, 1, WAKE, A}, {100, 0, SLEEP, A}, {110, 1, WAKE, A}, {120, 0, GONE},
	     {130, 0, SLEEP, B});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, .unslept = 1);
}

static void test_new_task(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {100, 1, FORK, A}, {130, 0, SLEEP, A}, {200, 0, SLEEP, B},
	     {300, 1, WAKE, A}, {310, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 30, .fresh = true},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, 0);
}

static void test_pid_reuse(void **state)
{
	struct stream s;

	(void)state;
	/* The death of the first was seen ... */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 1, WAKE, A}, {20, 0, SLEEP, A}, {30, 0, GONE}, {40, 0, SLEEP, B},
	     {100, 1, FORK, A}, {130, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 30, .fresh = true});
	COUNTS(&s, 0);
	/* ... or missed ... */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 1, WAKE, A}, {20, 0, SLEEP, A}, {30, 0, GONE, LOST},
	     {40, 0, SLEEP, B}, {100, 1, FORK, A}, {130, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10},
		{A, 0, CLASS_RUNNING, BY_1, .latency = 30, .fresh = true});
	COUNTS(&s, 0);
	/* ... with its only waking pending; the newcomer has switched as often. */
	stream_init(&s, TRUTH_ACCOUNT);
	s.task[A].nvcsw = 0;
	FEED(&s, {10, 1, WAKE, A}, {20, 0, PREEMPT, A, LOST}, {30, 0, GONE, LOST},
	     {40, 0, SLEEP, BUSY, LOST}, {100, 1, FORK, A}, {130, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 30, .fresh = true});
	COUNTS(&s, .orphans = 1);
}

/* ---- events that the programs missed ---- */

static void test_lost_waking(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {10, 1, WAKE, A}, {20, 0, SLEEP, A}, {30, 0, SLEEP, B},
	     {100, 1, WAKE, A, LOST}, {110, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, .unmatched = 1);
}

/* The task's switching away tells that it had run. */
static void test_lost_run(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {5, 0, SLEEP, B}, {10, 1, WAKE, A}, {20, 0, SLEEP, A, LOST},
	     {30, 0, SLEEP, B}, {100, 1, WAKE, A}, {110, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, .unseen = 1, .unseen_runs = 1);
	/* Preempted after such a run, it is not owed another. */
	FEED(&s, {120, 0, SLEEP, B}, {130, 1, WAKE, A}, {140, 0, SLEEP, A, LOST},
	     {150, 0, PREEMPT, C}, {160, 0, SLEEP, A}, {170, 0, PREEMPT, C},
	     {180, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, .unseen = 2, .unseen_runs = 2);
}

/* Neither its run nor its switching away was seen: the next waking tells. */
static void test_lost_run_and_sleep(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {5, 0, SLEEP, B}, {10, 1, WAKE, A}, {20, 0, PREEMPT, A, LOST},
	     {30, 0, SLEEP, B, LOST}, {100, 1, WAKE, A}, {110, 0, SLEEP, A});
	WAKEUPS(&s, {A, 0, CLASS_RUNNING, BY_1, .latency = 10});
	COUNTS(&s, .orphans = 1);
}

/* The run that was lost left the idle task: its period still comes out, once. */
static void test_lost_switch_from_idle(void **state)
{
	(void)state;
	for (enum truth truth = 0; truth < TRUTHS; truth++) {
		struct stream s;

		stream_init(&s, truth);
		FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {500, 1, WAKE, A},
		     {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500}, {520, 0, RUN, A, LOST},
		     {600, 0, SLEEP, IDLE}, {610, 0, ENTER, 2}, {2600, 1, WAKE, A},
		     {2610, 0, EXIT}, {2615, 0, ACCOUNT, 2, 2000}, {2620, 0, RUN, A});
		WAKEUPS(&s, {A, 0, CLASS_IDLE, 2, VERDICT_HIT, BY_1, .latency = 20,
			     .exit = 10, .right = 2});
		PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1, .awake = 500},
			{0, 2, 2, VERDICT_HIT, END_INTERCEPTED, 2000, 2, .awake = 2000});
		COUNTS(&s, .unseen = 1, .unseen_runs = 1);
	}
}

/* Nothing is queued behind an idle stretch whose end is not known. */
static void test_lost_end_of_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {500, 1, WAKE, A},
	     {505, 1, WAKE, B}, {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500},
	     {520, 0, RUN, A, LOST}, {600, 0, SLEEP, B}, {650, 0, WAKE, D},
	     {660, 0, SLEEP, D}, {700, 0, SLEEP, IDLE}, {710, 1, WAKE, C},
	     {720, 0, RUN, C});
	WAKEUPS(&s, {B, 0, CLASS_RUNNING, BY_1, .latency = 95},
		{D, 0, CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 10, .waker = B},
		{C, 0, CLASS_ABORTED, BY_1, .latency = 10});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1, .awake = 500});
	COUNTS(&s, .unseen = 1, .unseen_runs = 1);
}

/* An entry says as well that the idle task runs: the wakeup has its state. */
static void test_lost_switch_to_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, B}, {5, 0, SLEEP, IDLE, LOST}, {10, 0, ENTER, 1},
	     {500, 1, WAKE, A}, {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500},
	     {520, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 1, VERDICT_HIT, BY_1, .latency = 20, .exit = 10,
		     .right = 1});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1, .awake = 500});
	COUNTS(&s, .unseen = 1);
}

/* Without an entry after it, the state of an older period is not this wakeup's. */
static void test_lost_switch_to_aborted_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {510, 0, EXIT},
	     {515, 0, ACCOUNT, 1, 500}, {520, 0, RUN, B}, {600, 0, SLEEP, IDLE, LOST},
	     {610, 1, WAKE, A}, {615, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_ABORTED, BY_1, .latency = 5});
	COUNTS(&s, .unseen = 1);
	/* Nor if neither the end of the older one was seen. */
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {510, 0, EXIT},
	     {515, 0, ACCOUNT, 1, 500}, {520, 0, RUN, B, LOST}, {550, 0, SLEEP, C},
	     {600, 0, SLEEP, IDLE, LOST}, {610, 1, WAKE, A}, {615, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_ABORTED, BY_1, .latency = 5});
	COUNTS(&s, .unseen = 2);
}

/* A whole period went unseen: the account has two, and no verdict to compare with. */
static void test_lost_period(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {60, 0, EXIT},
	     {65, 0, ACCOUNT, 1, 50}, {100, 0, ENTER, 1, LOST}, {600, 0, EXIT, LOST},
	     {605, 0, ACCOUNT, 1, 500}, {610, 0, RUN, A});
	assert_int_equal(s.nr_periods, 1);
	assert_int_equal(s.rule_checked, 0);
	COUNTS(&s, .unpaired = 1);
}

/* No exit: the account still knows the period, the time stamps do not. */
static void test_lost_exit(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {510, 0, EXIT, LOST},
	     {515, 0, ACCOUNT, 1, 500}, {600, 0, ENTER, 1}, {1100, 1, WAKE, A},
	     {1110, 0, EXIT, LOST}, {1115, 0, ACCOUNT, 1, 500}, {1120, 0, WOKEN, A},
	     {1130, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 1, VERDICT_HIT, BY_1, .latency = 30, .exit = 20,
		     .right = 1});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1},
		{0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 500, 1, .awake = 520});
	COUNTS(&s, .unpaired = 2);
	/* Traced misses judge it without a residency. */
	stream_init(&s, TRUTH_MISS);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {510, 0, EXIT, LOST},
	     {515, 0, ACCOUNT, 1, 500}, {600, 0, ENTER, 2});
	assert_int_equal(s.nr_periods, 1);
	assert_int_equal(s.periods[0].verdict, VERDICT_HIT);
	COUNTS(&s, .unpaired = 1);
}

/* Without account, misses and exit there is no residency, and nothing to judge by. */
static void test_lost_exit_is_not_too_deep(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_RULE);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1}, {510, 0, EXIT},
	     {600, 0, ENTER, 2}, {2590, 1, WAKE, A}, {2600, 0, EXIT, LOST},
	     {2630, 0, RUN, A});
	assert_int_equal(s.nr_periods, 2);
	assert_int_equal(s.periods[0].verdict, VERDICT_HIT);
	assert_int_equal(s.periods[1].verdict, VERDICT_UNKNOWN);
	assert_int_equal(s.nr_wakeups, 1);
	assert_int_equal(s.wakeups[0].verdict, VERDICT_UNKNOWN);
	COUNTS(&s, .unpaired = 1);
}

static void test_lost_entry(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_ACCOUNT);
	FEED(&s, {0, 0, SLEEP, IDLE}, {10, 0, ENTER, 1, LOST}, {500, 1, WAKE, A},
	     {510, 0, EXIT}, {515, 0, ACCOUNT, 1, 500}, {520, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_ABORTED, BY_1, .latency = 20});
	PERIODS(&s);
	COUNTS(&s, .unpaired = 1);
	/* An exit without entry does not move the end of the period before it. */
	FEED(&s, {600, 0, SLEEP, IDLE}, {610, 0, ENTER, 1}, {1010, 0, EXIT},
	     {1015, 0, ACCOUNT, 1, 400}, {1020, 0, ENTER, 1, LOST}, {1500, 0, EXIT},
	     {1510, 0, RUN, B});
	PERIODS(&s, {0, 1, 1, VERDICT_HIT, END_INTERCEPTED, 400, 1, .awake = 400});
	COUNTS(&s, .unpaired = 2);
}

/* A period that was open when the programs were attached is none of ours. */
static void test_attached_while_idle(void **state)
{
	struct stream s;

	(void)state;
	stream_init(&s, TRUTH_RULE);
	FEED(&s, {0, 0, SLEEP, IDLE, LOST}, {10, 0, ENTER, 1, LOST},
	     {500, 1, WAKE, A, LOST}, {510, 0, EXIT, LOST}, {520, 0, RUN, A},
	     {530, 0, SLEEP, IDLE}, {540, 0, ENTER, 1}, {900, 1, WAKE, A}, {940, 0, EXIT},
	     {950, 0, RUN, A});
	WAKEUPS(&s, {A, 0, CLASS_IDLE, 1, VERDICT_HIT, BY_1, .latency = 50, .exit = 40,
		     .right = 1});
	COUNTS(&s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unslept),
		cmocka_unit_test(test_race_with_sleep),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_oldest_waking_counts),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_new_task),
		cmocka_unit_test(test_pid_reuse),
		cmocka_unit_test(test_lost_waking),
		cmocka_unit_test(test_lost_run),
		cmocka_unit_test(test_lost_run_and_sleep),
		cmocka_unit_test(test_lost_switch_from_idle),
		cmocka_unit_test(test_lost_end_of_idle),
		cmocka_unit_test(test_lost_switch_to_idle),
		cmocka_unit_test(test_lost_switch_to_aborted_idle),
		cmocka_unit_test(test_lost_period),
		cmocka_unit_test(test_lost_exit),
		cmocka_unit_test(test_lost_exit_is_not_too_deep),
		cmocka_unit_test(test_lost_entry),
		cmocka_unit_test(test_attached_while_idle),
	};

	return cmocka_run_group_tests_name("join, with loss", tests, NULL, NULL);
}
