// SPDX-License-Identifier: GPL-2.0
#include "hist.h"

#include <math.h>

void hist_add(struct hist *h, u64 value)
{
	if (!h->count || value < h->min)
		h->min = value;
	if (!h->count || value > h->max)
		h->max = value;
	h->count++;
	h->sum += value;
	h->bucket[hist_bucket(value)]++;
}

void hist_merge(struct hist *dst, const struct hist *src)
{
	if (!src->count)
		return;
	if (!dst->count || src->min < dst->min)
		dst->min = src->min;
	if (!dst->count || src->max > dst->max)
		dst->max = src->max;
	dst->count += src->count;
	dst->sum += src->sum;
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		dst->bucket[i] += src->bucket[i];
}

u64 hist_mean(const struct hist *h)
{
	return h->count ? h->sum / h->count : 0;
}

u64 hist_percentile(const struct hist *h, double percent)
{
	/* A hair less than the product, so that 99.9 % of 1000 is rank 999, not 1000. */
	double rank = ceil(percent / 100 * (double)h->count * (1 - 1e-14));
	u64 want = rank < 1 ? 1 : (u64)rank, seen = 0, value;

	if (!h->count)
		return 0;
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen < want)
			continue;
		value = hist_high(i);
		if (value > h->max)
			value = h->max;
		return value < h->min ? h->min : value;
	}
	return h->max;
}
