/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram of schbench (and of fio before it), and the tables it prints from it.
 * Values are whole microseconds, or requests per second.
 */
#ifndef IDLETRACE_SCHBENCH_PLAT_H
#define IDLETRACE_SCHBENCH_PLAT_H

#include <stddef.h>
#include <stdint.h>

#define PLAT_GROUPS  19
#define PLAT_SUB     256
#define PLAT_BUCKETS (PLAT_GROUPS * PLAT_SUB)

struct plat {
	uint64_t count;
	uint64_t min, max; /* exact; 0 while count is 0 */
	uint64_t bucket[PLAT_BUCKETS];
};

/* Bucket of a value: one each below 512, then 256 per power of two; the last is open. */
unsigned int plat_index(uint64_t value);

/* What the bucket stands for: the value itself below 512, else the bucket's middle. */
uint64_t plat_value(unsigned int index);

void plat_add(struct plat *plat, uint64_t value);
void plat_merge(struct plat *dst, const struct plat *src);

/* The first bucket with at least percent / 100 * count values up to its end; 0: empty. */
uint64_t plat_percentile(const struct plat *plat, double percent);

enum plat_table {
	PLAT_WAKEUP,
	PLAT_REQUEST,
	PLAT_RPS,
	PLAT_PIPE, /* wakeups with a transfer: shows the 20th, no min and max */
	PLAT_OLD,  /* the one table of the versions up to 2021 */
	NR_PLAT_TABLES,
};

/* A whole table as the original prints it, lines ended by newlines. Returns buf. */
char *plat_table(const struct plat *plat, enum plat_table table, uint64_t seconds,
		 char *buf, size_t size);

#endif
