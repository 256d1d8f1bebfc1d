/* SPDX-License-Identifier: GPL-2.0 */
/* One run from beginning to end. */
#ifndef IDLETRACE_SESSION_H
#define IDLETRACE_SESSION_H

#include "options.h"

/*
 * Load, attach, settle, open the window, let it run, close it, report. args is the
 * command line for the report. Returns the exit status; errors have been printed.
 */
int session_run(const struct options *o, const char *args);

#endif
