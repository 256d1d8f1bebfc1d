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

static void append(char *buf, size_t size, const char *sep, const char *text)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s", used ? sep : "", text);
}

/* As it was given: times and sizes are plain numbers in the document. */
static void option_text(const struct workload_option *option, const json_t *value,
			char *buf, size_t size)
{
	uint64_t number = (uint64_t)json_integer_value(value);

	if (json_is_string(value))
		snprintf(buf, size, "%s", json_string_value(value));
	else if (option && option->type == OPTION_DURATION)
		format_duration_exact(number, buf, size);
	else if (option && option->type == OPTION_SIZE)
		format_size(number, buf, size);
	else if (json_is_integer(value))
		snprintf(buf, size, "%llu", (unsigned long long)number);
	else if (json_is_real(value))
		snprintf(buf, size, "%g", json_real_value(value));
	else
		snprintf(buf, size, "%s", json_is_false(value) ? "no" : "");
}

static void append_options(const json_t *run, char *buf, size_t size)
{
	const struct workload *workload = workload_find(run_text(run, "workload.name"));
	const json_t *given, *options = run_at(run, "workload.options");
	size_t i;

	json_array_foreach (run_at(run, "workload.given"), i, given) {
		const char *name = json_string_value(given);
		char value[256];

		if (!name)
			continue;
		option_text(workload ? workload_find_option(workload, name) : NULL,
			    json_object_get(options, name), value, sizeof(value));
		append(buf, size, " --", name);
		if (*value)
			append(buf, size, " ", value);
	}
}

/* Scripts are commands, too: blanks, ends of lines and tabs become one blank. */
static void make_line(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++)
		if (!strchr(" \t\r\n", *c))
			*to++ = *c;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

char *run_title(const json_t *run, char *buf, size_t size)
{
	const char *name = run_text(run, "workload.name");
	const char *filter = run_text(run, "filter");
	const json_t *word;
	size_t i;

	snprintf(buf, size, "%s", name);
	append_options(run, buf, size);
	json_array_foreach (run_at(run, "command.argv"), i, word)
		append(buf, size, " ", json_string_value(word) ?: "");
	if (!*buf)
		snprintf(buf, size, "profile of %s", *filter ? filter : "all tasks");
	else if (*filter)
		append(buf, size, ", ", filter);
	if (strlen(buf) + 1 == size && size > 4)
		memcpy(buf + size - 4, "...", 4);
	make_line(buf);
	return buf;
}

char *run_where(const json_t *run, char *buf, size_t size)
{
	int cpus = (int)json_integer_value(run_at(run, "host.cpus"));
	const char *driver = run_text(run, "host.cpuidle.driver");
	const char *governor = run_text(run, "host.cpuidle.governor");

	snprintf(buf, size, "kernel %.64s %.20s, %d CPU%s, %s%.30s%s%.30s",
		 run_text(run, "host.kernel"), run_text(run, "host.arch"), cpus,
		 cpus == 1 ? "" : "s", *driver ? "cpuidle " : "no cpuidle driver", driver,
		 *driver ? "/" : "", *driver ? governor : "");
	return buf;
}

char *run_class_name(const json_t *class, char *buf, size_t size)
{
	static const char *const names[][2] = {
		{"running", "CPU running"},
		{"queued", "queued behind other"},
		{"aborted", "no state entered"},
	};
	const char *name = run_text(class, "class");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			name = names[i][1];
	if (!strcmp(name, "idle"))
		snprintf(buf, size, "%s %s", run_text(class, "name"),
			 run_text(class, "verdict"));
	else
		snprintf(buf, size, "%s", name);
	return buf;
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
