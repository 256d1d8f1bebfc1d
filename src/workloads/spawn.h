/* SPDX-License-Identifier: GPL-2.0 */
/* What spawn says, apart from any timing. */
#ifndef IDLETRACE_SPAWN_H
#define IDLETRACE_SPAWN_H

#include <stddef.h>
#include <stdint.h>

/* Tasks per second; 0 without a time. */
double spawn_rate(uint64_t pids, uint64_t elapsed_ns);

/* The reference over the run, so that more than 1 is worse; 0 without a run. */
double spawn_ratio(double reference, double rate);

/* The metric, "3934 PIDs/s". */
char *spawn_line(double rate, char *buf, size_t size);

#endif
