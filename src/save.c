// SPDX-License-Identifier: GPL-2.0
#include "save.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_to(FILE *f, save_writer *write, const void *ctx)
{
	int ret;

	errno = 0;
	ret = write(f, ctx);
	if (!fflush(f) && !ferror(f) && !ret)
		return 0;
	if (!errno)
		errno = EIO;
	return -1;
}

static int write_and_close(FILE *f, save_writer *write, const void *ctx)
{
	int ret = write_to(f, write, ctx), err = errno;

	if (fclose(f) && !ret)
		return -1;
	errno = err;
	return ret;
}

static int write_in_place(const char *path, save_writer *write, const void *ctx)
{
	FILE *f = fopen(path, "we");

	return f ? write_and_close(f, write, ctx) : -1;
}

/* Opens a file beside path with the permissions that path has or would get. */
static FILE *open_beside(const char *path, char *name, size_t size)
{
	struct stat st;
	mode_t mask;
	FILE *f;
	int fd;

	if (snprintf(name, size, "%s.XXXXXX", path) >= (int)size)
		return NULL;
	fd = mkstemp(name);
	if (fd < 0)
		return NULL;
	mask = umask(0);
	umask(mask);
	if (stat(path, &st) || fchown(fd, st.st_uid, st.st_gid))
		st.st_mode = 0666 & ~mask;
	f = fchmod(fd, st.st_mode & 07777) ? NULL : fdopen(fd, "w");
	if (!f) {
		close(fd);
		unlink(name);
	}
	return f;
}

static int write_file(const char *path, save_writer *write, const void *ctx)
{
	char name[4096], *real = realpath(path, NULL);
	const char *target = real ? real : path;
	struct stat st;
	FILE *f = NULL;
	int ret, err;

	if ((real && !stat(real, &st) && S_ISREG(st.st_mode)) || lstat(path, &st))
		f = open_beside(target, name, sizeof(name));
	if (!f) {
		ret = write_in_place(target, write, ctx);
	} else {
		ret = write_and_close(f, write, ctx);
		if (!ret)
			ret = rename(name, target);
		err = errno;
		if (ret)
			unlink(name);
		errno = err;
	}
	err = errno;
	free(real);
	errno = err;
	return ret;
}

int save_file(const char *path, save_writer *write, const void *ctx)
{
	return !strcmp(path, "-") ? write_to(stdout, write, ctx)
				  : write_file(path, write, ctx);
}

int save_check(const char *option, const char *path)
{
	char *copy = strdup(path), *dir = copy ? dirname(copy) : NULL;
	int err = dir && access(dir, X_OK) ? errno : 0;

	free(copy);
	if (!err || !strcmp(path, "-"))
		return 0;
	fprintf(stderr, "idletrace: %s %s: %s\n", option, path, strerror(err));
	return -1;
}
