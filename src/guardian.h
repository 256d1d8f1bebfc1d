/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small process that puts the machine back when the one that changed it is gone, by
 * whatever means. It knows by a socket whose other end only that one has. Of the two,
 * each does without the other: when the guardian is killed, guardian_check() starts
 * another, and what was changed is put back at the end in any case.
 */
#ifndef IDLETRACE_GUARDIAN_H
#define IDLETRACE_GUARDIAN_H

#include <sys/types.h>

struct guardian {
	int (*restore)(void *ctx); /* called in the guardian; not 0: it exits with 1 */
	void *ctx;
	pid_t pid;
	int fd; /* -1: there is none */
};

/*
 * Forks it, and returns when it is on guard: 0 or -errno. Its memory is as it is now:
 * what restore needs has to be there. It has stderr, and ignores the terminal's signals.
 */
int guardian_start(struct guardian *g, int (*restore)(void *ctx), void *ctx);

/* Starts it anew if it was killed. 1: it was, 0: no, or -errno. */
int guardian_check(struct guardian *g);

/* Everything is back: dismisses it, and waits for it. */
void guardian_end(struct guardian *g);

#endif
