/* SPDX-License-Identifier: GPL-2.0 */
/* Results filled by hand, for the tests of the reports. */
#ifndef REPORT_FIXTURES_H
#define REPORT_FIXTURES_H

#include "results.h"

struct fixture {
	struct machine machine;
	struct caps caps;
	struct workload workload;
	struct workload_config config;
	struct workload_result *result;
	struct results results;
};

/* Twelve CPUs with four idle states, a workload, 12 of everything that can be lost. */
void fixture_driver(struct fixture *f);

/* Two CPUs without a cpuidle driver, a profile, nothing lost. */
void fixture_no_driver(struct fixture *f);

/* Four thousand CPUs, ten states with the longest names, the largest numbers. */
void fixture_large(struct fixture *f);

/* Nothing happened at all. */
void fixture_empty(struct fixture *f);

void fixture_free(struct fixture *f);

/* All of the above, in that order. */
#define FIXTURES 4
extern void (*const report_fixtures[FIXTURES])(struct fixture *f);

#endif
