/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are there as a whole, or not at all. */
#ifndef IDLETRACE_SAVE_H
#define IDLETRACE_SAVE_H

#include <stdio.h>

/*
 * Writes what is to be in the file; its errors are found out by ferror(). Returns 0, or
 * -1 with errno set if there is something else that keeps the file from being whole.
 */
typedef int save_writer(FILE *f, const void *ctx);

/*
 * Has a file written ("-" is stdout): nobody ever sees half of it, nor loses the old one
 * to a full disk. Devices and pipes are written in place, and so is a file in a directory
 * that takes no new ones. Returns 0, or -1 with errno set.
 */
int save_file(const char *path, save_writer *write, const void *ctx);

/* Is there a directory for that file? 0, or -1 with a line about that option on stderr.
 */
int save_check(const char *option, const char *path);

#endif
