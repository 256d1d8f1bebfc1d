// SPDX-License-Identifier: GPL-2.0
/* Any file that is text, below 4 kB: module parameters, transparent_hugepage/enabled...
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

/* In a file such as "always [madvise] never" the values are there to choose. */
static int check_choice(struct knob_use *use, const char *path)
{
	struct knob_words words = {0};
	char text[SAVED_MAX], list[700];
	int err = 0;

	if (saved_read_file(path, text, sizeof(text)) < 0)
		return knob_error(use, "%s: %s", path, strerror(errno));
	for (char *w = strtok(text, " []\n"); w && !err; w = strtok(NULL, " []\n"))
		if (knob_words_add(&words, w, strlen(w)))
			err = knob_error(use, "out of memory");
	for (unsigned int i = 0; i < use->values.nr && !err; i++)
		if (!knob_words_have(&words, use->values.words[i]))
			err = knob_error(use, "no %.40s there, but %s",
					 use->values.words[i],
					 knob_words_text(&words, list, sizeof(list)));
	knob_words_free(&words);
	return err;
}

static int open_file(struct knob_use *use)
{
	char path[PATH_MAX];

	if (use->subject[0] != '/')
		return knob_error(use, "needs a path that begins with a slash");
	knob_path(use, path, "%s", use->subject);
	if (access(path, F_OK))
		return knob_error(use, "%s: %s", path, strerror(errno));
	if (knob_keep(use, path, NULL, -1))
		return -1;
	return use->files[0].form == SAVED_CHOICE ? check_choice(use, path) : 0;
}

static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	(void)file;
	return value;
}

const struct knob knob_file = {
	.name = "file",
	.subject = "a path",
	.example = "file:PATH=A,B",
	.summary = "any small file that takes text",
	.open = open_file,
	.text = text,
};
