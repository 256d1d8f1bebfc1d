/* SPDX-License-Identifier: GPL-2.0 */
/* A task's context, and whether the report speaks of it. */
#ifndef IDLETRACE_TASK_BPF_H
#define IDLETRACE_TASK_BPF_H

#include "maps.bpf.h"

static __always_inline struct task_ctx *task_by_pid(struct task_struct *p, bool create)
{
	struct task_ctx fresh = {}, *t;
	u32 pid = p->pid;

	t = bpf_map_lookup_elem(&tasks_by_pid, &pid);
	if (t || !create)
		return t;
	bpf_map_update_elem(&tasks_by_pid, &pid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks_by_pid, &pid);
}

static __always_inline struct task_ctx *task_beside(struct task_struct *p, bool create)
{
	if (cfg.task_storage)
		return bpf_task_storage_get(&tasks, p, 0,
					    create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	return task_by_pid(p, create);
}

static __always_inline struct task_ctx *task_slot(struct task_struct *p)
{
	u32 key = p->pid & (TASK_SLOTS - 1);

	return bpf_map_lookup_elem(&task_slots, &key);
}

/* The task's context, if it has one. */
static __always_inline struct task_ctx *task_find(struct task_struct *p)
{
	struct task_ctx *t = task_slot(p);

	if (t && t->pid == (u32)p->pid)
		return t;
	return task_beside(p, false);
}

#define PF_EXITING 0x00000004

/* After sched_process_exit nobody would free a new context any more. */
static __always_inline bool task_exiting(struct task_struct *p)
{
	return p->flags & PF_EXITING;
}

/* The task's context; NULL if it exits, or without memory for a new one. */
static __always_inline struct task_ctx *task_get(struct task_struct *p)
{
	struct task_ctx *t = task_slot(p), *beside;

	if (t && t->pid == (u32)p->pid)
		return t;
	if (task_exiting(p))
		return task_beside(p, false);
	beside = task_beside(p, t && t->pid);
	if (beside || !t || t->pid)
		return beside;
	t->pid = p->pid;
	return t;
}

static __always_inline void task_forget(struct task_struct *p)
{
	struct task_ctx *t = task_slot(p);
	u32 pid = p->pid;

	if (t && t->pid == pid)
		__builtin_memset(t, 0, sizeof(*t));
	else if (!cfg.task_storage)
		bpf_map_delete_elem(&tasks_by_pid, &pid);
}

/* fnmatch() of the two wildcards that a name filter needs, * and ?. */
static __always_inline bool glob_matches(const volatile char *glob, const char *name)
{
	u32 g = 0, n = 0, star = COMM_LEN, retry = 0;

	for (u32 step = 0; step < 8 * COMM_LEN; step++) {
		char want = g < COMM_LEN ? glob[g & (COMM_LEN - 1)] : 0;
		char have = n < COMM_LEN ? name[n & (COMM_LEN - 1)] : 0;

		if (want == '*') {
			star = g++;
			retry = n;
		} else if (!have) {
			return !want;
		} else if (want == '?' || want == have) {
			g++;
			n++;
		} else if (star < COMM_LEN) {
			g = star + 1;
			n = ++retry;
		} else {
			return false;
		}
	}
	return false;
}

static __always_inline bool task_named(struct task_struct *p, struct task_ctx *t)
{
	u64 comm[2];

	bpf_probe_read_kernel(comm, sizeof(comm), p->comm);
	if ((t->flags & TASK_NAMED) && comm[0] == t->comm[0] && comm[1] == t->comm[1])
		return t->flags & TASK_MATCHES;
	t->comm[0] = comm[0];
	t->comm[1] = comm[1];
	t->flags |= TASK_NAMED;
	if (glob_matches(cfg.comm, (const char *)comm))
		t->flags |= TASK_MATCHES;
	else
		t->flags &= ~TASK_MATCHES;
	return t->flags & TASK_MATCHES;
}

static __always_inline bool task_in_cgroup(struct task_struct *p)
{
	struct cgroup *cgroup = BPF_CORE_READ(p, cgroups, dfl_cgrp);
	struct cgroup___ancestor_ids *old = (void *)cgroup;
	struct cgroup___ancestors *new = (void *)cgroup;
	struct cgroup *ancestor = 0;
	u32 level = cfg.cgroup_level; /* inside of an access it would be relocated, too */
	u64 id = 0;

	if (BPF_CORE_READ(cgroup, level) < (int)level)
		return false;
	if (bpf_core_field_exists(new->ancestors)) {
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
				      new->ancestors + level);
		id = BPF_CORE_READ(ancestor, kn, id);
	} else {
		bpf_probe_read_kernel(&id, sizeof(id), old->ancestor_ids + level);
	}
	return id == cfg.cgroup_id;
}

/* Filters look at the task woken, never at its waker. */
static __always_inline bool task_is_subject(struct task_struct *p, struct task_ctx *t)
{
	if (cfg.target_tgid && (u32)p->tgid != cfg.target_tgid &&
	    !(cfg.follow && (t->flags & TASK_FOLLOWED)))
		return false;
	if (cfg.comm_filter && !task_named(p, t))
		return false;
	return !cfg.cgroup_id || task_in_cgroup(p);
}

#endif
