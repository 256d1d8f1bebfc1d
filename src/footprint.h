/* SPDX-License-Identifier: GPL-2.0 */
/* How much memory this process takes, in bytes; 0 where the kernel does not tell. */
#ifndef IDLETRACE_FOOTPRINT_H
#define IDLETRACE_FOOTPRINT_H

#include "types.h"

/*
 * The most that was resident so far, from a status file (/proc/self/status). Rings are
 * mapped, their data twice.
 */
u64 footprint_resident(const char *status);

/* BPF maps and programs in the kernel, from a directory such as /proc/self/fdinfo. */
u64 footprint_bpf(const char *fdinfo);

#endif
