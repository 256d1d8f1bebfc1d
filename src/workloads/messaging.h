/* SPDX-License-Identifier: GPL-2.0 */
/* What messaging says and counts, apart from any timing. */
#ifndef IDLETRACE_MESSAGING_H
#define IDLETRACE_MESSAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workload_result;

/* Messages of a whole run: every sender to every receiver of its group, loops times. */
uint64_t messaging_total(uint64_t groups, uint64_t fds, uint64_t loops);

/* The line of hackbench, "Time: 0.973". */
void messaging_hackbench(struct workload_result *result, uint64_t elapsed_ns);

/* The lines of perf bench sched messaging, below its headline. */
void messaging_perf(struct workload_result *result, uint64_t groups, uint64_t fds,
		    bool threads, uint64_t elapsed_ns);

#endif
