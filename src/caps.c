// SPDX-License-Identifier: GPL-2.0
#include "caps.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbols.h"

static bool has_tracepoint(const struct btf *btf, const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

static bool has_member(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_member *m;

	if (!t)
		return false;
	m = btf_members(t);
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), member))
			return true;
	return false;
}

/* Offset of a variable in the per-CPU section, -1 if BTF does not have it. */
static s64 percpu_offset(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;
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

static void probe_device(struct caps *caps, const struct btf *btf)
{
	s64 devices = percpu_offset(btf, "cpuidle_devices");
	s64 bases = percpu_offset(btf, "hrtimer_bases");

	caps->device_delta = devices - bases;
	caps->cpuidle_device = devices >= 0 && bases >= 0 && caps->hrtimer &&
			       has_member(btf, "cpuidle_device", "states_usage");
}

struct timer_symbols {
	u64 sleeper, sched_timer, nohz_handler;
};

static void find_symbol(void *ctx, u64 address, const char *name)
{
	struct timer_symbols *found = ctx;

	if (!strcmp(name, "hrtimer_wakeup"))
		found->sleeper = address;
	else if (!strcmp(name, "tick_sched_timer"))
		found->sched_timer = address;
	else if (!strcmp(name, "tick_nohz_handler"))
		found->nohz_handler = address;
}

static void probe_symbols(struct caps *caps)
{
	struct timer_symbols found = {0};

	symbols_each(find_symbol, &found);
	caps->sleeper_function = found.sleeper;
	/* Renamed around v6.9; before, the second was a clock event's handler. */
	caps->tick_function = found.sched_timer ? found.sched_timer : found.nohz_handler;
}

int caps_probe(struct caps *caps, const char *btf_path, char *err, size_t size)
{
	struct btf *btf = btf__parse(btf_path ? btf_path : KERNEL_BTF, NULL);
	int error = errno;

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
	caps->cpu_idle = has_tracepoint(btf, "cpu_idle");
	caps->cpu_idle_miss = has_tracepoint(btf, "cpu_idle_miss");
	caps->task_storage = has_member(btf, "task_struct", "bpf_storage");
	caps->next_hrtimer = has_member(btf, "cpuidle_device", "next_hrtimer");
	caps->rejected = has_member(btf, "cpuidle_state_usage", "rejected");
	caps->hrtimer = has_tracepoint(btf, "hrtimer_expire_entry") &&
			has_member(btf, "hrtimer", "node") &&
			has_member(btf, "hrtimer", "function") &&
			has_member(btf, "hrtimer", "base") &&
			has_member(btf, "hrtimer", "is_soft");
	probe_device(caps, btf);
	btf__free(btf);
	probe_symbols(caps);
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
	line("cpuidle account", caps->cpuidle_device,
	     "residency, entered state, rejected: the kernel's",
	     "residency by time stamps; rejected entries unknown");
	line("next_hrtimer", caps->cpuidle_device && caps->next_hrtimer,
	     "the timer that the governor knew", "timer known to the governor: unknown");
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
