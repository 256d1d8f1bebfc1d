/* SPDX-License-Identifier: GPL-2.0 */
/* The machine: its kernel, CPUs, idle states, and the kernel's counters of them. */
#ifndef IDLETRACE_MACHINE_H
#define IDLETRACE_MACHINE_H

#include "idletrace.h"
#include "units.h"

struct idle_state {
	char name[16]; /* CPUIDLE_NAME_LEN */
	char desc[32]; /* CPUIDLE_DESC_LEN */
	u64 latency_us, residency_us;
	bool disabled; /* by the user or by default, on the CPU it was read from */
};

struct machine {
	char kernel[65], arch[65];
	unsigned int possible_cpus; /* 1 + highest possible CPU number */
	struct cpu_mask online;
	char driver[32], governor[32]; /* "none", or "" if there is no such file */
	char cpufreq_governor[32];     /* of the first CPU, "" if there is none */
	unsigned int hz;
	unsigned int nr_states; /* 0 without a cpuidle driver */
	struct idle_state states[STATES_MAX];
};

/* sysfs cpuN/cpuidle/stateM, as the kernel counts since boot. */
struct state_usage {
	u64 usage, time_us, above, below, rejected;
};

struct cpu_usage {
	struct state_usage state[STATES_MAX];
};

/* Reads it all; what a kernel does not have stays empty. Never fails. */
void machine_read(struct machine *m);

/* A driver and a governor account idle periods: there are states and verdicts. */
static inline bool machine_has_driver(const struct machine *m)
{
	return m->nr_states > 0;
}

/* Number of state indices that can be traced; without a driver the kernel traces 0 or 1.
 */
static inline unsigned int machine_traced_states(const struct machine *m)
{
	return m->nr_states > 2 ? m->nr_states : 2;
}

/* The state's name, or "stateN" where no driver names it. Returns buf. */
const char *machine_state_name(const struct machine *m, unsigned int state, char *buf,
			       size_t size);

/* Residency and latency of each state of one CPU, ns; zeroes for missing ones. */
void machine_state_params(unsigned int cpu, struct state_param *param);

/* The counters of one CPU. Returns false if it has none (no driver, offline). */
bool machine_read_usage(unsigned int cpu, unsigned int nr_states,
			struct cpu_usage *usage);

/* Whether no period has been counted or rejected there since it was read. */
bool machine_usage_holds(unsigned int cpu, unsigned int nr_states,
			 const struct cpu_usage *usage);

/* Context switches of the whole machine since boot, 0 if unknown. */
u64 machine_context_switches(void);

/* First line of a small file without its newline; false if it cannot be read. */
bool read_line(const char *path, char *buf, size_t size);

#endif
