// SPDX-License-Identifier: GPL-2.0
/* --histogram: the latency of all wakeups as bars, one row per power of two. */
#include "report.h"

#include <stdio.h>

#define BAR_MAX	 40
#define ROW_BITS 6 /* the first row ends below 2^ROW_BITS ns */
#define ROWS	 (BUCKET_MAX_BITS - ROW_BITS + 1)

static unsigned int row_of(u32 bucket)
{
	u64 low = hist_low(bucket);

	return low < (1ULL << ROW_BITS) ? 0 : highest_bit(low) - ROW_BITS + 1;
}

static u64 row_low(unsigned int row)
{
	return row ? 1ULL << (row + ROW_BITS - 1) : 0;
}

static void add_row(struct table *t, unsigned int row, u64 count, u64 most, u64 whole)
{
	static const char bar[BAR_MAX + 1] = "########################################";
	char text[UNITS_TEXT_MAX];
	u64 len = (count * BAR_MAX + most / 2) / most;

	table_row(t);
	table_cell(t, "  %s",
		   format_in((double)row_low(row), unit_for(0), text, sizeof(text)));
	table_cell(t, "%s", format_count(count, text, sizeof(text)));
	table_cell(t, "%s", format_share(count, whole, text, sizeof(text)));
	table_cell(t, "%s", count && !len ? "." : bar + BAR_MAX - len);
}

void report_histogram(const struct results *r)
{
	const struct hist *h = &r->wakeups.latency;
	unsigned int first = ROWS, last = 0;
	u64 counts[ROWS] = {0}, most = 0;
	struct table t;

	for (u32 i = 0; i < HIST_BUCKETS; i++)
		counts[row_of(i)] += h->bucket[i];
	for (unsigned int row = 0; row < ROWS; row++) {
		if (!counts[row])
			continue;
		first = first == ROWS ? row : first;
		last = row;
		most = counts[row] > most ? counts[row] : most;
	}
	if (first == ROWS)
		return;
	printf("\nHISTOGRAM of the latency in us, each row up to the next\n");
	table_init(&t, "rrrl");
	for (unsigned int row = first; row <= last; row++)
		add_row(&t, row, counts[row], most, h->count);
	table_print(&t);
}
