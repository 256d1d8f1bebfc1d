/* SPDX-License-Identifier: GPL-2.0 */
/* The settings that `idletrace ab` compares: every combination of its knobs' values. */
#ifndef IDLETRACE_AB_SETTINGS_H
#define IDLETRACE_AB_SETTINGS_H

#include <jansson.h>

#include "ab_options.h"
#include "knobs.h"

#define AB_SETTINGS_MAX 64

struct ab_setting {
	char *name; /* "governor=menu", or of several knobs "governor=menu state3=off" */
	unsigned int values[KNOBS_MAX]; /* of each knob: an index */
	bool control;			/* the first setting once more */
	char **argv;			/* of the run, NULL at the end */
	json_t *runs;			/* that count */
};

struct ab_settings {
	struct knobs *knobs;
	struct ab_setting *settings;
	unsigned int nr;
};

/*
 * The last knob's values change fastest; with aa the control is the last setting. 0, or
 * -1 with a line in err. Free in any case.
 */
int ab_settings_init(struct ab_settings *s, struct knobs *knobs,
		     const struct ab_options *o, char *err, size_t size);
void ab_settings_free(struct ab_settings *s);

/* Has the knob of that name this value in that setting? */
bool ab_setting_has(const struct ab_settings *s, unsigned int i, const char *knob,
		    const char *value);

/* Sets all knobs. 0, or -1 with a line in err. */
int ab_setting_apply(const struct ab_settings *s, unsigned int i, char *err, size_t size);

/* {"name", "control", "values": {KNOB: VALUE}, "runs"}, a new reference, or NULL. */
json_t *ab_setting_json(const struct ab_settings *s, unsigned int i);

#endif
