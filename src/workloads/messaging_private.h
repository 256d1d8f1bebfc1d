/* SPDX-License-Identifier: GPL-2.0 */
/* What messaging.c, which sets up and reports, shares with messaging_tasks.c. */
#ifndef IDLETRACE_MESSAGING_PRIVATE_H
#define IDLETRACE_MESSAGING_PRIVATE_H

#include <signal.h>

#include "workers.h"

struct messaging_options {
	uint64_t groups, fds, loops, size;
	int style;
	bool pipe;
	bool threads;
};

/* One task, in memory that is shared with the processes. */
struct party {
	struct messaging *m;
	atomic_ullong messages; /* received */
	uint64_t last_ns;	/* the last of them */
	unsigned int group;
	unsigned int index; /* among the senders, or receivers, of its group */
	bool sends;
} __attribute__((aligned(64)));

struct messaging {
	struct workload_ctx *ctx;
	const struct messaging_options *opt;
	struct workers pool;
	struct party *parties; /* of each group: its receivers, its senders; mapped */
	int *in, *out;	       /* ends of the channels of all groups */
	atomic_uint *sending;  /* by group: senders that are not done, of threads */
	pid_t *pids;	       /* 0: reaped */
	unsigned int nr, nr_forked, nr_reaped;
	uint64_t loops;	   /* UINT64_MAX: until the end */
	int ready[2];	   /* a byte from each task that is ready */
	int wake[2];	   /* readable: go */
	uint64_t start_ns; /* the start gate opened */
	uint64_t end_ns;   /* all tasks were gone */
	uint64_t count_ns; /* messages count from here on, */
	uint64_t warm;	   /* where there were so many */
	sigset_t signals, saved_signals;
};

/*
 * Starts the threads and waits until all of them sleep at the gate, where the original's
 * do, so that the gate finds them as they were created, spread over the CPUs. Returns 0
 * or -1 with the error line set.
 */
int messaging_start_threads(struct messaging *m);

/* They need not have been started, or not have passed the gate. */
void messaging_end_threads(struct messaging *m);

/* The run, by threads or processes. Returns 0 or -1 with the error line set. */
int messaging_run(struct messaging *m);

/* Messages received until now. */
uint64_t messaging_received(const struct messaging *m);

#endif
