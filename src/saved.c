// SPDX-License-Identifier: GPL-2.0
#include "saved.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "units.h"

#define BLANKS " \t\n"

ssize_t saved_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	if (len == size)
		return -EFBIG;
	buf[len] = '\0';
	return (ssize_t)len;
}

int saved_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK), err = 0;
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The only word in brackets. NULL: none, or more than one. */
static const char *bracketed(const char *text, size_t *len)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close || strchr(close, '[') || !strpbrk(text, " "))
		return NULL;
	*len = (size_t)(close - open - 1);
	if (!*len || strcspn(open + 1, BLANKS) < *len)
		return NULL;
	return open + 1;
}

/* "NAME" or "NO_NAME" among the words of text. */
static const char *find_feature(const char *text, const char *feature, size_t *len)
{
	size_t want = strlen(feature);

	for (const char *w = text + strspn(text, BLANKS); *w; w += strspn(w, BLANKS)) {
		const char *name = strncmp(w, "NO_", 3) ? w : w + 3;

		*len = strcspn(w, BLANKS);
		if ((size_t)(w + *len - name) == want && !memcmp(name, feature, want))
			return w;
		w += *len;
	}
	return NULL;
}

int saved_current(const struct saved *saved, char *buf, size_t size)
{
	char text[SAVED_MAX];
	const char *word;
	ssize_t n = saved_read_file(saved->path, text, sizeof(text));
	size_t len;

	if (n < 0)
		return (int)n;
	if (strlen(text) != (size_t)n)
		return -EINVAL;
	word = text;
	len = (size_t)n;
	if (saved->form == SAVED_CHOICE)
		word = bracketed(text, &len);
	else if (saved->form == SAVED_FEATURE)
		word = find_feature(text, saved->feature, &len);
	if (!word)
		return -ENOENT;
	if (len >= size)
		return -EFBIG;
	memcpy(buf, word, len);
	buf[len] = '\0';
	return 0;
}

int saved_keep(struct saved *saved, const char *path, const char *feature, int cpu)
{
	char text[SAVED_MAX];
	size_t len;
	int err;

	*saved = (struct saved){
		.path = strdup(path),
		.feature = feature ? strdup(feature) : NULL,
		.form = feature ? SAVED_FEATURE : SAVED_WHOLE,
		.cpu = cpu,
	};
	if (!saved->path || (feature && !saved->feature))
		return -ENOMEM;
	err = saved_current(saved, text, sizeof(text));
	if (!err && !feature && bracketed(text, &len)) {
		saved->form = SAVED_CHOICE;
		err = saved_current(saved, text, sizeof(text));
	}
	if (err)
		return err;
	saved->old = strdup(text);
	return saved->old ? 0 : -ENOMEM;
}

void saved_free(struct saved *saved)
{
	free(saved->path);
	free(saved->feature);
	free(saved->old);
	*saved = (struct saved){.cpu = -1};
}

int saved_differs(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b);

	while (len_a && strchr(BLANKS, a[len_a - 1]))
		len_a--;
	while (len_b && strchr(BLANKS, b[len_b - 1]))
		len_b--;
	return len_a != len_b || memcmp(a, b, len_a);
}

int saved_cpu_is_offline(const char *root, int cpu)
{
	char path[PATH_MAX], text[SAVED_MAX];
	struct cpu_mask online;

	if (cpu < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	if (saved_read_file(path, text, sizeof(text)) < 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return !cpu_mask_parse(text, &online) &&
	       !cpu_mask_test(&online, (unsigned int)cpu);
}

static int complain(const struct saved *saved, const char *root, const char *why,
		    FILE *report)
{
	char offline[32] = "";

	if (saved_cpu_is_offline(root, saved->cpu))
		snprintf(offline, sizeof(offline), " (cpu%d is offline)", saved->cpu);
	fprintf(report, "idletrace: %s: not put back to %.*s: %s%s\n", saved->path,
		(int)strcspn(saved->old, "\n"), saved->old, why, offline);
	fflush(report);
	return -1;
}

int saved_restore(const struct saved *saved, const char *root, FILE *report)
{
	char now[SAVED_MAX];
	int err = saved_current(saved, now, sizeof(now));

	/* A file that is there and cannot be read may still take the value. */
	if (!err && !strcmp(now, saved->old))
		return 0;
	err = saved_write_file(saved->path, saved->old);
	if (err)
		return complain(saved, root, strerror(-err), report);
	err = saved_current(saved, now, sizeof(now));
	if (err)
		return complain(saved, root, strerror(-err), report);
	if (saved_differs(now, saved->old))
		return complain(saved, root, "it was written, and reads otherwise",
				report);
	return 0;
}
