/* SPDX-License-Identifier: GPL-2.0 */
/* Runs made up for tests. */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include <jansson.h>

/*
 * A pingpong run on CPUs 1 and 2 of a machine with three CPUs and two idle states:
 *
 *	       CPU 0		  CPU 1			 CPU 2
 *	       usage above below  usage above below	 usage above below
 *	POLL	  50	 0    40     10	    0	  7	    10	   0	 7
 *	C1	 100	50     0     20	    2	  0	    40	   4	 0
 *
 * Traced are one less of each usage. Each state took a tenth of each CPU's 1 s. Wakeups:
 * 100 of 5 us, their exit phase 2 us. usecs_per_loop (less is better) is 6.5, loops 900.
 */
json_t *run_fixture(void);

/* Sets a member that exists, of members: "host.kernel". */
void run_fixture_set(json_t *run, const char *path, json_t *value);

/* Sets the value of the workload's i-th metric: 0 usecs_per_loop, 1 loops. */
void run_fixture_metric(json_t *run, size_t i, double value);

#endif
