// SPDX-License-Identifier: GPL-2.0
#include "knobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/all.h"

#define SHOWN 60 /* characters of the user's text in a message */

const struct knob *const knob_table[] = {
	&knob_governor,
	&knob_cpufreq_governor,
	&knob_idle_state,
	&knob_pm_qos,
	&knob_sched_feature,
	&knob_sysctl,
	&knob_file,
	&knob_option,
	&knob_trace,
	&knob_none,
	NULL,
};

void knobs_init(struct knobs *knobs, const char *root)
{
	*knobs = (struct knobs){.root = root};
}

static void use_free(struct knob_use *use)
{
	if (use->knob && use->knob->release)
		use->knob->release(use);
	for (unsigned int i = 0; i < use->nr_files; i++)
		saved_free(&use->files[i]);
	free(use->files);
	free(use->name);
	knob_words_free(&use->values);
}

void knobs_free(struct knobs *knobs)
{
	for (unsigned int i = 0; i < knobs->nr; i++)
		use_free(&knobs->uses[i]);
	knobs->nr = 0;
}

/* "name" or "name:subject", else a knob that takes the name as it is. */
static const struct knob *find_knob(struct knob_use *use)
{
	size_t len = strcspn(use->name, ":");

	for (int i = 0; knob_table[i]; i++) {
		const struct knob *knob = knob_table[i];

		if (strlen(knob->name) != len || memcmp(knob->name, use->name, len))
			continue;
		if (use->name[len])
			use->subject = use->name + len + 1;
		return knob;
	}
	for (int i = 0; knob_table[i]; i++) {
		if (!knob_table[i]->takes ||
		    !knob_table[i]->takes(use->name, use->workload))
			continue;
		use->subject = use->name;
		return knob_table[i];
	}
	return NULL;
}

static int no_such_knob(struct knob_use *use)
{
	struct knob_words words = {0};
	char names[512];

	for (int i = 0; knob_table[i]; i++) {
		const char *name = knob_table[i]->example;

		knob_words_add(&words, name, strcspn(name, "="));
	}
	knob_words_text(&words, names, sizeof(names));
	knob_words_free(&words);
	return knob_error(use, "no such knob, there are %s", names);
}

static int identify(struct knob_use *use)
{
	const struct knob *knob = find_knob(use);

	if (!knob)
		return no_such_knob(use);
	if (!knob->subject && use->subject)
		return knob_error(use, "nothing goes after %s and a colon", knob->name);
	if (knob->subject && (!use->subject || !*use->subject))
		return knob_error(use, "needs %s after a colon, as in %s", knob->subject,
				  knob->example);
	use->knob = knob;
	return 0;
}

/* Values between commas; a backslash takes the meaning from the next comma. */
static int split_values(struct knob_use *use, const char *text)
{
	char value[SAVED_MAX];
	size_t len = 0;

	for (;; text++) {
		if (*text && *text != ',') {
			text += text[0] == '\\' && text[1] == ',';
			value[len++] = *text;
			if (len == sizeof(value))
				return knob_error(use, "the value is too long");
			continue;
		}
		value[len] = '\0';
		if (!len)
			return knob_error(use, "a value is empty");
		if (knob_words_have(&use->values, value))
			return knob_error(use, "%.*s is there twice", SHOWN, value);
		if (use->values.nr == KNOB_VALUES)
			return knob_error(use, "more than %d values", KNOB_VALUES);
		if (knob_words_add(&use->values, value, len))
			return knob_error(use, "out of memory");
		if (!*text)
			return 0;
		len = 0;
	}
}

static int use_open(struct knob_use *use, const struct knobs *knobs, const char *spec)
{
	size_t len = strcspn(spec, "=");

	use->name = strndup(spec, len);
	if (!use->name)
		return knob_error(use, "out of memory");
	if (!spec[len] || !len)
		return knob_error(use, "needs KNOB=VALUE,VALUE, see idletrace ab --help");
	if (identify(use))
		return -1;
	for (unsigned int i = 0; i < knobs->nr; i++)
		if (!strcmp(knobs->uses[i].name, use->name))
			return knob_error(use, "is varied twice");
	if (split_values(use, spec + len + 1))
		return -1;
	return use->knob->open(use);
}

struct knob_use *knobs_add(struct knobs *knobs, const char *spec,
			   const struct workload *workload, char *err, size_t size)
{
	struct knob_use *use = &knobs->uses[knobs->nr];

	if (knobs->nr == KNOBS_MAX) {
		snprintf(err, size, "%.*s: more than %d knobs", SHOWN, spec, KNOBS_MAX);
		return NULL;
	}
	*use = (struct knob_use){.root = knobs->root, .workload = workload, .fd = -1};
	if (use_open(use, knobs, spec)) {
		snprintf(err, size, "%.*s: %s", SHOWN, *spec ? spec : "''", use->err);
		use_free(use);
		return NULL;
	}
	knobs->nr++;
	return use;
}

static int set_file(struct knob_use *use, const struct saved *file, const char *value)
{
	const char *text = use->knob->text(use, file, value);
	char now[SAVED_MAX];
	int err;

	if (!text)
		return 0;
	err = saved_write_file(file->path, text);
	if (err && saved_cpu_is_offline(use->root, file->cpu)) {
		if (!use->skipped)
			fprintf(stderr,
				"idletrace: cpu%d is offline: %s is not set there\n",
				file->cpu, use->name);
		use->skipped = true;
		return 0;
	}
	if (err)
		return knob_error(use, "%s=%.*s: %s: %s", use->name, SHOWN, value,
				  file->path, strerror(-err));
	if (use->knob->strict &&
	    (saved_current(file, now, sizeof(now)) || saved_differs(now, text)))
		return knob_error(use, "%s=%.*s: %s does not take it", use->name, SHOWN,
				  value, file->path);
	return 0;
}

int knob_set(struct knob_use *use, const char *value)
{
	if (use->knob->set)
		return use->knob->set(use, value);
	for (unsigned int i = 0; i < use->nr_files; i++)
		if (set_file(use, &use->files[i], value))
			return -1;
	return 0;
}

int knobs_restore(struct knobs *knobs, FILE *report)
{
	int failed = 0;

	for (unsigned int i = knobs->nr; i--;) {
		struct knob_use *use = &knobs->uses[i];

		if (use->knob->release)
			use->knob->release(use);
		for (unsigned int k = 0; k < use->nr_files; k++)
			if (saved_restore(&use->files[k], use->root, report))
				failed++;
	}
	return failed;
}

static void print_offers(const struct knob *knob, const char *root, FILE *out)
{
	struct knob_use use = {.knob = knob, .root = root, .fd = -1};
	struct knob_words words = {0};
	int col = 4;

	if (knob->offers(&use, &words)) {
		fprintf(out, "    not here: %s\n", use.err);
	} else {
		fputs("   ", out);
		for (unsigned int i = 0; i < words.nr; i++) {
			int len = (int)strlen(words.words[i]);

			if (col + 1 + len > 80)
				col = fprintf(out, "\n   ") - 1;
			col += fprintf(out, " %s", words.words[i]);
		}
		fputc('\n', out);
	}
	knob_words_free(&words);
}

void knobs_print(const char *root, FILE *out)
{
	for (int i = 0; knob_table[i]; i++) {
		const struct knob *knob = knob_table[i];

		fprintf(out, "%s  %s\n", knob->example, knob->summary);
		if (knob->offers)
			print_offers(knob, root, out);
	}
}
