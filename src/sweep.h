/* SPDX-License-Identifier: GPL-2.0 */
/* `idletrace sweep`: one run per value of options of a workload, one table of them. */
#ifndef IDLETRACE_SWEEP_H
#define IDLETRACE_SWEEP_H

/*
 * argv is that of the program, with "sweep" as argv[1]; args is the same as text. Returns
 * the exit status.
 */
int sweep_run(int argc, char **argv, const char *args);

#endif
