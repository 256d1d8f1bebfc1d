// SPDX-License-Identifier: GPL-2.0
/* What every page has: the machine, the command, what was lost and what was added. */
#include "html_parts.h"

#include <math.h>
#include <string.h>

#include "runs.h"

char *html_where(const json_t *run, char *buf, size_t size)
{
	json_int_t ns = json_integer_value(run_at(run, "window.duration"));
	char where[256], time[UNITS_TEXT_MAX] = "";

	if (ns > 0)
		format_duration((u64)ns, time, sizeof(time));
	snprintf(buf, size, "%s%s%s%s", time, *time ? ", " : "",
		 run_where(run, where, sizeof(where)),
		 json_is_false(run_at(run, "traced")) ? ", not traced" : "");
	return buf;
}

/* ---- machine ---- */

static void states_table(FILE *f, const json_t *states)
{
	static const struct html_column columns[] = {
		{"state", true, NULL},
		{"description", true, NULL},
		{"exit latency, us", false, NULL},
		{"target residency, us", false, NULL},
		{"enabled", true, NULL},
	};
	const json_t *state;
	size_t i;

	if (!json_array_size(states))
		return;
	html_table_begin(f, "Idle states", columns, 5);
	json_array_foreach (states, i, state) {
		html_row(f, false, "%s", run_text(state, "name"));
		html_text_cell(f, "%s", run_text(state, "desc"));
		html_count_cell(f, run_at(state, "latency_us"));
		html_count_cell(f, run_at(state, "residency_us"));
		html_text_cell(f, "%s",
			       json_is_true(run_at(state, "disabled")) ? "no" : "yes");
		html_row_end(f);
	}
	html_table_end(f);
}

static void text_pair(FILE *f, const char *what, const json_t *run, const char *path)
{
	const char *text = run_text(run, path);

	html_pair(f, what, "%s", *text ? text : "-");
}

static void number_pair(FILE *f, const char *what, const json_t *run, const char *path)
{
	const json_t *number = run_at(run, path);

	if (json_is_integer(number))
		html_pair(f, what, "%lld", (long long)json_integer_value(number));
	else
		html_pair(f, what, "-");
}

void html_machine(FILE *f, const json_t *run)
{
	const json_t *states = run_at(run, "host.cpuidle.states");

	html_section(f, "Machine");
	html_pairs_begin(f);
	text_pair(f, "kernel", run, "host.kernel");
	text_pair(f, "architecture", run, "host.arch");
	text_pair(f, "CPUs online", run, "host.online");
	number_pair(f, "HZ", run, "host.hz");
	text_pair(f, "cpuidle driver", run, "host.cpuidle.driver");
	text_pair(f, "cpuidle governor", run, "host.cpuidle.governor");
	text_pair(f, "cpufreq governor", run, "host.cpufreq_governor");
	html_pairs_end(f);
	states_table(f, states);
	if (!json_array_size(states))
		html_note(f, "No cpuidle driver: verdicts on idle periods are unknown.");
	html_section_end(f);
}

/* ---- loss and observer ---- */

static double sum(const json_t *runs, const char *path)
{
	const json_t *run;
	double all = 0;
	size_t i;

	json_array_foreach (runs, i, run)
		all += json_number_value(run_at(run, path));
	return all;
}

static bool any_traced(const json_t *runs)
{
	const json_t *run;
	size_t i;

	json_array_foreach (runs, i, run)
		if (json_is_true(run_at(run, "traced")))
			return true;
	return false;
}

static void loss_table(FILE *f, const json_t *runs)
{
	static const struct html_column columns[] = {
		{"kind", true, NULL}, {"count", false, NULL}, {"what it is", true, NULL}};
	char path[64], count[UNITS_TEXT_MAX];

	html_table_begin(f, json_array_size(runs) > 1 ? "Loss, all runs" : "Loss",
			 columns, 3);
	for (int i = 0; i < LOSS_KINDS; i++) {
		snprintf(path, sizeof(path), "loss.%s", loss_kinds[i].name);
		html_row(f, false, "%s", loss_kinds[i].name);
		html_cell(f, "%s",
			  format_count((u64)sum(runs, path), count, sizeof(count)));
		html_text_cell(f, "%s", loss_kinds[i].meaning);
		html_row_end(f);
	}
	html_table_end(f);
}

/* From the lowest to the highest of all runs that know it, each divided by scale. */
static void range_pair(FILE *f, const char *what, const json_t *runs, const char *path,
		       double scale, const char *unit)
{
	double low = INFINITY, high = -INFINITY;
	char from[24], to[24];
	const json_t *run;
	size_t i;

	json_array_foreach (runs, i, run) {
		const json_t *number = run_at(run, path);

		if (!json_is_number(number))
			continue;
		low = fmin(low, json_number_value(number) / scale);
		high = fmax(high, json_number_value(number) / scale);
	}
	snprintf(from, sizeof(from), "%.*f", scale > 1 && low < 100, low);
	snprintf(to, sizeof(to), "%.*f", scale > 1 && low < 100, high);
	if (high < low)
		html_pair(f, what, "-");
	else if (!strcmp(from, to))
		html_pair(f, what, "%s%s", from, unit);
	else
		html_pair(f, what, "%s to %s%s", from, to, unit);
}

static void loader_pair(FILE *f, const json_t *runs)
{
	double time = sum(runs, "observer.cpu"), all = sum(runs, "window.duration");
	char share[UNITS_TEXT_MAX];

	html_pair(f, "loader", "%s of one CPU",
		  format_share((u64)time, (u64)all, share, sizeof(share)));
}

static void observer_pairs(FILE *f, const json_t *runs)
{
	html_pairs_begin(f);
	range_pair(f, "BPF per wakeup", runs, "observer.bpf", 1, " ns");
	range_pair(f, "of it for the wakeup", runs, "observer.bpf_wakeup", 1, " ns");
	range_pair(f, "BPF per idle period", runs, "observer.bpf_period", 1, " ns");
	loader_pair(f, runs);
	range_pair(f, "its wakeups", runs, "observer.wakeups", 1, "");
	range_pair(f, "on CPU", runs, "observer.housekeeping", 1, "");
	range_pair(f, "before the window", runs, "observer.start", NSEC_PER_MSEC, " ms");
	range_pair(f, "after it", runs, "observer.finish", NSEC_PER_MSEC, " ms");
	range_pair(f, "memory", runs, "observer.memory", 1 << 20, " MiB");
	range_pair(f, "of BPF's maps", runs, "observer.bpf_memory", 1 << 20, " MiB");
	html_pairs_end(f);
}

static void check_pairs(FILE *f, const json_t *runs)
{
	char traced[UNITS_TEXT_MAX], kernel[UNITS_TEXT_MAX];
	double known = sum(runs, "switches.kernel");

	html_pairs_begin(f);
	html_pair(f, "switches", "%s traced, %s by the kernel",
		  format_count((u64)sum(runs, "switches.traced"), traced, sizeof(traced)),
		  known > 0 ? format_count((u64)known, kernel, sizeof(kernel)) : "-");
	if (sum(runs, "rule.checked") > 0)
		html_pair(f, "verdict rule", "wrong in %s of %s",
			  format_count((u64)sum(runs, "rule.wrong"), traced,
				       sizeof(traced)),
			  format_count((u64)sum(runs, "rule.checked"), kernel,
				       sizeof(kernel)));
	html_pair(f, "wakings of tasks not asleep", "%s",
		  format_count((u64)sum(runs, "unslept"), traced, sizeof(traced)));
	html_pair(f, "records", "%s",
		  format_count((u64)sum(runs, "records"), traced, sizeof(traced)));
	html_pairs_end(f);
}

void html_measuring(FILE *f, const json_t *runs, const char *args)
{
	html_section(f, "How it was measured");
	html_verbatim(f, args);
	if (any_traced(runs)) {
		loss_table(f, runs);
		html_element(f, "h3", "Observer cost");
		observer_pairs(f, runs);
		html_element(f, "h3", "Checks");
		check_pairs(f, runs);
	}
	html_section_end(f);
}

void html_cautions(FILE *f, const json_t *runs)
{
	unsigned int lossy = 0, stopped = 0;
	size_t nr = json_array_size(runs), i;
	const json_t *run;

	json_array_foreach (runs, i, run) {
		lossy += run_lossy(run);
		stopped += run_stopped(run);
	}
	if (nr == 1 && lossy)
		html_warning(f, "Records were lost: some numbers are incomplete, see the "
				"table of loss.");
	else if (lossy)
		html_warning(f,
			     "%u of %zu runs lost records: their numbers are "
			     "incomplete.",
			     lossy, nr);
	if (nr == 1 && stopped)
		html_warning(f, "Ended early, by a signal.");
	else if (stopped)
		html_warning(f, "%u of %zu runs were ended early, by a signal.", stopped,
			     nr);
}

void html_words(FILE *f)
{
	html_section(f, "Words");
	html_pairs_begin(f);
	html_pair(f, "wakeup latency",
		  "from waking (sched_waking, in the waker) to run "
		  "(sched_switch to the task): exit phase and queue "
		  "phase");
	html_pair(f, "exit phase", "from waking until the task's CPU executes again");
	html_pair(f, "queue phase", "from there until the task runs");
	html_pair(f, "too deep",
		  "the kernel's verdict on an idle period that was shorter "
		  "than its state's target residency (sysfs: above)");
	html_pair(f, "too shallow", "long enough for a deeper state (sysfs: below)");
	html_pair(f, "queued behind other",
		  "the CPU was idle at the waking, but ran "
		  "another task first");
	html_pairs_end(f);
	html_section_end(f);
}
