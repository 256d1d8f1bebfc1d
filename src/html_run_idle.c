// SPDX-License-Identifier: GPL-2.0
/* Tables of one run: idle states and what wrong ones cost. */
#include "html_parts.h"

#include <stdlib.h>

#include "runs.h"

static void idle_row(FILE *f, const json_t *state, const json_t *cpu_time,
		     const struct unit *units)
{
	html_row(f, false, "%s", run_text(state, "name"));
	html_share_cell(f, run_at(state, "time"), cpu_time);
	html_count_cell(f, run_at(state, "requested"));
	html_count_cell(f, run_at(state, "entered"));
	html_share_cell(f, run_at(state, "hit"), run_at(state, "entered"));
	html_share_cell(f, run_at(state, "too_deep"), run_at(state, "entered"));
	html_share_cell(f, run_at(state, "too_shallow"), run_at(state, "entered"));
	html_count_cell(f, run_at(state, "rejected"));
	html_ns_cell(f, run_at(state, "residency.p50"), units[0]);
	html_ns_cell(f, run_at(state, "residency.p99"), units[1]);
	html_row_end(f);
}

static void idle_table(FILE *f, const char *caption, const json_t *idle)
{
	const json_t *states = run_at(idle, "states"), *state;
	const struct unit units[] = {html_unit(states, "residency.p50"),
				     html_unit(states, "residency.p99")};
	char p50[32], p99[32];
	const struct html_column columns[] = {
		{"state", true, NULL},	      {"time", false, NULL},
		{"requested", false, NULL},   {"entered", false, NULL},
		{"hit", false, "verdict"},    {"too deep", false, NULL},
		{"too shallow", false, NULL}, {"rejected", false, ""},
		{p50, false, "residency"},    {p99, false, NULL},
	};
	size_t i;

	snprintf(p50, sizeof(p50), "p50 %s", units[0].name);
	snprintf(p99, sizeof(p99), "p99 %s", units[1].name);
	html_table_begin(f, caption, columns, 10);
	json_array_foreach (states, i, state)
		idle_row(f, state, run_at(idle, "cpu_time"), units);
	html_table_end(f);
}

static unsigned int count_residuals(FILE *f, const json_t *states, bool print)
{
	static const char *const kinds[] = {"usage", "above", "below", "rejected"};
	unsigned int nr = 0;
	const json_t *state;
	size_t i;

	json_array_foreach (states, i, state)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			json_int_t value = json_integer_value(
				run_at(run_at(state, "residual"), kinds[k]));

			if (value && print)
				html_note(f, "Residual: %s %s %+lld.",
					  run_text(state, "name"), kinds[k],
					  (long long)value);
			nr += value != 0;
		}
	return nr;
}

static void residual(FILE *f, const json_t *idle)
{
	json_int_t known = json_integer_value(run_at(idle, "kernel_cpus"));
	json_int_t cpus = json_integer_value(run_at(idle, "observed_cpus"));
	const json_t *states = run_at(idle, "states");
	char periods[UNITS_TEXT_MAX];

	format_count((u64)json_integer_value(run_at(idle, "periods")), periods,
		     sizeof(periods));
	if (!known)
		html_note(f, "The kernel's own counters of the %s periods: not known.",
			  periods);
	else if (!count_residuals(f, states, false))
		html_note(f,
			  "The kernel's own counters agree: residual 0 of %s periods, "
			  "known for %lld of %lld CPUs.",
			  periods, (long long)known, (long long)cpus);
	else
		html_warning(f,
			     "The kernel's own counters differ (traced - kernel, %s "
			     "periods, known for %lld of %lld CPUs).",
			     periods, (long long)known, (long long)cpus);
	count_residuals(f, states, true);
}

static void ends(FILE *f, const json_t *idle)
{
	static const struct html_column columns[] = {
		{"ended by", true, NULL}, {"count", false, NULL}, {"share", false, NULL}};
	static const char *const kinds[][2] = {
		{"timer", "timer"}, {"tick", "tick"}, {"intercepted", "intercepted"}};
	const json_t *all = run_at(idle, "ends");

	html_table_begin(f, "What ended the idle periods", columns, 3);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const json_t *count = run_at(all, kinds[i][0]);

		/* Where the tick is not told apart it is among the timers. */
		html_row(f, false, "%s%s", kinds[i][1],
			 !i && !run_at(all, "tick") ? " or tick" : "");
		html_count_cell(f, count);
		html_share_cell(f, count, run_at(all, "count"));
		html_row_end(f);
	}
	html_table_end(f);
}

void html_idle(FILE *f, const json_t *run)
{
	const json_t *idle = run_at(run, "idle"), *part = run_at(idle, "part");
	char caption[320];

	if (part) {
		snprintf(caption, sizeof(caption), "Idle states, CPUs %s that take part",
			 run_text(part, "cpus"));
		idle_table(f, caption, part);
	}
	idle_table(f, part ? "Idle states, all CPUs" : "Idle states", idle);
	residual(f, idle);
	ends(f, idle);
}

/* ---- cost ---- */

static void deep_rows(FILE *f, const json_t *deep)
{
	char text[UNITS_TEXT_MAX];
	const json_t *state;
	size_t i;

	json_array_foreach (run_at(deep, "states"), i, state) {
		const json_t *time = run_at(state, "time");
		long long ns = (long long)json_integer_value(time);

		html_row(f, false, "too deep");
		html_text_cell(f, "%s", run_text(state, "name"));
		html_count_cell(f, run_at(state, "wakeups"));
		if (time)
			html_text_cell(
				f, "%s %s of waiting", ns < 0 ? "less by" : "",
				format_duration((u64)llabs(ns), text, sizeof(text)));
		else
			html_text_cell(f, "- (no hits in the right state)");
		html_row_end(f);
	}
}

static void shallow_rows(FILE *f, const json_t *run)
{
	char text[UNITS_TEXT_MAX];
	const json_t *pair;
	size_t i;

	json_array_foreach (run_at(run, "cost.too_shallow.states"), i, pair) {
		u64 ns = (u64)json_integer_value(run_at(pair, "time"));
		json_int_t entered = json_integer_value(run_at(pair, "entered"));
		json_int_t right = json_integer_value(run_at(pair, "right"));

		html_row(f, false, "too shallow");
		html_text_cell(f, "%s instead of %s",
			       run_state_name(run, (unsigned int)entered),
			       run_state_name(run, (unsigned int)right));
		html_cell(f, "%s", "");
		html_text_cell(f, "%s", format_duration(ns, text, sizeof(text)));
		html_row_end(f);
	}
}

void html_cost(FILE *f, const json_t *run)
{
	static const struct html_column columns[] = {
		{"verdict", true, NULL},
		{"state", true, NULL},
		{"wakeups", false, NULL},
		{"time in all", true, NULL},
	};

	if (!run_at(run, "cost")) {
		html_note(f, "Cost of wrong states: unknown, without a cpuidle driver "
			     "there are no verdicts.");
		return;
	}
	if (!json_array_size(run_at(run, "cost.too_deep.states")) &&
	    !json_array_size(run_at(run, "cost.too_shallow.states"))) {
		html_note(f, "Wrong states cost nothing: no wakeup came out of one that "
			     "was too deep, no time was spent in one that was too "
			     "shallow.");
		return;
	}
	html_table_begin(f, "What wrong states cost", columns, 4);
	deep_rows(f, run_at(run, "cost.too_deep"));
	shallow_rows(f, run);
	html_table_end(f);
}
