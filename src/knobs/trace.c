// SPDX-License-Identifier: GPL-2.0
/* Tracing itself: with and without it. Nothing is set on the machine. */
#include <string.h>

#include "knobs/all.h"

static int offers(struct knob_use *use, struct knob_words *words)
{
	(void)use;
	return knob_words_split(words, "on off");
}

static int argument(const struct knob_use *use, const char *value, char **word)
{
	(void)use;
	if (!strcmp(value, "on"))
		return 0;
	*word = strdup("--no-trace");
	return *word ? 0 : -1;
}

static int set(struct knob_use *use, const char *value)
{
	(void)use;
	(void)value;
	return 0;
}

const struct knob knob_trace = {
	.name = "trace",
	.example = "trace=on,off",
	.summary = "tracing itself: what idletrace costs",
	.offers = offers,
	.open = knob_check_offered,
	.argument = argument,
	.set = set,
};
