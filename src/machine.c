// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define CPU_DIR "/sys/devices/system/cpu"

bool read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

static bool read_state_file(unsigned int cpu, unsigned int state, const char *file,
			    char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpuidle/state%u/%s", cpu, state,
		 file);
	return read_line(path, buf, size);
}

static u64 read_state_u64(unsigned int cpu, unsigned int state, const char *file)
{
	char text[32];

	return read_state_file(cpu, state, file, text, sizeof(text))
		       ? strtoull(text, NULL, 10)
		       : 0;
}

static void read_states(struct machine *m, unsigned int cpu)
{
	struct idle_state *s;

	for (m->nr_states = 0; m->nr_states < STATES_MAX; m->nr_states++) {
		s = &m->states[m->nr_states];
		if (!read_state_file(cpu, m->nr_states, "name", s->name, sizeof(s->name)))
			break;
		read_state_file(cpu, m->nr_states, "desc", s->desc, sizeof(s->desc));
		s->latency_us = read_state_u64(cpu, m->nr_states, "latency");
		s->residency_us = read_state_u64(cpu, m->nr_states, "residency");
		s->disabled = read_state_u64(cpu, m->nr_states, "disable");
	}
}

void machine_read(struct machine *m)
{
	struct cpu_mask possible;
	struct timespec tick;
	struct utsname uts;
	unsigned int cpu;
	char text[4096];

	memset(m, 0, sizeof(*m));
	if (!uname(&uts)) {
		snprintf(m->kernel, sizeof(m->kernel), "%s", uts.release);
		snprintf(m->arch, sizeof(m->arch), "%s", uts.machine);
	}
	if (read_line(CPU_DIR "/possible", text, sizeof(text)) &&
	    !cpu_mask_parse(text, &possible))
		for_each_cpu (cpu, &possible)
			m->possible_cpus = cpu + 1;
	if (!read_line(CPU_DIR "/online", text, sizeof(text)) ||
	    cpu_mask_parse(text, &m->online))
		cpu_mask_get_affinity(&m->online);
	read_line(CPU_DIR "/cpuidle/current_driver", m->driver, sizeof(m->driver));
	if (!read_line(CPU_DIR "/cpuidle/current_governor", m->governor,
		       sizeof(m->governor)))
		read_line(CPU_DIR "/cpuidle/current_governor_ro", m->governor,
			  sizeof(m->governor));
	read_line(CPU_DIR "/cpu0/cpufreq/scaling_governor", m->cpufreq_governor,
		  sizeof(m->cpufreq_governor));
	/* The coarse clock advances once per tick. */
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_nsec)
		m->hz = (NSEC_PER_SEC + tick.tv_nsec / 2) / tick.tv_nsec;
	for_each_cpu (cpu, &m->online) {
		read_states(m, cpu);
		if (m->nr_states)
			break;
	}
}

const char *machine_state_name(const struct machine *m, unsigned int state, char *buf,
			       size_t size)
{
	if (state < m->nr_states)
		snprintf(buf, size, "%s", m->states[state].name);
	else
		snprintf(buf, size, "state%u", state);
	return buf;
}

void machine_state_params(unsigned int cpu, struct state_param *param)
{
	for (unsigned int i = 0; i < STATES_MAX; i++) {
		param[i].residency_ns =
			read_state_u64(cpu, i, "residency") * NSEC_PER_USEC;
		param[i].latency_ns = read_state_u64(cpu, i, "latency") * NSEC_PER_USEC;
	}
}

bool machine_read_usage(unsigned int cpu, unsigned int nr_states, struct cpu_usage *usage)
{
	struct state_usage *s;
	char text[32];

	memset(usage, 0, sizeof(*usage));
	for (unsigned int i = 0; i < nr_states; i++) {
		s = &usage->state[i];
		if (!read_state_file(cpu, i, "usage", text, sizeof(text)))
			return false;
		s->usage = strtoull(text, NULL, 10);
		s->time_us = read_state_u64(cpu, i, "time");
		s->above = read_state_u64(cpu, i, "above");
		s->below = read_state_u64(cpu, i, "below");
		s->rejected = read_state_u64(cpu, i, "rejected");
	}
	return nr_states > 0;
}

bool machine_usage_holds(unsigned int cpu, unsigned int nr_states,
			 const struct cpu_usage *usage)
{
	for (unsigned int i = 0; i < nr_states; i++)
		if (read_state_u64(cpu, i, "usage") != usage->state[i].usage ||
		    read_state_u64(cpu, i, "rejected") != usage->state[i].rejected)
			return false;
	return true;
}

u64 machine_context_switches(void)
{
	FILE *f = fopen("/proc/stat", "r");
	unsigned long long n = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return 0;
	while (getline(&line, &size, f) > 0)
		if (sscanf(line, "ctxt %llu", &n) == 1)
			break;
	free(line);
	fclose(f);
	return n;
}
