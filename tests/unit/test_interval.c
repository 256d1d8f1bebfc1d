// SPDX-License-Identifier: GPL-2.0
/* Intervals: differences of samples, how they print, and where they are kept. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "frequency.h"
#include "interval.h"
#include "report_fixtures.h"
#include "spill.h"
#include "tree.h"

static struct power no_power = {.no_class = true};

static void add_wakeups(struct sample *s, u64 latency, u32 nr)
{
	s->bucket[hist_bucket(latency)] += nr;
	if (nr && latency > s->latency_max)
		s->latency_max = latency;
}

static void test_counts(void **state)
{
	static struct sample a, b;
	struct interval i;

	(void)state;
	memset(&a, 0, sizeof(a));
	a.time = 1000;
	a.cpu_time = 4000;
	a.state[0] = (struct interval_state){5, 1, 2, 300, 350};
	a.state[9] = (struct interval_state){.entered = 7};
	a.loss = (struct loss){.ring = 3, .unpaired = 1};
	b = a;
	b.time = 3500;
	b.cpu_time = 14000;
	b.khz = 2400000;
	b.state[0] = (struct interval_state){15, 4, 2, 1300, 1400};
	b.state[9].entered = 9;
	b.loss.ring = 10;
	b.loss.orphans = 2;
	interval_between(&a, &b, &no_power, &i);
	assert_int_equal(i.start, 1000);
	assert_int_equal(i.length, 2500);
	assert_int_equal(i.cpu_time, 10000);
	assert_int_equal(i.khz, 2400000);
	assert_int_equal(i.state[0].entered, 10);
	assert_int_equal(i.state[0].too_deep, 3);
	assert_int_equal(i.state[0].too_shallow, 0);
	assert_int_equal(i.state[0].time, 1000);
	assert_int_equal(i.state[0].residency, 1050);
	assert_int_equal(i.state[9].entered, 2);
	assert_int_equal(i.state[5].entered, 0);
	assert_int_equal(i.loss.ring, 7);
	assert_int_equal(i.loss.orphans, 2);
	assert_int_equal(i.loss.unpaired, 0);
	assert_int_equal(i.wakeups, 0);
}

/* The percentiles are of the interval, not of all so far. */
static void test_percentiles(void **state)
{
	static struct sample a, b;
	struct hist h = {0};
	struct interval i;

	(void)state;
	memset(&a, 0, sizeof(a));
	add_wakeups(&a, 1000000, 500);
	b = a;
	add_wakeups(&b, 2000, 98);
	add_wakeups(&b, 70000, 2);
	for (int n = 0; n < 98; n++)
		hist_add(&h, 2000);
	hist_add(&h, 70000);
	hist_add(&h, 70000);
	interval_between(&a, &b, &no_power, &i);
	assert_int_equal(i.wakeups, 100);
	assert_int_equal(i.p50, hist_high(hist_bucket(2000)));
	assert_int_equal(i.p99, hist_high(hist_bucket(70000)));
	assert_true(i.p50 >= hist_percentile(&h, 50) && i.p99 >= hist_percentile(&h, 99));
	assert_true(i.p99 <= 70000 + 70000 / 64);

	/* The highest so far bounds them, also in the bucket without an upper end. */
	a = b;
	add_wakeups(&b, 40 * NSEC_PER_SEC, 3);
	interval_between(&a, &b, &no_power, &i);
	assert_int_equal(i.wakeups, 3);
	assert_int_equal(i.p50, 40 * NSEC_PER_SEC);
	assert_int_equal(i.p99, 40 * NSEC_PER_SEC);
}

/* The kernel's buckets have 32 bits, and a long run fills them. */
static void test_wrap(void **state)
{
	static struct sample a, b;
	struct interval i;

	(void)state;
	memset(&a, 0, sizeof(a));
	add_wakeups(&a, 500, UINT32_MAX - 9);
	add_wakeups(&a, 900, 5);
	b = a;
	add_wakeups(&b, 500, 30);
	add_wakeups(&b, 900, 70);
	assert_true(b.bucket[hist_bucket(500)] < 100);
	interval_between(&a, &b, &no_power, &i);
	assert_int_equal(i.wakeups, 100);
	assert_int_equal(i.p50, 900);
	assert_true(hist_bucket(i.p50) != hist_bucket(500));
}

/*
 * A period that was open at the end of an interval is in its residency; if it turns out
 * to be another state's, that is made good later, but never by less than nothing.
 */
static void test_residency(void **state)
{
	static struct sample a, b, c, d;
	struct interval i, j, k;

	(void)state;
	memset(&a, 0, sizeof(a));
	b = a;
	b.state[1].time = 100;
	b.state[1].residency = 700;
	c = b;
	c.state[0].time = c.state[0].residency = 650;
	c.state[1].time = c.state[1].residency = 120;
	d = c;
	d.state[1].time = d.state[1].residency = 900;
	interval_between(&a, &b, &no_power, &i);
	interval_between(&b, &c, &no_power, &j);
	interval_between(&c, &d, &no_power, &k);
	assert_int_equal(i.state[1].time, 100);
	assert_int_equal(i.state[1].residency, 700);
	assert_int_equal(j.state[0].residency, 650);
	assert_int_equal(j.state[1].time, 20);
	assert_int_equal(j.state[1].residency, 0);
	assert_int_equal(k.state[1].time, 780);
	assert_int_equal(k.state[1].residency, 200);
	assert_int_equal(i.state[1].residency + k.state[1].residency, 900);
}

/* However a run is cut, its intervals are the report. */
static void test_adds_up(void **state)
{
	static struct sample zero, part, all;
	struct interval first, last, whole;
	struct results *r;
	struct fixture f;

	(void)state;
	fixture_driver(&f);
	r = &f.results;
	memset(&zero, 0, sizeof(zero));
	memset(&all, 0, sizeof(all));
	sample_of_results(r, &all);
	part = all;
	part.time /= 3;
	part.cpu_time /= 3;
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		part.bucket[i] /= 2;
	for (u32 i = 0; i < STATES_MAX; i++)
		part.state[i] = (struct interval_state){
			all.state[i].entered / 3, all.state[i].too_deep / 4,
			all.state[i].too_shallow / 5, all.state[i].time / 2,
			all.state[i].residency / 2};
	part.loss.orphans /= 2;
	interval_between(&zero, &part, &no_power, &first);
	interval_between(&part, &all, &no_power, &last);
	interval_between(&zero, &all, &no_power, &whole);
	assert_true(r->wakeups.latency.count > 100);
	assert_int_equal(first.wakeups + last.wakeups, r->wakeups.latency.count);
	assert_int_equal(first.length + last.length, whole.length);
	assert_true(whole.length >= r->duration);
	assert_int_equal(first.cpu_time + last.cpu_time, r->cpu_time);
	for (u32 i = 0; i < r->nr_states; i++) {
		const struct interval_state *x = &first.state[i], *y = &last.state[i];
		const struct idle_row *row = &r->idle[i];

		assert_int_equal(x->entered + y->entered, row->entered);
		assert_int_equal(x->too_deep + y->too_deep,
				 row->verdict[VERDICT_TOO_DEEP]);
		assert_int_equal(x->too_shallow + y->too_shallow,
				 row->verdict[VERDICT_TOO_SHALLOW]);
		assert_int_equal(x->time + y->time, row->time);
		assert_int_equal(x->residency + y->residency, row->time);
	}
	assert_int_equal(first.loss.orphans + last.loss.orphans, r->loss.orphans);
	assert_int_equal(whole.loss.ring, r->loss.ring);
	assert_int_equal(whole.loss.wrapped, 0);
	/* One interval is the report. */
	assert_int_equal(whole.p50, hist_percentile(&r->wakeups.latency, 50));
	assert_int_equal(whole.p99, hist_percentile(&r->wakeups.latency, 99));
	fixture_free(&f);
}

static void test_power(void **state)
{
	static struct sample a, b;
	static struct power power;
	struct interval i;
	char root[128];

	(void)state;
	tree_put("package-0\n", "/sys/class/powercap/intel-rapl:0/name");
	tree_put("1000\n", "/sys/class/powercap/intel-rapl:0/energy_uj");
	tree_put("9000\n", "/sys/class/powercap/intel-rapl:0/max_energy_range_uj");
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	snprintf(root, sizeof(root), "%s/sys", tree_root);
	power_open(&power, root);
	power_read(&power, &a.power);
	/* Past the end of its range, and on. */
	tree_put("500\n", "/sys/class/powercap/intel-rapl:0/energy_uj");
	power_read(&power, &b.power);
	b.power.time_ns = a.power.time_ns + NSEC_PER_SEC;
	interval_between(&a, &b, &power, &i);
	assert_true(i.power[POWER_PACKAGE].known);
	assert_int_equal(i.power[POWER_PACKAGE].energy_uj, 8500);
	assert_true(i.power[POWER_PACKAGE].watts > 0.00849 &&
		    i.power[POWER_PACKAGE].watts < 0.00851);
	assert_false(i.power[POWER_DRAM].known);
	/* Gone. */
	a = b;
	tree_remove("/sys/class/powercap/intel-rapl:0/energy_uj");
	power_read(&power, &b.power);
	interval_between(&a, &b, &power, &i);
	assert_false(i.power[POWER_PACKAGE].known);
}

static void test_frequency(void **state)
{
	struct cpu_mask cpus;

	(void)state;
	cpu_mask_clear(&cpus);
	for (unsigned int cpu = 0; cpu < 5; cpu++)
		cpu_mask_set(&cpus, cpu);
	assert_int_equal(frequency_khz(tree_root, &cpus), 0);
	tree_put("800000\n", "/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
	tree_put("1600001\n", "/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq");
	tree_put("<unknown>\n", "/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq");
	tree_put("0\n", "/devices/system/cpu/cpu4/cpufreq/scaling_cur_freq");
	tree_put("9000000\n", "/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq");
	assert_int_equal(frequency_khz(tree_root, &cpus), 1200000);
}

/* The text of a line, without its end. */
static char *printed(const struct machine *m, const struct interval *i)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (i)
		interval_print(f, m, i);
	else
		interval_print_header(f, m);
	fclose(f);
	assert_int_equal(text[size - 1], '\n');
	text[size - 1] = '\0';
	return text;
}

static unsigned int columns(const char *text)
{
	unsigned int n = 1;

	for (; *text; text++)
		n += *text == '\t';
	return n;
}

static void test_tsv(void **state)
{
	struct machine m = {
		.nr_states = 3,
		.states = {{.name = "POLL"}, {.name = "C1"}, {.name = "C 6"}}};
	struct interval i = {.start = 1500 * NSEC_PER_MSEC,
			     .length = 500 * NSEC_PER_MSEC,
			     .cpu_time = 1000 * NSEC_PER_MSEC,
			     .wakeups = 100,
			     .p50 = 2500,
			     .p99 = 30001,
			     .khz = 2400000,
			     .loss = {.ring = 4},
			     .state[1] = {40, 10, 4, 200, 250 * NSEC_PER_MSEC}};
	char *text = printed(&m, NULL);

	(void)state;
	i.power[POWER_PACKAGE] = (struct interval_power){true, 12.5, 6250000};
	assert_string_equal(
		text,
		"start_s\tlength_s\twakeups\twakeups_per_s\tp50_us\tp99_us\t"
		"POLL_entered\tPOLL_residency_%\tPOLL_too_deep_%\tPOLL_too_shallow_%\t"
		"C1_entered\tC1_residency_%\tC1_too_deep_%\tC1_too_shallow_%\t"
		"C_6_entered\tC_6_residency_%\tC_6_too_deep_%\tC_6_too_shallow_%\t"
		"package_W\tcore_W\tdram_W\tfrequency_MHz\tlost_ring\tlost_orphans\t"
		"lost_unmatched\tlost_unseen\tlost_unseen_runs\tlost_map_full\t"
		"lost_negative\tlost_recursion\tlost_unpaired");
	free(text);
	text = printed(&m, &i);
	assert_string_equal(text, "1.500000\t0.500000\t100\t200.0\t2.500\t30.001\t"
				  "0\t0.000\t-\t-\t40\t25.000\t25.000\t10.000\t"
				  "0\t0.000\t-\t-\t12.500\t-\t-\t2400.000\t"
				  "4\t0\t0\t0\t0\t0\t0\t0\t0");
	free(text);

	/* No driver: two states without a name, and no verdicts. Unknown is never 0. */
	m.nr_states = 0;
	i = (struct interval){.state[1] = {.entered = 40}};
	text = printed(&m, &i);
	assert_string_equal(text, "0.000000\t0.000000\t0\t-\t-\t-\t0\t-\t-\t-\t"
				  "40\t-\t-\t-\t-\t-\t-\t-\t"
				  "0\t0\t0\t0\t0\t0\t0\t0\t0");
	assert_int_equal(columns(text), 6 + 2 * 4 + 4 + 9);
	free(text);
	text = printed(&m, NULL);
	assert_int_equal(columns(text), 6 + 2 * 4 + 4 + 9);
	assert_non_null(strstr(text, "\tstate1_residency_%\t"));
	free(text);
}

struct row {
	u64 number;
	char rest[92];
};

static void test_spill(void **state)
{
	struct row row = {0};
	struct spill s;
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/report.json", tree_root);
	assert_int_equal(spill_open(&s, path, sizeof(row)), 0);
	/* Nothing of it is to be seen. */
	assert_int_equal(rmdir(tree_root), 0);
	assert_int_equal(mkdir(tree_root, 0700), 0);
	for (row.number = 0; row.number < 1000; row.number++)
		spill_add(&s, &row);
	assert_int_equal(s.count, 1000);
	assert_int_equal(s.error, 0);
	for (u64 i = 0; i < 1000; i += 333) {
		assert_int_equal(spill_read(&s, i, &row), 0);
		assert_int_equal(row.number, i);
	}
	assert_int_equal(spill_read(&s, 1000, &row), -EIO);
	spill_close(&s);
}

static void test_spill_elsewhere(void **state)
{
	static const char *const paths[] = {"-", "/dev/null", "/nowhere/at/all"};
	struct row row = {.number = 7};
	struct spill s;

	(void)state;
	setenv("TMPDIR", tree_root, 1);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(spill_open(&s, paths[i], sizeof(row)), 0);
		spill_add(&s, &row);
		row.number = 0;
		assert_int_equal(spill_read(&s, 0, &row), 0);
		assert_int_equal(row.number, 7);
		spill_close(&s);
	}
	setenv("TMPDIR", "/nowhere/at/all", 1);
	assert_int_equal(spill_open(&s, "-", sizeof(row)), -ENOENT);
	unsetenv("TMPDIR");
}

/* Rows after one that did not fit would be in the wrong place. */
static void test_spill_full(void **state)
{
	struct rlimit limit, small = {10 * sizeof(struct row) + 5, RLIM_INFINITY};
	struct row row = {0};
	struct spill s;

	(void)state;
	setenv("TMPDIR", tree_root, 1);
	assert_int_equal(spill_open(&s, "-", sizeof(row)), 0);
	unsetenv("TMPDIR");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small.rlim_max = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (row.number = 0; row.number < 20; row.number++)
		spill_add(&s, &row);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(s.count, 10);
	assert_int_equal(s.error, ENOSPC);
	spill_add(&s, &row);
	assert_int_equal(s.count, 10);
	spill_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_residency),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test_setup_teardown(test_power, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_frequency, tree_setup,
						tree_teardown),
		cmocka_unit_test(test_tsv),
		cmocka_unit_test_setup_teardown(test_spill, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_spill_elsewhere, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_spill_full, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
