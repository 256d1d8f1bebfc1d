// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF programs. Each feeds a tracepoint to the join (join.h) and, inside the window,
 * stages what comes out (stage.bpf.h). The exit half of cpu_idle stores a time stamp at
 * most: it runs before the interrupt that ended the period is served.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "join.h"
#include "maps.bpf.h"
#include "stage.bpf.h"
#include "task.bpf.h"
#include "timer.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define PWR_EVENT_EXIT ((u32)-1)

/* The period that is over, if there is one. */
static __always_inline void end_period(struct cpu_ctx *c)
{
	bool open = window_open(c);
	union record *r = stage_next(c);

	if (c->phase == PHASE_NONE || !r)
		return;
	account_exit(c, &c->accounted);
	verifier_forget();
	if (join_period(c, &c->accounted, &cfg, &r->period) && open)
		stage_push(c, c->awake);
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle, u32 state)
{
	struct cpu_ctx *c = this_cpu();

	if (!c)
		return 0;
	if (state == PWR_EVENT_EXIT) {
		join_idle_exit(c, join_wants_exit(c) ? bpf_ktime_get_ns() : 0);
		return 0;
	}
	end_period(c);
	stage_idle(c);
	if (c->dev)
		account_enter(c);
	join_idle_enter(c, state, bpf_ktime_get_ns());
	return 0;
}

SEC("?tp_btf/cpu_idle_miss")
int BPF_PROG(cpu_idle_miss, u32 cpu, u32 state, bool below)
{
	struct cpu_ctx *c = this_cpu();

	if (c)
		join_idle_miss(c, state, below);
	return 0;
}

static __always_inline void waking(struct task_struct *p, bool fork)
{
	struct cpu_ctx *c = this_cpu();
	struct waking w = {
		.task = (u64)p,
		.nvcsw = p->nvcsw,
		.waker = bpf_get_current_pid_tgid(),
		.fork = fork,
	};
	struct task_ctx *t;

	if (!c)
		return;
	t = task_get(p);
	if (!t) {
		if (!task_exiting(p))
			c->count.map_full++;
		return;
	}
	w.now = bpf_ktime_get_ns();
	join_waking(c, t, &w);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *p)
{
	waking(p, false);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *p)
{
	waking(p, true);
	return 0;
}

/*
 * Where the idle state leaves interrupts on (HLT), the IPI of a remote waking is served
 * before the exit event, and its entry is the first sign of it.
 */
static __always_inline void interrupted(void)
{
	struct cpu_ctx *c = this_cpu();

	if (c && join_wants_awake(c))
		join_awake(c, bpf_ktime_get_ns());
}

SEC("?tp_btf/reschedule_entry")
int BPF_PROG(reschedule_entry)
{
	interrupted();
	return 0;
}

SEC("?tp_btf/call_function_single_entry")
int BPF_PROG(call_function_single_entry)
{
	interrupted();
	return 0;
}

SEC("?tp_btf/ipi_entry")
int BPF_PROG(ipi_entry)
{
	interrupted();
	return 0;
}

/* For want of these, the wakeup that the IPI brings. */
SEC("?tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup)
{
	interrupted();
	return 0;
}

static __always_inline void stage_wakeup(struct cpu_ctx *c, struct task_struct *p,
					 struct task_ctx *t, struct wakeup_record *r)
{
	r->scope = task_is_subject(p, t) ? SCOPE_SUBJECT : SCOPE_OTHER;
	if (r->scope == SCOPE_OTHER && !cfg.others)
		return;
	r->pid = p->pid;
	if (cfg.events != EVENTS_NONE || r->latency > c->slow_floor)
		__builtin_memcpy(r->comm, p->comm, sizeof(r->comm));
	stage_push(c, r->time);
}

/* next starts to run: its pending waking, if any, is answered. */
static __always_inline void run(struct cpu_ctx *c, struct task_struct *next,
				bool from_idle, bool open)
{
	struct task_ctx *t = task_find(next);
	union record *r = stage_next(c);
	u64 now = 0;
	bool woken;

	if (from_idle || (t && t->waking))
		now = bpf_ktime_get_ns();
	woken = t && r && join_run(c, t, next->nvcsw, now, from_idle, &r->wakeup);
	if (from_idle)
		join_from_idle(c, now);
	if (!woken || !open)
		return;
	/* Our own, and the start signal that we give to the work. */
	if ((u32)next->tgid == cfg.own_tgid || t->waker == cfg.own_tgid)
		c->count.own++;
	else
		stage_wakeup(c, next, t, &r->wakeup);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	struct cpu_ctx *c = this_cpu();
	bool open;

	if (!c)
		return 0;
	open = window_open(c);
	if (open)
		c->count.switches++;
	if (!prev->pid || !join_saw(c, prev->pid))
		end_period(c);
	if (!join_saw(c, prev->pid))
		join_unseen(c, prev->pid ? task_find(prev) : 0, !prev->pid);
	c->running = next->pid;
	if (next->pid)
		run(c, next, !prev->pid, open);
	else
		join_to_idle(c);
	return 0;
}

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_ctx *t = task_find(parent);
	bool followed = t && (t->flags & TASK_FOLLOWED);
	struct cpu_ctx *c = this_cpu();

	if (!c || (!followed && (u32)parent->tgid != cfg.target_tgid))
		return 0;
	t = task_get(child);
	if (t)
		t->flags |= TASK_FOLLOWED;
	else
		c->count.map_full++;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *p)
{
	struct task_ctx *t = task_find(p);
	struct cpu_ctx *c = this_cpu();

	if (t && c)
		join_drop_waking(c, t);
	task_forget(p);
	return 0;
}
