// SPDX-License-Identifier: GPL-2.0
/* What the knobs in src/knobs/ have in common. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knobs.h"

int knob_error(struct knob_use *use, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(use->err, sizeof(use->err), fmt, args);
	va_end(args);
	for (char *c = use->err; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return -1;
}

static char *path_below(const struct knob_use *use, char *buf, const char *fmt,
			va_list args)
{
	size_t len = (size_t)snprintf(buf, PATH_MAX, "%s", use->root);

	if (len < PATH_MAX)
		vsnprintf(buf + len, PATH_MAX - len, fmt, args);
	return buf;
}

char *knob_path(const struct knob_use *use, char *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	path_below(use, buf, fmt, args);
	va_end(args);
	return buf;
}

int knob_read(const struct knob_use *use, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	ssize_t n;

	va_start(args, fmt);
	n = saved_read_file(path_below(use, path, fmt, args), buf, size);
	va_end(args);
	if (n < 0)
		return (int)n;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int knob_keep(struct knob_use *use, const char *path, const char *feature, int cpu)
{
	struct saved *files =
		realloc(use->files, (use->nr_files + 1) * sizeof(*use->files));
	struct stat st;
	int err;

	if (!files)
		return knob_error(use, "out of memory");
	use->files = files;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return knob_error(use, "%s is not a file", path);
	err = saved_keep(&files[use->nr_files], path, feature, cpu);
	/* Counted also when it failed, to be freed. */
	use->nr_files++;
	if (err == -EFBIG)
		return knob_error(use, "%s: more than 4 kB cannot be put back", path);
	if (err == -EINVAL)
		return knob_error(use, "%s: is not text", path);
	if (err == -EPERM)
		return knob_error(use, "%s: %s (kernel lockdown?)", path, strerror(-err));
	if (err)
		return knob_error(use, "%s: %s", path, strerror(-err));
	if (access(path, W_OK))
		return knob_error(use, "%s: cannot be written: %s%s", path,
				  strerror(errno), errno == EACCES ? " (not root)" : "");
	return 0;
}

int knob_words_add(struct knob_words *words, const char *word, size_t len)
{
	char **more, *copy = strndup(word, len);

	if (!copy)
		return -ENOMEM;
	if (knob_words_have(words, copy)) {
		free(copy);
		return 0;
	}
	more = realloc(words->words, (words->nr + 1) * sizeof(*more));
	if (!more) {
		free(copy);
		return -ENOMEM;
	}
	words->words = more;
	more[words->nr++] = copy;
	return 0;
}

bool knob_words_have(const struct knob_words *words, const char *word)
{
	for (unsigned int i = 0; i < words->nr; i++)
		if (!strcmp(words->words[i], word))
			return true;
	return false;
}

void knob_words_free(struct knob_words *words)
{
	for (unsigned int i = 0; i < words->nr; i++)
		free(words->words[i]);
	free(words->words);
	*words = (struct knob_words){0};
}

int knob_words_split(struct knob_words *words, const char *text)
{
	while (*(text += strspn(text, " \t\n"))) {
		size_t len = strcspn(text, " \t\n");

		if (knob_words_add(words, text, len))
			return -ENOMEM;
		text += len;
	}
	return 0;
}

char *knob_words_text(const struct knob_words *words, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned int i = 0; i < words->nr; i++) {
		const char *word = words->words[i];
		size_t need = strlen(word) + 2;

		if (used + need + 6 > size) {
			snprintf(buf + used, size - used, "%s...", used ? ", " : "");
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? ", " : "", word);
	}
	return buf;
}

int knob_check_offered(struct knob_use *use)
{
	struct knob_words offers = {0};
	char list[800];
	int err = use->knob->offers(use, &offers);

	for (unsigned int i = 0; !err && i < use->values.nr; i++) {
		if (knob_words_have(&offers, use->values.words[i]))
			continue;
		knob_words_text(&offers, list, sizeof(list));
		err = knob_error(use, "no %.60s here, there is %s", use->values.words[i],
				 list);
	}
	knob_words_free(&offers);
	return err;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int knob_scan(const struct knob_use *use, const char *dir, const char *prefix,
	      int **numbers)
{
	char path[PATH_MAX];
	DIR *d = opendir(knob_path(use, path, "%s", dir));
	size_t len = strlen(prefix);
	struct dirent *entry;
	uint64_t n;
	int nr = 0, *more;

	*numbers = NULL;
	if (!d)
		return -errno;
	while ((entry = readdir(d))) {
		if (strncmp(entry->d_name, prefix, len) ||
		    parse_u64(entry->d_name + len, &n) || n >= CPU_MASK_MAX)
			continue;
		more = realloc(*numbers, (size_t)(nr + 1) * sizeof(*more));
		if (!more) {
			nr = -ENOMEM;
			break;
		}
		*numbers = more;
		more[nr++] = (int)n;
	}
	closedir(d);
	if (nr <= 0) {
		free(*numbers);
		*numbers = NULL;
	} else {
		qsort(*numbers, (size_t)nr, sizeof(**numbers), by_number);
	}
	return nr;
}
