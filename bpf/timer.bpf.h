/* SPDX-License-Identifier: GPL-2.0 */
/* hrtimers: how late they expire, whom they wake, and (if asked) who armed them. */
#ifndef IDLETRACE_TIMER_BPF_H
#define IDLETRACE_TIMER_BPF_H

#include "account.bpf.h"
#include "maps.bpf.h"
#include "stage.bpf.h"

#define CLOCK_MONOTONIC 1

static __always_inline bool timer_is_tick(struct hrtimer *timer)
{
	return cfg.tick_function && (u64)timer->function == cfg.tick_function;
}

/* Sleeping tasks wait for an hrtimer inside a struct hrtimer_sleeper. */
static __always_inline struct task_struct *timer_sleeper(struct hrtimer *timer)
{
	struct hrtimer_sleeper *sleeper;

	if (!cfg.sleeper_function || (u64)timer->function != cfg.sleeper_function)
		return 0;
	sleeper = (void *)timer - bpf_core_field_offset(struct hrtimer_sleeper, timer);
	return BPF_CORE_READ(sleeper, task);
}

/* A sleeper's timer was armed by the task that sleeps; the tick's by the kernel. */
SEC("?tp_btf/hrtimer_start")
int BPF_PROG(hrtimer_start, struct hrtimer *timer)
{
	u64 function = (u64)timer->function, key = (u64)timer;
	struct timer_owner owner = {};

	if (timer_is_tick(timer) || function == cfg.sleeper_function)
		return 0;
	bpf_get_current_comm(owner.comm, sizeof(owner.comm));
	owner.function = function;
	bpf_map_update_elem(&timer_armers, &key, &owner, BPF_ANY);
	return 0;
}

/* Charges an expiry to whoever armed the timer. */
static __always_inline void timer_charge(const struct cpu_ctx *c, struct hrtimer *timer,
					 struct task_struct *sleeper, u64 late,
					 bool first)
{
	u64 key = (u64)timer;
	struct timer_owner owner = {}, *armer = 0;
	struct timer_user *user, fresh = {};

	if (sleeper)
		bpf_probe_read_kernel(owner.comm, sizeof(owner.comm), sleeper->comm);
	else
		armer = bpf_map_lookup_elem(&timer_armers, &key);
	if (armer)
		owner = *armer;
	owner.function = (u64)timer->function;
	user = bpf_map_lookup_elem(&timer_users, &owner);
	if (!user) {
		bpf_map_update_elem(&timer_users, &owner, &fresh, BPF_NOEXIST);
		user = bpf_map_lookup_elem(&timer_users, &owner);
	}
	if (!user)
		return;
	__sync_fetch_and_add(&user->expired, 1);
	__sync_fetch_and_add(&user->late, late);
	if (c->idle && first)
		__sync_fetch_and_add(&user->ended, 1);
}

static __always_inline void stage_timer(struct cpu_ctx *c, struct hrtimer *timer, u64 now,
					u64 late, u32 state)
{
	union record *r = stage_next(c);

	if (!r)
		return;
	__builtin_memset(r, 0, sizeof(*r));
	r->timer.type = RECORD_TIMER;
	r->timer.state = state;
	r->timer.idle = c->idle;
	r->timer.tick = timer_is_tick(timer);
	r->timer.cpu = c->cpu;
	r->timer.time = now;
	r->timer.expires = timer->node.expires;
	r->timer.late = late;
	r->timer.function = (u64)timer->function;
	stage_push(c, now);
}

/*
 * What lateness is measured from: the programmed expiry, slack included. A neighbour's
 * interrupt may serve a timer inside its slack; that is early, not late.
 */
static __always_inline u64 timer_late(struct hrtimer *timer, u64 now)
{
	s64 late = now - timer->node.expires;

	return late > 0 ? late : 0;
}

SEC("?tp_btf/hrtimer_expire_entry")
int BPF_PROG(hrtimer_expire_entry, struct hrtimer *timer)
{
	bool monotonic, first;
	struct cpu_ctx *c = this_cpu();
	struct task_struct *sleeper;
	u64 now, late = 0;

	/* Soft timers run from the softirq, long after the interrupt, interrupts on. */
	if (!c || timer->is_soft)
		return 0;
	if (cfg.has_device && !c->dev)
		account_find(c, timer);
	now = bpf_ktime_get_ns();
	monotonic = timer->base->clockid == CLOCK_MONOTONIC;
	if (monotonic)
		late = timer_late(timer, now);
	sleeper = timer_sleeper(timer);
	first = c->timer == TIMER_NONE;
	join_timer(c, now, timer_is_tick(timer), (u64)sleeper, late > ~0U ? ~0U : late);
	if (!window_open(c))
		return 0;
	if (cfg.timers)
		timer_charge(c, timer, sleeper, late, first);
	if (monotonic)
		stage_timer(c, timer, now, late,
			    c->idle && c->slept ? c->requested : cfg.states);
	else
		c->count.late_skipped++;
	return 0;
}

#endif
