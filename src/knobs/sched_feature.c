// SPDX-License-Identifier: GPL-2.0
/* Features of the scheduler, in debugfs. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

#define DEBUGFS "/sys/kernel/debug"

/* Since v5.13 in a directory of its own. */
static const char *const files[] = {DEBUGFS "/sched/features", DEBUGFS "/sched_features"};

static int find(struct knob_use *use, char *path)
{
	int *none, err = ENOENT;

	for (int i = 0; i < 2; i++) {
		if (!access(knob_path(use, path, "%s", files[i]), F_OK))
			return 0;
		if (errno != ENOENT)
			err = errno;
	}
	if (err != ENOENT)
		return knob_error(use, "%s: %s", path, strerror(err));
	if (access(knob_path(use, path, DEBUGFS "/sched"), F_OK) &&
	    access(knob_path(use, path, DEBUGFS "/tracing"), F_OK) &&
	    knob_scan(use, DEBUGFS, "", &none) <= 0)
		return knob_error(use, "no debugfs: mount -t debugfs none " DEBUGFS
				       " mounts it");
	return knob_error(use, "this kernel has no scheduler features in debugfs");
}

static const char *bare(const char *word)
{
	return strncmp(word, "NO_", 3) ? word : word + 3;
}

static int offers(struct knob_use *use, struct knob_words *words)
{
	char path[PATH_MAX], text[SAVED_MAX];
	ssize_t n;

	if (find(use, path))
		return -1;
	n = saved_read_file(path, text, sizeof(text));
	if (n < 0)
		return knob_error(use, "%s: %s%s", path, strerror((int)-n),
				  n == -EPERM ? " (kernel lockdown?)" : "");
	for (char *w = strtok(text, " \n"); w; w = strtok(NULL, " \n"))
		if (knob_words_add(words, bare(w), strlen(bare(w))))
			return knob_error(use, "out of memory");
	return 0;
}

static bool is_kept(const struct knob_use *use, const char *feature)
{
	for (unsigned int i = 0; i < use->nr_files; i++)
		if (!strcmp(use->files[i].feature, feature))
			return true;
	return false;
}

static int open_feature(struct knob_use *use)
{
	struct knob_words there = {0};
	char path[PATH_MAX], list[800];
	int err = offers(use, &there);

	for (unsigned int i = 0; i < use->values.nr && !err; i++) {
		const char *feature = bare(use->values.words[i]);

		if (!knob_words_have(&there, feature))
			err = knob_error(use, "no %.40s here, there is %s", feature,
					 knob_words_text(&there, list, sizeof(list)));
		else if (!is_kept(use, feature))
			err = find(use, path) || knob_keep(use, path, feature, -1);
	}
	knob_words_free(&there);
	return err;
}

/* A feature that this value does not speak of is as it was. */
static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	return strcmp(bare(value), file->feature) ? file->old : value;
}

const struct knob knob_sched_feature = {
	.name = "sched-feature",
	.example = "sched-feature=TTWU_QUEUE,NO_TTWU_QUEUE",
	.summary = "a feature of the scheduler",
	.strict = true,
	.offers = offers,
	.open = open_feature,
	.text = text,
};
