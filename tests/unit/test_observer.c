// SPDX-License-Identifier: GPL-2.0
/* What BPF costs, by two mixtures of wakeups and idle periods. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "observer.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* Programs that take 400 ns for a wakeup, and 1500 for a period, 90 of them on average in
 * each of its two runs on cpu_idle. */
static struct program_stats mixture(u64 wakeups, u64 periods)
{
	return (struct program_stats){.run_time_ns = 400 * wakeups + 1500 * periods,
				      .wakings = wakeups,
				      .idle_runs = 2 * periods,
				      .idle_run_time_ns = 180 * periods};
}

static struct observer solve(struct program_stats busy, struct program_stats idle)
{
	struct observer o = {0};

	observer_solve(&o, &busy, &idle);
	return o;
}

static void test_solve(void **state)
{
	static const struct {
		u64 wakeups[2], periods[2];
	} cases[] = {
		{{20000, 2000}, {0, 2000}}, {{20000, 2000}, {50, 2030}},
		{{200, 200}, {90, 200}}, /* the idle CPUs of a large machine tick */
		{{300, 2000}, {0, 500}},    {{300, 50}, {0, 100}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct observer o =
			solve(mixture(cases[i].wakeups[0], cases[i].periods[0]),
			      mixture(cases[i].wakeups[1], cases[i].periods[1]));

		assert_true(o.wakeup_known && o.period_known);
		assert_near(o.bpf_ns_wakeup, 400);
		assert_near(o.bpf_ns_period, 1500);
		assert_near(o.cpu_idle_ns, 90);
		assert_int_equal(o.measured_wakeups,
				 cases[i].wakeups[0] + cases[i].wakeups[1]);
	}
}

static void test_no_periods(void **state)
{
	struct program_stats odd = mixture(2000, 2000);
	struct observer all[] = {
		solve(mixture(20000, 0), mixture(0, 0)), /* one CPU */
		solve(mixture(20000, 0), mixture(99, 99)),
		/* Others kept the CPUs busy. */
		solve(mixture(20000, 0), mixture(2000, 499)),
		solve(mixture(20000, 0), mixture(20000, 2000)),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_true(all[i].wakeup_known && !all[i].period_known);
		assert_near(all[i].bpf_ns_wakeup, 400);
	}
	/* A period that takes less than nothing. */
	odd.run_time_ns = 100;
	all[0] = solve(mixture(20000, 100), odd);
	assert_true(all[0].wakeup_known && !all[0].period_known);
	assert_near(all[0].bpf_ns_wakeup, 407.5);
}

static void test_nothing(void **state)
{
	struct observer all[] = {
		solve(mixture(0, 0), mixture(0, 0)),
		solve(mixture(199, 0), mixture(2000, 2000)),
		/* Nothing was ever busy. */
		solve(mixture(2000, 1001), mixture(2000, 2000)),
		solve(mixture(2000, 2000), mixture(2000, 2000)),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_false(all[i].wakeup_known || all[i].period_known);
		observer_estimate(&all[i], 1000, 0);
		assert_false(all[i].estimated);
	}
}

static void test_estimate(void **state)
{
	struct observer o = solve(mixture(20000, 0), mixture(2000, 2000));

	(void)state;
	observer_estimate(&o, 0, 100);
	assert_false(o.estimated);
	observer_estimate(&o, 1000, 0);
	assert_true(o.estimated);
	assert_near(o.bpf_ns_per_wakeup, 400);
	observer_estimate(&o, 1000, 1000);
	assert_near(o.bpf_ns_per_wakeup, 1900);
	/* Ticks end periods as well, without a wakeup. */
	observer_estimate(&o, 1000, 3000);
	assert_near(o.bpf_ns_per_wakeup, 4900);
}

static void test_estimate_without_periods(void **state)
{
	struct observer o = solve(mixture(20000, 0), mixture(0, 0));

	(void)state;
	observer_estimate(&o, 1000, 10);
	assert_true(o.estimated);
	assert_near(o.bpf_ns_per_wakeup, 400);
	observer_estimate(&o, 1000, 11);
	assert_false(o.estimated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_solve),
		cmocka_unit_test(test_no_periods),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_estimate_without_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
