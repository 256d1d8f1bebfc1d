// SPDX-License-Identifier: GPL-2.0
/* One idle state, allowed or not, on all CPUs. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/all.h"

#define CPUS "/sys/devices/system/cpu"

static bool takes(const char *name, const struct workload *workload)
{
	uint64_t n;

	(void)workload;
	return !strncmp(name, "state", 5) && !parse_u64(name + 5, &n);
}

/* Calls fn for every state of every CPU until it fails. Returns how many, or -1. */
static int each_state(struct knob_use *use,
		      int (*fn)(struct knob_use *use, int cpu, int state, void *ctx),
		      void *ctx)
{
	int *cpus, *states, nr_cpus = knob_scan(use, CPUS, "cpu", &cpus), found = 0;
	char dir[64];

	for (int i = 0; i < nr_cpus && found >= 0; i++) {
		int nr;

		snprintf(dir, sizeof(dir), CPUS "/cpu%d/cpuidle", cpus[i]);
		nr = knob_scan(use, dir, "state", &states);
		for (int k = 0; k < nr && found >= 0; k++)
			found = fn(use, cpus[i], states[k], ctx) ? -1 : found + 1;
		free(states);
	}
	free(cpus);
	return found ? found : knob_error(use, "no CPU of this machine has idle states");
}

static int offer(struct knob_use *use, int cpu, int state, void *ctx)
{
	char word[80], name[32];
	int len;

	if (knob_read(use, name, sizeof(name), CPUS "/cpu%d/cpuidle/state%d/name", cpu,
		      state))
		snprintf(name, sizeof(name), "?");
	for (char *c = name; *c; c++)
		if (*c == ' ')
			*c = '-';
	len = snprintf(word, sizeof(word), "state%d(%s)", state, name);
	return knob_words_add(ctx, word, (size_t)len) ? knob_error(use, "out of memory")
						      : 0;
}

static int offers(struct knob_use *use, struct knob_words *words)
{
	return each_state(use, offer, words) < 0 ? -1 : 0;
}

static int keep(struct knob_use *use, int cpu, int state, void *ctx)
{
	char text[32], path[PATH_MAX];

	(void)ctx;
	snprintf(text, sizeof(text), "state%d", state);
	if (strcmp(use->subject, text)) {
		if (knob_read(use, text, sizeof(text), CPUS "/cpu%d/cpuidle/state%d/name",
			      cpu, state) ||
		    strcmp(use->subject, text))
			return 0;
	}
	knob_path(use, path, CPUS "/cpu%d/cpuidle/state%d/disable", cpu, state);
	return knob_keep(use, path, NULL, cpu);
}

static int open_state(struct knob_use *use)
{
	struct knob_words words = {0};
	char list[600];

	if (each_state(use, keep, NULL) < 0)
		return -1;
	if (!use->nr_files) {
		if (!offers(use, &words))
			knob_error(use, "no %.40s here, there is %s", use->subject,
				   knob_words_text(&words, list, sizeof(list)));
		knob_words_free(&words);
		return -1;
	}
	for (unsigned int i = 0; i < use->values.nr; i++)
		if (strcmp(use->values.words[i], "on") &&
		    strcmp(use->values.words[i], "off"))
			return knob_error(use, "a state is on or off");
	return 0;
}

static const char *text(const struct knob_use *use, const struct saved *file,
			const char *value)
{
	(void)use;
	(void)file;
	return strcmp(value, "on") ? "1" : "0";
}

const struct knob knob_idle_state = {
	.name = "idle-state",
	.subject = "a state",
	.example = "state3=on,off",
	.summary = "an idle state of all CPUs; also idle-state:NAME",
	.strict = true,
	.takes = takes,
	.offers = offers,
	.open = open_state,
	.text = text,
};
