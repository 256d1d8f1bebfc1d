// SPDX-License-Identifier: GPL-2.0
#include "window.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workers.h"

#define SNAPSHOT_TRIES 100

int pin_to_cpu(unsigned int cpu)
{
	struct cpu_mask one;

	cpu_mask_clear(&one);
	cpu_mask_set(&one, cpu);
	return cpu_mask_set_affinity(&one);
}

void poke_cpus(const struct cpu_mask *cpus, unsigned int home)
{
	struct timespec moment = {0, 50 * NSEC_PER_USEC};
	unsigned int cpu;

	for_each_cpu (cpu, cpus)
		if (!pin_to_cpu(cpu))
			nanosleep(&moment, NULL);
	pin_to_cpu(home);
}

int window_init(struct window *w, const struct machine *m, const struct cpu_mask *cpus)
{
	unsigned int cpu;

	memset(w, 0, sizeof(*w));
	w->machine = m;
	for_each_cpu (cpu, cpus)
		if (cpu_mask_test(&m->online, cpu) && cpu < CPUS_MAX)
			cpu_mask_set(&w->cpus, cpu);
	w->before = calloc(m->possible_cpus, sizeof(*w->before));
	return w->before ? 0 : -ENOMEM;
}

void window_free(struct window *w)
{
	free(w->before);
	w->before = NULL;
}

/*
 * The kernel's counters of the CPU we run on. Reading them may block, and the CPU idle
 * meanwhile: only what still holds afterwards is one instant.
 */
static bool snapshot(unsigned int cpu, unsigned int nr_states, struct cpu_usage *usage)
{
	for (int i = 0; i < SNAPSHOT_TRIES; i++) {
		if (!machine_read_usage(cpu, nr_states, usage))
			return false;
		if (machine_usage_holds(cpu, nr_states, usage))
			break;
	}
	return true;
}

void window_open(struct window *w, struct tracer *t, unsigned int home, struct results *r)
{
	struct cpu_row *row;
	unsigned int cpu;

	for_each_cpu (cpu, &w->cpus) {
		if (pin_to_cpu(cpu))
			continue;
		row = &r->cpus[cpu];
		row->has_kernel = snapshot(cpu, w->machine->nr_states, &w->before[cpu]);
		if (t)
			tracer_window(t, cpu, true);
		row->start = now_ns();
		row->in_window = true;
		cpu_mask_set(&w->opened, cpu);
	}
	r->kernel_switches = machine_context_switches();
	pin_to_cpu(home);
}

static void subtract(struct state_usage *after, const struct state_usage *before)
{
	after->usage -= before->usage;
	after->time_us -= before->time_us;
	after->above -= before->above;
	after->below -= before->below;
	after->rejected -= before->rejected;
}

void window_close(struct window *w, struct tracer *t, unsigned int home,
		  struct results *r)
{
	u64 switches = machine_context_switches();
	struct cpu_usage usage;
	struct cpu_row *row;
	unsigned int cpu;

	r->kernel_switches = switches - r->kernel_switches;
	r->kernel_switches_known =
		cpu_mask_count(&w->opened) == cpu_mask_count(&w->machine->online);
	for_each_cpu (cpu, &w->opened) {
		row = &r->cpus[cpu];
		/* Offline by now: its window ends here, its counters are out of reach. */
		if (pin_to_cpu(cpu) || !snapshot(cpu, w->machine->nr_states, &usage))
			row->has_kernel = false;
		if (t)
			tracer_window(t, cpu, false);
		row->end = now_ns();
		for (u32 i = 0; row->has_kernel && i < w->machine->nr_states; i++) {
			subtract(&usage.state[i], &w->before[cpu].state[i]);
			row->state[i].kernel = usage.state[i];
		}
	}
	pin_to_cpu(home);
}
