// SPDX-License-Identifier: GPL-2.0
/* Lines, tables and numbers of the text report. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names come from tasks and command lines; a mail takes ASCII. */
static void make_ascii(char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			*text = ' ';
		else if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

static void print_trimmed(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	printf("%.*s\n", (int)len, text);
}

/*
 * How much of text goes on a line of this width: up to the last gap between items (two
 * blanks, or a blank after a comma, colon or semicolon), else to the last blank.
 */
static size_t break_at(const char *text, size_t width)
{
	size_t item = 0, word = 0;

	if (strlen(text) <= width)
		return strlen(text);
	for (size_t i = 1; i <= width; i++) {
		if (text[i] != ' ' || text[i - 1] == ' ')
			continue;
		word = i;
		if (text[i + 1] == ' ' || strchr(",:;", text[i - 1]))
			item = i;
	}
	if (item > width / 2)
		return item;
	return word > width / 4 ? word : width;
}

static void print_wrapped(const char *text, size_t indent)
{
	size_t len = break_at(text, REPORT_WIDTH);

	print_trimmed(text, len);
	for (text += len; *(text += strspn(text, " ")); text += len) {
		len = break_at(text, REPORT_WIDTH - indent);
		printf("%*s", (int)indent, "");
		print_trimmed(text, len);
	}
}

void line_begin(struct line *l, const char *label)
{
	l->indent = REPORT_INDENT;
	l->used = 0;
	line_add(l, "%-*s", REPORT_INDENT, label);
}

static void line_vadd(struct line *l, const char *fmt, va_list args)
{
	size_t room = sizeof(l->text) - l->used;
	int n = vsnprintf(l->text + l->used, room, fmt, args);

	if (n > 0)
		l->used += (size_t)n < room ? (size_t)n : room - 1;
}

void line_add(struct line *l, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	line_vadd(l, fmt, args);
	va_end(args);
}

void line_end(struct line *l)
{
	make_ascii(l->text);
	print_wrapped(l->text, l->indent);
}

void report_line(size_t indent, const char *fmt, ...)
{
	struct line l = {.indent = indent};
	va_list args;

	va_start(args, fmt);
	line_vadd(&l, fmt, args);
	va_end(args);
	line_end(&l);
}

void table_init(struct table *t, const char *align)
{
	memset(t, 0, sizeof(*t));
	t->align = align;
	t->columns = strlen(align);
}

void table_row(struct table *t)
{
	if (t->rows < TABLE_ROWS)
		t->rows++;
	t->filled = 0;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list args;

	if (!t->rows || t->filled >= t->columns)
		return;
	va_start(args, fmt);
	vsnprintf(t->cell[t->rows - 1][t->filled], TABLE_CELL, fmt, args);
	va_end(args);
	make_ascii(t->cell[t->rows - 1][t->filled++]);
}

/* Left-aligned, with nothing but empty cells up to the end of column *last. */
static bool runs_over(const struct table *t, unsigned int row, unsigned int col,
		      unsigned int *last)
{
	for (*last = col; *last + 1 < t->columns && !t->cell[row][*last + 1][0]; ++*last)
		;
	return t->align[col] != 'r' && *last > col && t->cell[row][col][0];
}

struct layout {
	size_t gap;
	size_t width[TABLE_COLUMNS];
};

static size_t total_width(const struct table *t, const struct layout *l)
{
	size_t total = l->gap * (t->columns - 1);

	for (unsigned int c = 0; c < t->columns; c++)
		total += l->width[c];
	return total;
}

static void fit_cells(const struct table *t, struct layout *l)
{
	unsigned int last;

	for (unsigned int r = 0; r < t->rows; r++)
		for (unsigned int c = 0; c < t->columns; c++) {
			size_t len = strlen(t->cell[r][c]);

			if (!runs_over(t, r, c, &last) && len > l->width[c])
				l->width[c] = len;
		}
}

/* The last column below a long cell makes up for what the others lack. */
static void fit_long_cells(const struct table *t, struct layout *l)
{
	unsigned int last;

	for (unsigned int r = 0; r < t->rows; r++)
		for (unsigned int c = 0; c < t->columns; c++) {
			size_t have = 0, len = strlen(t->cell[r][c]);

			if (!runs_over(t, r, c, &last) || last + 1 == t->columns)
				continue;
			for (unsigned int i = c; i <= last; i++)
				have += l->width[i] + (i > c ? l->gap : 0);
			if (len > have)
				l->width[last] += len - have;
		}
}

static void shrink(const struct table *t, struct layout *l)
{
	while (total_width(t, l) > REPORT_WIDTH) {
		unsigned int widest = TABLE_COLUMNS;

		for (unsigned int c = 0; c < t->columns; c++)
			if (t->align[c] == 'l' && l->width[c] > 6 &&
			    (widest == TABLE_COLUMNS || l->width[c] > l->width[widest]))
				widest = c;
		if (widest == TABLE_COLUMNS)
			return;
		l->width[widest]--;
	}
}

/* Names of states differ at their ends as often as not: "cpu-ret~-0". */
static void put_cell(char *at, const char *cell, size_t len, size_t width, bool keep_end)
{
	if (len <= width || width < 4 || !keep_end) {
		memcpy(at, cell, len < width ? len : width);
		return;
	}
	memcpy(at, cell, width - 3);
	at[width - 3] = '~';
	memcpy(at + width - 2, cell + len - 2, 2);
}

static void print_row(const struct table *t, unsigned int r, const struct layout *l)
{
	char text[REPORT_WIDTH + 1];
	size_t pos = 0;

	memset(text, ' ', sizeof(text));
	for (unsigned int c = 0; c < t->columns && pos < REPORT_WIDTH; c++) {
		const char *cell = t->cell[r][c];
		size_t len = strlen(cell), width = l->width[c], left = REPORT_WIDTH - pos;
		unsigned int last;

		if (runs_over(t, r, c, &last))
			put_cell(text + pos, cell, len, left, false);
		else if (t->align[c] == 'r' && len < width && width <= left)
			memcpy(text + pos + width - len, cell, len);
		else
			put_cell(text + pos, cell, len, width < left ? width : left, !c);
		pos += width + l->gap;
	}
	print_trimmed(text, REPORT_WIDTH);
}

void table_print(const struct table *t)
{
	struct layout l = {.gap = 2};

	fit_cells(t, &l);
	if (total_width(t, &l) > REPORT_WIDTH)
		l.gap = 1;
	fit_long_cells(t, &l);
	shrink(t, &l);
	for (unsigned int r = 0; r < t->rows; r++)
		print_row(t, r, &l);
}

struct unit unit_for(u64 max)
{
	if (max < 10 * NSEC_PER_SEC)
		return (struct unit){"us", NSEC_PER_USEC};
	if (max < 10000 * NSEC_PER_SEC)
		return (struct unit){"ms", NSEC_PER_MSEC};
	return (struct unit){"s", NSEC_PER_SEC};
}

char *format_in(double ns, struct unit unit, char *buf, size_t size)
{
	double value = ns / unit.ns, abs = value < 0 ? -value : value;

	if (abs < 0.0005)
		snprintf(buf, size, "0");
	else
		snprintf(buf, size, "%.*f",
			 abs < 0.9995  ? 3
			 : abs < 9.995 ? 2
			 : abs < 99.95 ? 1
				       : 0,
			 value);
	return buf;
}

char *format_percentile(const struct hist *h, double percent, struct unit unit, char *buf,
			size_t size)
{
	if (h->count)
		return format_in((double)hist_percentile(h, percent), unit, buf, size);
	snprintf(buf, size, "-");
	return buf;
}

char *format_share(u64 part, u64 whole, char *buf, size_t size)
{
	double share = whole ? 100 * (double)part / (double)whole : 0;

	if (!whole)
		snprintf(buf, size, "-");
	else if (part && share < 0.05)
		snprintf(buf, size, "<0.1%%");
	else
		snprintf(buf, size, "%.1f%%", share);
	return buf;
}
