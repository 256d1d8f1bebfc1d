/* SPDX-License-Identifier: GPL-2.0 */
/* What of waiters needs no timing, for tests. */
#ifndef IDLETRACE_WAITERS_H
#define IDLETRACE_WAITERS_H

#include <stdint.h>

/* When thread nr of threads begins, in ns after the start: spread evenly over a period.
 */
uint64_t waiters_offset(uint64_t nr, uint64_t threads, uint64_t period_ns);

/*
 * Periods that were due from due_ns on, one each period, before end_ns and at most max of
 * them.
 */
uint64_t waiters_missed(uint64_t due_ns, uint64_t end_ns, uint64_t period_ns,
			uint64_t max);

#endif
