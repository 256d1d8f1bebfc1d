// SPDX-License-Identifier: GPL-2.0
#include "info.h"

#include <stdio.h>

#include "caps.h"
#include "exit_status.h"
#include "machine.h"
#include "tracer.h"

static void print_machine(const struct machine *m)
{
	char online[128];

	printf("kernel %s %s, HZ %u, CPUs online: %s\n", m->kernel, m->arch, m->hz,
	       cpu_mask_format(&m->online, online, sizeof(online)));
	printf("cpuidle driver %s, governor %s%s%s\n", m->driver[0] ? m->driver : "none",
	       m->governor[0] ? m->governor : "none",
	       m->cpufreq_governor[0] ? "; cpufreq governor " : "", m->cpufreq_governor);
}

static void print_states(const struct machine *m)
{
	if (!machine_has_driver(m)) {
		printf("\nno idle states: without a cpuidle driver the kernel uses one "
		       "default "
		       "idle\nroutine; periods can be timed, verdicts stay unknown\n");
		return;
	}
	printf("\n%-6s %-16s %12s %14s  %s\n", "state", "name", "latency us",
	       "residency us", "");
	for (unsigned int i = 0; i < m->nr_states; i++)
		printf("%-6u %-16s %12llu %14llu  %s\n", i, m->states[i].name,
		       (unsigned long long)m->states[i].latency_us,
		       (unsigned long long)m->states[i].residency_us,
		       m->states[i].disabled ? "disabled" : "");
}

int info_run(const struct options *o)
{
	struct machine m;
	struct caps caps;
	char err[256];

	machine_read(&m);
	print_machine(&m);
	print_states(&m);
	if (caps_probe(&caps, o->btf, err, sizeof(err))) {
		fflush(stdout);
		fprintf(stderr, "idletrace: %s\n", err);
		return EXIT_STATUS_FAILED;
	}
	printf("\nkernel features\n");
	caps_print(&caps);
	if (!tracer_privileged())
		printf("\ntracing needs root, or CAP_BPF and CAP_PERFMON: you have "
		       "neither\n");
	return EXIT_STATUS_DONE;
}
