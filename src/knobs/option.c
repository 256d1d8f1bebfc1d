// SPDX-License-Identifier: GPL-2.0
/* An option of the workload, which the run is given; nothing is set on the machine. */
#include <string.h>

#include "knobs/all.h"

static bool takes(const char *name, const struct workload *workload)
{
	return workload && workload_find_option(workload, name);
}

static int no_such_option(struct knob_use *use)
{
	const struct workload *w = use->workload;
	struct knob_words words = {0};
	char list[700];

	for (unsigned int i = 0; i < w->nr_options; i++)
		knob_words_add(&words, w->options[i].name, strlen(w->options[i].name));
	knob_error(use, "not an option of %s, which has %s", w->name,
		   knob_words_text(&words, list, sizeof(list)));
	knob_words_free(&words);
	return -1;
}

static int open_option(struct knob_use *use)
{
	struct workload_config config;
	char err[WORKLOAD_ERROR_MAX];
	int ret = 0;

	if (!use->workload)
		return knob_error(use, "needs --workload, whose options it is about");
	if (!workload_find_option(use->workload, use->subject))
		return no_such_option(use);
	if (workload_config_init(&config, use->workload))
		return knob_error(use, "out of memory");
	for (unsigned int i = 0; i < use->values.nr && !ret; i++)
		if (workload_parse_option(&config, use->subject, use->values.words[i],
					  err, sizeof(err)))
			ret = knob_error(use, "%s", err);
	workload_config_free(&config);
	return ret;
}

static int argument(const struct knob_use *use, const char *value, char **word)
{
	return asprintf(word, "--%s=%s", use->subject, value) < 0 ? -1 : 0;
}

static int set(struct knob_use *use, const char *value)
{
	(void)use;
	(void)value;
	return 0;
}

const struct knob knob_option = {
	.name = "option",
	.subject = "an option of the workload",
	.example = "OPTION=A,B",
	.summary = "an option of the workload; also option:NAME",
	.takes = takes,
	.open = open_option,
	.argument = argument,
	.set = set,
};
