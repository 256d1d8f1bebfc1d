// SPDX-License-Identifier: GPL-2.0
#include "schbench_plat.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define SUB_BITS     8
#define MAX_PERCENTS 7

struct table {
	const char *title;
	unsigned int nr;
	double percents[MAX_PERCENTS];
	double star;  /* the one that is marked */
	double shown; /* the smallest that is printed */
	bool old;
	bool no_extremes;
};

/*
 * "(N samples)" counts what lies between a percentile and the one before it in the list,
 * whether that one is shown or not.
 */
static const struct table tables[NR_PLAT_TABLES] = {
	[PLAT_WAKEUP] = {.title = "Wakeup Latencies percentiles (usec)",
			 .nr = 5,
			 .percents = {20, 50, 90, 99, 99.9},
			 .star = 99,
			 .shown = 50},
	[PLAT_REQUEST] = {.title = "Request Latencies percentiles (usec)",
			  .nr = 5,
			  .percents = {20, 50, 90, 99, 99.9},
			  .star = 99,
			  .shown = 50},
	[PLAT_RPS] = {.title = "RPS percentiles (requests)",
		      .nr = 3,
		      .percents = {20, 50, 90},
		      .star = 50,
		      .shown = 20},
	[PLAT_PIPE] = {.title = "Wakeup Latencies percentiles (usec)",
		       .nr = 5,
		       .percents = {20, 50, 90, 99, 99.9},
		       .star = 99,
		       .shown = 20,
		       .no_extremes = true},
	[PLAT_OLD] = {.title = "Latency percentiles (usec)",
		      .nr = 7,
		      .percents = {50, 75, 90, 95, 99, 99.5, 99.9},
		      .star = 99,
		      .shown = 50,
		      .old = true},
};

unsigned int plat_index(uint64_t value)
{
	unsigned int shift, index;

	if (value < 2 * PLAT_SUB)
		return (unsigned int)value;
	shift = 63 - (unsigned int)__builtin_clzll(value) - SUB_BITS;
	index = PLAT_SUB * (shift + 1) + (unsigned int)(value >> shift) % PLAT_SUB;
	return index < PLAT_BUCKETS ? index : PLAT_BUCKETS - 1;
}

uint64_t plat_value(unsigned int index)
{
	unsigned int shift;

	if (index < 2 * PLAT_SUB)
		return index;
	shift = index / PLAT_SUB - 1;
	return (1ULL << (shift + SUB_BITS)) + ((uint64_t)(index % PLAT_SUB) << shift) +
	       (1ULL << shift) / 2;
}

void plat_add(struct plat *plat, uint64_t value)
{
	if (!plat->count || value < plat->min)
		plat->min = value;
	if (!plat->count || value > plat->max)
		plat->max = value;
	plat->count++;
	plat->bucket[plat_index(value)]++;
}

void plat_merge(struct plat *dst, const struct plat *src)
{
	if (!src->count)
		return;
	if (!dst->count || src->min < dst->min)
		dst->min = src->min;
	if (!dst->count || src->max > dst->max)
		dst->max = src->max;
	dst->count += src->count;
	for (unsigned int i = 0; i < PLAT_BUCKETS; i++)
		dst->bucket[i] += src->bucket[i];
}

/* The bucket of a percentile; how many values there are up to its end, in *seen. */
static unsigned int find(const struct plat *plat, double percent, uint64_t *seen)
{
	double want = percent / 100 * (double)plat->count;

	*seen = 0;
	for (unsigned int i = 0; i < PLAT_BUCKETS; i++) {
		*seen += plat->bucket[i];
		if ((double)*seen >= want)
			return i;
	}
	return PLAT_BUCKETS - 1;
}

uint64_t plat_percentile(const struct plat *plat, double percent)
{
	uint64_t seen;

	return plat_value(find(plat, percent, &seen));
}

struct text {
	char *buf;
	size_t size, used;
};

static void append(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *fmt, ...)
{
	size_t left = text->size - text->used;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text->buf + text->used, left, fmt, args);
	va_end(args);
	if (len > 0)
		text->used += (size_t)len < left ? (size_t)len : left - 1;
}

char *plat_table(const struct plat *plat, enum plat_table table, uint64_t seconds,
		 char *buf, size_t size)
{
	const struct table *t = &tables[table];
	struct text text = {.buf = buf, .size = size};
	uint64_t before = 0, seen;

	append(&text, "%s runtime %llu (s) (%llu total samples)\n", t->title,
	       (unsigned long long)seconds, (unsigned long long)plat->count);
	for (unsigned int i = 0; i < t->nr; before = seen, i++) {
		double percent = t->percents[i];
		uint64_t value = plat_value(find(plat, percent, &seen));
		const char *star = percent == t->star ? "*" : t->old ? "" : " ";

		if (percent >= t->shown)
			append(&text, "\t%s%s%.1fth: %-*llu (%llu samples)\n", star,
			       t->old ? "" : " ", percent, t->old ? 0 : 10,
			       (unsigned long long)value,
			       (unsigned long long)(seen - before));
	}
	if (!t->no_extremes)
		append(&text, "\t%smin=%llu, max=%llu\n", t->old ? "" : "  ",
		       (unsigned long long)plat->min, (unsigned long long)plat->max);
	return buf;
}
