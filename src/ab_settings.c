// SPDX-License-Identifier: GPL-2.0
#include "ab_settings.h"

#include <stdlib.h>
#include <string.h>

static const char *value_of(const struct knobs *knobs, const struct ab_setting *setting,
			    unsigned int knob)
{
	return knobs->uses[knob].values.words[setting->values[knob]];
}

static char *make_name(const struct knobs *knobs, const struct ab_setting *setting)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (unsigned int i = 0; i < knobs->nr; i++)
		fprintf(f, "%s%s=%s", i ? " " : "", knobs->uses[i].name,
			value_of(knobs, setting, i));
	if (setting->control)
		fputs(" (A/A)", f);
	fclose(f);
	return text;
}

/* The varied options stand first, before what may be the run's command. */
static int make_argv(const struct knobs *knobs, struct ab_setting *setting,
		     const struct ab_options *o)
{
	unsigned int nr = 0;

	setting->argv = calloc((size_t)o->nr_run + knobs->nr + 1, sizeof(*setting->argv));
	if (!setting->argv)
		return -1;
	for (unsigned int i = 0; i < knobs->nr; i++) {
		const struct knob_use *use = &knobs->uses[i];
		char *word = NULL;

		if (use->knob->argument &&
		    use->knob->argument(use, value_of(knobs, setting, i), &word))
			return -1;
		if (word)
			setting->argv[nr++] = word;
	}
	for (int i = 0; i < o->nr_run; i++) {
		setting->argv[nr] = strdup(o->run[i]);
		if (!setting->argv[nr++])
			return -1;
	}
	return 0;
}

static int make_setting(struct ab_settings *s, unsigned int i, bool control,
			const struct ab_options *o)
{
	struct ab_setting *setting = &s->settings[i];
	const struct knobs *knobs = s->knobs;
	unsigned int rest = control ? 0 : i;

	setting->control = control;
	for (unsigned int k = knobs->nr; k--;) {
		setting->values[k] = rest % knobs->uses[k].values.nr;
		rest /= knobs->uses[k].values.nr;
	}
	setting->runs = json_array();
	setting->name = make_name(knobs, setting);
	return setting->runs && setting->name ? make_argv(knobs, setting, o) : -1;
}

int ab_settings_init(struct ab_settings *s, struct knobs *knobs,
		     const struct ab_options *o, char *err, size_t size)
{
	unsigned int nr = 1;

	*s = (struct ab_settings){.knobs = knobs};
	for (unsigned int k = 0; k < knobs->nr; k++) {
		nr *= knobs->uses[k].values.nr;
		if (nr > AB_SETTINGS_MAX) {
			snprintf(err, size, "--vary: more than %d combinations",
				 AB_SETTINGS_MAX);
			return -1;
		}
	}
	if (nr == 1 && !o->aa) {
		snprintf(err, size, "--vary %.60s: needs two values, or --aa",
			 o->vary[0]);
		return -1;
	}
	s->settings = calloc(nr + o->aa, sizeof(*s->settings));
	for (unsigned int i = 0; s->settings && i < nr + o->aa; i++) {
		s->nr++;
		if (make_setting(s, i, i == nr, o))
			break;
		if (s->nr == nr + o->aa)
			return 0;
	}
	snprintf(err, size, "out of memory");
	return -1;
}

void ab_settings_free(struct ab_settings *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		struct ab_setting *setting = &s->settings[i];

		for (char **word = setting->argv; word && *word; word++)
			free(*word);
		free(setting->argv);
		free(setting->name);
		json_decref(setting->runs);
	}
	free(s->settings);
	*s = (struct ab_settings){0};
}

bool ab_setting_has(const struct ab_settings *s, unsigned int i, const char *knob,
		    const char *value)
{
	for (unsigned int k = 0; k < s->knobs->nr; k++)
		if (!strcmp(s->knobs->uses[k].name, knob))
			return !strcmp(value_of(s->knobs, &s->settings[i], k), value);
	return false;
}

int ab_setting_apply(const struct ab_settings *s, unsigned int i, char *err, size_t size)
{
	const struct ab_setting *setting = &s->settings[i];

	for (unsigned int k = 0; k < s->knobs->nr; k++) {
		struct knob_use *use = &s->knobs->uses[k];

		if (knob_set(use, value_of(s->knobs, setting, k))) {
			snprintf(err, size, "%s", use->err);
			return -1;
		}
	}
	return 0;
}

json_t *ab_setting_json(const struct ab_settings *s, unsigned int i)
{
	const struct ab_setting *setting = &s->settings[i];
	json_t *values = json_object();

	for (unsigned int k = 0; k < s->knobs->nr; k++)
		json_object_set_new(values, s->knobs->uses[k].name,
				    json_string(value_of(s->knobs, setting, k)));
	return json_pack("{s:s, s:b, s:o, s:O}", "name", setting->name, "control",
			 setting->control, "values", values, "runs", setting->runs);
}
