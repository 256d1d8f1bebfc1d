// SPDX-License-Identifier: GPL-2.0
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor or -errno. */
static int open_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd >= 0)
		return fd;
	/* Not every file system can do that. */
	if (snprintf(name, sizeof(name), "%s/idletrace.XXXXXX", dir) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

/* What is no regular file, or none yet, has nothing beside it: a pipe, /dev/null. */
static int open_beside(const char *path)
{
	char real[PATH_MAX];
	struct stat st;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return -ENOENT;
	if (!realpath(path, real)) {
		if (strlen(path) >= sizeof(real))
			return -ENAMETOOLONG;
		strcpy(real, path);
	}
	return open_in(dirname(real));
}

int spill_open(struct spill *s, const char *path, size_t row)
{
	const char *tmp = getenv("TMPDIR");

	*s = (struct spill){.row = row};
	s->fd = open_beside(path);
	if (s->fd < 0)
		s->fd = open_in(tmp && *tmp ? tmp : "/var/tmp");
	return s->fd < 0 ? s->fd : 0;
}

void spill_add(struct spill *s, const void *row)
{
	ssize_t n;

	if (s->error)
		return;
	do
		n = pwrite(s->fd, row, s->row, (off_t)(s->count * s->row));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)s->row)
		s->count++;
	else
		s->error = n < 0 ? errno : ENOSPC;
}

int spill_read(const struct spill *s, uint64_t i, void *row)
{
	ssize_t n = pread(s->fd, row, s->row, (off_t)(i * s->row));

	if (n == (ssize_t)s->row)
		return 0;
	return n < 0 ? -errno : -EIO;
}

void spill_close(struct spill *s)
{
	close(s->fd);
}
