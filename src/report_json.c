// SPDX-License-Identifier: GPL-2.0
/* The JSON report, schema idletrace.run/1 (docs/idletrace.run.schema.json). */
#include "report_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "save.h"
#include "series.h"
#include "version.h"

#define SCHEMA	   "idletrace.run/1"
#define JSON_STYLE (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
/* Containers down to this depth have a line for each member; deeper ones are one line. */
#define LINES_DEPTH 3

json_t *json_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

json_t *json_text_or_null(const char *text)
{
	return *text ? json_text(text) : json_null();
}

/* A number that may be none: NaN and infinity have no JSON. */
static json_t *json_number(double value)
{
	json_t *number = json_real(value);

	return number ? number : json_null();
}

static json_t *json_states(const struct machine *m)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < m->nr_states; i++) {
		const struct idle_state *s = &m->states[i];
		json_t *o = json_object();

		put(o, "index", json_u64(i));
		put(o, "name", json_text(s->name));
		put(o, "desc", json_text(s->desc));
		put(o, "latency_us", json_u64(s->latency_us));
		put(o, "residency_us", json_u64(s->residency_us));
		put(o, "disabled", json_boolean(s->disabled));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_host(const struct machine *m)
{
	json_t *o = json_object(), *cpuidle = json_object();
	char online[4096];

	put(o, "kernel", json_text(m->kernel));
	put(o, "arch", json_text(m->arch));
	put(o, "cpus", json_u64(cpu_mask_count(&m->online)));
	put(o, "online", json_text(cpu_mask_format(&m->online, online, sizeof(online))));
	put(o, "hz", json_known(m->hz, m->hz));
	put(o, "cpufreq_governor", json_text_or_null(m->cpufreq_governor));
	put(cpuidle, "driver", json_text_or_null(m->driver));
	put(cpuidle, "governor", json_text_or_null(m->governor));
	put(cpuidle, "states", json_states(m));
	put(o, "cpuidle", cpuidle);
	return o;
}

/* Numbers as numbers, times in ns and sizes in bytes; the rest as it is written. */
static json_t *json_option(const struct workload_config *config, unsigned int i)
{
	const struct workload_option *option = &config->workload->options[i];
	const char *field = (const char *)config->values + option->offset;
	char text[4096];
	uint64_t count;
	double number;

	workload_option_text(config, i, text, sizeof(text));
	if (option->word && !strcmp(text, option->word))
		return json_text(text);
	switch (option->type) {
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_SIZE: memcpy(&count, field, sizeof(count)); return json_u64(count);
	case OPTION_NUMBER:
		memcpy(&number, field, sizeof(number));
		return json_number(number);
	case OPTION_BOOL: return json_boolean(!strcmp(text, "yes"));
	default: return json_text(text);
	}
}

static json_t *json_metrics(const struct workload_metric *metrics, unsigned int nr)
{
	static const char *const better[] = {
		[BETTER_NONE] = "", [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher"};
	json_t *list = json_array();

	for (unsigned int i = 0; i < nr; i++) {
		json_t *o = json_object();

		put(o, "name", json_text(metrics[i].name));
		put(o, "value", json_number(metrics[i].value));
		put(o, "unit", json_text(metrics[i].unit));
		put(o, "better", json_text_or_null(better[metrics[i].better]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_threads(const struct workload_result *w)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < w->nr_threads && i < RESULT_THREADS; i++) {
		json_t *o = json_object();

		put(o, "tid", json_integer(w->threads[i].tid));
		put(o, "complete", json_boolean(w->threads[i].complete));
		put(o, "nvcsw", json_u64(w->threads[i].nvcsw));
		json_array_append_new(list, o);
	}
	return list;
}

static void put_workload_result(json_t *o, const struct workload_result *w)
{
	json_t *latencies = json_object();
	char cpus[4096];

	put(o, "start", json_u64(w->start_ns));
	put(o, "end", json_u64(w->end_ns));
	put(o, "stopped", json_boolean(w->stopped));
	put(o, "cpus", json_text(cpu_mask_format(&w->cpus, cpus, sizeof(cpus))));
	put(o, "metrics", json_metrics(w->metrics, w->nr_metrics));
	put(o, "legacy", json_text(w->legacy));
	put(o, "text", json_text(w->text));
	for (unsigned int i = 0; i < w->nr_latencies && i < RESULT_LATENCIES; i++)
		put(latencies, w->latencies[i].name, json_latency(&w->latencies[i].hist));
	put(o, "latencies", latencies);
	put(o, "nr_threads", json_u64(w->nr_threads));
	put(o, "threads", json_threads(w));
}

static json_t *json_workload(const struct results *r)
{
	json_t *o, *options, *given;
	const struct workload *w;

	if (!r->config)
		return json_null();
	w = r->config->workload;
	o = json_object();
	options = json_object();
	given = json_array();
	for (unsigned int i = 0; i < w->nr_options; i++) {
		put(options, w->options[i].name, json_option(r->config, i));
		if (r->config->given >> i & 1)
			json_array_append_new(given, json_text(w->options[i].name));
	}
	put(o, "name", json_text(w->name));
	put(o, "options", options);
	put(o, "given", given);
	if (r->workload)
		put_workload_result(o, r->workload);
	return o;
}

static json_t *json_warnings(const struct metric_scan *scan)
{
	json_t *list = json_array();
	const char *warning;

	for (unsigned int i = 0; scan && (warning = metric_scan_warning(scan, i)); i++)
		json_array_append_new(list, json_text(warning));
	return list;
}

static json_t *json_command(const struct results *r)
{
	json_t *o, *argv;

	if (!r->argv)
		return json_null();
	o = json_object();
	argv = json_array();
	for (char **arg = r->argv; *arg; arg++)
		json_array_append_new(argv, json_text(*arg));
	put(o, "argv", argv);
	put(o, "exit_status", json_integer(r->exit_status));
	put(o, "metrics",
	    r->metrics ? json_metrics(r->metrics->metrics, r->metrics->rules->nr_metrics)
		       : json_array());
	put(o, "warnings", json_warnings(r->metrics));
	return o;
}

static json_t *json_window(const struct results *r)
{
	u64 start = r->start, duration = r->duration;
	json_t *o = json_object();
	char date[32] = "";
	struct tm tm;

	if (!r->traced && r->workload && r->workload->end_ns > r->workload->start_ns) {
		start = r->workload->start_ns;
		duration = r->workload->end_ns - start;
	}
	if (gmtime_r(&r->date, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put(o, "start", json_known(start, start));
	put(o, "duration", json_known(duration, duration));
	put(o, "date", json_text_or_null(date));
	put(o, "interrupted", json_boolean(r->interrupted));
	return o;
}

void put_power(json_t *o, enum power_domain domain, bool known, double watts,
	       u64 energy_uj)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_watts", power_domain_name(domain));
	put(o, key, known ? json_number(watts) : json_null());
	snprintf(key, sizeof(key), "%s_uj", power_domain_name(domain));
	put(o, key, json_known(known, energy_uj));
}

/* Of the machine, over the window; null without powercap zones. */
static json_t *json_power(const struct results *r)
{
	json_t *o;

	if (!r->has_power)
		return json_null();
	o = json_object();
	for (int d = 0; d < POWER_DOMAINS; d++)
		put_power(o, d, r->power[d].known, r->power[d].watts,
			  r->power[d].energy_uj);
	return o;
}

/* What the kernel counted, traced or not. */
static json_t *json_kernel(const struct results *r)
{
	u64 entries = 0, time = 0, cpus = 0;
	json_t *o = json_object();

	for (u32 i = 0; i < r->nr_cpus; i++) {
		const struct cpu_row *cpu = &r->cpus[i];

		if (!cpu->has_kernel)
			continue;
		cpus++;
		time += cpu->end - cpu->start;
		for (u32 state = 0; state < STATES_MAX; state++)
			entries += cpu->state[state].kernel.usage;
	}
	put(o, "cpus", json_u64(cpus));
	put(o, "cpu_time", json_u64(time));
	put(o, "idle_entries", json_known(cpus, entries));
	return o;
}

json_t *json_loss(const struct loss *loss, bool all)
{
	json_t *o = json_object();

	for (int i = 0; i < LOSS_KINDS; i++) {
		u64 n = loss_count(loss, &loss_kinds[i]);

		if (all || n)
			put(o, loss_kinds[i].name, json_u64(n));
	}
	return o;
}

static json_t *json_observer(const struct results *r)
{
	const struct observer *obs = &r->observer;
	json_t *o = json_object();

	put(o, "bpf", json_number(obs->estimated ? obs->bpf_ns_per_wakeup : NAN));
	put(o, "bpf_wakeup", json_number(obs->wakeup_known ? obs->bpf_ns_wakeup : NAN));
	put(o, "bpf_period", json_number(obs->period_known ? obs->bpf_ns_period : NAN));
	put(o, "bpf_cpu_idle", json_number(obs->period_known ? obs->cpu_idle_ns : NAN));
	put(o, "calibration_wakeups",
	    json_known(obs->wakeup_known, obs->measured_wakeups));
	put(o, "cpu", json_u64(obs->cpu_ns));
	put(o, "wakeups", json_u64(obs->wakeups));
	put(o, "late", json_u64(obs->late_ns));
	put(o, "housekeeping", json_u64(obs->housekeeping));
	put(o, "start", json_u64(obs->start_ns));
	put(o, "finish", json_u64(obs->finish_ns));
	put(o, "memory", json_known(obs->memory, obs->memory));
	put(o, "bpf_memory", json_known(obs->bpf_memory, obs->bpf_memory));
	return o;
}

static void put_traced(json_t *o, const struct results *r)
{
	json_t *switches = json_object(), *rule = json_object();

	put(o, "wakeups", json_wakeups(r, &r->wakeups));
	put(o, "wakeups_other",
	    r->has_others ? json_wakeups(r, &r->others) : json_null());
	put(o, "idle", json_idle(r));
	put(o, "timers", json_timers(r));
	put(o, "cost", json_cost(r));
	put(o, "slowest", json_slowest(r));
	put(o, "tasks", json_tasks(r));
	put(o, "tasks_left_out", json_u64(r->tasks_left_out));
	put(o, "records", json_u64(r->records));
	put(o, "unslept", json_u64(r->unslept));
	put(switches, "traced", json_u64(r->switches));
	put(switches, "kernel", json_known(r->kernel_switches_known, r->kernel_switches));
	put(o, "switches", switches);
	put(rule, "checked", json_u64(r->rule_checked));
	put(rule, "wrong", json_known(r->rule_checked, r->rule_wrong));
	put(o, "rule", rule);
	put(o, "loss", json_loss(&r->loss, true));
	put(o, "observer", json_observer(r));
	put(o, "interval", r->series ? json_u64(r->series->every) : json_null());
	put(o, "intervals", r->series ? json_array() : json_null());
}

static json_t *json_results(const struct results *r)
{
	static const char *const traced[] = {
		"wakeups", "wakeups_other", "idle",	"timers",
		"cost",	   "slowest",	    "tasks",	"tasks_left_out",
		"records", "unslept",	    "switches", "rule",
		"loss",	   "observer",	    "interval", "intervals"};
	json_t *o = json_object(), *tool = json_object();

	put(tool, "version", json_text(IDLETRACE_VERSION));
	put(tool, "args", json_text(r->args ? r->args : ""));
	put(o, "schema", json_text(SCHEMA));
	put(o, "tool", tool);
	put(o, "host", json_host(r->machine));
	put(o, "host_after", r->traced ? json_host(&r->after) : json_null());
	put(o, "window", json_window(r));
	put(o, "traced", json_boolean(r->traced));
	put(o, "filter", json_text_or_null(r->filter));
	put(o, "workload", json_workload(r));
	put(o, "command", json_command(r));
	put(o, "power", json_power(r));
	put(o, "kernel", json_kernel(r));
	if (r->traced)
		put_traced(o, r);
	else
		for (size_t i = 0; i < sizeof(traced) / sizeof(traced[0]); i++)
			put(o, traced[i], json_null());
	return o;
}

static void write_value(FILE *f, json_t *value, int depth);

static void write_key(FILE *f, const char *key)
{
	json_t *text = json_string(key);

	json_dumpf(text, f, JSON_STYLE);
	json_decref(text);
	fputs(": ", f);
}

static void write_stream(FILE *f, struct json_stream *stream, int depth)
{
	json_t *member;

	fputc('[', f);
	for (u64 i = 0; i < stream->count && !stream->failed; i++) {
		member = stream->member(stream->ctx, i);
		stream->failed = !member;
		fprintf(f, "%s\n%*s", i ? "," : "", depth + 1, "");
		json_dumpf(member, f, JSON_STYLE);
		json_decref(member);
	}
	fprintf(f, "\n%*s]", depth, "");
}

static void write_object(FILE *f, json_t *value, int depth, struct json_stream *stream)
{
	const char *key, *sep = "";
	json_t *member;

	fputc('{', f);
	json_object_foreach (value, key, member) {
		fprintf(f, "%s\n%*s", sep, depth + 1, "");
		write_key(f, key);
		if (stream && !strcmp(key, stream->key))
			write_stream(f, stream, depth + 1);
		else
			write_value(f, member, depth + 1);
		sep = ",";
	}
	fprintf(f, "\n%*s}", depth, "");
}

static void write_array(FILE *f, json_t *value, int depth)
{
	const char *sep = "";
	json_t *member;
	size_t i;

	fputc('[', f);
	json_array_foreach (value, i, member) {
		fprintf(f, "%s\n%*s", sep, depth + 1, "");
		write_value(f, member, depth + 1);
		sep = ",";
	}
	fprintf(f, "\n%*s]", depth, "");
}

static void write_value(FILE *f, json_t *value, int depth)
{
	if (depth < LINES_DEPTH && json_object_size(value))
		write_object(f, value, depth, NULL);
	else if (depth < LINES_DEPTH && json_array_size(value))
		write_array(f, value, depth);
	else
		json_dumpf(value, f, JSON_STYLE);
}

struct saved_document {
	json_t *doc;
	struct json_stream *stream;
};

static int write_document(FILE *f, const void *ctx)
{
	const struct saved_document *saved = ctx;

	write_object(f, saved->doc, 0, saved->stream);
	fputc('\n', f);
	return saved->stream && saved->stream->failed ? -1 : 0;
}

int json_save_stream(json_t *doc, const char *path, struct json_stream *stream)
{
	return save_file(path, write_document, &(struct saved_document){doc, stream});
}

int json_save(json_t *doc, const char *path)
{
	return json_save_stream(doc, path, NULL);
}

json_t *report_document(const struct results *r)
{
	json_t *doc;

	/* Whatever runs out of memory in between leaves this behind. */
	errno = 0;
	doc = json_results(r);
	if (errno != ENOMEM)
		return doc;
	json_decref(doc);
	return NULL;
}
