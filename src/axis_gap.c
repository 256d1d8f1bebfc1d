// SPDX-License-Identifier: GPL-2.0
/* Idle gaps around the target residencies of this machine's idle states. */
#include "axis.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "place.h"

#define STATES 64 /* more than any driver has */

/* The option that makes a workload's gaps, and what it takes for one CPU to have one. */
struct gap_rule {
	const char *workload, *option;
	/* Workers; no more than CPUs. NULL: any number. */
	const char *workers;
	/* An option that must have one value. */
	const char *only, *value;
	/* The gap is that of so many others' option together: of all tasks but one. */
	const char *shared;
};

static const struct gap_rule rules[] = {
	{"adrestia", "arrival-time", NULL, "test", "periodic", NULL},
	{"ebizzy", "sleep", "threads", "sleep-every", "1", NULL},
	{"pingpong", "work", NULL, "rings", "1", "tasks"},
	{"schbench", "sleep", "threads", "style", "new", NULL},
	{"waiters", "period", "threads", "arrival", "closed", NULL},
};

#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

bool axis_is_gap(const char *spec)
{
	return !strcmp(spec, "gap=auto");
}

__attribute__((format(printf, 3, 4))) static int fail(char *err, size_t size,
						      const char *fmt, ...)
{
	va_list args;
	int n = snprintf(err, size, "--over gap=auto: ");

	va_start(args, fmt);
	if (n > 0 && (size_t)n < size)
		vsnprintf(err + n, size - (size_t)n, fmt, args);
	va_end(args);
	return -1;
}

static const struct gap_rule *find_rule(const struct workload *workload, char *err,
					size_t size)
{
	char names[160];
	size_t used = 0;

	for (size_t i = 0; i < NR_RULES; i++) {
		if (!strcmp(rules[i].workload, workload->name))
			return &rules[i];
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i ? ", " : "", rules[i].workload);
	}
	fail(err, size, "no option of %s makes its idle gaps, but of %s", workload->name,
	     names);
	return NULL;
}

bool axis_gap_needs(const struct workload *workload, const char *option)
{
	for (size_t i = 0; i < NR_RULES; i++) {
		const struct gap_rule *rule = &rules[i];

		if (strcmp(rule->workload, workload->name))
			continue;
		return !strcmp(option, rule->only) ||
		       (rule->workers && !strcmp(option, rule->workers)) ||
		       (rule->shared && !strcmp(option, rule->shared));
	}
	return false;
}

/* The value of an option as text. */
static const char *value_of(const struct workload_config *config, const char *name,
			    char *buf, size_t size)
{
	const struct workload *w = config->workload;

	buf[0] = '\0';
	for (unsigned int i = 0; i < w->nr_options; i++)
		if (!strcmp(w->options[i].name, name))
			workload_option_text(config, i, buf, size);
	return buf;
}

static int check_rule(const struct gap_rule *rule, const struct workload_config *config,
		      const struct workload_run *run, char *err, size_t size)
{
	struct cpu_mask allowed;
	char value[64];
	uint64_t workers;
	unsigned int cpus;

	if (strcmp(value_of(config, rule->only, value, sizeof(value)), rule->value))
		return fail(err, size, "needs --%s %s, with %s there is not one gap",
			    rule->only, rule->value, value);
	if (!rule->workers ||
	    parse_count(value_of(config, rule->workers, value, sizeof(value)), &workers))
		return 0;
	place_allowed(run, &allowed);
	cpus = cpu_mask_count(&allowed);
	if (workers > cpus)
		return fail(err, size,
			    "needs --%s 1 to %u (CPUs), with %s a CPU has other gaps",
			    rule->workers, cpus, value);
	return 0;
}

/* ---- the states ---- */

static bool is_cpu(const char *name)
{
	return !strncmp(name, "cpu", 3) && name[3] >= '0' && name[3] <= '9';
}

static unsigned int read_states(const char *cpuidle, uint64_t *residency_ns)
{
	unsigned int nr;
	uint64_t us;

	for (nr = 0; nr < STATES; nr++) {
		char path[PATH_MAX], text[32];

		snprintf(path, sizeof(path), "%.4000s/state%u/residency", cpuidle, nr);
		if (!read_line(path, text, sizeof(text)) || parse_u64(text, &us))
			break;
		residency_ns[nr] = us * NSEC_PER_USEC;
	}
	return nr;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of all CPUs, as there may be big and little ones: rising, each once, without 0. */
static unsigned int find_residencies(const char *root, uint64_t *all)
{
	char dir[PATH_MAX], cpuidle[PATH_MAX + 64];
	unsigned int nr = 0, kept = 0;
	struct dirent *entry;
	DIR *d;

	snprintf(dir, sizeof(dir), "%.3000s/sys/devices/system/cpu", root);
	d = opendir(dir);
	while (d && (entry = readdir(d)) != NULL) {
		uint64_t states[STATES];
		unsigned int found;

		if (!is_cpu(entry->d_name))
			continue;
		snprintf(cpuidle, sizeof(cpuidle), "%s/%.32s/cpuidle", dir,
			 entry->d_name);
		found = read_states(cpuidle, states);
		for (unsigned int i = 0; i < found && nr < STATES; i++) {
			bool known = !states[i];

			for (unsigned int j = 0; j < nr; j++)
				known |= all[j] == states[i];
			if (!known)
				all[nr++] = states[i];
		}
	}
	if (d)
		closedir(d);
	kept = nr;
	qsort(all, kept, sizeof(*all), compare);
	return kept;
}

/* ---- the gaps ---- */

static unsigned int find_gaps(const char *root, uint64_t *gaps)
{
	uint64_t residencies[STATES];
	unsigned int nr = find_residencies(root, residencies), kept = 0;

	for (unsigned int i = 0; i < nr; i++) {
		gaps[3 * i] = residencies[i] / 2;
		gaps[3 * i + 1] = residencies[i];
		gaps[3 * i + 2] = 2 * residencies[i];
	}
	qsort(gaps, 3 * nr, sizeof(*gaps), compare);
	for (unsigned int i = 0; i < 3 * nr; i++)
		if (!kept || gaps[i] != gaps[kept - 1])
			gaps[kept++] = gaps[i];
	return kept;
}

int axis_gap(struct axis *axis, const struct workload_config *config,
	     const struct workload_run *run, const char *root, char *err, size_t size)
{
	const struct gap_rule *rule = find_rule(config->workload, err, size);
	uint64_t gaps[3 * STATES], others = 1;
	char text[64];
	unsigned int nr;

	*axis = (struct axis){.kind = AXIS_TIME, .logarithmic = true};
	if (!rule || check_rule(rule, config, run, err, size))
		return -1;
	axis->option = workload_find_option(config->workload, rule->option);
	nr = find_gaps(root, gaps);
	if (!nr)
		return fail(err, size,
			    "no idle state here has a target residency; give --over "
			    "%s=RANGE",
			    rule->option);
	if (rule->shared) {
		value_of(config, rule->shared, text, sizeof(text));
		if (!parse_count(text, &others) && others > 1)
			others--;
	}
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t value = gaps[i] / others ? gaps[i] / others : 1;

		axis_time(value, text, sizeof(text));
		if (axis_add(axis, text, (double)value))
			return fail(err, size, "out of memory");
	}
	return 0;
}
