// SPDX-License-Identifier: GPL-2.0
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return !fstat(a, &sa) && !fstat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* Appending, so that a command that opens /dev/stdout again overwrites less. */
static int open_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

int capture_open(struct capture *c)
{
	*c = (struct capture){.out = open_memory("idletrace-stdout")};
	if (c->out < 0)
		return -errno;
	c->err = c->out;
	if (!same_file(STDOUT_FILENO, STDERR_FILENO))
		c->err = open_memory("idletrace-stderr");
	if (c->err < 0) {
		int err = errno;

		close(c->out);
		return -err;
	}
	c->active = true;
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};

	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EAGAIN)
			poll(&pfd, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* What a process that the command left behind writes from now on is not waited for. */
static int pass(int from, int to, struct metric_scan *scan)
{
	char data[65536];
	struct stat st;
	off_t at = 0;
	int err = 0;

	if (fstat(from, &st))
		return -errno;
	while (at < st.st_size) {
		ssize_t n = pread(from, data, sizeof(data), at);

		if (n <= 0)
			break;
		at += n;
		metric_scan_feed(scan, data, (size_t)n);
		if (!err)
			err = write_all(to, data, (size_t)n);
	}
	metric_scan_end(scan);
	return err;
}

int capture_finish(struct capture *c, struct metric_scan *scan)
{
	int err;

	if (!c->active)
		return 0;
	c->active = false;
	err = pass(c->out, STDOUT_FILENO, scan);
	if (c->err != c->out) {
		pass(c->err, STDERR_FILENO, scan);
		close(c->err);
	}
	close(c->out);
	return err;
}
