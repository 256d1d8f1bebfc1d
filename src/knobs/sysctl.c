// SPDX-License-Identifier: GPL-2.0
/* A sysctl. What it accepts is known to the kernel only. */
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

/* As sysctl(8) has it: dots separate, unless a slash comes first. */
static void to_path(const char *name, char *path, size_t size)
{
	bool slashes = name[strcspn(name, "./")] == '/';
	char *c;

	snprintf(path, size, "%s", name);
	for (c = path; *c && !slashes; c++)
		*c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
}

/* Names in that directory: those that begin like name does, or those that do not. */
static void add_names(struct knob_words *words, const char *path, const char *name,
		      bool alike)
{
	size_t len = strcspn(name, "_/");
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    !strncmp(entry->d_name, name, len) == alike)
			knob_words_add(words, entry->d_name, strlen(entry->d_name));
	if (dir)
		closedir(dir);
}

/* What is in the deepest directory of the name that exists. */
static int no_such_sysctl(struct knob_use *use, char *path)
{
	struct knob_words words = {0};
	char list[700], *slash;

	do {
		slash = strrchr(path, '/');
		*slash = '\0';
	} while (access(path, F_OK) && strrchr(path, '/'));
	add_names(&words, path, slash + 1, true);
	add_names(&words, path, slash + 1, false);
	knob_error(use, "no such sysctl, %s has %s", path,
		   knob_words_text(&words, list, sizeof(list)));
	knob_words_free(&words);
	return -1;
}

static int open_sysctl(struct knob_use *use)
{
	char name[256], path[PATH_MAX];

	to_path(use->subject, name, sizeof(name));
	if (strstr(name, ".."))
		return knob_error(use, "needs a name such as kernel.numa_balancing");
	knob_path(use, path, "/proc/sys/%s", name);
	if (access(path, F_OK))
		return no_such_sysctl(use, path);
	return knob_keep(use, path, NULL, -1);
}

static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	(void)file;
	return value;
}

const struct knob knob_sysctl = {
	.name = "sysctl",
	.subject = "the name of a sysctl",
	.example = "sysctl:NAME=0,1",
	.summary = "a sysctl, as in sysctl:kernel.numa_balancing=0,1",
	.open = open_sysctl,
	.text = text,
};
