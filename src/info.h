/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IDLETRACE_INFO_H
#define IDLETRACE_INFO_H

#include "options.h"

/* `idletrace info`: the machine, its idle states, kernel features. Exit status. */
int info_run(const struct options *o);

#endif
