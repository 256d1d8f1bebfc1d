// SPDX-License-Identifier: GPL-2.0
/* The numbers of one run. */
#include "runs.h"

#include <math.h>
#include <string.h>

const char *const run_table_measures[] = {
	"wakeup.p50",	    "wakeup.p99",
	"exit.p50",	    "exit.p99",
	"idle.too_deep",    "idle.too_shallow",
	"kernel.idle_rate", "power.watts",
	"observer.bpf",	    NULL,
};

static bool is_number(const json_t *value, double *number)
{
	if (!json_is_number(value))
		return false;
	*number = json_number_value(value);
	return true;
}

static enum metric_better better_of(const char *text)
{
	return !strcmp(text, "lower")	 ? BETTER_LOWER
	       : !strcmp(text, "higher") ? BETTER_HIGHER
					 : BETTER_NONE;
}

static bool read_metric(const json_t *metric, struct run_measure *measure, double *value)
{
	const json_t *number = run_at(metric, "value");

	if (!metric)
		return false;
	snprintf(measure->name, sizeof(measure->name), "%s", run_text(metric, "name"));
	snprintf(measure->unit, sizeof(measure->unit), "%s", run_text(metric, "unit"));
	measure->better = better_of(run_text(metric, "better"));
	*value = json_is_number(number) ? json_number_value(number) : NAN;
	return true;
}

bool run_metric(const json_t *run, size_t i, struct run_measure *measure, double *value)
{
	const json_t *own = run_at(run, "workload.metrics");
	size_t nr = json_array_size(own);
	const json_t *metrics = i < nr ? own : run_at(run, "command.metrics");

	return read_metric(json_array_get(metrics, i < nr ? i : i - nr), measure, value);
}

bool run_headline(const json_t *run, struct run_measure *measure, double *value)
{
	for (size_t i = 0; run_metric(run, i, measure, value); i++)
		if (measure->better != BETTER_NONE && !isnan(*value))
			return true;
	return false;
}

/* ---- idle states ---- */

unsigned int run_states(const json_t *run)
{
	return (unsigned int)json_array_size(run_at(run, "idle.states"));
}

const char *run_state_name(const json_t *run, unsigned int state)
{
	return run_text(json_array_get(run_at(run, "idle.states"), state), "name");
}

/* The CPUs that count; a workload that does not say where it ran, ran anywhere. */
static bool takes_part(const json_t *run, const json_t *cpu, enum run_cpus cpus)
{
	const json_t *number = run_at(cpu, "cpu");
	struct cpu_mask mask;

	if (cpus == RUN_CPUS_ALL ||
	    cpu_mask_parse(run_text(run, "workload.cpus"), &mask) ||
	    !cpu_mask_count(&mask))
		return true;
	return json_integer_value(number) >= 0 &&
	       json_integer_value(number) < CPU_MASK_MAX &&
	       cpu_mask_test(&mask, (unsigned int)json_integer_value(number));
}

/* Sums over CPUs and states. */
struct idle_sums {
	double idles, above, below;
	double time, cpu_time; /* ns in the states, and altogether */
	bool judged;	       /* above and below are known */
};

static void add_state(const json_t *state, bool kernel, struct idle_sums *sums)
{
	double idles = 0, above = 0, below = 0, time = 0;
	const json_t *from = kernel ? run_at(state, "kernel") : state;

	is_number(run_at(from, kernel ? "usage" : "entered"), &idles);
	sums->judged &= is_number(run_at(from, kernel ? "above" : "too_deep"), &above);
	sums->judged &= is_number(run_at(from, kernel ? "below" : "too_shallow"), &below);
	is_number(run_at(state, "time"), &time);
	sums->idles += idles;
	sums->above += above;
	sums->below += below;
	sums->time += time;
}

/* Are the kernel's own counters known of all CPUs that count? */
static bool has_kernel(const json_t *run, enum run_cpus cpus)
{
	const json_t *cpu, *state;
	size_t i, j;

	json_array_foreach (run_at(run, "idle.cpus"), i, cpu) {
		if (!takes_part(run, cpu, cpus))
			continue;
		json_array_foreach (run_at(cpu, "states"), j, state)
			if (!run_at(state, "kernel"))
				return false;
	}
	return true;
}

/* Of the states from first to last; false: no idle periods were traced at all. */
static bool sum_idle(const json_t *run, enum run_cpus cpus, unsigned int first,
		     unsigned int last, struct idle_sums *sums)
{
	bool kernel = has_kernel(run, cpus);
	const json_t *cpu, *state;
	size_t i, j;

	*sums = (struct idle_sums){.judged = true};
	json_array_foreach (run_at(run, "idle.cpus"), i, cpu) {
		double start = 0, end = 0;

		if (!takes_part(run, cpu, cpus))
			continue;
		if (is_number(run_at(cpu, "start"), &start) &&
		    is_number(run_at(cpu, "end"), &end))
			sums->cpu_time += end - start;
		json_array_foreach (run_at(cpu, "states"), j, state)
			if (j >= first && j <= last)
				add_state(state, kernel, sums);
	}
	return json_array_size(run_at(run, "idle.cpus"));
}

static bool percent(double part, double whole, double *value)
{
	if (!(whole > 0))
		return false;
	*value = 100 * part / whole;
	return true;
}

static bool known(bool is, double number, double *value)
{
	if (is)
		*value = number;
	return is;
}

static bool sums_number(const struct idle_sums *s, enum run_state_number which,
			double *value)
{
	switch (which) {
	case RUN_STATE_IDLES: return known(true, s->idles, value);
	case RUN_STATE_ABOVE: return known(s->judged, s->above, value);
	case RUN_STATE_BELOW: return known(s->judged, s->below, value);
	case RUN_STATE_TOO_DEEP: return s->judged && percent(s->above, s->idles, value);
	case RUN_STATE_TOO_SHALLOW:
		return s->judged && percent(s->below, s->idles, value);
	case RUN_STATE_SHARE: return percent(s->time, s->cpu_time, value);
	}
	return false;
}

bool run_state_number(const json_t *run, unsigned int state, enum run_cpus cpus,
		      enum run_state_number which, double *value)
{
	struct idle_sums sums;

	return state < run_states(run) && sum_idle(run, cpus, state, state, &sums) &&
	       sums_number(&sums, which, value);
}

/* "too_deep" and its like, of all states together. */
static bool idle_number(const json_t *run, const char *name, enum run_cpus cpus,
			double *value)
{
	static const struct {
		const char *name;
		enum run_state_number which;
	} numbers[] = {
		{"idles", RUN_STATE_IDLES},
		{"aboves", RUN_STATE_ABOVE},
		{"belows", RUN_STATE_BELOW},
		{"too_deep", RUN_STATE_TOO_DEEP},
		{"too_shallow", RUN_STATE_TOO_SHALLOW},
		{"share", RUN_STATE_SHARE},
	};
	unsigned int states = run_states(run);
	struct idle_sums sums;

	if (!states)
		return false;
	if (!strcmp(name, "deepest"))
		return run_state_number(run, states - 1, cpus, RUN_STATE_SHARE, value);
	if (!sum_idle(run, cpus, 0, states - 1, &sums))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(name, numbers[i].name))
			return sums_number(&sums, numbers[i].which, value);
	if (!strcmp(name, "misses"))
		return known(sums.judged, sums.above + sums.below, value);
	if (!sums.judged || strcmp(name, "miss_ratio") || !(sums.idles > 0))
		return false;
	*value = (sums.above + sums.below) / sums.idles;
	return true;
}

/* ---- names with a dot ---- */

struct number_kind {
	const char *prefix; /* up to the dot */
	const char *name;   /* NULL: any */
	bool (*get)(const json_t *run, const char *name, double *value);
	const char *unit;
	enum metric_better better;
};

/* Percentiles that are null are of no wakeups at all. */
static bool wakeup_number(const json_t *run, const char *name, double *value)
{
	return is_number(run_at(run_at(run, "wakeups.latency"), name), value);
}

static bool exit_number(const json_t *run, const char *name, double *value)
{
	return is_number(run_at(run_at(run, "wakeups.exit"), name), value);
}

static bool queue_number(const json_t *run, const char *name, double *value)
{
	return is_number(run_at(run_at(run, "wakeups.queue"), name), value);
}

static bool wakeup_rate(const json_t *run, const char *name, double *value)
{
	double duration = 0, count = 0;

	(void)name;
	if (!is_number(run_at(run, "window.duration"), &duration) || !(duration > 0) ||
	    !is_number(run_at(run, "wakeups.count"), &count))
		return false;
	*value = count * (double)NSEC_PER_SEC / duration;
	return true;
}

static bool part_number(const json_t *run, const char *name, double *value)
{
	return idle_number(run, name, RUN_CPUS_TAKING_PART, value);
}

static bool machine_number(const json_t *run, const char *name, double *value)
{
	return idle_number(run, name, RUN_CPUS_ALL, value);
}

static bool kernel_idle_rate(const json_t *run, const char *name, double *value)
{
	double entries = 0, time = 0, cpus = 0;

	(void)name;
	if (!is_number(run_at(run, "kernel.idle_entries"), &entries) ||
	    !is_number(run_at(run, "kernel.cpus"), &cpus) ||
	    !is_number(run_at(run, "kernel.cpu_time"), &time) || !(time > 0))
		return false;
	*value = entries * cpus * (double)NSEC_PER_SEC / time;
	return true;
}

static bool cost_number(const json_t *run, const char *name, double *value)
{
	return is_number(run_at(run_at(run_at(run, "cost"), name), "time"), value);
}

static bool watts(const json_t *run, const char *name, double *value)
{
	(void)name;
	return is_number(run_at(run, "power.package_watts"), value);
}

static bool observer_bpf(const json_t *run, const char *name, double *value)
{
	(void)name;
	return is_number(run_at(run, "observer.bpf"), value);
}

static bool observer_cpu_idle(const json_t *run, const char *name, double *value)
{
	(void)name;
	return is_number(run_at(run, "observer.bpf_cpu_idle"), value);
}

static bool observer_cpu(const json_t *run, const char *name, double *value)
{
	double cpu = 0, duration = 0;

	(void)name;
	return is_number(run_at(run, "observer.cpu"), &cpu) &&
	       is_number(run_at(run, "window.duration"), &duration) &&
	       percent(cpu, duration, value);
}

#define IDLE_KINDS(prefix, get)                                  \
	{prefix, "too_deep", get, "%", BETTER_LOWER},            \
		{prefix, "too_shallow", get, "%", BETTER_LOWER}, \
		{prefix, "share", get, "%", BETTER_NONE},        \
		{prefix, "deepest", get, "%", BETTER_NONE},      \
		{prefix, "miss_ratio", get, "", BETTER_LOWER},   \
	{                                                        \
		prefix, NULL, get, "", BETTER_NONE               \
	}

/* The first that fits. */
static const struct number_kind kinds[] = {
	{"wakeup", "rate", wakeup_rate, "1/s", BETTER_NONE},
	{"wakeup", NULL, wakeup_number, "ns", BETTER_LOWER},
	{"exit", NULL, exit_number, "ns", BETTER_LOWER},
	{"queue", NULL, queue_number, "ns", BETTER_LOWER},
	IDLE_KINDS("idle", part_number),
	IDLE_KINDS("machine", machine_number),
	{"kernel", "idle_rate", kernel_idle_rate, "1/s", BETTER_NONE},
	{"cost", NULL, cost_number, "ns", BETTER_LOWER},
	{"power", "watts", watts, "W", BETTER_LOWER},
	{"observer", "bpf", observer_bpf, "ns", BETTER_NONE},
	{"observer", "cpu_idle", observer_cpu_idle, "ns", BETTER_NONE},
	{"observer", "cpu", observer_cpu, "%", BETTER_NONE},
};

static const struct number_kind *find_kind(const char *name)
{
	size_t len = strcspn(name, ".");

	for (size_t i = 0; name[len] && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].prefix) == len &&
		    !strncmp(kinds[i].prefix, name, len) &&
		    (!kinds[i].name || !strcmp(kinds[i].name, name + len + 1)))
			return &kinds[i];
	return NULL;
}

static bool find(const json_t *run, const char *name, struct run_measure *measure,
		 double *value)
{
	const struct number_kind *kind = find_kind(name);
	double number;

	if (kind) {
		snprintf(measure->name, sizeof(measure->name), "%s", name);
		snprintf(measure->unit, sizeof(measure->unit), "%s", kind->unit);
		measure->better = kind->better;
		return kind->get(run, strchr(name, '.') + 1, value);
	}
	for (size_t i = 0; run_metric(run, i, measure, &number); i++)
		if (!strcmp(measure->name, name))
			return known(!isnan(number), number, value);
	return false;
}

bool run_number(const json_t *run, const char *name, double *value)
{
	struct run_measure measure;

	return find(run, name, &measure, value);
}

bool run_measure(const json_t *run, const char *name, struct run_measure *measure)
{
	struct run_measure found;
	double value;

	if (!find(run, name, &found, &value))
		return false;
	*measure = found;
	return true;
}

/* ---- latencies ---- */

bool run_latency(const json_t *run, const char *path, struct hist *h)
{
	const json_t *latency = run_at(run, path), *bucket;
	json_int_t count = json_integer_value(run_at(latency, "count"));
	struct hist add = {0};
	size_t i;

	if (count <= 0)
		return false;
	add.count = (u64)count;
	add.sum = (u64)(json_number_value(run_at(latency, "mean")) * (double)count);
	add.min = (u64)json_integer_value(run_at(latency, "min"));
	add.max = (u64)json_integer_value(run_at(latency, "max"));
	json_array_foreach (run_at(latency, "buckets"), i, bucket) {
		json_int_t low = json_integer_value(json_array_get(bucket, 0));
		json_int_t nr = json_integer_value(json_array_get(bucket, 2));

		if (low < 0 || nr < 0)
			return false;
		add.bucket[hist_bucket((u64)low)] += (u64)nr;
	}
	hist_merge(h, &add);
	return true;
}
