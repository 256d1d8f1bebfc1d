// SPDX-License-Identifier: GPL-2.0
#include "work.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "workers.h"

#define WAKE_UP_NS (8 * NSEC_PER_MSEC)	 /* for the clock to rise, if it does */
#define BATCH_NS   (400 * NSEC_PER_USEC) /* short against a scheduler's slice */
#define BATCHES	   31
#define DRIFT_WARN 3.0 /* percent */

__attribute__((noinline)) void work_do(uint64_t units)
{
	uint64_t x = units;

	while (units--) {
		x = x * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
		x ^= x >> 29;
		/* For all the compiler knows somebody looks at every x. */
		__asm__ volatile("" : "+r"(x));
	}
}

int work_parse(const char *text, struct work_amount *amount)
{
	struct work_amount a = {.is_time = false};
	int err = parse_count(text, &a.value);

	if (err == -EINVAL) {
		a.is_time = true;
		err = parse_duration(text, NULL, &a.value);
	}
	if (err)
		return err;
	if (a.value > (a.is_time ? WORK_MAX_NS : WORK_MAX_UNITS))
		return -ERANGE;
	*amount = a;
	return 0;
}

int work_check(const char *option, const char *text, char *err, size_t size)
{
	struct work_amount amount;
	int ret = work_parse(text, &amount);

	if (!ret)
		return 0;
	if (ret == -ERANGE)
		snprintf(err, size, "--%s %.40s: needs at most 1000s or 1000G units",
			 option, text);
	else
		snprintf(err, size, "--%s %.40s: needs " WORK_FORMS, option, text);
	return -1;
}

static uint64_t time_units(uint64_t units)
{
	uint64_t start = now_ns();

	work_do(units);
	return now_ns() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The median of short batches: interruptions fall into a few of them, and what slows all
 * of them (clock, sibling, host) is part of the truth.
 */
static double measure(void)
{
	double cost[BATCHES];
	uint64_t begin = now_ns(), units = 1000, ns;

	while ((ns = time_units(units)) < BATCH_NS)
		units *= 2;
	while (now_ns() - begin < WAKE_UP_NS)
		time_units(units);
	for (int i = 0; i < BATCHES; i++)
		cost[i] = (double)time_units(units) / (double)units;
	qsort(cost, BATCHES, sizeof(cost[0]), compare);
	return cost[BATCHES / 2];
}

static double measure_on(unsigned int cpu)
{
	struct cpu_mask before, one;
	bool pinned;
	double ns;

	cpu_mask_clear(&one);
	cpu_mask_set(&one, cpu);
	pinned = !cpu_mask_get_affinity(&before) && !cpu_mask_set_affinity(&one);
	ns = measure();
	if (pinned)
		cpu_mask_set_affinity(&before);
	return ns;
}

void work_calibrate(struct work_calibration *cal, int cpu)
{
	struct cpu_mask allowed;

	if (cpu < 0 || cpu_mask_get_affinity(&allowed) ||
	    !cpu_mask_test(&allowed, (unsigned int)cpu))
		cpu = sched_getcpu();
	*cal = (struct work_calibration){.cpu = cpu < 0 ? 0 : (unsigned int)cpu};
	cal->start_ns = measure_on(cal->cpu);
}

void work_calibrate_end(struct work_calibration *cal)
{
	cal->end_ns = measure_on(cal->cpu);
}

uint64_t work_units(const struct work_amount *amount, const struct work_calibration *cal)
{
	double units;

	if (!amount->is_time || !amount->value)
		return amount->value;
	units = (double)amount->value / cal->start_ns;
	return units < 1 ? 1 : (uint64_t)(units + 0.5);
}

double work_drift(const struct work_calibration *cal)
{
	if (cal->start_ns <= 0 || cal->end_ns <= 0)
		return 0;
	return 100 * (cal->end_ns / cal->start_ns - 1);
}

void work_report(struct workload_result *result, uint64_t units,
		 const struct work_calibration *cal)
{
	double drift = work_drift(cal);
	char count[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];

	if (!units)
		return;
	result_text(result,
		    "work %s units = %s; %.3f ns per unit on CPU %u, drift %+.1f %%%s",
		    format_count(units, count, sizeof(count)),
		    format_duration((uint64_t)((double)units * cal->start_ns), time,
				    sizeof(time)),
		    cal->start_ns, cal->cpu, drift,
		    drift > DRIFT_WARN || drift < -DRIFT_WARN ? " (!)" : "");
	result_metric(result, "work_units", (double)units, "", BETTER_NONE);
	result_metric(result, "work_unit_start", cal->start_ns, "ns", BETTER_NONE);
	result_metric(result, "work_unit_end", cal->end_ns, "ns", BETTER_NONE);
	result_metric(result, "work_drift", drift, "%", BETTER_NONE);
}
