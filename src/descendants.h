/* SPDX-License-Identifier: GPL-2.0 */
/* All processes below this one, whatever sessions and parents they have chosen. */
#ifndef IDLETRACE_DESCENDANTS_H
#define IDLETRACE_DESCENDANTS_H

#include <stdint.h>
#include <sys/types.h>

/* From now on those whose parent ends become children of this process. */
void descendants_adopt(void);

/* Reaps adopted ones that have ended; never that child. */
void descendants_reap(pid_t child);

/* Sends a signal to all of them that live, 0: none. Returns their number. */
unsigned int descendants_signal(int signal);

/* Waits for them until that time (CLOCK_MONOTONIC ns), then kills those left. */
void descendants_end(uint64_t deadline_ns);

#endif
