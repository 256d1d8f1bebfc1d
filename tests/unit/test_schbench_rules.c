// SPDX-License-Identifier: GPL-2.0
/* schbench without any timing: its histogram, its tables, its schedules. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workloads/schbench_plat.h"
#include "workloads/schbench_rules.h"

/* ---- histogram ---- */

static void test_buckets_are_contiguous(void **state)
{
	unsigned int last = 0;

	(void)state;
	for (uint64_t value = 0; value < 300000; value++) {
		unsigned int index = plat_index(value);

		assert_in_range(index, last, last + 1);
		last = index;
	}
}

static void test_buckets_by_hand(void **state)
{
	(void)state;
	assert_int_equal(plat_index(0), 0);
	assert_int_equal(plat_index(255), 255);
	assert_int_equal(plat_index(256), 256);
	assert_int_equal(plat_index(511), 511);
	assert_int_equal(plat_index(512), 512);
	assert_int_equal(plat_index(513), 512);
	assert_int_equal(plat_index(514), 513);
	assert_int_equal(plat_index(1023), 767);
	assert_int_equal(plat_index(1024), 768);
	assert_int_equal(plat_index(1027), 768);
	assert_int_equal(plat_index(1028), 769);
	/* The last group ends at 2^26; beyond, everything is in the last bucket. */
	assert_int_equal(plat_index((1ULL << 25) - 1), PLAT_BUCKETS - 1 - 256);
	assert_int_equal(plat_index(1ULL << 25), PLAT_BUCKETS - 256);
	assert_int_equal(plat_index((1ULL << 26) - 1), PLAT_BUCKETS - 1);
	assert_int_equal(plat_index(1ULL << 26), PLAT_BUCKETS - 1);
	assert_int_equal(plat_index(UINT64_MAX), PLAT_BUCKETS - 1);
}

static void test_values_round_trip(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PLAT_BUCKETS; i++)
		assert_int_equal(plat_index(plat_value(i)), i);
	assert_int_equal(plat_value(511), 511);
	assert_int_equal(plat_value(512), 513);
	assert_int_equal(plat_value(767), 1023);
	assert_int_equal(plat_value(768), 1026);
	/* Values as the original printed them. */
	assert_int_equal(plat_value(plat_index(6777)), 6776);
	assert_int_equal(plat_value(plat_index(13300)), 13296);
	assert_int_equal(plat_value(plat_index(182271)), 182016);
	assert_int_equal(plat_value(plat_index(618539)), 619520);
	assert_int_equal(plat_value(plat_index(2994919)), 2994176);
	assert_int_equal(plat_value(plat_index(175137)), 175360);
	assert_int_equal(plat_value(plat_index(140134)), 140032);
}

static void test_error_of_a_value(void **state)
{
	(void)state;
	for (uint64_t value = 1; value < 1ULL << 26; value += 1 + value / 97) {
		uint64_t shown = plat_value(plat_index(value));
		uint64_t off = shown > value ? shown - value : value - shown;

		assert_true(off * 512 <= value);
	}
}

static struct plat *new_plat(void)
{
	struct plat *plat = calloc(1, sizeof(*plat));

	assert_non_null(plat);
	return plat;
}

static void test_percentile_is_first_at_share(void **state)
{
	struct plat *plat = new_plat();

	(void)state;
	assert_int_equal(plat_percentile(plat, 99), 0);
	for (uint64_t value = 1; value <= 200; value++)
		plat_add(plat, value);
	assert_int_equal(plat_percentile(plat, 50), 100);
	assert_int_equal(plat_percentile(plat, 99), 198);
	assert_int_equal(plat_percentile(plat, 99.5), 199);
	assert_int_equal(plat_percentile(plat, 99.9), 200);
	assert_int_equal(plat_percentile(plat, 100), 200);
	free(plat);
}

static void test_merge(void **state)
{
	struct plat *a = new_plat(), *b = new_plat(), *empty = new_plat();

	(void)state;
	plat_add(a, 7);
	plat_add(a, 0);
	plat_add(b, 70000);
	plat_merge(a, b);
	/* A worker without samples has no say in the minimum. */
	plat_merge(a, empty);
	plat_merge(empty, b);
	assert_int_equal(a->count, 3);
	assert_int_equal(a->min, 0);
	assert_int_equal(a->max, 70000);
	assert_int_equal(a->bucket[7], 1);
	assert_int_equal(a->bucket[plat_index(70000)], 1);
	assert_int_equal(empty->min, 70000);
	free(a);
	free(b);
	free(empty);
}

/* ---- tables ---- */

static void fill(struct plat *plat, uint64_t value, unsigned int times)
{
	while (times--)
		plat_add(plat, value);
}

static void test_table_new(void **state)
{
	struct plat *plat = new_plat();
	char text[1024];

	(void)state;
	fill(plat, 1, 20);
	fill(plat, 6, 30);
	fill(plat, 13, 40);
	fill(plat, 104, 9);
	fill(plat, 16417, 1);
	/* What is below the hidden 20th is not among the samples of the 50th. */
	assert_string_equal(
		plat_table(plat, PLAT_WAKEUP, 10, text, sizeof(text)),
		"Wakeup Latencies percentiles (usec) runtime 10 (s) (100 total samples)\n"
		"\t  50.0th: 6          (30 samples)\n"
		"\t  90.0th: 13         (40 samples)\n"
		"\t* 99.0th: 104        (9 samples)\n"
		"\t  99.9th: 16416      (1 samples)\n"
		"\t  min=1, max=16417\n");
	assert_string_equal(plat_table(plat, PLAT_REQUEST, 10, text, 73),
			    "Request Latencies percentiles (usec) runtime 10 (s) (100 "
			    "total samples)\n");
	assert_string_equal(
		plat_table(plat, PLAT_RPS, 10, text, sizeof(text)),
		"RPS percentiles (requests) runtime 10 (s) (100 total samples)\n"
		"\t  20.0th: 1          (20 samples)\n"
		"\t* 50.0th: 6          (30 samples)\n"
		"\t  90.0th: 13         (40 samples)\n"
		"\t  min=1, max=16417\n");
	assert_string_equal(
		plat_table(plat, PLAT_PIPE, 3, text, sizeof(text)),
		"Wakeup Latencies percentiles (usec) runtime 3 (s) (100 total samples)\n"
		"\t  20.0th: 1          (20 samples)\n"
		"\t  50.0th: 6          (30 samples)\n"
		"\t  90.0th: 13         (40 samples)\n"
		"\t* 99.0th: 104        (9 samples)\n"
		"\t  99.9th: 16416      (1 samples)\n");
	free(plat);
}

static void test_table_old(void **state)
{
	struct plat *plat = new_plat();
	char text[1024];

	(void)state;
	fill(plat, 60, 76);
	fill(plat, 4360, 74);
	assert_string_equal(
		plat_table(plat, PLAT_OLD, 12, text, sizeof(text)),
		"Latency percentiles (usec) runtime 12 (s) (150 total samples)\n"
		"\t50.0th: 60 (76 samples)\n"
		"\t75.0th: 4360 (74 samples)\n"
		"\t90.0th: 4360 (0 samples)\n"
		"\t95.0th: 4360 (0 samples)\n"
		"\t*99.0th: 4360 (0 samples)\n"
		"\t99.5th: 4360 (0 samples)\n"
		"\t99.9th: 4360 (0 samples)\n"
		"\tmin=60, max=4360\n");
	free(plat);
}

/* Once the original, told nothing but one sample of 0, printed this. */
static void test_table_empty(void **state)
{
	struct plat *plat = new_plat();
	char text[1024];

	(void)state;
	assert_string_equal(plat_table(plat, PLAT_RPS, 4, text, sizeof(text)),
			    "RPS percentiles (requests) runtime 4 (s) (0 total samples)\n"
			    "\t  20.0th: 0          (0 samples)\n"
			    "\t* 50.0th: 0          (0 samples)\n"
			    "\t  90.0th: 0          (0 samples)\n"
			    "\t  min=0, max=0\n");
	free(plat);
}

/* ---- rules ---- */

static void test_side(void **state)
{
	(void)state;
	assert_int_equal(schbench_side(256 << 10), 104);
	assert_int_equal(schbench_side(24), 1);
	assert_int_equal(schbench_side(23), 0);
	assert_int_equal(schbench_side(4 * 24), 2);
}

/* Stamps are cut to microseconds each, as a clock of microseconds would. */
static void test_usec(void **state)
{
	(void)state;
	assert_int_equal(schbench_usec(1999, 2000), 1);
	assert_int_equal(schbench_usec(1000, 1999), 0);
	assert_int_equal(schbench_usec(5000, 3000), 0);
	assert_int_equal(schbench_usec(0, 6001999), 6001);
}

static void test_share(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		assert_in_range(schbench_share(18002, 4, i), 4500, 4501);
		sum += schbench_share(18002, 4, i);
	}
	assert_int_equal(sum, 18002);
	assert_int_equal(schbench_share(1, 4, 0), 1);
	assert_int_equal(schbench_share(1, 4, 3), 0);
}

static void test_schedules(void **state)
{
	struct schbench_schedule burst = schbench_schedule(100, ARRIVAL_BURST);
	struct schbench_schedule even = schbench_schedule(100, ARRIVAL_EVEN);
	struct schbench_schedule none = schbench_schedule(0, ARRIVAL_EVEN);

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		assert_int_equal(schbench_due(&burst, i), 0);
		assert_int_equal(schbench_due(&even, i), i * 10 * NSEC_PER_MSEC);
		/* A request is due in all that ends after its time. */
		assert_int_equal(schbench_nr_due(&even, schbench_due(&even, i)), i);
		assert_int_equal(schbench_nr_due(&even, schbench_due(&even, i) + 1),
				 i + 1);
	}
	assert_int_equal(schbench_nr_due(&burst, 0), 0);
	assert_int_equal(schbench_nr_due(&burst, 1), 100);
	assert_int_equal(schbench_nr_due(&even, 5 * NSEC_PER_SEC), 100);
	assert_int_equal(schbench_nr_due(&none, NSEC_PER_SEC), 0);
}

static void test_schedule_old(void **state)
{
	struct schbench_schedule schedule = schbench_schedule_old(100, 16);

	(void)state;
	/* Ten workers at a time, every 100 ms. */
	assert_int_equal(schedule.batch, 10);
	assert_int_equal(schedule.rounds, 10);
	assert_int_equal(schbench_due(&schedule, 9), 0);
	assert_int_equal(schbench_due(&schedule, 10), 100 * NSEC_PER_MSEC);
	assert_int_equal(schbench_nr_due(&schedule, 100 * NSEC_PER_MSEC + 1), 20);
	assert_int_equal(schbench_schedule_old(101, 16).rounds, 11);
	/* The original divides by the zero that two thirds of one are. */
	schedule = schbench_schedule_old(20, 1);
	assert_int_equal(schedule.batch, 1);
	assert_int_equal(schedule.rounds, 20);
}

static uint64_t step(uint64_t rps, double busy, double target, bool settles)
{
	bool settled = false;
	uint64_t next = schbench_auto_step(rps, busy, target, &settled);

	assert_int_equal(settled, settles);
	return next;
}

static void test_auto(void **state)
{
	bool settled = true;

	(void)state;
	/* Below the goal: at most threefold; less than 1.5 a quarter, 1.2 an eighth. */
	assert_int_equal(step(10, 0, 50, false), 30);
	assert_int_equal(step(10, 10, 50, false), 30);
	assert_int_equal(step(100, 25, 50, false), 200);
	assert_int_equal(step(1000, 40, 50, false), 1063);
	assert_int_equal(step(1000, 45.5, 50, true), 1013);
	/* Above it: at least 0.3; more than 0.8 a quarter, 0.9 an eighth back to 1. */
	assert_int_equal(step(1000, 100, 10, false), 300);
	assert_int_equal(step(1000, 100, 50, false), 500);
	assert_int_equal(step(800, 62.5, 51.25, false), 692);
	assert_int_equal(step(800, 100, 95, true), 765);
	assert_int_equal(step(1000, 50, 50, true), 1000);
	/* Down to 1, from where there is a way up again. */
	assert_int_equal(step(1, 100, 10, false), 1);
	assert_int_equal(step(1, 1, 10, false), 3);
	assert_int_equal(schbench_auto_step(10, 10, 50, &settled), 30);
	assert_true(settled);
}

static void test_transfer_text(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(schbench_transfer_text(106185.9, 4, text, sizeof(text)),
			    "106185.90 ops/sec 414.79KB/s");
	assert_string_equal(schbench_transfer_text(57756.72, 100000, text, sizeof(text)),
			    "57756.72 ops/sec 5.38GB/s");
	assert_string_equal(schbench_transfer_text(57733.02, 4096, text, sizeof(text)),
			    "57733.02 ops/sec 225.52MB/s");
	assert_string_equal(schbench_transfer_text(10, 4, text, sizeof(text)),
			    "10.00 ops/sec 40.00B/s");
}

static void test_cpus(void **state)
{
	struct cpu_mask allowed, cpus;
	bool by_word;

	(void)state;
	assert_int_equal(cpu_mask_parse("0-3,8", &allowed), 0);
	assert_int_equal(schbench_parse_cpus("any", "auto", &allowed, &cpus, &by_word),
			 0);
	assert_int_equal(cpu_mask_count(&cpus), 0);
	assert_false(by_word);
	assert_int_equal(schbench_parse_cpus("auto", "auto", &allowed, &cpus, &by_word),
			 0);
	assert_true(by_word);
	assert_int_equal(schbench_parse_cpus("2,8", "auto", &allowed, &cpus, &by_word),
			 0);
	assert_int_equal(cpu_mask_count(&cpus), 2);
	assert_false(by_word);
	assert_int_equal(schbench_parse_cpus("2,7", "auto", &allowed, &cpus, &by_word),
			 -ERANGE);
	assert_int_equal(schbench_parse_cpus("rest", "auto", &allowed, &cpus, &by_word),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_are_contiguous),
		cmocka_unit_test(test_buckets_by_hand),
		cmocka_unit_test(test_values_round_trip),
		cmocka_unit_test(test_error_of_a_value),
		cmocka_unit_test(test_percentile_is_first_at_share),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_table_new),
		cmocka_unit_test(test_table_old),
		cmocka_unit_test(test_table_empty),
		cmocka_unit_test(test_side),
		cmocka_unit_test(test_usec),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_schedules),
		cmocka_unit_test(test_schedule_old),
		cmocka_unit_test(test_auto),
		cmocka_unit_test(test_transfer_text),
		cmocka_unit_test(test_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
