/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the report share: lines and tables that never leave 80 columns of
 * ASCII, numbers of three significant digits, and the words for losses.
 */
#ifndef IDLETRACE_REPORT_H
#define IDLETRACE_REPORT_H

#include "results.h"

#define REPORT_WIDTH  80
#define REPORT_INDENT 11 /* of what follows a section's label */

/* A line that grows piece by piece and is wrapped when it is ended. */
struct line {
	size_t indent; /* of its continuation */
	size_t used;
	char text[8192];
};

/* Label, padded to REPORT_INDENT; "" for a line below another one. */
void line_begin(struct line *l, const char *label);
void line_add(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void line_end(struct line *l);

/* One line without a label, wrapped to an indent. */
void report_line(size_t indent, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define TABLE_COLUMNS 12
#define TABLE_ROWS    96
#define TABLE_CELL    48

/* Columns get the width of their cells; those of names give way when it is too much. */
struct table {
	/* For each column 'r', 'l', or 'f': left as well, but it never gives way. */
	const char *align;
	unsigned int rows, columns, filled; /* filled: cells of the last row */
	char cell[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL];
};

void table_init(struct table *t, const char *align);
void table_row(struct table *t);
/* The next cell of the last row. A left-aligned one may run over empty neighbours. */
void table_cell(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void table_print(const struct table *t);

/* The unit of a column, chosen by its largest value: us, but for times of 10 s and more.
 */
struct unit {
	const char *name;
	double ns;
};

struct unit unit_for(u64 max);

/* Three significant digits, without the unit: "2.91", "31.7", "913", "0.064". */
char *format_in(double ns, struct unit unit, char *buf, size_t size);

/* A percentile of h in a unit; "-" when it is empty. */
char *format_percentile(const struct hist *h, double percent, struct unit unit, char *buf,
			size_t size);

/* "38.2%", "<0.1%", and "-" for a part of nothing. */
char *format_share(u64 part, u64 whole, char *buf, size_t size);

/* A counter of struct loss, its name in the JSON, and what it means. */
struct loss_kind {
	const char *name;
	const char *one, *many; /* what is counted ... */
	const char *meaning;	/* ... and why it was lost */
	size_t offset;
};

#define LOSS_KINDS 10
extern const struct loss_kind loss_kinds[LOSS_KINDS];

static inline u64 loss_count(const struct loss *loss, const struct loss_kind *kind)
{
	return *(const u64 *)((const char *)loss + kind->offset);
}

/* Name of an idle state, of the machine that was traced. Returns buf. */
const char *report_state(const struct results *r, u32 state, char *buf, size_t size);

/* CPUs that were observed, and those of them whose kernel's counters are known. */
unsigned int report_cpus(const struct results *r);
unsigned int report_kernel_cpus(const struct results *r);

/* The parts of the text. */
void report_metrics(const struct metric_scan *metrics);
void report_wakeups(const struct results *r);
void report_idle(const struct results *r);
void report_slowest(const struct results *r);
void report_timer_users(const struct results *r);
void report_histogram(const struct results *r);

#endif
