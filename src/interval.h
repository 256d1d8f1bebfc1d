/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window in slices (--interval). A sample is what was counted from the opening of the
 * window up to a moment, an interval the difference of two samples. Each interval begins
 * with the sample that ended the one before, and the last sample is the report itself: so
 * intervals add up to it exactly. No BPF in here.
 */
#ifndef IDLETRACE_INTERVAL_H
#define IDLETRACE_INTERVAL_H

#include <stdio.h>

#include "results.h"

/* One idle state on all observed CPUs: so far, or in an interval. */
struct interval_state {
	u64 entered, too_deep, too_shallow; /* of the periods that are over */
	u64 time;			    /* their residency */
	u64 residency; /* the state's part of the time: open periods are in it so far */
};

/* What was counted so far. */
struct sample {
	u64 time;		  /* ns from the window's start */
	u64 cpu_time;		  /* sum over the CPUs of their windows */
	u32 bucket[HIST_BUCKETS]; /* latency of the subject's wakeups, modulo 2^32 */
	u64 latency_max;
	struct interval_state state[STATES_MAX];
	struct loss loss; /* but for wrapped, which does not hurt differences */
	struct power_snapshot power;
	u64 khz; /* clock at that moment, mean over the CPUs; 0: unknown */
};

struct interval_power {
	bool known;
	double watts;
	u64 energy_uj;
};

struct interval {
	u64 start, length; /* ns; start from the window's start */
	u64 cpu_time;	   /* what residencies are a part of */
	u64 wakeups;	   /* of the subject */
	u64 p50, p99;	   /* their latency, as hist_percentile() has it */
	u64 khz;	   /* at its end; 0: unknown */
	struct interval_power power[POWER_DOMAINS];
	struct loss loss; /* wrapped is always 0 */
	/* Last, so that those of states that there are not need not be stored. */
	struct interval_state state[STATES_MAX];
};

/* The whole window as a sample, from finished results; leaves power and clock alone. */
void sample_of_results(const struct results *r, struct sample *s);

/*
 * From sample a to b. What an open period had been taken for and was not (the driver
 * chose another state) is made good in b, so that no residency is ever negative.
 */
void interval_between(const struct sample *a, struct sample *b, const struct power *power,
		      struct interval *i);

/* Tab-separated: a line of column names with their units, and a line for an interval. */
void interval_print_header(FILE *f, const struct machine *m);
void interval_print(FILE *f, const struct machine *m, const struct interval *i);

#endif
