// SPDX-License-Identifier: GPL-2.0
/* The governor of cpufreq, of all CPUs. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/all.h"

#define DIR_ "/sys/devices/system/cpu/cpufreq"

static int scan(struct knob_use *use, int **policies)
{
	int nr = knob_scan(use, DIR_, "policy", policies);

	return nr > 0 ? nr : knob_error(use, "this machine has no cpufreq policies");
}

/* What one policy has; *words is left with the words that are in both. */
static int intersect(struct knob_use *use, int policy, struct knob_words *words,
		     bool first)
{
	struct knob_words here = {0}, both = {0};
	char text[SAVED_MAX];
	int err = 0;

	if (knob_read(use, text, sizeof(text),
		      DIR_ "/policy%d/scaling_available_governors", policy))
		return 0; /* all its CPUs are offline */
	if (knob_words_split(first ? words : &here, text))
		err = knob_error(use, "out of memory");
	if (!err && !first) {
		for (unsigned int i = 0; i < words->nr && !err; i++)
			if (knob_words_have(&here, words->words[i]))
				err = knob_words_add(&both, words->words[i],
						     strlen(words->words[i]));
		knob_words_free(words);
		*words = both;
	}
	knob_words_free(&here);
	return err;
}

static int offers(struct knob_use *use, struct knob_words *words)
{
	int *policies, nr = scan(use, &policies), err = 0;

	if (nr < 0)
		return -1;
	for (int i = 0; i < nr && !err; i++)
		err = intersect(use, policies[i], words, !words->nr);
	free(policies);
	return err;
}

/* Coming back to userspace would leave the frequency where it was last. */
static int keep_speed(struct knob_use *use, int policy)
{
	char path[PATH_MAX];

	if (saved_differs(use->files[use->nr_files - 1].old, "userspace"))
		return 0;
	knob_path(use, path, DIR_ "/policy%d/scaling_setspeed", policy);
	return knob_keep(use, path, NULL, policy);
}

static int open_governor(struct knob_use *use)
{
	int *policies, nr, err = 0;
	char path[PATH_MAX];

	if (knob_check_offered(use))
		return -1;
	nr = scan(use, &policies);
	for (int i = 0; i < nr && !err; i++) {
		if (knob_read(use, path, sizeof(path), DIR_ "/policy%d/scaling_governor",
			      policies[i]))
			continue;
		knob_path(use, path, DIR_ "/policy%d/scaling_governor", policies[i]);
		err = knob_keep(use, path, NULL, policies[i]);
		if (!err)
			err = keep_speed(use, policies[i]);
	}
	free(policies);
	return nr < 0 ? -1 : err;
}

static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	return strstr(file->path, "/scaling_setspeed") ? NULL : value;
}

const struct knob knob_cpufreq_governor = {
	.name = "cpufreq-governor",
	.example = "cpufreq-governor=schedutil,performance",
	.summary = "the governor of cpufreq, of all CPUs",
	.strict = true,
	.offers = offers,
	.open = open_governor,
	.text = text,
};
