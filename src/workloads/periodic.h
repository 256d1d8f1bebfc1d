/* SPDX-License-Identifier: GPL-2.0 */
/* Rules of the workload periodic, apart from any timing, and what its files share. */
#ifndef IDLETRACE_PERIODIC_H
#define IDLETRACE_PERIODIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "work.h"
#include "workers.h"

#define PERIODIC_MAX_FREQUENCIES 5
#define PERIODIC_MAX_LOADS	 101
#define PERIODIC_MAX_ROWS	 101 /* of the table: frequencies times loads */

/*
 * A load in percent ("38.6"), or a sweep "FROM:TO:STEP" up to and including TO, which is
 * run upwards and then downwards. Returns how many loads there are on the way up, or 0 if
 * it is neither or has more than PERIODIC_MAX_LOADS of them.
 */
size_t periodic_parse_loads(const char *text, double *loads, bool *sweep);

/*
 * "73" or "73,113,211" in Hz, each from 1 to 10000. Returns how many, or 0 if it is not
 * that or has more than PERIODIC_MAX_FREQUENCIES of them.
 */
size_t periodic_parse_frequencies(const char *text, double *hz);

/* The load at a step of all: upwards, and in a sweep downwards again; *down says which.
 */
size_t periodic_load_at(size_t step, size_t nr_loads, bool *down);

/*
 * When the next packet is due, after the one due at due_ns was done at done_ns. With skip
 * those due in the meantime are left out and counted in *missed.
 */
uint64_t periodic_next_due(uint64_t due_ns, uint64_t done_ns, uint64_t period_ns,
			   bool skip, uint64_t *missed);

/* Packets due from due_ns on and before until_ns. */
uint64_t periodic_count_due(uint64_t due_ns, uint64_t until_ns, uint64_t period_ns);

/* ---- between periodic.c and periodic_report.c ---- */

struct periodic_options {
	char *frequency;
	char *load;
	uint64_t dwell_ns;
	uint64_t threads;
	char *place;
	int overrun;
	int phase;
	uint64_t timer_slack_ns;
};

/* What is counted of one step by one thread, and of all steps and threads in the end. */
struct periodic_tally {
	struct hist late; /* begin of a packet after it was due */
	struct hist over; /* end of a packet after the next was due */
	uint64_t missed;  /* due and never begun */
	uint64_t cpu_ns;  /* that the threads have used */
	uint64_t time_ns; /* that they had */
};

struct periodic_copy {
	struct periodic *all;
	struct periodic_tally now; /* of the current step */
};

struct periodic {
	struct workload_ctx *ctx;
	const struct periodic_options *opt;
	double hz[PERIODIC_MAX_FREQUENCIES];
	double loads[PERIODIC_MAX_LOADS];
	size_t nr_hz, nr_loads, nr_steps; /* steps of all */
	bool sweep;
	uint64_t dwell_ns;
	struct place place;
	struct work_calibration calibration;
	struct workers pool;
	struct periodic_copy *copies;
	pthread_mutex_t lock;		/* of tallies */
	struct periodic_tally *tallies; /* of each step */
};

/* A step of all: what is to be done, and until when. */
struct periodic_step {
	uint64_t from_ns, until_ns;
	uint64_t period_ns;
	uint64_t units;
};

struct periodic_step periodic_step(const struct periodic *p, size_t index);

void periodic_report(struct workload_ctx *ctx);

#endif
