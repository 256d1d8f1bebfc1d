// SPDX-License-Identifier: GPL-2.0
/* Documents: what they are, and what is said of a run apart from its numbers. */
#include "runs.h"

#include <errno.h>
#include <string.h>

#include "report_json.h"

#define SCHEMA_RUN "idletrace.run/1"

json_t *run_at(const json_t *run, const char *path)
{
	const json_t *at = run;

	while (at && *path) {
		size_t len = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		at = json_object_get(at, key);
		path += len + (path[len] == '.');
	}
	return json_is_null(at) ? NULL : (json_t *)at;
}

const char *run_text(const json_t *run, const char *path)
{
	const char *text = json_string_value(run_at(run, path));

	return text ? text : "";
}

/* Of "idletrace.WHAT/1", "WHAT"; NULL for schemas of others. */
static const char *schema_of(const json_t *doc)
{
	static const struct {
		const char *schema, *what;
	} schemas[] = {{SCHEMA_RUN, "run"},
		       {"idletrace.sweep/1", "sweep"},
		       {"idletrace.ab/1", "ab"}};
	const char *schema = run_text(doc, "schema");

	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
		if (!strcmp(schema, schemas[i].schema))
			return schemas[i].what;
	return NULL;
}

const char *runs_collection(const json_t *doc)
{
	const char *what = schema_of(doc);

	return what && strcmp(what, "run") ? what : NULL;
}

static bool is_run(const json_t *run)
{
	return !strcmp(run_text(run, "schema"), SCHEMA_RUN);
}

static bool is_point(const json_t *point)
{
	const json_t *runs = run_at(point, "runs"), *run;
	size_t i;

	json_array_foreach (runs, i, run)
		if (!is_run(run))
			return false;
	return json_is_array(runs) && json_is_string(run_at(point, "name"));
}

/* Everything that the rest of the program takes for granted. */
static bool is_document(const json_t *doc)
{
	const json_t *points = run_at(doc, "points"), *point;
	size_t i;

	if (is_run(doc))
		return true;
	if (!runs_collection(doc) || !json_array_size(points))
		return false;
	json_array_foreach (points, i, point)
		if (!is_point(point))
			return false;
	return true;
}

json_t *runs_load(const char *path, char *err, size_t size)
{
	json_error_t error;
	FILE *f = fopen(path, "re");
	json_t *doc;

	if (!f) {
		snprintf(err, size, "%s: %s", path, strerror(errno));
		return NULL;
	}
	doc = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!doc) {
		snprintf(err, size, "%s: line %d: %s", path, error.line, error.text);
		return NULL;
	}
	if (is_document(doc))
		return doc;
	snprintf(err, size, "%s: needs a file that idletrace --json wrote", path);
	json_decref(doc);
	return NULL;
}

int runs_save(json_t *doc, const char *path)
{
	return json_save(doc, path) ? -errno : 0;
}

const char *run_subject(const json_t *run)
{
	const char *name = run_text(run, "workload.name"), *slash;

	if (*name)
		return name;
	name = json_string_value(json_array_get(run_at(run, "command.argv"), 0));
	if (!name)
		return "profile";
	slash = strrchr(name, '/');
	return slash ? slash + 1 : name;
}

bool run_lossy(const json_t *run)
{
	/* As in results_lossy(): what the kernel never told is not ours. */
	static const char *const ours[] = {"loss.ring", "loss.map_full", "loss.recursion",
					   "loss.wrapped"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (json_number_value(run_at(run, ours[i])) > 0)
			return true;
	return false;
}

bool run_stopped(const json_t *run)
{
	return json_is_true(run_at(run, "window.interrupted"));
}
