/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages: self-contained HTML with everything that the text report has. This is what all
 * pages share: text that cannot be mistaken for markup, tables, the frame around it all.
 * Errors are those of the FILE.
 */
#ifndef IDLETRACE_HTML_H
#define IDLETRACE_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "plot.h"
#include "report.h"

/* Escaped, and without what HTML does not allow; for attributes in double quotes, too. */
void html_text(FILE *f, const char *text);

/* <tag>TEXT</tag>; tag may have attributes. The text is escaped. */
void html_element(FILE *f, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- tables ---- */

struct html_column {
	const char *name;
	bool text;	   /* aligned left; numbers are not */
	const char *group; /* above this one and those that follow with NULL; "": none */
};

void html_table_begin(FILE *f, const char *caption, const struct html_column *columns,
		      unsigned int nr);
void html_table_end(FILE *f);

/* A row begins with what it is about; the cells follow. Strong: a sum, set apart. */
void html_row(FILE *f, bool strong, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void html_row_end(FILE *f);

/* A row of text across all columns: a heading for those that follow, or a remark. */
void html_group(FILE *f, unsigned int columns, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void html_remark(FILE *f, unsigned int columns, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Cells: numbers, text, and in particular those that may be unknown, which is "-". */
void html_cell(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_text_cell(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_ns_cell(FILE *f, const json_t *ns, struct unit unit);
void html_count_cell(FILE *f, const json_t *count);
void html_share_cell(FILE *f, const json_t *part, const json_t *whole);

/* ---- lists of what and how much ---- */

void html_pairs_begin(FILE *f);
void html_keys_begin(FILE *f); /* the same, large: what one looks at first */
void html_pair(FILE *f, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void html_pairs_end(FILE *f);

/* ---- the page ---- */

/* Up to the headline and the line below it. */
void html_page_begin(FILE *f, const char *title, const char *below, const char *date);
void html_warning(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_page_end(FILE *f);

void html_section(FILE *f, const char *title);
void html_section_end(FILE *f);

/* One line of text below a table or a heading. */
void html_note(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As it is, in a type of fixed width. */
void html_verbatim(FILE *f, const char *text);

/* ---- pictures ---- */

/* The pictures of that list whose names begin so; as many as leave a page small. */
void html_pictures(FILE *f, const struct plots *plots, const char *prefix);

/* Says why there are none, if so. */
void html_no_pictures(FILE *f, const struct plots *plots);

/* An SVG of gnuplot's, for within a page: its names get a prefix of their own. */
void html_svg(FILE *f, const char *svg, const char *prefix, const char *title);

/* The style sheet. */
extern const char html_style[];

#endif
