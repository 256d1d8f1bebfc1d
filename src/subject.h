/* SPDX-License-Identifier: GPL-2.0 */
/* Which tasks and CPUs a report speaks of: from the options to the BPF settings. */
#ifndef IDLETRACE_SUBJECT_H
#define IDLETRACE_SUBJECT_H

#include "machine.h"
#include "options.h"

/*
 * Checks the filters against the machine and puts them into the settings. Returns 0, or
 * -1 with one line in err (a usage error).
 */
int subject_settings(const struct options *o, const struct machine *m, struct settings *s,
		     char *err, size_t size);

/* The filters as they would be written on the command line; "" if there are none. */
void subject_text(const struct options *o, char *buf, size_t size);

/* The CPUs to observe. */
void subject_cpus(const struct options *o, const struct machine *m,
		  struct cpu_mask *cpus);

/*
 * The CPU for the loader: --housekeeping, else one that is not observed, else the first,
 * which serves most interrupts anyway. -1 with one line in err if that CPU is not online.
 */
int subject_housekeeping(const struct options *o, const struct machine *m, char *err,
			 size_t size);

#endif
