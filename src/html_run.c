// SPDX-License-Identifier: GPL-2.0
/* The page of one run. */
#include "html_page.h"

#include <math.h>
#include <string.h>

#include "comparison.h"
#include "html_parts.h"
#include "runs.h"

/* ---- headline ---- */

void html_number_pair(FILE *f, const char *what, const json_t *run, const char *name)
{
	struct run_measure measure;
	char text[32];
	double value;

	if (!run_number(run, name, &value) || !run_measure(run, name, &measure))
		return;
	if (!strcmp(measure.unit, "ns") && value >= 0)
		html_pair(f, what, "%s", format_duration((u64)value, text, sizeof(text)));
	else if (!strcmp(measure.unit, "%"))
		html_pair(f, what, "%.1f%%", value);
	else
		html_pair(f, what, "%s %s",
			  comparison_number(value, measure.unit, text, sizeof(text)),
			  comparison_unit(&measure));
}

static void keys(FILE *f, const json_t *run)
{
	struct run_measure measure;
	char count[UNITS_TEXT_MAX];
	double value;

	html_keys_begin(f);
	if (run_headline(run, &measure, &value))
		html_number_pair(f, measure.name, run, measure.name);
	if (run_at(run, "wakeups"))
		html_pair(f, "wakeups", "%s",
			  format_count(
				  (u64)json_integer_value(run_at(run, "wakeups.count")),
				  count, sizeof(count)));
	html_number_pair(f, "latency p50", run, "wakeup.p50");
	html_number_pair(f, "latency p99", run, "wakeup.p99");
	html_number_pair(f, "exit phase p50", run, "exit.p50");
	html_number_pair(f, "too deep", run, "idle.too_deep");
	html_number_pair(f, "too shallow", run, "idle.too_shallow");
	html_number_pair(f, "package power", run, "power.watts");
	html_pairs_end(f);
}

/* A run during which the machine changed says so: it is two runs in one. */
static void change(FILE *f, const json_t *run, const char *what, const char *path)
{
	char after[64];
	const char *was, *is;

	snprintf(after, sizeof(after), "host_after.%s", path + strlen("host."));
	was = run_text(run, path);
	is = run_text(run, after);
	if (run_at(run, "host_after") && strcmp(was, is))
		html_warning(f, "Changed in the window: %s %s to %s.", what,
			     *was ? was : "none", *is ? is : "none");
}

static void state_changes(FILE *f, const json_t *run)
{
	const json_t *after = run_at(run, "host_after.cpuidle.states"), *state;
	size_t i;

	json_array_foreach (run_at(run, "host.cpuidle.states"), i, state) {
		bool was = json_is_true(run_at(state, "disabled"));
		const json_t *now = json_array_get(after, i);

		if (now && was != json_is_true(run_at(now, "disabled")))
			html_warning(f, "Changed in the window: state %s was %s.",
				     run_text(state, "name"),
				     was ? "enabled" : "disabled");
	}
}

static void changes(FILE *f, const json_t *run)
{
	change(f, run, "cpuidle driver", "host.cpuidle.driver");
	change(f, run, "cpuidle governor", "host.cpuidle.governor");
	change(f, run, "cpufreq governor", "host.cpufreq_governor");
	change(f, run, "online CPUs", "host.online");
	state_changes(f, run);
}

/* ---- what ran ---- */

/* Of no unit: often a count. */
static char *plain_number(double value, char *buf, size_t size)
{
	if (isnan(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.10g", value);
	return buf;
}

static void metrics_table(FILE *f, const json_t *run)
{
	static const struct html_column columns[] = {{"metric", true, NULL},
						     {"value", false, NULL},
						     {"unit", true, NULL},
						     {"", true, NULL}};
	struct run_measure measure;
	double value;
	char text[32];

	if (!run_metric(run, 0, &measure, &value))
		return;
	html_table_begin(f, "Metrics", columns, 4);
	for (size_t i = 0; run_metric(run, i, &measure, &value); i++) {
		html_row(f, false, "%s", measure.name);
		html_cell(f, "%s",
			  *measure.unit ? comparison_number(value, measure.unit, text,
							    sizeof(text))
					: plain_number(value, text, sizeof(text)));
		html_text_cell(f, "%s", comparison_unit(&measure));
		html_text_cell(f, "%s", comparison_direction(&measure));
		html_row_end(f);
	}
	html_table_end(f);
}

static void latencies_table(FILE *f, const json_t *latencies)
{
	static const char *const percentiles[] = {"p50", "p90", "p99", "p99_9", "max"};
	static const struct html_column columns[] = {
		{"latency, us", true, NULL}, {"count", false, NULL},
		{"p50", false, NULL},	     {"p90", false, NULL},
		{"p99", false, NULL},	     {"p99.9", false, NULL},
		{"max", false, NULL}};
	const json_t *latency;
	const char *name;

	if (!json_object_size(latencies))
		return;
	html_table_begin(f, "What it measured itself", columns, 7);
	json_object_foreach ((json_t *)latencies, name, latency) {
		html_row(f, false, "%s", name);
		html_count_cell(f, run_at(latency, "count"));
		for (size_t i = 0; i < 5; i++)
			html_ns_cell(f, run_at(latency, percentiles[i]), unit_for(0));
		html_row_end(f);
	}
	html_table_end(f);
}

static void what_ran(FILE *f, const json_t *run)
{
	const json_t *status = run_at(run, "command.exit_status"), *warning;
	const char *legacy = run_text(run, "workload.legacy");
	const char *text = run_text(run, "workload.text");
	size_t i;

	if (!run_at(run, "workload") && !run_at(run, "command"))
		return;
	html_section(f, run_at(run, "workload") ? "Workload" : "Command");
	if (status)
		html_note(f, "Exit status %lld.", (long long)json_integer_value(status));
	json_array_foreach (run_at(run, "command.warnings"), i, warning)
		html_warning(f, "%s", json_string_value(warning));
	if (*legacy || *text)
		html_element(f, "pre", "%s%s", legacy, text);
	metrics_table(f, run);
	latencies_table(f, run_at(run, "workload.latencies"));
	html_section_end(f);
}

/* ---- the traced part ---- */

static void power_pairs(FILE *f, const json_t *power)
{
	static const char *const domains[][3] = {
		{"package", "package_watts", "package_uj"},
		{"core", "core_watts", "core_uj"},
		{"dram", "dram_watts", "dram_uj"}};

	if (!power)
		return;
	html_section(f, "Power");
	html_pairs_begin(f);
	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
		const json_t *watts = run_at(power, domains[i][1]);

		if (watts)
			html_pair(f, domains[i][0], "%.2f W, %.1f J",
				  json_number_value(watts),
				  json_number_value(run_at(power, domains[i][2])) / 1e6);
		else
			html_pair(f, domains[i][0], "-");
	}
	html_pairs_end(f);
	html_section_end(f);
}

static void over_time(FILE *f, const struct plots *plots, const json_t *run)
{
	u64 ns = (u64)json_integer_value(run_at(run, "interval"));
	char every[UNITS_TEXT_MAX];

	html_section(f, "Over time");
	html_pictures(f, plots, "series");
	html_note(f, "Intervals of %s, as asked for.",
		  format_duration(ns, every, sizeof(every)));
	html_section_end(f);
}

static void traced_sections(FILE *f, const struct plots *plots, const json_t *run)
{
	html_section(f, "Wakeups");
	html_pictures(f, plots, "latency");
	html_wakeups(f, run);
	html_sources(f, run);
	html_slowest(f, run);
	html_section_end(f);
	html_section(f, "Idle states");
	html_pictures(f, plots, "idle");
	html_idle(f, run);
	html_cost(f, run);
	html_section_end(f);
	if (run_at(run, "interval"))
		over_time(f, plots, run);
	html_section(f, "Timers");
	html_timers(f, run);
	html_section_end(f);
}

int html_run(FILE *f, const struct plots *plots, const void *what)
{
	const json_t *run = what;
	json_t *runs = json_array();
	char title[200], where[300];

	json_array_append(runs, (json_t *)run);
	html_page_begin(f, run_title(run, title, sizeof(title)),
			html_where(run, where, sizeof(where)),
			run_text(run, "window.date"));
	keys(f, run);
	html_cautions(f, runs);
	changes(f, run);
	html_no_pictures(f, plots);
	what_ran(f, run);
	if (json_is_true(run_at(run, "traced")))
		traced_sections(f, plots, run);
	power_pairs(f, run_at(run, "power"));
	html_machine(f, run);
	html_measuring(f, runs, run_text(run, "tool.args"));
	if (run_at(run, "wakeups"))
		html_words(f);
	html_page_end(f);
	json_decref(runs);
	return 0;
}
