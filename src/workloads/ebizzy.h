/* SPDX-License-Identifier: GPL-2.0 */
/* What ebizzy does with numbers, apart from any timing. */
#ifndef IDLETRACE_EBIZZY_H
#define IDLETRACE_EBIZZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Next number in [0, max) of the original's generator; below 65536 whatever max is. */
uint32_t ebizzy_random(uint32_t *state, uint32_t max);

/* Does a thread sleep after its iteration i, the first being 0? every 0: never. */
bool ebizzy_sleeps(uint64_t i, uint64_t every);

/* Is key among nr records in ascending order? */
bool ebizzy_find(const uint64_t *records, size_t nr, uint64_t key, bool linear);

/* Whole seconds as the original counts them, to the nearest. */
uint64_t ebizzy_seconds(uint64_t elapsed_ns);

/* Records of the threads. */
struct ebizzy_spread {
	uint64_t min, median, max;
	double stddev; /* percent of the mean, over all threads */
};

/* Sorts the counts of nr > 0 threads in place. */
void ebizzy_spread(uint64_t *counts, size_t nr, struct ebizzy_spread *spread);

#endif
