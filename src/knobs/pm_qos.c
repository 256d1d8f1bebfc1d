// SPDX-License-Identifier: GPL-2.0
/*
 * The longest wakeup latency that idle states may have, in us. It holds for as long as
 * the device is open, so that the kernel itself puts it back, whatever happens to us.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

#define DEVICE "/dev/cpu_dma_latency"

/* 0 and *us, or -1; "none" is -1 us. */
static int parse(const char *value, int32_t *us)
{
	uint64_t ns;

	*us = -1;
	if (!strcmp(value, "none"))
		return 0;
	if (parse_duration(value, "us", &ns) || ns % NSEC_PER_USEC ||
	    ns / NSEC_PER_USEC > INT32_MAX)
		return -1;
	*us = (int32_t)(ns / NSEC_PER_USEC);
	return 0;
}

static int open_qos(struct knob_use *use)
{
	char path[PATH_MAX];
	int32_t us;

	if (access(knob_path(use, path, DEVICE), R_OK | W_OK))
		return knob_error(use, "%s: %s", path, strerror(errno));
	for (unsigned int i = 0; i < use->values.nr; i++)
		if (parse(use->values.words[i], &us))
			return knob_error(use,
					  "needs whole microseconds such as 20, or none");
	return 0;
}

static void release(struct knob_use *use)
{
	if (use->fd >= 0)
		close(use->fd);
	use->fd = -1;
}

static int set(struct knob_use *use, const char *value)
{
	char path[PATH_MAX];
	int32_t us, now;

	parse(value, &us);
	if (us < 0) {
		release(use);
		return 0;
	}
	knob_path(use, path, DEVICE);
	if (use->fd < 0)
		use->fd = open(path, O_RDWR | O_CLOEXEC);
	if (use->fd < 0 || pwrite(use->fd, &us, sizeof(us), 0) != sizeof(us))
		return knob_error(use, "%s=%s: %s: %s", use->name, value, path,
				  strerror(errno));
	if (pread(use->fd, &now, sizeof(now), 0) == sizeof(now) && now < us)
		return knob_error(use, "%s=%s: another process already holds it at %d us",
				  use->name, value, (int)now);
	return 0;
}

const struct knob knob_pm_qos = {
	.name = "pm-qos",
	.example = "pm-qos=none,20",
	.summary = "longest exit latency allowed, in us",
	.open = open_qos,
	.set = set,
	.release = release,
};
