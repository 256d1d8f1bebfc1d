/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The join of wakeups with idle periods: state machines for one CPU and one task, fed
 * with tracepoints. No BPF in here, so that tests feed them synthetic streams.
 *
 * An idle period goes from cpu_idle(state) to cpu_idle(PWR_EVENT_EXIT), but stays open
 * here until the CPU enters idle again or switches away from its idle task: where the
 * hardware sleeps with interrupts off, the interrupt that ended the period, its hrtimer,
 * its wakings and cpu_idle_miss all come after the exit event. Where it sleeps with
 * interrupts on (HLT, POLL, C1 with IRQs enabled) they come before. Both are accepted.
 */
#ifndef IDLETRACE_JOIN_H
#define IDLETRACE_JOIN_H

#include "idletrace.h"

/*
 * The verifier follows every combination of values that it knows, and gives up when they
 * are too many. It knows those on the stack and in registers, not those in a map: past
 * this point everything is read from memory again, and all paths are one.
 */
#define verifier_forget() asm volatile("" ::: "memory")

#define join_inline static inline __attribute__((always_inline))

enum phase { PHASE_NONE, PHASE_ASLEEP, PHASE_EXITED };
enum timer_kind { TIMER_NONE, TIMER_TICK, TIMER_OTHER };
#define RUNNING_UNKNOWN (~0U)
/* A CPU may still enter a state between the waking and the interrupt that it causes. */
#define WAKING_RACE_NS 10000

enum miss { MISS_NONE, MISS_ABOVE, MISS_BELOW };

/* A wakeup that came to an end: the task runs. */
struct wakeup {
	u64 latency, exit;
	u8 class, state, verdict, right, source;
};

/* A period as the kernel accounted it, read from struct cpuidle_device. */
struct accounted {
	bool known; /* the account could be read */
	u8 counted; /* periods it has more than before: 1, or 0, or some went unseen */
	u8 verdict;
	u8 entered;
	u32 disabled;
	u64 residency;
};

struct period {
	u8 entered, verdict, right, end;
	bool counted;
	bool rule_checked, rule_wrong; /* our rule against the kernel's account */
	u64 residency;
};

struct cpu_ctx {
	u32 cpu;
	u32 running; /* pid that the last switch went to; RUNNING_UNKNOWN at first */
	u8 idle;     /* the idle task runs */
	u8 phase;    /* of the period, enum phase */
	u8 requested;
	u8 miss;       /* enum miss, by cpu_idle_miss */
	u8 miss_state; /* the entered state, where there was a miss */
	u8 timer;      /* what expired in this period, enum timer_kind */
	u8 entered;    /* of the last judged period */
	u8 verdict;
	u8 right;
	u8 slept;		/* a state was entered since the CPU went idle */
	u32 late;		/* lateness of the last hrtimer that expired here */
	u64 entry, awake, exit; /* of the period; awake, exit 0: not yet */
	u64 idle_from,
		idle_to; /* first entry since, and switch away from, the idle task */
	u64 timer_task;	 /* the task that the last hrtimer is about to wake */
	u64 dev;	 /* struct cpuidle_device, 0 unknown */
	u64 next_timer;	 /* next timer event known at entry, 0 unknown */
	struct state_param param[STATES_ARRAY];
	/* What the programs work on. Not on their stacks: see verifier_forget(). */
	struct accounted accounted;
	struct period period;
	struct wakeup wakeup;
	struct counters count;
};

struct task_ctx {
	u64 waking; /* oldest waking that no run has consumed, 0 none */
	u64 nvcsw;  /* voluntary switches at that waking */
	u64 run_nvcsw;
	u64 comm[2]; /* the name that the filter judged last */
	u32 pid;     /* whose slot this is, 0: free */
	u32 waker;
	u32 late;
	u16 waker_cpu;
	u8 source; /* as far as the waking tells */
	u8 flags;
};

#define TASK_FOLLOWED 1	 /* descends from the workload */
#define TASK_NAMED    2	 /* comm[] is valid ... */
#define TASK_MATCHES  4	 /* ... and the filter takes it */
#define TASK_NEW      8	 /* the pending waking is a sched_wakeup_new */
#define TASK_RAN      16 /* run_nvcsw is valid */
#define TASK_UNSLEPT  32 /* the pending waking may need no switch to be answered */

/* A waking as the tracepoint sees it. */
struct waking {
	u64 now;
	u64 task;  /* address, identifies it on this CPU */
	u64 nvcsw; /* its voluntary switches so far */
	u32 waker;
	bool fork;
};

/* cpu_idle(state): any earlier period must have been ended with join_period(). */
join_inline void join_idle_enter(struct cpu_ctx *c, u32 state, u64 now)
{
	c->phase = PHASE_ASLEEP;
	c->requested = state;
	c->miss = MISS_NONE;
	c->timer = TIMER_NONE;
	c->entry = now;
	c->awake = 0;
	c->exit = 0;
	if (!c->slept) {
		c->slept = 1;
		c->idle_from = now;
	}
}

/* cpu_idle(PWR_EVENT_EXIT). */
join_inline void join_idle_exit(struct cpu_ctx *c, u64 now)
{
	if (c->phase != PHASE_ASLEEP) {
		c->count.unpaired++;
		return;
	}
	c->exit = now;
	if (!c->awake)
		c->awake = now;
	c->phase = PHASE_EXITED;
}

/* Whether an event on this CPU would be the first sign that it executes again. */
join_inline bool join_wants_awake(const struct cpu_ctx *c)
{
	return c->phase == PHASE_ASLEEP && !c->awake;
}

join_inline void join_awake(struct cpu_ctx *c, u64 now)
{
	if (join_wants_awake(c))
		c->awake = now;
}

join_inline void join_idle_miss(struct cpu_ctx *c, u32 state, bool below)
{
	c->miss = below ? MISS_BELOW : MISS_ABOVE;
	c->miss_state = state;
}

/* An hrtimer expires, late ns after its time; wakes is the task it will wake, or 0. */
join_inline void join_timer(struct cpu_ctx *c, u64 now, bool tick, u64 wakes, u32 late)
{
	c->timer_task = wakes;
	c->late = late;
	if (!c->idle)
		return;
	join_awake(c, now);
	if (!tick)
		c->timer = TIMER_OTHER;
	else if (c->timer == TIMER_NONE)
		c->timer = TIMER_TICK;
}

/* What woke the task, before it is known where it will run. */
join_inline u8 join_source(const struct cpu_ctx *c, const struct waking *w)
{
	if (c->timer_task == w->task)
		return SOURCE_TIMER;
	if (!c->idle)
		return SOURCE_LOCAL;
	return c->timer == TIMER_NONE ? SOURCE_IRQ : SOURCE_TIMER;
}

/* The pending waking will not be answered. */
join_inline void join_drop_waking(struct cpu_ctx *c, struct task_ctx *t)
{
	if (t->waking && (t->flags & TASK_UNSLEPT))
		c->count.unslept++;
	else if (t->waking)
		c->count.orphans++;
	t->waking = 0;
}

/*
 * sched_waking or sched_wakeup_new in the waker, on CPU c. A task that has not switched
 * away of its own will since it last ran is still on its way to sleep, or will go on
 * without: which of the two, its count of such switches tells when it runs next.
 */
join_inline void join_waking(struct cpu_ctx *c, struct task_ctx *t,
			     const struct waking *w)
{
	join_awake(c, w->now);
	/* The oldest waking counts, but for those that the task has long answered. */
	if (t->waking && t->nvcsw == w->nvcsw && !(t->flags & TASK_UNSLEPT) && !w->fork)
		return;
	join_drop_waking(c, t);
	t->waking = w->now;
	t->nvcsw = w->nvcsw;
	t->waker = w->waker;
	t->waker_cpu = c->cpu;
	t->source = join_source(c, w);
	t->late = t->source == SOURCE_TIMER ? c->late : 0;
	t->flags &= ~(TASK_NEW | TASK_UNSLEPT);
	if (w->fork)
		t->flags |= TASK_NEW;
	else if ((t->flags & TASK_RAN) && t->run_nvcsw == w->nvcsw)
		t->flags |= TASK_UNSLEPT;
	if (c->timer_task == w->task)
		c->timer_task = 0;
}

/* When the CPU executed again after a waking at that time, at the latest at run. */
join_inline u64 join_awake_after(const struct cpu_ctx *c, u64 waking, u64 run)
{
	u64 at = c->awake >= waking ? c->awake : c->exit;

	if (at < waking)
		return waking;
	return at > run ? run : at;
}

/*
 * sched_switch to a task. After it the waking is consumed. False if there is no wakeup
 * to report: the task had been preempted, or time went backwards. When the CPU comes
 * from its idle task, join_period() must have judged the period before.
 */
join_inline bool join_run(struct cpu_ctx *c, struct task_ctx *t, u64 nvcsw, u64 now,
			  bool from_idle, struct wakeup *w)
{
	bool slept = (t->flags & TASK_RAN) && t->run_nvcsw != nvcsw;
	u64 waking;

	c->timer_task = 0;
	if ((t->flags & TASK_UNSLEPT) && t->nvcsw == nvcsw)
		join_drop_waking(c, t);
	waking = t->waking;
	t->waking = 0;
	t->run_nvcsw = nvcsw;
	t->flags |= TASK_RAN;
	if (!waking) {
		if (slept)
			c->count.unmatched++;
		return false;
	}
	if (now < waking) {
		c->count.negative++;
		return false;
	}
	w->latency = now - waking;
	w->exit = 0;
	w->state = w->right = 0;
	w->verdict = VERDICT_UNKNOWN;
	w->source = t->waker_cpu == c->cpu ? t->source : SOURCE_REMOTE;
	if (from_idle && c->slept && waking + WAKING_RACE_NS < c->idle_from) {
		/* It waited for another CPU, and this one took it over. */
		w->class = CLASS_RUNNING;
	} else if (from_idle && c->slept) {
		w->class = CLASS_IDLE;
		w->state = c->entered;
		w->verdict = c->verdict;
		w->right = c->right;
	} else if (from_idle) {
		w->class = CLASS_ABORTED;
	} else if (waking >= c->idle_from && waking < c->idle_to) {
		w->class = CLASS_QUEUED;
	} else {
		w->class = CLASS_RUNNING;
	}
	if ((w->class == CLASS_IDLE || w->class == CLASS_QUEUED) &&
	    w->source == SOURCE_REMOTE)
		w->exit = join_awake_after(c, waking, now) - waking;
	return true;
}

/*
 * Whether the switch that made prev run was traced. Some kernels leave out a few: then
 * join_unseen() takes note of it.
 */
join_inline bool join_saw(const struct cpu_ctx *c, u32 prev_pid)
{
	return c->running == prev_pid || c->running == RUNNING_UNKNOWN;
}

/*
 * prev, which switches away now, was switched in unseen; t is its context or NULL. Any
 * period that was open must have been ended with join_period().
 */
join_inline void join_unseen(struct cpu_ctx *c, struct task_ctx *t, bool prev_is_idle)
{
	c->count.unseen++;
	if (!prev_is_idle)
		c->slept = 0;
	c->idle = prev_is_idle;
	c->idle_to = 0;
	if (!t)
		return;
	if (t->waking)
		c->count.unseen_runs++;
	t->waking = 0;
	t->flags &= ~TASK_RAN;
}

/* sched_switch to the idle task. */
join_inline void join_to_idle(struct cpu_ctx *c)
{
	c->idle = 1;
	c->slept = 0;
	c->timer = TIMER_NONE;
	c->timer_task = 0;
}

/* sched_switch away from the idle task; call it after join_run(). */
join_inline void join_from_idle(struct cpu_ctx *c, u64 now)
{
	c->idle = 0;
	c->idle_to = c->slept ? now : 0;
	c->slept = 0;
}

/*
 * What ended the period, by the timers that expired in it. The governor's knowledge of
 * the next timer, where it can be read, decides the rest: a timer may expire only after
 * something else has woken the CPU, or in another way than as an hrtimer.
 */
join_inline enum period_end join_end(const struct cpu_ctx *c)
{
	if (c->next_timer && c->awake && c->awake < c->next_timer)
		return END_INTERCEPTED;
	if (c->timer == TIMER_TICK)
		return END_TICK;
	if (c->timer == TIMER_OTHER || (c->next_timer && c->awake))
		return END_TIMER;
	return END_INTERCEPTED;
}

/*
 * The period is over: at the next cpu_idle entry or switch away from the idle task.
 * False if there is none to judge. Keeps entered state and verdict for the wakeups that
 * it served. Best truth first: the kernel's account, cpu_idle_miss, our own rule.
 */
join_inline bool join_period(struct cpu_ctx *c, const struct accounted *a,
			     const volatile struct settings *s, struct period *p)
{
	struct judgement rule;

	if (c->phase == PHASE_NONE)
		return false;
	if (c->phase == PHASE_ASLEEP)
		c->count.unpaired++;
	p->end = join_end(c);
	p->counted = s->has_driver && (!a->known || a->counted);
	p->residency = c->phase == PHASE_EXITED ? c->exit - c->entry : 0;
	p->entered = c->requested;
	p->rule_checked = p->rule_wrong = false;
	c->phase = PHASE_NONE;
	if (a->known && a->counted) {
		p->entered = a->entered;
		p->residency = a->residency;
	} else if (c->miss) {
		p->entered = c->miss_state;
	}
	p->verdict = VERDICT_UNKNOWN;
	p->right = p->entered;
	if (p->counted) {
		rule = judge(c->param, s->states, a->disabled, p->entered, p->residency);
		p->verdict = rule.verdict;
		p->right = rule.right;
		if (a->known)
			p->verdict = a->verdict;
		else if (c->miss)
			p->verdict = c->miss == MISS_BELOW ? VERDICT_TOO_SHALLOW
							   : VERDICT_TOO_DEEP;
		else if (s->has_miss)
			p->verdict = VERDICT_HIT;
		else if (!c->exit)
			p->verdict = VERDICT_UNKNOWN;
		if (a->known && a->counted > 1)
			c->count.unpaired++;
		else if (a->known && a->verdict != VERDICT_REJECTED) {
			p->rule_checked = true;
			p->rule_wrong = rule.verdict != p->verdict;
		}
	}
	c->entered = p->entered;
	c->verdict = p->verdict;
	c->right = p->right;
	return true;
}

#endif
