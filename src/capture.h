/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of a command, kept in memory while the window is open and passed on after
 * it: a pipe would have somebody woken up for each line, and a file in a file system its
 * writeback.
 */
#ifndef IDLETRACE_CAPTURE_H
#define IDLETRACE_CAPTURE_H

#include "metrics.h"

/* Output and errors are one file, in the order they came, where they are for the caller.
 */
struct capture {
	bool active;
	int out, err; /* for the command's standard output and standard error */
};

/* 0 or -errno. */
int capture_open(struct capture *c);

/*
 * Passes on what came, to our own standard output and standard error and to the scan, and
 * closes. 0, or -errno if the standard output does not take it. Nothing if not open.
 */
int capture_finish(struct capture *c, struct metric_scan *scan);

#endif
