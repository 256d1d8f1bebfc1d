/* SPDX-License-Identifier: GPL-2.0 */
/* `idletrace compare`: saved runs side by side. */
#ifndef IDLETRACE_COMPARE_H
#define IDLETRACE_COMPARE_H

/* argv is that of the program, with "compare" as argv[1]. Returns the exit status. */
int compare_run(int argc, char **argv, const char *args);

#endif
