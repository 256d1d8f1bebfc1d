// SPDX-License-Identifier: GPL-2.0
#include "sweep_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_json.h"
#include "version.h"

int sweep_points_init(struct sweep_points *s, char *err, size_t size)
{
	size_t nr = 1;

	for (unsigned int a = 0; a < s->nr_axes; a++) {
		nr *= s->axes[a].nr;
		if (nr > SWEEP_POINTS) {
			snprintf(err, size, "--over: at most %d points", SWEEP_POINTS);
			return -1;
		}
	}
	s->points = calloc(nr, sizeof(*s->points));
	if (!s->points) {
		snprintf(err, size, "out of memory");
		return -1;
	}
	s->nr = (unsigned int)nr;
	for (unsigned int i = 0; i < s->nr; i++) {
		unsigned int rest = i;

		for (unsigned int a = s->nr_axes; a-- > 0;) {
			s->points[i].value[a] = rest % s->axes[a].nr;
			rest /= s->axes[a].nr;
		}
	}
	return 0;
}

void sweep_points_free(struct sweep_points *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		json_decref(s->points[i].run);
		free(s->points[i].error);
	}
	free(s->points);
	for (unsigned int a = 0; a < s->nr_axes; a++)
		axis_free(&s->axes[a]);
}

static const struct axis_value *value_of(const struct sweep_points *s, unsigned int point,
					 unsigned int axis)
{
	return &s->axes[axis].values[s->points[point].value[axis]];
}

char *sweep_point_name(const struct sweep_points *s, unsigned int point, char *buf,
		       size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned int a = 0; a < s->nr_axes && used < size; a++) {
		const struct axis_value *value = value_of(s, point, a);

		used += (size_t)snprintf(buf + used, size - used, "%s%s=%s%s",
					 a ? "," : "", s->axes[a].option->name,
					 value->text, value->back ? " (back)" : "");
	}
	return buf;
}

void sweep_point_argv_free(const struct sweep_points *s, char **argv)
{
	for (unsigned int a = 0; argv && a < s->nr_axes; a++)
		free(argv[s->nr_words + (int)a]);
	free(argv);
}

char **sweep_point_argv(const struct sweep_points *s, unsigned int point)
{
	char **argv = calloc((size_t)s->nr_words + s->nr_axes + 1, sizeof(*argv));

	if (!argv)
		return NULL;
	memcpy(argv, s->words, (size_t)s->nr_words * sizeof(*argv));
	for (unsigned int a = 0; a < s->nr_axes; a++) {
		if (asprintf(&argv[s->nr_words + (int)a], "--%s=%s",
			     s->axes[a].option->name, value_of(s, point, a)->text) >= 0)
			continue;
		argv[s->nr_words + (int)a] = NULL;
		sweep_point_argv_free(s, argv);
		return NULL;
	}
	return argv;
}

unsigned int sweep_points_done(const struct sweep_points *s)
{
	unsigned int done = 0;

	for (unsigned int i = 0; i < s->nr; i++)
		done += s->points[i].run != NULL;
	return done;
}

unsigned int sweep_points_failed(const struct sweep_points *s)
{
	unsigned int failed = 0;

	for (unsigned int i = 0; i < s->nr; i++)
		failed += s->points[i].error != NULL;
	return failed;
}

/* ---- the document ---- */

static json_t *number(const struct axis_value *value)
{
	if (isnan(value->number))
		return json_null();
	if (value->number == floor(value->number) && fabs(value->number) < 0x1p53)
		return json_integer((json_int_t)value->number);
	return json_real(value->number);
}

static json_t *axis_json(const struct axis *axis)
{
	static const char *const units[] = {
		[AXIS_WORDS] = NULL, [AXIS_TIME] = "ns", [AXIS_SIZE] = "bytes"};
	const char *unit = axis->kind == AXIS_NUMBER ? "" : units[axis->kind];
	json_t *doc = json_object(), *values = json_array();

	for (unsigned int i = 0; i < axis->nr; i++)
		json_array_append_new(values, json_text(axis->values[i].text));
	put(doc, "option", json_text(axis->option->name));
	put(doc, "unit", unit ? json_string(unit) : json_null());
	put(doc, "log", json_boolean(axis->logarithmic));
	put(doc, "updown", json_boolean(axis->updown));
	put(doc, "values", values);
	return doc;
}

static json_t *point_json(const struct sweep_points *s, unsigned int point)
{
	json_t *doc = json_object(), *values = json_object(), *numbers = json_object();
	json_t *runs = json_array();
	bool back = false;
	char name[256];

	for (unsigned int a = 0; a < s->nr_axes; a++) {
		const struct axis_value *value = value_of(s, point, a);

		put(values, s->axes[a].option->name, json_text(value->text));
		put(numbers, s->axes[a].option->name, number(value));
		back |= value->back;
	}
	if (s->points[point].run)
		json_array_append(runs, s->points[point].run);
	put(doc, "name", json_text(sweep_point_name(s, point, name, sizeof(name))));
	put(doc, "values", values);
	put(doc, "numbers", numbers);
	put(doc, "back", json_boolean(back));
	put(doc, "error",
	    s->points[point].error ? json_text(s->points[point].error) : json_null());
	put(doc, "runs", runs);
	return doc;
}

json_t *sweep_document(const struct sweep_points *s, const char *args, const char *metric)
{
	json_t *doc = json_object(), *tool = json_object();
	json_t *axes = json_array(), *points = json_array();

	for (unsigned int a = 0; a < s->nr_axes; a++)
		json_array_append_new(axes, axis_json(&s->axes[a]));
	for (unsigned int i = 0; i < s->nr; i++)
		if (s->points[i].run || s->points[i].error)
			json_array_append_new(points, point_json(s, i));
	put(tool, "version", json_string(IDLETRACE_VERSION));
	put(tool, "args", json_text(args));
	put(doc, "schema", json_string("idletrace.sweep/1"));
	put(doc, "tool", tool);
	put(doc, "complete", json_boolean(sweep_points_done(s) == s->nr));
	put(doc, "points_asked", json_integer(s->nr));
	put(doc, "metric", metric ? json_text(metric) : json_null());
	put(doc, "axes", axes);
	put(doc, "points", points);
	return doc;
}
