/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The old values of what ab changes, in a file below /run. A guardian outlives any one
 * process that is killed, the journal all of them: the next idletrace puts back what is
 * in there.
 *
 * The one that changed the machine holds a lock on it, which the kernel drops when that
 * process is gone, however it went; and whoever holds the lock is the one to restore.
 */
#ifndef IDLETRACE_JOURNAL_H
#define IDLETRACE_JOURNAL_H

#include <stdio.h>

#include "knobs.h"

#define JOURNAL_DIR "/run/idletrace"

struct journal {
	const char *dir;
	char name[32]; /* in dir; "": there is no journal */
	int fd;	       /* locked, else -1 */
};

/*
 * Writes what knobs_restore() would; nothing without a file to restore. The directory is
 * made, and must be ours alone. 0 or -errno; the journal is good for the other functions
 * in any case.
 */
int journal_begin(struct journal *j, const char *dir, const struct knobs *knobs);

/*
 * For another process than the one that began it, and may be gone: waits for the lock.
 * false: somebody else has restored everything meanwhile.
 */
bool journal_claim(struct journal *j);

/* Everything is back, or what is not has been told: removes it. */
void journal_end(struct journal *j);

/*
 * Puts back what processes that are gone have left, with a line for each of them on
 * report if that changed anything.
 */
void journal_recover(const char *dir, FILE *report);

#endif
