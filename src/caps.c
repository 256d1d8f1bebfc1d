// SPDX-License-Identifier: GPL-2.0
#include "caps.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbols.h"

/* What is looked for in the kernel's BTF, all of it in one pass. */
enum wanted {
	TRACE_CPU_IDLE,
	TRACE_CPU_IDLE_MISS,
	TRACE_HRTIMER_EXPIRE,
	TRACE_RESCHEDULE,
	TRACE_CALL_SINGLE,
	TRACE_IPI,
	TASK,
	DEVICE,
	STATE_USAGE,
	HRTIMER,
	PERCPU,
	SCHED_TIMER,
	NOHZ_HANDLER,
	RDONLY_CAST,
	WANTED
};

static const struct {
	u32 kind;
	const char *name;
} wanted[WANTED] = {
	[TRACE_CPU_IDLE] = {BTF_KIND_TYPEDEF, "btf_trace_cpu_idle"},
	[TRACE_CPU_IDLE_MISS] = {BTF_KIND_TYPEDEF, "btf_trace_cpu_idle_miss"},
	[TRACE_HRTIMER_EXPIRE] = {BTF_KIND_TYPEDEF, "btf_trace_hrtimer_expire_entry"},
	[TRACE_RESCHEDULE] = {BTF_KIND_TYPEDEF, "btf_trace_reschedule_entry"},
	[TRACE_CALL_SINGLE] = {BTF_KIND_TYPEDEF, "btf_trace_call_function_single_entry"},
	[TRACE_IPI] = {BTF_KIND_TYPEDEF, "btf_trace_ipi_entry"},
	[TASK] = {BTF_KIND_STRUCT, "task_struct"},
	[DEVICE] = {BTF_KIND_STRUCT, "cpuidle_device"},
	[STATE_USAGE] = {BTF_KIND_STRUCT, "cpuidle_state_usage"},
	[HRTIMER] = {BTF_KIND_STRUCT, "hrtimer"},
	[PERCPU] = {BTF_KIND_DATASEC, ".data..percpu"},
	[SCHED_TIMER] = {BTF_KIND_FUNC, "tick_sched_timer"},
	[NOHZ_HANDLER] = {BTF_KIND_FUNC, "tick_nohz_handler"},
	[RDONLY_CAST] = {BTF_KIND_FUNC, "bpf_rdonly_cast"},
};

struct types {
	const struct btf *btf;
	const struct btf_type *found[WANTED]; /* NULL: the kernel does not have it */
};

static void find_types(struct types *types, const struct btf *btf)
{
	u32 nr = btf__type_cnt(btf);

	*types = (struct types){.btf = btf};
	for (u32 id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		u32 kind = btf_kind(t);

		for (int i = 0; i < WANTED; i++)
			if (wanted[i].kind == kind &&
			    !strcmp(btf__name_by_offset(btf, t->name_off),
				    wanted[i].name))
				types->found[i] = t;
	}
}

static bool has_member(const struct types *types, enum wanted type, const char *member)
{
	const struct btf_type *t = types->found[type];
	const struct btf_member *m;

	if (!t)
		return false;
	m = btf_members(t);
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(types->btf, m[i].name_off), member))
			return true;
	return false;
}

/* Offset of a variable in the per-CPU section, -1 if BTF does not have it. */
static s64 percpu_offset(const struct types *types, const char *name)
{
	const struct btf_type *section = types->found[PERCPU];
	const struct btf *btf = types->btf;
	const struct btf_var_secinfo *var;

	if (!section)
		return -1;
	var = btf_var_secinfos(section);
	for (int i = 0; i < btf_vlen(section); i++, var++)
		if (!strcmp(btf__name_by_offset(
				    btf, btf__type_by_id(btf, var->type)->name_off),
			    name))
			return var->offset;
	return -1;
}

static void probe_device(struct caps *caps, const struct types *types)
{
	s64 devices = percpu_offset(types, "cpuidle_devices");
	s64 bases = percpu_offset(types, "hrtimer_bases");

	caps->device_delta = devices - bases;
	caps->cpuidle_device = devices >= 0 && bases >= 0 && caps->hrtimer &&
			       has_member(types, DEVICE, "states_usage");
}

static void probe_types(struct caps *caps, const struct types *types)
{
	caps->cpu_idle = types->found[TRACE_CPU_IDLE];
	caps->cpu_idle_miss = types->found[TRACE_CPU_IDLE_MISS];
	caps->rdonly_cast = types->found[RDONLY_CAST];
	/* An emulated v5.10 was seen to hang with them: not before v6.2. */
	caps->x86_ipis = types->found[TRACE_RESCHEDULE] &&
			 types->found[TRACE_CALL_SINGLE] && caps->rdonly_cast;
	caps->ipi_entry = types->found[TRACE_IPI];
	caps->task_storage = has_member(types, TASK, "bpf_storage");
	caps->next_hrtimer = has_member(types, DEVICE, "next_hrtimer");
	caps->rejected = has_member(types, STATE_USAGE, "rejected");
	caps->hrtimer = types->found[TRACE_HRTIMER_EXPIRE] &&
			has_member(types, HRTIMER, "node") &&
			has_member(types, HRTIMER, "function") &&
			has_member(types, HRTIMER, "base") &&
			has_member(types, HRTIMER, "is_soft");
	probe_device(caps, types);
}

/* The tick's handler was renamed around v6.9; before, the second was a clock event's. */
struct timer_symbols {
	bool renamed; /* for sure */
	bool sleeper_seen, tick_seen;
	u64 sleeper, sched_timer, nohz_handler;
};

static bool find_symbol(void *ctx, u64 address, const char *name)
{
	struct timer_symbols *found = ctx;

	if (!strcmp(name, "hrtimer_wakeup")) {
		found->sleeper = address;
		found->sleeper_seen = true;
	} else if (!strcmp(name, "tick_sched_timer")) {
		found->sched_timer = address;
		found->tick_seen = true;
	} else if (!strcmp(name, "tick_nohz_handler")) {
		found->nohz_handler = address;
		found->tick_seen |= found->renamed;
	}
	return found->sleeper_seen && found->tick_seen;
}

static void probe_symbols(struct caps *caps, const struct types *types)
{
	struct timer_symbols found = {.renamed = types->found[NOHZ_HANDLER] &&
						 !types->found[SCHED_TIMER]};

	symbols_each(find_symbol, &found);
	caps->sleeper_function = found.sleeper;
	caps->tick_function = found.sched_timer ? found.sched_timer : found.nohz_handler;
}

int caps_probe(struct caps *caps, const char *btf_path, char *err, size_t size)
{
	struct btf *btf = btf__parse(btf_path ? btf_path : KERNEL_BTF, NULL);
	int error = errno;
	struct types types;

	memset(caps, 0, sizeof(*caps));
	if (!btf && btf_path) {
		snprintf(err, size, "--btf %s: not a readable BTF file: %s", btf_path,
			 strerror(error));
		return -1;
	}
	if (!btf && error != ENOENT) {
		snprintf(err, size, "%s: %s", KERNEL_BTF, strerror(error));
		return -1;
	}
	if (!btf) {
		snprintf(err, size,
			 "no " KERNEL_BTF ": the kernel needs "
			 "CONFIG_DEBUG_INFO_BTF=y");
		return -1;
	}
	find_types(&types, btf);
	probe_types(caps, &types);
	probe_symbols(caps, &types);
	btf__free(btf);
	if (caps->cpu_idle)
		return 0;
	snprintf(err, size,
		 "no tracepoint cpu_idle in the kernel's BTF: it needs "
		 "CONFIG_TRACEPOINTS=y "
		 "and CONFIG_CPU_IDLE=y");
	return -1;
}

static void line(const char *feature, bool found, const char *with, const char *without)
{
	printf("  %-18s %-8s %s\n", feature, found ? "yes" : "missing",
	       found ? with : without);
}

void caps_print(const struct caps *caps)
{
	line("cpu_idle", caps->cpu_idle, "idle periods", "nothing can be traced");
	line("cpu_idle_miss", caps->cpu_idle_miss,
	     "the kernel's own verdicts (since v6.0)",
	     "verdicts by the same rule, computed here");
	line("ipi entry", caps->x86_ipis || caps->ipi_entry,
	     "when an interrupt of another CPU ends an idle state",
	     "sched_wakeup tells it: some ns later and more");
	line("cpuidle account", caps->cpuidle_device,
	     "residency, entered state, rejected: the kernel's",
	     "residency by time stamps; rejected entries unknown");
	line("next_hrtimer", caps->cpuidle_device && caps->next_hrtimer,
	     "the timer that the governor knew", "timer known to the governor: unknown");
	line("rdonly_cast", caps->rdonly_cast, "the account costs little to read",
	     "the account is read with a helper: some 100 ns more");
	line("hrtimer", caps->hrtimer, "lateness of timers",
	     "no lateness, no source 'timer'");
	line("timer of sleepers", caps->sleeper_function,
	     "timer wakeups told apart exactly",
	     "address of hrtimer_wakeup hidden: by period only");
	line("tick", caps->tick_function, "the tick is told apart",
	     "address of its handler hidden: counts as a timer");
	line("task storage", caps->task_storage, "used where tracing may (since v5.13)",
	     "a hash by pid instead: some ns more per wakeup");
}
