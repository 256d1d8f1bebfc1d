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

/*
 * Position of the highest set bit of v; v must not be 0. BPF has no instruction for it:
 * with all bits below it set, too, each position is another 6 bits of a de Bruijn number.
 */
static inline __attribute__((always_inline)) u32 highest_bit(u64 v)
{
	static const u8 position[64] = {
		0,  47, 1,  56, 48, 27, 2,  60, 57, 49, 41, 37, 28, 16, 3,  61,
		54, 58, 35, 52, 50, 42, 21, 44, 38, 32, 29, 23, 17, 11, 4,  62,
		46, 55, 26, 59, 40, 36, 15, 53, 34, 51, 20, 43, 31, 22, 10, 45,
		25, 39, 14, 33, 19, 30, 9,  24, 13, 18, 8,  12, 7,  6,	5,  63};

	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	return position[v * 0x03f79d71b4cb0a89ULL >> 58];
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
