// SPDX-License-Identifier: GPL-2.0
/* The governor of cpuidle. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

#define DIR_ "/sys/devices/system/cpu/cpuidle"

static int offers(struct knob_use *use, struct knob_words *words)
{
	char text[SAVED_MAX], path[PATH_MAX];

	if (knob_read(use, text, sizeof(text), DIR_ "/available_governors"))
		return knob_error(use, "this kernel has no cpuidle governors to choose");
	/* Before v5.7 this was a decision made at boot. */
	if (access(knob_path(use, path, DIR_ "/current_governor"), F_OK))
		return knob_error(use, "needs the boot parameter cpuidle_sysfs_switch");
	return knob_words_split(words, text) ? knob_error(use, "out of memory") : 0;
}

static int open_governor(struct knob_use *use)
{
	char path[PATH_MAX];

	if (knob_check_offered(use))
		return -1;
	return knob_keep(use, knob_path(use, path, DIR_ "/current_governor"), NULL, -1);
}

static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	(void)file;
	return value;
}

const struct knob knob_governor = {
	.name = "governor",
	.example = "governor=menu,teo",
	.summary = "the governor of cpuidle",
	.strict = true,
	.offers = offers,
	.open = open_governor,
	.text = text,
};
