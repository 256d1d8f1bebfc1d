/* SPDX-License-Identifier: GPL-2.0 */
/* Latency histograms in user space. Values are ns unless the caller says otherwise. */
#ifndef IDLETRACE_HIST_H
#define IDLETRACE_HIST_H

#include "buckets.h"

struct hist {
	u64 count, sum;
	u64 min, max; /* exact; meaningless while count is 0 */
	u64 bucket[HIST_BUCKETS];
};

void hist_add(struct hist *h, u64 value);

/* Adds what src counted to dst. */
void hist_merge(struct hist *dst, const struct hist *src);

/* Arithmetic mean, exact to 1 ns; 0 when empty. */
u64 hist_mean(const struct hist *h);

/*
 * Nearest-rank percentile: the highest value of the bucket that holds the
 * ceil(percent / 100 * count)-th smallest value, no less than min and no more than max.
 * Never below the true value, above it by at most 1/64. 0 when empty.
 */
u64 hist_percentile(const struct hist *h, double percent);

#endif
