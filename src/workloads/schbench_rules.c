// SPDX-License-Identifier: GPL-2.0
#include "schbench_rules.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NR_MATRICES 3

uint64_t schbench_side(uint64_t bytes)
{
	return (uint64_t)sqrt((double)(bytes / NR_MATRICES / sizeof(uint64_t)));
}

uint64_t schbench_usec(uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t begin = begin_ns / NSEC_PER_USEC, end = end_ns / NSEC_PER_USEC;

	return end > begin ? end - begin : 0;
}

uint64_t schbench_share(uint64_t total, uint64_t nr, uint64_t i)
{
	return total / nr + (i < total % nr);
}

struct schbench_schedule schbench_schedule(uint64_t rps, enum schbench_arrival arrival)
{
	if (arrival == ARRIVAL_BURST)
		return (struct schbench_schedule){.batch = rps, .rounds = 1};
	return (struct schbench_schedule){.batch = 1, .rounds = rps};
}

struct schbench_schedule schbench_schedule_old(uint64_t rps, uint64_t workers)
{
	uint64_t batch = 2 * workers / 3;

	if (!batch)
		batch = 1;
	return (struct schbench_schedule){.batch = batch,
					  .rounds = (rps + batch - 1) / batch};
}

uint64_t schbench_due(const struct schbench_schedule *schedule, uint64_t i)
{
	/* Below 2^64 for up to 18 G rounds a second. */
	return i / schedule->batch * NSEC_PER_SEC / schedule->rounds;
}

uint64_t schbench_nr_due(const struct schbench_schedule *schedule, uint64_t passed_ns)
{
	uint64_t rounds = schedule->rounds;

	if (!passed_ns)
		return 0;
	if (passed_ns < NSEC_PER_SEC)
		rounds = (uint64_t)ceil((double)passed_ns * (double)rounds /
					(double)NSEC_PER_SEC);
	return rounds * schedule->batch;
}

/* Up by at most three times, by less where the target is near. */
static double grow(double busy, double target)
{
	double factor = busy * 3 > target ? target / busy : 3;

	if (factor < 1.2)
		return 1 + (factor - 1) / 8;
	if (factor < 1.5)
		return 1 + (factor - 1) / 4;
	return factor;
}

static double shrink(double busy, double target)
{
	double factor = target / busy;

	if (factor > 0.9)
		return factor + (1 - factor) / 8;
	if (factor > 0.8)
		return factor + (1 - factor) / 4;
	return factor > 0.3 ? factor : 0.3;
}

uint64_t schbench_auto_step(uint64_t rps, double busy, double target, bool *settled)
{
	double factor = busy < target ? grow(busy, target) : shrink(busy, target);
	double next = (double)rps * factor;

	if (fabs(factor - 1) < 0.05)
		*settled = true;
	next = busy < target ? ceil(next) : floor(next);
	/* The original gets to 0 and stays there. */
	return next < 1 ? 1 : (uint64_t)next;
}

char *schbench_transfer_text(double ops, uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double rate = ops * (double)bytes;
	size_t unit = 0;

	for (; rate >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		rate /= 1024;
	snprintf(buf, size, "%.2f ops/sec %.2f%s/s", ops, rate, units[unit]);
	return buf;
}

int schbench_parse_cpus(const char *text, const char *word,
			const struct cpu_mask *allowed, struct cpu_mask *cpus,
			bool *by_word)
{
	unsigned int cpu;
	int err;

	cpu_mask_clear(cpus);
	*by_word = !strcmp(text, word);
	if (*by_word || !strcmp(text, "any"))
		return 0;
	err = cpu_mask_parse(text, cpus);
	if (err || !cpu_mask_count(cpus))
		return err ? err : -EINVAL;
	for_each_cpu (cpu, cpus) {
		if (!cpu_mask_test(allowed, cpu))
			return -ERANGE;
	}
	return 0;
}
