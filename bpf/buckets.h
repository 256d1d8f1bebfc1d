/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear buckets, the same for BPF and for user space: one bucket per ns below
 * 64 ns, then 64 buckets per power of two, so that no bucket is wider than 1/64 of its
 * lower bound. Values from 2^34 ns (17.2 s) on land in the last bucket.
 */
#ifndef IDLETRACE_BUCKETS_H
#define IDLETRACE_BUCKETS_H

#include "types.h"

#define BUCKET_SUB_BITS 6
#define BUCKET_SUB	(1U << BUCKET_SUB_BITS)
#define BUCKET_MAX_BITS 34
#define HIST_BUCKETS	((BUCKET_MAX_BITS - BUCKET_SUB_BITS + 1) * BUCKET_SUB)

/* Position of the highest set bit of v; v must not be 0. BPF has no instruction for it.
 */
static inline __attribute__((always_inline)) u32 highest_bit(u64 v)
{
	u32 bit = 0;

	if (v >> 32) {
		v >>= 32;
		bit += 32;
	}
	if (v >> 16) {
		v >>= 16;
		bit += 16;
	}
	if (v >> 8) {
		v >>= 8;
		bit += 8;
	}
	if (v >> 4) {
		v >>= 4;
		bit += 4;
	}
	if (v >> 2) {
		v >>= 2;
		bit += 2;
	}
	return bit + (u32)(v >> 1);
}

/* The bucket that v falls into, 0 to HIST_BUCKETS - 1. */
static inline __attribute__((always_inline)) u32 hist_bucket(u64 v)
{
	u32 shift;

	if (v < BUCKET_SUB)
		return v;
	if (v >> BUCKET_MAX_BITS)
		return HIST_BUCKETS - 1;
	shift = highest_bit(v) - BUCKET_SUB_BITS;
	return (shift << BUCKET_SUB_BITS) + (u32)(v >> shift);
}

/* Lowest value of a bucket. */
static inline u64 hist_low(u32 bucket)
{
	u32 shift = bucket >> BUCKET_SUB_BITS;

	if (shift < 2)
		return bucket;
	return (u64)(bucket - ((shift - 1) << BUCKET_SUB_BITS)) << (shift - 1);
}

/* Highest value of a bucket, inclusive; the last one has no upper bound. */
static inline u64 hist_high(u32 bucket)
{
	if (bucket >= HIST_BUCKETS - 1)
		return ~0ULL;
	return hist_low(bucket + 1) - 1;
}

#endif
