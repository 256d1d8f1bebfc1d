/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The window, one CPU at a time. The caller's thread hops onto each CPU: while it runs
 * there, no idle period is open, so the kernel's counters and the traced ones can be cut
 * at the same instant, exactly. The hop also closes periods that were open before.
 */
#ifndef IDLETRACE_WINDOW_H
#define IDLETRACE_WINDOW_H

#include "results.h"
#include "tracer.h"

struct window {
	const struct machine *machine;
	struct cpu_mask cpus; /* to observe; CPUs that are offline are left out */
	struct cpu_mask opened;
	struct cpu_usage *before; /* kernel's counters at the opening, by CPU */
};

/* cpus: which to observe. Returns 0 or -ENOMEM; window_free() is due in any case. */
int window_init(struct window *w, const struct machine *m, const struct cpu_mask *cpus);
void window_free(struct window *w);

/*
 * Both leave the calling thread on the CPU it is told to go home to. Without a tracer
 * (NULL) there are still the kernel's counters.
 */
void window_open(struct window *w, struct tracer *t, unsigned int home,
		 struct results *r);
void window_close(struct window *w, struct tracer *t, unsigned int home,
		  struct results *r);

/*
 * Sleeps for a moment on every CPU of the mask: each has left its idle state, has been in
 * one, and an hrtimer has expired there.
 */
void poke_cpus(const struct cpu_mask *cpus, unsigned int home);

/* Puts the calling thread on one CPU. Returns 0 or -errno. */
int pin_to_cpu(unsigned int cpu);

#endif
