// SPDX-License-Identifier: GPL-2.0
/* From what the maps held to what is reported: sums, residuals, costs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "results.h"

#define STATES 4
#define CPUS   3

static void setup(struct results *r)
{
	assert_int_equal(results_init(r, STATES, CPUS), 0);
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		r->cpus[cpu].in_window = true;
		r->cpus[cpu].has_kernel = true;
		r->cpus[cpu].start = 1000;
		r->cpus[cpu].end = 5000;
	}
}

static void add_many(struct hist *h, u64 value, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		hist_add(h, value);
}

/* Every row knows what it counts. */
static void test_rows(void **state)
{
	struct results r;

	(void)state;
	setup(&r);
	assert_int_equal(r.nr_cpus, CPUS);
	assert_int_equal(r.cpus[2].cpu, 2);
	assert_int_equal(r.wakeups.nr_rows, 3 + STATES * VERDICTS);
	assert_int_equal(r.others.nr_rows, r.wakeups.nr_rows);
	for (u32 class = 0; class < CLASS_IDLE; class ++)
		assert_int_equal(r.wakeups.rows[class].class, class);
	for (u32 i = 0; i < STATES; i++)
		for (u32 v = 0; v < VERDICTS; v++) {
			const struct wakeup_row *row = &r.others.rows[IDLE_SLOT(i, v)];

			assert_int_equal(row->class, CLASS_IDLE);
			assert_int_equal(row->state, i);
			assert_int_equal(row->verdict, v);
		}
	results_free(&r);
	/* More states than a kernel can have do not overflow the tables. */
	assert_int_equal(results_init(&r, 100, 1), 0);
	assert_int_equal(r.nr_states, STATES_MAX);
	results_free(&r);
}

/* The rows together are all wakeups, and both phases together the latency. */
static void test_wakeups_add_up(void **state)
{
	struct results r;
	u64 count = 0, sum = 0;

	(void)state;
	setup(&r);
	for (u32 i = 0; i < r.wakeups.nr_rows; i++) {
		struct wakeup_row *row = &r.wakeups.rows[i];
		u64 exit = 10 * i, queue = 1000 + i;

		if (row->class == CLASS_RUNNING || row->class == CLASS_ABORTED) {
			add_many(&row->latency, queue, i + 1);
			continue;
		}
		add_many(&row->exit, exit, i + 1);
		add_many(&row->queue, queue, i + 1);
		add_many(&row->latency, exit + queue, i + 1);
	}
	add_many(&r.others.rows[CLASS_RUNNING].latency, 7, 2);
	results_finish(&r);
	for (u32 i = 0; i < r.wakeups.nr_rows; i++) {
		const struct wakeup_row *row = &r.wakeups.rows[i];

		count += i + 1;
		sum += row->latency.sum;
		assert_int_equal(row->exit.sum + row->queue.sum, row->latency.sum);
		assert_int_equal(row->queue.count, row->latency.count);
	}
	assert_int_equal(r.wakeups.latency.count, count);
	assert_int_equal(r.wakeups.latency.sum, sum);
	assert_int_equal(r.wakeups.latency.min, 1000);
	assert_int_equal(r.wakeups.queue.count, count);
	assert_int_equal(r.wakeups.queue.sum + r.wakeups.exit.sum, sum);
	/* Classes whose CPU was awake have no exit phase, and count in none. */
	assert_int_equal(r.wakeups.exit.count, count - 1 - 3);
	assert_int_equal(r.wakeups.rows[CLASS_RUNNING].exit.count, 0);
	assert_int_equal(r.wakeups.rows[CLASS_ABORTED].exit.count, 0);
	assert_int_equal(r.others.latency.count, 2);
	assert_int_equal(r.others.queue.sum, 14);
	assert_int_equal(r.others.exit.count, 0);
	results_free(&r);
}

static void fill_idle(struct idle_row *row, u64 k)
{
	row->requested = 11 * k;
	row->entered = 10 * k;
	row->uncounted = k;
	row->verdict[VERDICT_UNKNOWN] = k;
	row->verdict[VERDICT_HIT] = 5 * k;
	row->verdict[VERDICT_TOO_DEEP] = 3 * k;
	row->verdict[VERDICT_TOO_SHALLOW] = k;
	row->verdict[VERDICT_REJECTED] = 2 * k;
	row->end[END_TICK] = 6 * k;
	row->end[END_TIMER] = 3 * k;
	row->end[END_INTERCEPTED] = k;
	row->time = 7000 * k;
	row->shallow_time[3] = 400 * k;
	row->kernel = (struct state_usage){.usage = 9 * k,
					   .time_us = 7 * k,
					   .above = 3 * k,
					   .below = k,
					   .rejected = 2 * k};
}

static void check_idle(const struct idle_row *row, u64 k)
{
	struct idle_row want = {.requested = 0};

	fill_idle(&want, k);
	assert_memory_equal(row, &want, offsetof(struct idle_row, residual));
}

static void test_idle_adds_up(void **state)
{
	struct results r;

	(void)state;
	setup(&r);
	fill_idle(&r.cpus[0].state[1], 1);
	fill_idle(&r.cpus[0].state[2], 5);
	fill_idle(&r.cpus[1].state[2], 20);
	/* A CPU out of the window, offline or not asked for, counts in nothing. */
	fill_idle(&r.cpus[2].state[2], 100);
	r.cpus[2].in_window = false;
	r.cpus[2].start = 1;
	r.cpus[2].end = 1000000;
	r.cpus[0].end = 5001;
	r.cpus[1].start = 900;
	r.cpus[1].end = 4800;
	results_finish(&r);
	check_idle(&r.idle[0], 0);
	check_idle(&r.idle[1], 1);
	check_idle(&r.idle[2], 25);
	check_idle(&r.idle[3], 0);
	/* Entered or refused, a period is a period. */
	assert_int_equal(r.cpus[0].periods, 6 * 12);
	assert_int_equal(r.cpus[1].periods, 20 * 12);
	assert_int_equal(r.cpus[2].periods, 0);
	assert_int_equal(results_periods(&r), 26 * 12);
	assert_int_equal(r.start, 900);
	assert_int_equal(r.duration, 4001);
	assert_int_equal(r.cpu_time, 4001 + 3900);
	assert_int_equal(r.shallow_cost[2][3], 400 * 25);
	assert_int_equal(r.shallow_cost[1][3], 400);
	assert_int_equal(r.shallow_cost[3][2], 0);
	results_free(&r);
}

static void check_residual(const struct residual *got, s64 usage, s64 above, s64 below,
			   s64 rejected, s64 time_us)
{
	assert_int_equal(got->usage, usage);
	assert_int_equal(got->above, above);
	assert_int_equal(got->below, below);
	assert_int_equal(got->rejected, rejected);
	assert_int_equal(got->time_us, time_us);
}

/* Traced minus kernel: exactly nothing, or in both directions. */
static void test_residual(void **state)
{
	struct results r;

	(void)state;
	setup(&r);
	fill_idle(&r.cpus[0].state[1], 4);
	fill_idle(&r.cpus[1].state[1], 4);
	r.cpus[1].state[1].kernel = (struct state_usage){
		.usage = 40, .time_us = 20, .above = 15, .below = 2, .rejected = 9};
	fill_idle(&r.cpus[2].state[1], 4);
	r.cpus[2].has_kernel = false;
	memset(&r.cpus[2].state[1].kernel, 0, sizeof(struct state_usage));
	results_finish(&r);
	check_residual(&r.cpus[0].state[1].residual, 0, 0, 0, 0, 0);
	check_residual(&r.cpus[1].state[1].residual, -4, -3, 2, -1, 8);
	check_residual(&r.cpus[2].state[1].residual, 0, 0, 0, 0, 0);
	check_residual(&r.idle[1].residual, -4, -3, 2, -1, 8);
	results_free(&r);
}

/* What the wakeups out of too deep periods paid beyond the right states' medians. */
static void test_cost_too_deep(void **state)
{
	struct idle_row *row;
	struct results r;

	(void)state;
	setup(&r);
	/* Medians of 10 and 40 ns; neither other verdicts nor outliers move them. */
	add_many(&r.wakeups.rows[IDLE_SLOT(0, VERDICT_HIT)].exit, 10, 3);
	add_many(&r.wakeups.rows[IDLE_SLOT(0, VERDICT_HIT)].exit, 60, 2);
	add_many(&r.wakeups.rows[IDLE_SLOT(1, VERDICT_HIT)].exit, 40, 3);
	add_many(&r.wakeups.rows[IDLE_SLOT(1, VERDICT_TOO_DEEP)].exit, 5, 9);
	/* A CPU each, so that it has to be the sum. */
	for (u32 cpu = 0; cpu < 2; cpu++) {
		row = &r.cpus[cpu].state[2];
		row->deep_wakeups[0] = 1;
		row->deep_exit[0] = 70;
		row->deep_wakeups[1] = 2;
		row->deep_exit[1] = 200;
	}
	/* Sums below the medians: noise must be able to cancel out. */
	row = &r.cpus[1].state[1];
	row->deep_wakeups[0] = 3;
	row->deep_exit[0] = 24;
	results_finish(&r);
	assert_true(r.deep[2].known);
	assert_int_equal(r.deep[2].wakeups, 6);
	assert_int_equal(r.deep[2].time, 2 * (70 - 10) + 2 * (200 - 2 * 40));
	assert_true(r.deep[1].known);
	assert_int_equal(r.deep[1].wakeups, 3);
	assert_int_equal(r.deep[1].time, 24 - 3 * 10);
	/* No such wakeups: a cost of nothing, and that is known. */
	assert_true(r.deep[3].known);
	assert_int_equal(r.deep[3].wakeups, 0);
	assert_int_equal(r.deep[3].time, 0);
	results_free(&r);
}

/* Without a hit in the right state there is nothing to compare with. */
static void test_cost_unknown(void **state)
{
	struct results r;

	(void)state;
	setup(&r);
	add_many(&r.wakeups.rows[IDLE_SLOT(1, VERDICT_HIT)].exit, 40, 3);
	add_many(&r.others.rows[IDLE_SLOT(0, VERDICT_HIT)].exit, 10, 3);
	r.cpus[0].state[3].deep_wakeups[0] = 1;
	r.cpus[0].state[3].deep_exit[0] = 500;
	r.cpus[0].state[2].deep_wakeups[1] = 1;
	r.cpus[0].state[2].deep_exit[1] = 50;
	results_finish(&r);
	assert_false(r.deep[3].known);
	assert_int_equal(r.deep[3].wakeups, 1);
	assert_true(r.deep[2].known);
	assert_int_equal(r.deep[2].time, 10);
	results_free(&r);
}

static void test_empty(void **state)
{
	struct results r;

	(void)state;
	assert_int_equal(results_init(&r, STATES, CPUS), 0);
	results_finish(&r);
	assert_int_equal(results_periods(&r), 0);
	assert_int_equal(r.wakeups.latency.count, 0);
	assert_int_equal(r.duration, 0);
	assert_false(results_lossy(&r));
	results_free(&r);
}

/* Of what was lost, that which makes the numbers incomplete, and only that. */
static void test_lossy(void **state)
{
	struct results r = {.unslept = 5,
			    .loss = {.orphans = 1,
				     .unmatched = 1,
				     .negative = 1,
				     .unpaired = 1,
				     .unseen = 1}};
	u64 *const kinds[] = {&r.loss.ring, &r.loss.map_full, &r.loss.recursion,
			      &r.loss.wrapped};

	(void)state;
	assert_false(results_lossy(&r));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		*kinds[i] = 1;
		assert_true(results_lossy(&r));
		*kinds[i] = 0;
	}
}

/* Who ended most idle periods comes first, then who expired most. */
static void test_timer_users(void **state)
{
	static const u64 ended[] = {3, 9, 3, 0}, expired[] = {5, 9, 8, 99};
	struct results r;

	(void)state;
	setup(&r);
	r.nr_timer_users = 4;
	r.timer_users = calloc(4, sizeof(*r.timer_users));
	assert_non_null(r.timer_users);
	for (u32 i = 0; i < 4; i++) {
		r.timer_users[i].user.ended = ended[i];
		r.timer_users[i].user.expired = expired[i];
	}
	results_finish(&r);
	assert_int_equal(r.timer_users[0].user.expired, 9);
	assert_int_equal(r.timer_users[1].user.expired, 8);
	assert_int_equal(r.timer_users[2].user.expired, 5);
	assert_int_equal(r.timer_users[3].user.expired, 99);
	results_free(&r);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_UNKNOWN), "unknown");
	assert_string_equal(verdict_name(VERDICT_HIT), "hit");
	assert_string_equal(verdict_name(VERDICT_TOO_DEEP), "too deep");
	assert_string_equal(verdict_name(VERDICT_TOO_SHALLOW), "too shallow");
	assert_string_equal(verdict_name(VERDICT_REJECTED), "rejected");
	assert_string_equal(verdict_name(VERDICTS), "unknown");
	assert_string_equal(source_name(SOURCE_TIMER), "timer");
	assert_string_equal(source_name(SOURCE_REMOTE), "remote");
	assert_string_equal(source_name(SOURCE_LOCAL), "local");
	assert_string_equal(source_name(SOURCE_IRQ), "irq");
	assert_string_equal(source_name(SOURCES), "unknown");
	assert_string_equal(class_name(CLASS_RUNNING), "running");
	assert_string_equal(class_name(CLASS_QUEUED), "queued");
	assert_string_equal(class_name(CLASS_ABORTED), "aborted");
	assert_string_equal(class_name(CLASS_IDLE), "idle");
	assert_string_equal(class_name(CLASSES), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_wakeups_add_up),
		cmocka_unit_test(test_idle_adds_up),
		cmocka_unit_test(test_residual),
		cmocka_unit_test(test_cost_too_deep),
		cmocka_unit_test(test_cost_unknown),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_timer_users),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
