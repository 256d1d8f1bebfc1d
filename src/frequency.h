/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of the CPUs, as cpufreq has it. */
#ifndef IDLETRACE_FREQUENCY_H
#define IDLETRACE_FREQUENCY_H

#include "idletrace.h"
#include "units.h"

/*
 * Mean of cpufreq's scaling_cur_freq over those of the CPUs that have it, kHz; 0 if none
 * has. root is "/sys", or the top of a copy of it.
 */
u64 frequency_khz(const char *root, const struct cpu_mask *cpus);

#endif
