// SPDX-License-Identifier: GPL-2.0
/* From records to tables (count.h), by way of what CPUs had still staged at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer_private.h"

#define CPUS   2
#define STATES 3
#define WINDOW 7

struct fixture {
	struct tracer tracer;
	struct cpu_ctx *ctx;
	struct results results;
	u32 nr_kept;
	union record kept[STAGE_MAX];
};

static int setup(void **state)
{
	static const struct state_param params[] = {{0, 0}, {100, 10}, {1000, 50}};
	struct fixture *f = calloc(1, sizeof(*f));

	f->ctx = calloc(CPUS, sizeof(*f->ctx));
	f->tracer.cpus = CPUS;
	f->tracer.window = WINDOW;
	f->tracer.config.settings =
		(struct settings){.states = STATES, .has_driver = true, .slowest = 2};
	assert_int_equal(results_init(&f->results, STATES, CPUS), 0);
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		f->ctx[cpu].cpu = cpu;
		f->ctx[cpu].window = WINDOW;
		memcpy(f->ctx[cpu].param, params, sizeof(params));
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	results_free(&f->results);
	free(f->ctx);
	free(f);
	return 0;
}

static void stage(struct fixture *f, u32 cpu, union record record)
{
	struct cpu_ctx *c = &f->ctx[cpu];

	assert_true(c->staged < STAGE_MAX);
	c->record[c->staged++] = record;
}

static void keep(void *arg, const union record *record)
{
	struct fixture *f = arg;

	assert_true(f->nr_kept < STAGE_MAX);
	f->kept[f->nr_kept++] = *record;
}

#define WAKEUP(...) ((union record){.wakeup = {.type = RECORD_WAKEUP, __VA_ARGS__}})
#define PERIOD(...) ((union record){.period = {.type = RECORD_PERIOD, __VA_ARGS__}})
#define TIMER(...)  ((union record){.timer = {.type = RECORD_TIMER, __VA_ARGS__}})

/* The kernel's verdict, and a wakeup that takes it over. */
static void test_wakeup_of_period(void **state)
{
	struct fixture *f = *state;
	struct results *r = &f->results;
	const struct wakeup_row *row = &r->wakeups.rows[IDLE_SLOT(2, VERDICT_TOO_DEEP)];
	const struct idle_row *idle = &r->cpus[1].state[2];

	stage(f, 1,
	      PERIOD(.requested = 2, .entered = 2, .verdict = VERDICT_TOO_DEEP,
		     .end = END_TIMER, .residency = 400,
		     .flags = PERIOD_KERNEL | PERIOD_RULE_CHECKED));
	stage(f, 1,
	      WAKEUP(.class = CLASS_IDLE, .source = SOURCE_REMOTE, .latency = 70,
		     .exit = 50));
	staged_add(&f->tracer, r, f->ctx, keep, f);
	assert_int_equal(row->latency.count, 1);
	assert_int_equal(row->latency.sum, 70);
	assert_int_equal(row->exit.sum, 50);
	assert_int_equal(row->queue.sum, 20);
	assert_int_equal(r->wakeups.sources[SOURCE_REMOTE].sum, 70);
	assert_int_equal(idle->requested, 1);
	assert_int_equal(idle->entered, 1);
	assert_int_equal(idle->time, 400);
	assert_int_equal(idle->verdict[VERDICT_TOO_DEEP], 1);
	assert_int_equal(idle->end[END_TIMER], 1);
	assert_int_equal(idle->deep_wakeups[1], 1);
	assert_int_equal(idle->deep_exit[1], 50);
	assert_int_equal(r->residency[2].sum, 400);
	assert_int_equal(r->rule_checked, 1);
	assert_int_equal(r->rule_wrong, 0);
	assert_int_equal(r->nr_slowest, 1);
	assert_int_equal(r->slowest[0].record.verdict, VERDICT_TOO_DEEP);
}

/* What was counted last before the stage still is the state of the next wakeup. */
static void test_wakeup_of_counted_period(void **state)
{
	struct fixture *f = *state;

	f->ctx[0].entered = 1;
	f->ctx[0].verdict = VERDICT_HIT;
	stage(f, 0, WAKEUP(.class = CLASS_IDLE, .source = SOURCE_TIMER, .latency = 30));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(f->results.wakeups.rows[IDLE_SLOT(1, VERDICT_HIT)].latency.count,
			 1);
}

static void test_rejected_and_uncounted(void **state)
{
	struct fixture *f = *state;
	const struct idle_row *idle = f->results.cpus[0].state;

	stage(f, 0,
	      PERIOD(.requested = 2, .entered = 2, .verdict = VERDICT_REJECTED,
		     .flags = PERIOD_KERNEL));
	stage(f, 0,
	      PERIOD(.requested = 1, .entered = 1, .verdict = VERDICT_UNKNOWN,
		     .residency = 90, .flags = PERIOD_KERNEL | PERIOD_UNCOUNTED));
	/* Asked for 2, got 1; by our own rule, for want of a better one. */
	stage(f, 0,
	      PERIOD(.requested = 2, .entered = 1, .residency = 5000,
		     .flags = PERIOD_BY_RULE));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(idle[2].requested, 2);
	assert_int_equal(idle[2].entered, 0);
	assert_int_equal(idle[2].verdict[VERDICT_REJECTED], 1);
	assert_int_equal(idle[1].requested, 1);
	assert_int_equal(idle[1].entered, 2);
	assert_int_equal(idle[1].uncounted, 1);
	assert_int_equal(idle[1].uncounted_time, 90);
	assert_int_equal(idle[1].verdict[VERDICT_TOO_SHALLOW], 1);
	assert_int_equal(idle[1].shallow_time[2], 5000);
}

static void test_scopes_and_timers(void **state)
{
	struct fixture *f = *state;
	struct results *r = &f->results;

	stage(f, 0, WAKEUP(.class = CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 8));
	stage(f, 1,
	      WAKEUP(.class = CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 9,
		     .scope = SCOPE_OTHER));
	stage(f, 1, TIMER(.state = 2, .late = 33, .tick = 1));
	stage(f, 1, TIMER(.state = STATES, .late = 3));
	staged_add(&f->tracer, r, f->ctx, keep, f);
	assert_int_equal(r->wakeups.rows[CLASS_RUNNING].latency.sum, 8);
	assert_int_equal(r->wakeups.sources[SOURCE_LOCAL].sum, 8);
	assert_int_equal(r->others.rows[CLASS_RUNNING].latency.sum, 9);
	assert_int_equal(r->timers[2].expired, 1);
	assert_int_equal(r->timers[2].tick, 1);
	assert_int_equal(r->timers[2].late.sum, 33);
	assert_int_equal(r->timers[STATES].late.sum, 3);
	/* Only the subject's wakeups are among the slowest. */
	assert_int_equal(r->nr_slowest, 1);
	assert_int_equal(r->slowest[0].record.latency, 8);
}

static void test_slowest(void **state)
{
	struct fixture *f = *state;

	for (u32 i = 0; i < STAGE_MAX; i++)
		stage(f, i % CPUS,
		      WAKEUP(.class = CLASS_RUNNING, .source = SOURCE_LOCAL,
			     .latency = (i * 7) % STAGE_MAX));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(f->results.nr_slowest, 2);
	assert_int_equal(f->results.slowest[0].record.latency, STAGE_MAX - 1);
	assert_int_equal(f->results.slowest[1].record.latency, STAGE_MAX - 2);
}

/* What the CPU has counted itself was slower. */
static void test_slower_than_counted(void **state)
{
	struct fixture *f = *state;

	f->ctx[1].slow_floor = 10;
	for (u32 latency = 10; latency <= 11; latency++)
		stage(f, 1,
		      WAKEUP(.class = CLASS_RUNNING, .source = SOURCE_LOCAL,
			     .latency = latency));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(f->results.nr_slowest, 1);
	assert_int_equal(f->results.slowest[0].record.latency, 11);
	assert_int_equal(f->results.wakeups.rows[CLASS_RUNNING].latency.count, 2);
}

static void test_old_window(void **state)
{
	struct fixture *f = *state;

	f->ctx[0].window = WINDOW - 1;
	stage(f, 0, WAKEUP(.class = CLASS_RUNNING, .source = SOURCE_LOCAL, .latency = 8));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(f->results.wakeups.rows[CLASS_RUNNING].latency.count, 0);
}

/* Those to be kept are complete when they are handed over, in their order. */
static void test_kept(void **state)
{
	struct fixture *f = *state;

	f->tracer.config.settings.events = EVENTS_ALL;
	stage(f, 1,
	      PERIOD(.requested = 1, .entered = 1, .residency = 5000,
		     .flags = PERIOD_BY_RULE));
	stage(f, 1, TIMER(.state = STATES, .tick = 1));
	stage(f, 1, WAKEUP(.class = CLASS_IDLE, .source = SOURCE_TIMER));
	staged_add(&f->tracer, &f->results, f->ctx, keep, f);
	assert_int_equal(f->nr_kept, 2);
	assert_int_equal(f->kept[0].period.verdict, VERDICT_TOO_SHALLOW);
	assert_int_equal(f->kept[0].period.right, 2);
	assert_int_equal(f->kept[1].type, RECORD_WAKEUP);
	assert_int_equal(f->kept[1].wakeup.state, 1);
	assert_int_equal(f->kept[1].wakeup.verdict, VERDICT_TOO_SHALLOW);
}

static void test_wanted(void **state)
{
	const struct settings none = {.events = EVENTS_NONE};
	const struct settings slow = {.events = EVENTS_SLOW, .slow_ns = 100};
	const struct settings all = {.events = EVENTS_ALL};
	union record quick = WAKEUP(.latency = 99), wakeup = WAKEUP(.latency = 100);
	union record period = PERIOD(.residency = 1000);
	union record tick = TIMER(.late = 500, .tick = 1), timer = TIMER(.late = 500);

	(void)state;
	assert_false(record_wanted(&wakeup, &none));
	assert_false(record_wanted(&period, &none));
	assert_false(record_wanted(&timer, &none));
	assert_false(record_wanted(&quick, &slow));
	assert_true(record_wanted(&wakeup, &slow));
	assert_false(record_wanted(&period, &slow));
	assert_true(record_wanted(&timer, &slow));
	assert_true(record_wanted(&quick, &all));
	assert_true(record_wanted(&period, &all));
	assert_false(record_wanted(&tick, &all));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_wakeup_of_period),
		TEST(test_wakeup_of_counted_period),
		TEST(test_rejected_and_uncounted),
		TEST(test_scopes_and_timers),
		TEST(test_slowest),
		TEST(test_slower_than_counted),
		TEST(test_old_window),
		TEST(test_kept),
		cmocka_unit_test(test_wanted),
	};

	return cmocka_run_group_tests_name("staged", tests, NULL, NULL);
}
