/* SPDX-License-Identifier: GPL-2.0 */
/* What idletrace itself costs. */
#ifndef IDLETRACE_OBSERVER_H
#define IDLETRACE_OBSERVER_H

#include "tracer.h"

/*
 * Before the window: two processes play ping-pong for a moment, on one CPU and then on
 * two, where every hop is out of idle. The whole path is traced and the kernel's BPF
 * statistics are on; what the programs took for a wakeup and for an idle period is put
 * into observer. The statistics are off again afterwards, and all that was counted is
 * forgotten. Without the privilege for BPF statistics (CAP_SYS_ADMIN) it stays unknown.
 */
void observer_measure(struct observer *o, struct tracer *t, const struct machine *m);

/*
 * The costs of a wakeup and of an idle period are two unknowns, and two mixtures of them
 * have been measured. busy: few wakeups out of idle; idle: most of them. The cost of a
 * period stays unknown where others kept the CPUs from idling, and on a single CPU.
 */
void observer_solve(struct observer *o, const struct program_stats *busy,
		    const struct program_stats *idle);

/* From these, what the programs took per wakeup in a window with so many of both. */
void observer_estimate(struct observer *o, u64 wakeups, u64 periods);

/* CPU time of this process so far, ns. */
u64 observer_cpu_ns(void);

#endif
