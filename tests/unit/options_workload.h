/* SPDX-License-Identifier: GPL-2.0 */
/* A workload of known options in the place of the real one, once per program. */
#ifndef OPTIONS_WORKLOAD_H
#define OPTIONS_WORKLOAD_H

#include "options_attempt.h"

struct values {
	uint64_t threads, loops, pause, memory;
	double share;
	int shape;
	bool fast;
	struct cpu_mask on;
	char *label;
};

static const char *const shapes[] = {"round", "square", NULL};

static const struct workload_option value_options[] = {
	{"threads", "threads", .def = "4", .type = OPTION_COUNT, .min = 1, .max = 1000,
	 OPTION_FIELD(struct values, threads)},
	{"loops", "rounds", .def = "100", .type = OPTION_COUNT,
	 OPTION_FIELD(struct values, loops)},
	{"pause", "between", .def = "20us", .type = OPTION_DURATION,
	 OPTION_FIELD(struct values, pause)},
	{"memory", "touched", .def = "64k", .type = OPTION_SIZE,
	 OPTION_FIELD(struct values, memory)},
	{"share", "of time", .def = "1.5", .type = OPTION_NUMBER, .max = 100,
	 OPTION_FIELD(struct values, share)},
	{"shape", "of load", .def = "round", .type = OPTION_ENUM, .choices = shapes,
	 OPTION_FIELD(struct values, shape)},
	{"fast-lane", "or not", .def = "no", .type = OPTION_BOOL,
	 OPTION_FIELD(struct values, fast)},
	{"on-cpus", "place", .def = "any", .word = "any", .type = OPTION_CPULIST,
	 OPTION_FIELD(struct values, on)},
	{"label", "title", .def = "none", .type = OPTION_TEXT,
	 OPTION_FIELD(struct values, label)},
};

static struct workload_run checked;

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct values *v = config->values;

	checked = *run;
	if (v->threads != 13)
		return 0;
	snprintf(err, size, "--threads 13: not with that many");
	return -1;
}

const struct workload adrestia_workload = {
	.name = "adrestia",
	.summary = "wakes threads",
	.options = value_options,
	.nr_options = sizeof(value_options) / sizeof(value_options[0]),
	.options_size = sizeof(struct values),
	.check = check,
};

static inline const struct values *values(const struct attempt *a)
{
	return a->o.config.values;
}

#endif
