/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of one size, more of them than memory should hold, in a file without a name: it is
 * gone when it is closed, however that comes.
 */
#ifndef IDLETRACE_SPILL_H
#define IDLETRACE_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct spill {
	int fd;
	size_t row;
	uint64_t count; /* rows */
	int error;	/* errno of the first row that could not be stored, 0: none */
};

/*
 * Beside the file of that name, where there can be one, else in $TMPDIR or /var/tmp. Rows
 * have that many bytes. Returns 0 or -errno.
 */
int spill_open(struct spill *s, const char *path, size_t row);

/* One write(). After an error, which stays in s->error, nothing is stored any more. */
void spill_add(struct spill *s, const void *row);

/* Row i of s->count. 0 or -errno. */
int spill_read(const struct spill *s, uint64_t i, void *row);

/* Only what spill_open() has opened. */
void spill_close(struct spill *s);

#endif
