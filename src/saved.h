/* SPDX-License-Identifier: GPL-2.0 */
/* Values of files of the kernel (or any others), kept to be written back. */
#ifndef IDLETRACE_SAVED_H
#define IDLETRACE_SAVED_H

#include <stdio.h>
#include <sys/types.h>

#define SAVED_MAX 4096 /* bytes of a file, and one for the end */

enum saved_form {
	SAVED_WHOLE,   /* the file is the value */
	SAVED_CHOICE,  /* all values there are, the current one in brackets */
	SAVED_FEATURE, /* many words, each NAME or NO_NAME; this is about one of them */
};

struct saved {
	char *path;
	char *feature; /* its NAME, else NULL */
	char *old;     /* to be written back */
	enum saved_form form;
	int cpu; /* whose file this is, -1: no CPU's */
};

/* Text of a whole file. Its length, or -errno; -EFBIG if it does not fit. */
ssize_t saved_read_file(const char *path, char *buf, size_t size);

/* Replaces a value: one write() of all of it. 0 or -errno. */
int saved_write_file(const char *path, const char *text);

/*
 * Keeps the value that is there. The form of a file without a feature is found out. 0 or
 * -errno; free in any case.
 */
int saved_keep(struct saved *saved, const char *path, const char *feature, int cpu);
void saved_free(struct saved *saved);

/* What is there now, as saved->old has it. 0 or -errno; -ENOENT: no such feature. */
int saved_current(const struct saved *saved, char *buf, size_t size);

/* Do these values differ in more than the end of the line? */
int saved_differs(const char *a, const char *b);

/*
 * Writes the old value back unless it is there, and looks whether it then is. root is
 * what stands before /sys. Returns 0, or -1 with a line about it on report.
 */
int saved_restore(const struct saved *saved, const char *root, FILE *report);

/* Is the CPU known not to be online? Never for -1. */
int saved_cpu_is_offline(const char *root, int cpu);

#endif
