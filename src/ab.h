/* SPDX-License-Identifier: GPL-2.0 */
/* `idletrace ab`: settings of this machine against each other, in balanced rounds. */
#ifndef IDLETRACE_AB_H
#define IDLETRACE_AB_H

#include "options.h"

/*
 * argv is that of the program, with "ab" as argv[1]; args is the same as text. Returns
 * the exit status. Whatever was changed on the machine is as it was.
 */
int ab_run(int argc, char **argv, const char *args);

/* The same for `idletrace --calibrate`: tracing on and off. o is its argv, parsed. */
int ab_calibrate(const struct options *o, int argc, char **argv, const char *args);

#endif
