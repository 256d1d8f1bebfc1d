/* SPDX-License-Identifier: GPL-2.0 */
/* What idletrace itself costs. */
#ifndef IDLETRACE_OBSERVER_H
#define IDLETRACE_OBSERVER_H

#include "tracer.h"

/*
 * Before the window: two processes play ping-pong for a moment, with the whole path
 * traced and the kernel's BPF statistics on, and what the programs took per wakeup is
 * put into observer. The statistics are off again afterwards, and all that was counted is
 * forgotten. Without the privilege for BPF statistics (CAP_SYS_ADMIN) the cost stays
 * unknown.
 */
void observer_measure(struct observer *o, struct tracer *t, const struct machine *m);

/* CPU time of this process so far, ns. */
u64 observer_cpu_ns(void);

#endif
