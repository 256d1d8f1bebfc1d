/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of pages, out of the documents of runs; for html_*.c only. */
#ifndef IDLETRACE_HTML_PARTS_H
#define IDLETRACE_HTML_PARTS_H

#include "html.h"

/* "kernel 6.12.1 x86_64, ..., 20.0 s": where and how long. Returns buf. */
char *html_where(const json_t *run, char *buf, size_t size);

/* A section with the machine that a run was on. */
void html_machine(FILE *f, const json_t *run);

/* A section on how it was done: the command, and what was lost and added (all runs). */
void html_measuring(FILE *f, const json_t *runs, const char *args);

/* Warnings about what makes the numbers of these runs incomplete. */
void html_cautions(FILE *f, const json_t *runs);

/* A section with what words mean. */
void html_words(FILE *f);

/* Tables of one run, each with what belongs below it. */
void html_wakeups(FILE *f, const json_t *run);
void html_sources(FILE *f, const json_t *run);
void html_slowest(FILE *f, const json_t *run);
void html_idle(FILE *f, const json_t *run);
void html_cost(FILE *f, const json_t *run);
void html_timers(FILE *f, const json_t *run);

/* The largest value of that member of all rows: what a column's unit follows from. */
struct unit html_unit(const json_t *rows, const char *path);

#endif
