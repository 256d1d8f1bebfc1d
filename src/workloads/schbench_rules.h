/* SPDX-License-Identifier: GPL-2.0 */
/* What schbench computes apart from any timing. */
#ifndef IDLETRACE_SCHBENCH_RULES_H
#define IDLETRACE_SCHBENCH_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Side of each of the three square matrices of 8-byte numbers that fill bytes; 0 if none.
 */
uint64_t schbench_side(uint64_t bytes);

/* From begin to end as a clock of whole microseconds shows it; 0 if it went backwards. */
uint64_t schbench_usec(uint64_t begin_ns, uint64_t end_ns);

/* Part i of total in nr parts that differ by no more than one. */
uint64_t schbench_share(uint64_t total, uint64_t nr, uint64_t i);

/*
 * The schedule of a message thread for one second: rounds of batch requests each, evenly
 * spaced, the first at the start of the second.
 */
struct schbench_schedule {
	uint64_t batch, rounds;
};

enum schbench_arrival { ARRIVAL_BURST, ARRIVAL_EVEN };

/* All requests of a second at its start, or one at a time. */
struct schbench_schedule schbench_schedule(uint64_t rps, enum schbench_arrival arrival);

/* As up to 2021: rounds of two thirds of the workers, as many as rps needs, rounded up.
 */
struct schbench_schedule schbench_schedule_old(uint64_t rps, uint64_t workers);

/* When request i is due, ns from the start of its second. */
uint64_t schbench_due(const struct schbench_schedule *schedule, uint64_t i);

/* How many requests of a second were due in its first passed_ns. */
uint64_t schbench_nr_due(const struct schbench_schedule *schedule, uint64_t passed_ns);

/* One step of --auto-rps: the next goal for a busy share of CPU time, both in percent. */
uint64_t schbench_auto_step(uint64_t rps, double busy, double target, bool *settled);

/* "12.50 ops/sec 48.83KB/s" */
char *schbench_transfer_text(double ops, uint64_t bytes, char *buf, size_t size);

/*
 * Where threads of a kind may run: "any" (an empty mask), the kind's own word (with which
 * *by_word is set), or a list of CPUs, all of them in allowed. Returns 0, -EINVAL or
 * -ERANGE (not all allowed).
 */
int schbench_parse_cpus(const char *text, const char *word,
			const struct cpu_mask *allowed, struct cpu_mask *cpus,
			bool *by_word);

#endif
