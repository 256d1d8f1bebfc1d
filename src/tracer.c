// SPDX-License-Identifier: GPL-2.0
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tracer_private.h"

#include "idletrace.skel.h"

static bool is_verbose;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	if (!is_verbose || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, args);
}

void tracer_set_verbose(bool verbose)
{
	is_verbose = verbose;
	libbpf_set_print(print_libbpf);
}

/* Pids are handed out up to pid_max: that many tasks can wait at a time. */
static unsigned int tasks_max(void)
{
	char text[32];
	unsigned long n = 32768;

	if (read_line("/proc/sys/kernel/threads-max", text, sizeof(text)))
		n = strtoul(text, NULL, 10);
	return n < 1024 ? 1024 : n > 1 << 20 ? 1 << 20 : n;
}

/* No more than there can be keys. */
static unsigned int hists_needed(const struct settings *s)
{
	unsigned int scopes = s->others ? SCOPES : 1;
	unsigned int keys =
		scopes * (SLOTS(s->states) * (SOURCES + 2)) + 2 * s->states + 1;

	return keys < HISTS_MAX ? keys : HISTS_MAX;
}

static int size_maps(struct tracer *t)
{
	const struct settings *s = &t->config.settings;
	struct idletrace_bpf *skel = t->skel;
	int err = 0;

	err |= bpf_map__set_max_entries(skel->maps.hists, s->hists);
	err |= bpf_map__set_max_entries(skel->maps.idle, s->states);
	err |= bpf_map__set_max_entries(skel->maps.timers, s->states + 1);
	err |= bpf_map__set_max_entries(skel->maps.rings, t->cpus);
	err |= bpf_map__set_autocreate(skel->maps.tasks, s->task_storage);
	if (!s->timers) {
		err |= bpf_map__set_max_entries(skel->maps.timer_armers, 1);
		err |= bpf_map__set_max_entries(skel->maps.timer_users, 1);
	}
	if (!s->task_storage)
		err |= bpf_map__set_max_entries(skel->maps.tasks_by_pid, tasks_max());
	return err;
}

static int select_programs(struct tracer *t)
{
	const struct caps *caps = t->config.caps;
	const struct settings *s = &t->config.settings;
	struct idletrace_bpf *skel = t->skel;
	int err = 0;

	err |= bpf_program__set_autoload(skel->progs.cpu_idle_miss, s->has_miss);
	err |= bpf_program__set_autoload(skel->progs.hrtimer_expire_entry, caps->hrtimer);
	err |= bpf_program__set_autoload(skel->progs.hrtimer_start,
					 s->timers && caps->hrtimer);
	err |= bpf_program__set_autoload(skel->progs.reschedule_entry, caps->x86_ipis);
	err |= bpf_program__set_autoload(skel->progs.call_function_single_entry,
					 caps->x86_ipis);
	err |= bpf_program__set_autoload(skel->progs.ipi_entry,
					 !caps->x86_ipis && caps->ipi_entry);
	err |= bpf_program__set_autoload(skel->progs.sched_wakeup,
					 !caps->x86_ipis && !caps->ipi_entry);
	err |= bpf_program__set_autoload(skel->progs.sched_process_fork, s->follow);
	return err;
}

static int init_cpus(struct tracer *t)
{
	struct cpu_ctx *cpus = calloc(t->cpus, sizeof(*cpus));
	u32 zero = 0;
	int err;

	if (!cpus)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->cpus; i++) {
		cpus[i].cpu = i;
		cpus[i].running = RUNNING_UNKNOWN;
		machine_state_params(i, cpus[i].param);
	}
	err = bpf_map__update_elem(t->skel->maps.cpus, &zero, sizeof(zero), cpus,
				   t->cpus * sizeof(*cpus), BPF_ANY);
	free(cpus);
	return err;
}

static int on_batch(void *ctx, void *data, size_t size)
{
	struct ring_reader *reader = ctx;
	const union record *record = data;

	for (size_t i = 0; i < size / sizeof(*record); i++)
		reader->tracer->record_fn(reader->tracer->record_ctx, &record[i]);
	reader->bytes += size;
	return 0;
}

static int create_ring(struct tracer *t, u32 cpu)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, t->config.ring_bytes,
				NULL);
	struct ring_reader *reader = &t->readers[cpu];
	int err = fd < 0 ? -errno : 0;

	reader->tracer = t;
	reader->fd = fd > 0 ? fd : 0;
	if (!err &&
	    bpf_map_update_elem(bpf_map__fd(t->skel->maps.rings), &cpu, &fd, BPF_ANY))
		err = -errno;
	if (!err && !t->rings) {
		t->rings = ring_buffer__new(fd, on_batch, reader, NULL);
		if (!t->rings)
			err = -errno;
	} else if (!err) {
		err = ring_buffer__add(t->rings, fd, on_batch, reader);
	}
	return err;
}

static int create_rings(struct tracer *t)
{
	unsigned int cpu;
	int err = 0;

	if (t->config.settings.events == EVENTS_NONE)
		return 0;
	for_each_cpu (cpu, &t->config.machine->online) {
		err = create_ring(t, cpu);
		if (err)
			break;
	}
	return err;
}

static bool has_cap(int bit)
{
	unsigned long long effective = 0;
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen("/proc/self/status", "r");

	if (!f)
		return false;
	while (getline(&line, &size, f) > 0)
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	free(line);
	fclose(f);
	return effective >> bit & 1;
}

static int load(struct tracer *t)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = t->config.btf);
	int err;

	/* To find it itself, libbpf looks through modules as well, which needs more. */
	if (!opts.btf_custom_path && !has_cap(CAP_SYS_ADMIN) && !access(KERNEL_BTF, R_OK))
		opts.btf_custom_path = KERNEL_BTF;
	t->skel = idletrace_bpf__open_opts(&opts);
	if (!t->skel)
		return -errno;
	memcpy((void *)&t->skel->rodata->cfg, &t->config.settings,
	       sizeof(struct settings));
	err = size_maps(t);
	if (!err)
		err = select_programs(t);
	if (!err)
		err = idletrace_bpf__load(t->skel);
	if (err) {
		idletrace_bpf__destroy(t->skel);
		t->skel = NULL;
	}
	return err;
}

static int attach(struct tracer *t)
{
	struct idletrace_bpf *skel = t->skel;
	int err = init_cpus(t);

	if (!err)
		err = create_rings(t);
	if (!err)
		err = idletrace_bpf__attach(skel);
	return err;
}

bool tracer_privileged(void)
{
	return has_cap(CAP_SYS_ADMIN) || (has_cap(CAP_BPF) && has_cap(CAP_PERFMON));
}

static void explain(int err, char *text, size_t size)
{
	if ((err == -EPERM || err == -EACCES) && !tracer_privileged())
		snprintf(text, size,
			 "loading BPF programs needs root, or CAP_BPF and CAP_PERFMON "
			 "(try sudo)");
	else if (err == -EPERM)
		snprintf(text, size,
			 "the kernel refuses BPF: is it locked down (confidentiality)? "
			 "cat /sys/kernel/security/lockdown");
	else if (err == -ENOMEM)
		snprintf(text, size, "not enough memory for the BPF maps");
	else
		snprintf(text, size, "cannot load the BPF programs: %s (-v shows more)",
			 strerror(-err));
}

struct tracer *tracer_open(const struct tracer_config *config, char *text, size_t size)
{
	struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	struct tracer *t = calloc(1, sizeof(*t));
	struct settings *s;
	int err;

	if (t) {
		t->config = *config;
		t->cpus = libbpf_num_possible_cpus();
		t->window = 1;
		t->base = calloc(t->cpus, sizeof(*t->base));
		t->readers = calloc(t->cpus, sizeof(*t->readers));
	}
	if (!t || !t->base || !t->readers) {
		snprintf(text, size, "out of memory");
		tracer_close(t);
		return NULL;
	}
	s = &t->config.settings;
	s->states = machine_traced_states(config->machine);
	s->hists = hists_needed(s);
	s->has_driver = machine_has_driver(config->machine);
	s->has_miss = s->has_driver && config->caps->cpu_idle_miss;
	s->has_device = s->has_driver && config->caps->cpuidle_device;
	s->has_cast = config->caps->rdonly_cast;
	s->device_delta = config->caps->device_delta;
	s->task_storage = config->caps->task_storage;
	s->sleeper_function = config->caps->sleeper_function;
	s->tick_function = config->caps->tick_function;
	/* Before v5.11 BPF memory counts against this limit. */
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	err = load(t);
	if (err && s->task_storage && err != -EPERM && err != -EACCES) {
		s->task_storage = false;
		err = load(t);
	}
	if (!err)
		err = attach(t);
	if (!err)
		return t;
	explain(err, text, size);
	tracer_close(t);
	return NULL;
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	ring_buffer__free(t->rings);
	for (unsigned int cpu = 0; t->readers && cpu < t->cpus; cpu++)
		if (t->readers[cpu].fd)
			close(t->readers[cpu].fd);
	idletrace_bpf__destroy(t->skel);
	free(t->base);
	free(t->readers);
	free(t);
}

void tracer_window(struct tracer *t, unsigned int cpu, bool open)
{
	if (cpu < CPUS_MAX)
		t->skel->bss->window[cpu] = open ? t->window : 0;
}

bool tracer_sees_switches(struct tracer *t, const struct cpu_mask *cpus)
{
	struct cpu_ctx *ctx = tracer_contexts(t);
	bool seen = true;
	unsigned int cpu;

	for_each_cpu (cpu, cpus)
		if (ctx && cpu < t->cpus && ctx[cpu].running == RUNNING_UNKNOWN)
			seen = false;
	free(ctx);
	return seen;
}

int tracer_attach_again(struct tracer *t)
{
	idletrace_bpf__detach(t->skel);
	return idletrace_bpf__attach(t->skel);
}

/* ---- records ---- */

unsigned int tracer_drain(struct tracer *t, record_fn fn, void *ctx)
{
	u64 most = 0;

	if (!t->rings)
		return 0;
	t->record_fn = fn;
	t->record_ctx = ctx;
	ring_buffer__consume(t->rings);
	for (unsigned int cpu = 0; cpu < t->cpus; cpu++) {
		if (t->readers[cpu].bytes > most)
			most = t->readers[cpu].bytes;
		t->readers[cpu].bytes = 0;
	}
	return most * 100 / t->config.ring_bytes;
}

/* ---- cost ---- */

static bool program_info(const struct bpf_program *program, struct bpf_prog_info *info)
{
	u32 size = sizeof(*info);
	int fd = bpf_program__fd(program);

	memset(info, 0, size);
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &size);
}

void tracer_program_stats(struct tracer *t, struct program_stats *stats)
{
	struct bpf_program *program;
	struct bpf_prog_info info;

	memset(stats, 0, sizeof(*stats));
	bpf_object__for_each_program(program, t->skel->obj)
	{
		if (!program_info(program, &info))
			continue;
		stats->run_time_ns += info.run_time_ns;
		if (program == t->skel->progs.sched_waking ||
		    program == t->skel->progs.sched_wakeup_new)
			stats->wakings += info.run_cnt;
		if (program != t->skel->progs.cpu_idle)
			continue;
		stats->idle_runs = info.run_cnt;
		stats->idle_run_time_ns = info.run_time_ns;
	}
}

u64 tracer_recursion_misses(struct tracer *t)
{
	struct bpf_program *program;
	struct bpf_prog_info info;
	u64 misses = 0;

	bpf_object__for_each_program(program,
				     t->skel->obj) if (program_info(program, &info))
		misses += info.recursion_misses;
	return misses;
}
