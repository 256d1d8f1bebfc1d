/* SPDX-License-Identifier: GPL-2.0 */
/* One line per knob; the table in src/knobs.c gives their order. */
#ifndef IDLETRACE_KNOBS_ALL_H
#define IDLETRACE_KNOBS_ALL_H

#include "knobs.h"

extern const struct knob knob_governor;
extern const struct knob knob_cpufreq_governor;
extern const struct knob knob_idle_state;
extern const struct knob knob_pm_qos;
extern const struct knob knob_sched_feature;
extern const struct knob knob_sysctl;
extern const struct knob knob_file;
extern const struct knob knob_option;
extern const struct knob knob_trace;
extern const struct knob knob_none;

#endif
