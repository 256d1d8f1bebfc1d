// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF programs. Each feeds a tracepoint to the join (join.h) and, inside the window,
 * counts what comes out. The exit half of cpu_idle only stores a time stamp: it runs
 * before the interrupt that ended the period is served.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "join.h"
#include "maps.bpf.h"
#include "record.bpf.h"
#include "task.bpf.h"
#include "timer.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define PWR_EVENT_EXIT ((u32)-1)

static __always_inline void count_period(struct cpu_ctx *c, const struct period *p)
{
	u32 requested = c->requested, entered = p->entered;
	struct idle_stats *s = bpf_map_lookup_elem(&idle, &requested);

	if (!s)
		return;
	s->requested++;
	s->rule_checked += p->rule_checked;
	s->rule_wrong += p->rule_wrong;
	if (p->verdict == VERDICT_REJECTED) {
		s->verdict[VERDICT_REJECTED]++;
		return;
	}
	if (entered != requested)
		s = bpf_map_lookup_elem(&idle, &entered);
	if (!s)
		return;
	s->entered++;
	if (cfg.has_driver && !p->counted) {
		s->uncounted++;
		s->uncounted_time += p->residency;
	}
	s->time += p->residency;
	if (p->verdict < VERDICTS)
		s->verdict[p->verdict]++;
	if (p->end < ENDS)
		s->end[p->end]++;
	if (p->verdict == VERDICT_TOO_SHALLOW && p->right < STATES_MAX)
		s->shallow_time[p->right] += p->residency;
	hist_count(&s->residency, p->residency);
}

static __always_inline void record_period(struct cpu_ctx *c, const struct period *p,
					  const struct accounted *a)
{
	struct batch *b = record_batch();
	union record *r = b ? record_next(b) : 0;

	if (!r)
		return;
	r->period.type = RECORD_PERIOD;
	r->period.requested = c->requested;
	r->period.entered = p->entered;
	r->period.verdict = p->verdict;
	r->period.right = p->right;
	r->period.end = p->end;
	r->period.cpu = c->cpu;
	r->period.entry = c->entry;
	r->period.awake = c->awake;
	r->period.exit = c->exit;
	r->period.residency = p->residency;
	r->period.next_timer = c->next_timer > c->entry ? c->next_timer - c->entry : 0;
	r->period.flags = (p->counted ? 0 : PERIOD_UNCOUNTED) |
			  (a->known ? PERIOD_KERNEL : 0) |
			  (p->rule_wrong ? PERIOD_RULE_WRONG : 0);
	r->period.disabled = a->disabled;
	r->period.unused = 0;
	record_push(c, b);
}

/* Judges and counts the period that is over, if there is one. */
static __always_inline void end_period(struct cpu_ctx *c)
{
	if (c->phase == PHASE_NONE)
		return;
	account_exit(c, &c->accounted);
	verifier_forget();
	if (!join_period(c, &c->accounted, &cfg, &c->period))
		return;
	verifier_forget();
	if (!window_open(c))
		return;
	count_period(c, &c->period);
	if (cfg.events == EVENTS_ALL)
		record_period(c, &c->period, &c->accounted);
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle, u32 state)
{
	struct cpu_ctx *c = this_cpu();

	if (!c)
		return 0;
	if (state == PWR_EVENT_EXIT) {
		join_idle_exit(c, bpf_ktime_get_ns());
		return 0;
	}
	end_period(c);
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
 * before the exit event, and this is the first sign of it.
 */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup)
{
	struct cpu_ctx *c = this_cpu();

	if (c && join_wants_awake(c))
		join_awake(c, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void fill_wakeup(struct wakeup_record *r, const struct cpu_ctx *c,
					struct task_struct *p, const struct task_ctx *t,
					const struct wakeup *w, u64 now, u32 scope)
{
	r->type = RECORD_WAKEUP;
	r->class = w->class;
	r->state = w->state;
	r->verdict = w->verdict;
	r->source = w->source;
	r->scope = scope;
	r->cpu = c->cpu;
	r->pid = p->pid;
	r->waker = t->waker;
	r->time = now;
	r->latency = w->latency;
	r->exit = w->exit;
	r->late = w->source == SOURCE_TIMER ? t->late : 0;
	r->waker_cpu = t->waker_cpu;
	r->flags = t->flags & TASK_NEW ? WAKEUP_NEW : 0;
	__builtin_memcpy(r->comm, p->comm, sizeof(r->comm));
}

/* The place that a slow wakeup takes among this CPU's slowest, or none. */
static __always_inline struct wakeup_record *slowest_place(const struct wakeup *w)
{
	u32 zero = 0;
	struct slowest *s = bpf_map_lookup_elem(&slowest, &zero);
	u64 at;

	if (!s || w->latency <= s->floor)
		return 0;
	at = s->count < cfg.slowest ? s->count++ : s->worst;
	barrier_var(at); /* before v6.2 the verifier loses the bound of a copy */
	if (at >= SLOWEST_MAX)
		return 0;
	s->record[at].latency = w->latency;
	if (s->count < cfg.slowest)
		return &s->record[at];
	s->floor = ~0ULL;
	for (u32 i = 0; i < SLOWEST_MAX; i++) {
		if (i >= cfg.slowest)
			break;
		if (s->record[i].latency < s->floor) {
			s->floor = s->record[i].latency;
			s->worst = i;
		}
	}
	return &s->record[at];
}

static __always_inline void count_phases(const struct wakeup *w, u32 scope, u32 slot)
{
	u32 key = scope * (cfg.slots - CLASS_QUEUED) + slot - CLASS_QUEUED;
	struct phases *p = bpf_map_lookup_elem(&phases, &key);
	u32 state = w->state;
	struct idle_stats *s;

	if (!p)
		return;
	hist_count(&p->exit, w->exit);
	hist_count(&p->queue, w->latency - w->exit);
	if (w->verdict != VERDICT_TOO_DEEP || scope != SCOPE_SUBJECT)
		return;
	s = bpf_map_lookup_elem(&idle, &state);
	if (s && w->right < STATES_MAX) {
		s->deep_wakeups[w->right]++;
		s->deep_exit[w->right] += w->exit;
	}
}

static __always_inline void count_wakeup(struct cpu_ctx *c, struct task_struct *p,
					 struct task_ctx *t, const struct wakeup *w,
					 u64 now)
{
	u32 scope = task_is_subject(p, t) ? SCOPE_SUBJECT : SCOPE_OTHER;
	u32 slot = w->class == CLASS_IDLE ? IDLE_SLOT(w->state, w->verdict) : w->class;
	u32 key = (scope * cfg.slots + slot) * SOURCES + w->source;
	struct wakeup_record *place;
	struct latency_hist *h;
	struct batch *b;
	union record *r;

	if (scope == SCOPE_OTHER && !cfg.others)
		return;
	h = bpf_map_lookup_elem(&latency, &key);
	if (!h || slot >= cfg.slots)
		return;
	hist_count(h, w->latency);
	if (w->class == CLASS_IDLE || w->class == CLASS_QUEUED)
		count_phases(w, scope, slot);
	if (cfg.slowest && scope == SCOPE_SUBJECT) {
		place = slowest_place(w);
		if (place)
			fill_wakeup(place, c, p, t, w, now, scope);
	}
	if (cfg.events == EVENTS_ALL ||
	    (cfg.events == EVENTS_SLOW && w->latency >= cfg.slow_ns)) {
		b = record_batch();
		r = b ? record_next(b) : 0;
		if (!r)
			return;
		fill_wakeup(&r->wakeup, c, p, t, w, now, scope);
		record_push(c, b);
	}
}

/* next starts to run: its pending waking, if any, is answered. */
static __always_inline void run(struct cpu_ctx *c, struct task_struct *next,
				bool from_idle)
{
	struct task_ctx *t = task_find(next);
	u64 now = 0;
	bool woken;

	if (from_idle || (t && t->waking))
		now = bpf_ktime_get_ns();
	woken = t && join_run(c, t, next->nvcsw, now, from_idle, &c->wakeup);
	if (from_idle)
		join_from_idle(c, now);
	if (!woken || !window_open(c))
		return;
	verifier_forget();
	/* Our own, and the start signal that we give to the work. */
	if ((u32)next->tgid == cfg.own_tgid || t->waker == cfg.own_tgid)
		c->count.own++;
	else
		count_wakeup(c, next, t, &c->wakeup, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	struct cpu_ctx *c = this_cpu();

	if (!c)
		return 0;
	if (window_open(c))
		c->count.switches++;
	if (!prev->pid || !join_saw(c, prev->pid))
		end_period(c);
	if (!join_saw(c, prev->pid))
		join_unseen(c, prev->pid ? task_find(prev) : 0, !prev->pid);
	c->running = next->pid;
	if (next->pid)
		run(c, next, !prev->pid);
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
