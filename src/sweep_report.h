/* SPDX-License-Identifier: GPL-2.0 */
/* The table of a sweep, from its document alone. */
#ifndef IDLETRACE_SWEEP_REPORT_H
#define IDLETRACE_SWEEP_REPORT_H

#include <jansson.h>

#include "runs.h"

/*
 * What the table shows of each run: by name, or the headline of the first one for NULL.
 * False: no run has it, and why is in err.
 */
bool sweep_metric(const json_t *sweep, const char *name, struct run_measure *measure,
		  char *err, size_t size);

/* Prints to stdout, within 80 columns. measure NULL: a workload without a metric. */
void sweep_print(const json_t *sweep, const struct run_measure *measure);

#endif
