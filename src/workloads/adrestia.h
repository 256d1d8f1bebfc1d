/* SPDX-License-Identifier: GPL-2.0 */
/* What the metric of adrestia is made of, apart from any timing. */
#ifndef IDLETRACE_ADRESTIA_H
#define IDLETRACE_ADRESTIA_H

#include <stddef.h>
#include <stdint.h>

/* Value of one round: the mean over its threads, rounded down. */
uint64_t adrestia_round_value(uint64_t sum_ns, uint64_t threads);

/*
 * The metric: sorts the values of nr > 0 rounds in place and returns the one at index
 * floor(9 * nr / 10).
 */
uint64_t adrestia_cost(uint64_t *rounds, size_t nr);

/*
 * The line for a cost, in ns ("wakeup cost (periodic, 20us): 3331nSec") or as the
 * original prints it in whole us. arrival_ns is of no interest to the test "single".
 */
char *adrestia_line(const char *test, uint64_t arrival_ns, uint64_t cost_ns, int in_us,
		    char *buf, size_t size);

/* A number in (0, 1] from a generator that is seeded by *state. */
double adrestia_random(uint64_t *state);

#endif
