// SPDX-License-Identifier: GPL-2.0
/* What stands above the tables, and what the formats share. */
#include "comparison.h"

#include <math.h>
#include <string.h>

#include "report.h"

static const struct identity {
	const char *name, *path;
} identities[] = {
	{"workload", "workload.name"},
	{"kernel", "host.kernel"},
	{"architecture", "host.arch"},
	{"CPUs", "host.online"},
	{"number of CPUs", "host.cpus"},
	{"cpuidle driver", "host.cpuidle.driver"},
	{"cpuidle governor", "host.cpuidle.governor"},
	{"cpufreq governor", "host.cpufreq_governor"},
	{"HZ", "host.hz"},
	{"traced", "traced"},
	{"filter", "filter"},
};

/* A value as it is shown; "none" for null, which is one as well. */
static void value_text(const json_t *value, char *buf, size_t size)
{
	if (json_is_string(value))
		snprintf(buf, size, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, size, "%g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(buf, size, "%s", json_is_true(value) ? "yes" : "no");
	else
		snprintf(buf, size, "none");
	if (!*buf)
		snprintf(buf, size, "none");
}

/* Names of the states that may be entered: "POLL C1 C6". */
static void states_text(const json_t *run, char *buf, size_t size)
{
	const json_t *state;
	size_t i, used = 0;

	buf[0] = '\0';
	json_array_foreach (run_at(run, "host.cpuidle.states"), i, state)
		if (!json_is_true(run_at(state, "disabled")) && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 used ? " " : "",
						 run_text(state, "name"));
}

/* Cut off within a character it would be no text for JSON. */
static void make_ascii(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* The side has been seen with that value. */
static void note(json_t *values, const char *text, const char *side)
{
	json_t *sides = json_object_get(values, text), *seen;
	size_t i;

	if (!sides) {
		sides = json_array();
		json_object_set_new(values, text, sides);
	}
	json_array_foreach (sides, i, seen)
		if (!strcmp(json_string_value(seen), side))
			return;
	json_array_append_new(sides, json_string(side));
}

/* Called once per run, to note what it has. */
typedef void noter(const json_t *run, const char *key, char *text, size_t size);

static void note_path(const json_t *run, const char *path, char *text, size_t size)
{
	value_text(run_at(run, path), text, size);
}

static void note_states(const json_t *run, const char *path, char *text, size_t size)
{
	(void)path;
	states_text(run, text, size);
}

static void note_version(const json_t *run, const char *path, char *text, size_t size)
{
	const char *version = run_text(run, path);

	snprintf(text, size, "%.*s", (int)strcspn(version, "."), version);
}

static void note_option(const json_t *run, const char *name, char *text, size_t size)
{
	value_text(json_object_get(run_at(run, "workload.options"), name), text, size);
}

static void differ(const struct comparison *c, const char *name, const char *key,
		   noter *get, json_t *differences)
{
	json_t *values = json_object();
	const json_t *run;
	char text[512];
	size_t j;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run) {
				get(run, key, text, sizeof(text));
				make_ascii(text);
				note(values, text, c->sides[s].name);
			}
	if (json_object_size(values) > 1)
		json_object_set(differences, name, values);
	json_decref(values);
}

/* Options that are the axis of a sweep differ between cases, and not between sides. */
static bool differs_by_side(const struct comparison *c, const json_t *values)
{
	const char *text;
	json_t *sides;

	json_object_foreach ((json_t *)values, text, sides)
		if (json_array_size(sides) < c->nr_sides)
			return true;
	return false;
}

static void differ_options(const struct comparison *c, json_t *differences)
{
	json_t *options = json_object(), *all;
	const char *name;
	json_t *value;
	const json_t *run;
	size_t j;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run)
				json_object_update(options,
						   run_at(run, "workload.options"));
	json_object_foreach (options, name, value) {
		char label[COMPARISON_NAME + 2];

		snprintf(label, sizeof(label), "--%s", name);
		all = json_object();
		differ(c, label, name, note_option, all);
		if (differs_by_side(c, json_object_get(all, label)))
			json_object_update(differences, all);
		json_decref(all);
	}
	json_decref(options);
}

/* What follows from the options may differ between cases, and threads between runs. */
static void differ_derived(const struct comparison *c, json_t *differences)
{
	static const struct identity derived[] = {
		{"CPUs of the workload", "workload.cpus"},
		{"threads", "workload.nr_threads"},
	};

	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++) {
		const char *name = derived[i].name;
		const json_t *values;

		differ(c, name, derived[i].path, note_path, differences);
		values = json_object_get(differences, name);
		if (!differs_by_side(c, values) || json_object_size(values) > c->nr_sides)
			json_object_del(differences, name);
	}
}

json_t *comparison_differences(const struct comparison *c)
{
	json_t *differences = json_object();
	size_t nr = sizeof(identities) / sizeof(identities[0]);

	differ(c, "version of idletrace", "tool.version", note_version, differences);
	for (size_t i = 0; i < nr; i++)
		differ(c, identities[i].name, identities[i].path, note_path, differences);
	differ(c, "idle states", "", note_states, differences);
	differ_derived(c, differences);
	differ_options(c, differences);
	return differences;
}

/* "name: VALUE (SIDE, SIDE), VALUE (SIDE)" */
static void print_difference(const char *label, const char *name, json_t *values)
{
	const char *text, *sep = "";
	json_t *sides, *side;
	struct line l;
	size_t i;

	line_begin(&l, label);
	line_add(&l, "%s: ", name);
	json_object_foreach (values, text, sides) {
		line_add(&l, "%s%s (", sep, text);
		json_array_foreach (sides, i, side)
			line_add(&l, "%s%s", i ? ", " : "", json_string_value(side));
		line_add(&l, ")");
		sep = ", ";
	}
	line_end(&l);
}

static void print_differences(const struct comparison *c)
{
	json_t *differences = comparison_differences(c), *values;
	const char *name, *label = "DIFFERS";
	struct line l;

	json_object_foreach (differences, name, values) {
		print_difference(label, name, values);
		label = "";
	}
	if (!json_object_size(differences)) {
		line_begin(&l, label);
		line_add(&l, "nothing that the runs tell: machine, kernel, drivers, "
			     "governors, options");
		line_end(&l);
	}
	json_decref(differences);
}

static void print_incomplete(const struct comparison *c)
{
	size_t lossy = 0, stopped = 0, j;
	const json_t *run;
	struct line l;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run) {
				lossy += run_lossy(run);
				stopped += run_stopped(run);
			}
	if (!lossy && !stopped)
		return;
	line_begin(&l, "CAUTION");
	if (lossy)
		line_add(&l, "%zu run%s lost records; ", lossy, lossy == 1 ? "" : "s");
	if (stopped)
		line_add(&l, "%zu %s ended by a signal; ", stopped,
			 stopped == 1 ? "run was" : "runs were");
	line_add(&l, "those numbers are incomplete");
	line_end(&l);
}

void comparison_print_head(const struct comparison *c)
{
	size_t runs = 0;
	struct line l = {.indent = 2};

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			runs += json_array_size(c->cases[i].runs[s]);
	line_add(&l, "%s: %u sides, ", run_subject(comparison_run(c, 0)), c->nr_sides);
	if (c->nr_cases > 1)
		line_add(&l, "%zu cases, ", c->nr_cases);
	line_add(&l, "%zu runs; all against %s", runs, c->sides[0].name);
	line_end(&l);
	print_differences(c);
	print_incomplete(c);
	printf("\n");
}

void comparison_print(const struct comparison *c, const struct comparison_format *format)
{
	if (!format->bare)
		comparison_print_head(c);
	format->print(c);
}

char *comparison_number(double value, const char *unit, char *buf, size_t size)
{
	double shown = strcmp(unit, "ns") ? value : value / 1000, abs = fabs(shown);

	if (isnan(value))
		snprintf(buf, size, "-");
	else if (abs >= 1e8)
		snprintf(buf, size, "%.3e", shown);
	else
		snprintf(buf, size, "%.*f",
			 !abs		? 0
			 : abs < 9.9995 ? 3
			 : abs < 99.995 ? 2
			 : abs < 999.95 ? 1
					: 0,
			 shown);
	return buf;
}

const char *comparison_unit(const struct run_measure *measure)
{
	return strcmp(measure->unit, "ns") ? measure->unit : "us";
}

const char *comparison_direction(const struct run_measure *measure)
{
	return measure->better == BETTER_LOWER	  ? "lower is better"
	       : measure->better == BETTER_HIGHER ? "higher is better"
						  : "";
}
