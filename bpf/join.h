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

/* A period as the kernel accounted it, read from struct cpuidle_device. */
struct accounted {
	bool known; /* the account could be read */
	u8 counted; /* periods it has more than before: 1, or 0, or some went unseen */
	u8 verdict;
	u8 entered;
	u64 residency;
};

/* What the kernel has accounted to one state, as last read: a cache line. */
struct usage {
	u64 usage, time, above, below, rejected;
	u64 unused[3];
};

/*
 * In the order of use: after an idle period all of this has to come back from memory.
 */
struct cpu_ctx {
	u32 cpu;
	u32 running; /* pid that the last switch went to; RUNNING_UNKNOWN at first */
	u32 late;    /* lateness of the last hrtimer that expired here */
	u8 window;   /* number of the window that the staged records belong to */
	u8 staged;   /* records that wait to be counted ... */
	u8 kept;     /* ... and, while they are, those that user space wants */
	u8 idle;     /* the idle task runs */
	u8 phase;    /* of the period, enum phase */
	u8 requested;
	u8 miss;		/* enum miss, by cpu_idle_miss */
	u8 miss_state;		/* the entered state, where there was a miss */
	u8 timer;		/* what expired in this period, enum timer_kind */
	u8 slept;		/* a state was entered since the CPU went idle */
	u64 entry, awake, exit; /* of the period; awake, exit 0: not yet */
	u64 dev;		/* struct cpuidle_device, 0 unknown */
	u64 idle_from,
		idle_to; /* first entry since, and switch away from, the idle task */
	u64 timer_task;	 /* the task that the last hrtimer is about to wake */
	u64 next_timer;	 /* next timer event known at entry, 0 unknown */
	u64 count_at;	 /* when the next staged record has all of them counted */
	u64 slow_floor;	 /* latencies up to this are not among the slowest */
	struct counters count;
	struct accounted accounted; /* not on the stack: see verifier_forget() */
	struct usage usage[STATES_ARRAY];
	union record record[STAGE_MAX];
	/* From here on what only counting needs. */
	struct state_param param[STATES_ARRAY];
	u32 disabled, disabled_before; /* states, when records were last counted */
	u8 entered, verdict, right;    /* of the last period that was judged */
	u8 hist_at[HIST_KEYS];	       /* 1 + place in the pool, 0: none yet */
	u8 hists_used;
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

/*
 * Whether the time of the exit event is needed. Not if an interrupt has told when the CPU
 * was awake, and the kernel tells how long it slept; but state 0 may be a polling one,
 * which goes on after an interrupt.
 */
join_inline bool join_wants_exit(const struct cpu_ctx *c)
{
	return !c->awake || !c->dev || !c->requested;
}

/* cpu_idle(PWR_EVENT_EXIT); now is 0 if it is not wanted. */
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
 * to report: the task had been preempted, or time went backwards. Fills what the join
 * knows of the record; join_found() adds the idle state. When the CPU comes from its idle
 * task, join_period() must have ended the period before.
 */
join_inline bool join_run(struct cpu_ctx *c, struct task_ctx *t, u64 nvcsw, u64 now,
			  bool from_idle, struct wakeup_record *r)
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
	r->type = RECORD_WAKEUP;
	r->cpu = c->cpu;
	r->waker = t->waker;
	r->waker_cpu = t->waker_cpu;
	r->time = now;
	r->latency = now - waking;
	r->exit = 0;
	r->source = t->waker_cpu == c->cpu ? t->source : SOURCE_REMOTE;
	r->late = r->source == SOURCE_TIMER ? t->late : 0;
	r->flags = t->flags & TASK_NEW ? WAKEUP_NEW : 0;
	if (from_idle && c->slept && waking + WAKING_RACE_NS < c->idle_from)
		/* It waited for another CPU, and this one took it over. */
		r->class = CLASS_RUNNING;
	else if (from_idle && c->slept)
		r->class = CLASS_IDLE;
	else if (from_idle)
		r->class = CLASS_ABORTED;
	else if (waking >= c->idle_from && waking < c->idle_to)
		r->class = CLASS_QUEUED;
	else
		r->class = CLASS_RUNNING;
	if ((r->class == CLASS_IDLE || r->class == CLASS_QUEUED) &&
	    r->source == SOURCE_REMOTE)
		r->exit = join_awake_after(c, waking, now) - waking;
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
 * False if there is none. Best truth first: the kernel's account, cpu_idle_miss, our own
 * rule, which join_judge() applies.
 */
join_inline bool join_period(struct cpu_ctx *c, const struct accounted *a,
			     const volatile struct settings *s, struct period_record *r)
{
	bool exited = c->phase == PHASE_EXITED;

	if (c->phase == PHASE_NONE)
		return false;
	c->phase = PHASE_NONE;
	if (!exited || a->counted > 1)
		c->count.unpaired++;
	r->type = RECORD_PERIOD;
	r->cpu = c->cpu;
	r->requested = r->entered = c->requested;
	r->verdict = VERDICT_UNKNOWN;
	r->flags = 0;
	r->end = join_end(c);
	r->residency = !exited ? 0 : (c->exit ? c->exit : c->awake) - c->entry;
	if (a->known && a->counted) {
		r->entered = a->entered;
		r->verdict = a->verdict;
		r->residency = a->residency;
		r->flags = PERIOD_KERNEL;
		if (a->counted == 1 && a->verdict != VERDICT_REJECTED)
			r->flags |= PERIOD_RULE_CHECKED;
	} else if (a->known) {
		r->flags = PERIOD_KERNEL | PERIOD_UNCOUNTED;
	} else if (!s->has_driver) {
		r->flags = PERIOD_UNCOUNTED;
	} else if (c->miss) {
		r->entered = c->miss_state;
		r->verdict =
			c->miss == MISS_BELOW ? VERDICT_TOO_SHALLOW : VERDICT_TOO_DEEP;
	} else if (s->has_miss) {
		r->verdict = VERDICT_HIT;
	} else if (exited) {
		r->flags = PERIOD_BY_RULE;
	}
	if (exited && !c->exit)
		c->exit = c->entry + r->residency;
	r->entry = c->entry;
	r->awake = c->awake;
	r->exit = c->exit;
	r->next_timer = c->next_timer > c->entry ? c->next_timer - c->entry : 0;
	r->unused = 0;
	return true;
}

/*
 * The rest of a period, when it is counted: which state would have been right, and what
 * our rule says. A state may have been disabled or enabled since; then the rule may be
 * right with the states of before.
 */
join_inline void join_judge(struct cpu_ctx *c, const volatile struct settings *s,
			    struct period_record *r)
{
	struct judgement rule;

	r->right = r->entered;
	r->disabled = c->disabled;
	if (r->verdict != VERDICT_UNKNOWN || (r->flags & PERIOD_BY_RULE)) {
		rule = judge(c->param, s->states, r->disabled, r->entered, r->residency);
		if (rule.verdict != r->verdict && c->disabled_before != c->disabled) {
			r->disabled = c->disabled_before;
			rule = judge(c->param, s->states, r->disabled, r->entered,
				     r->residency);
		}
		r->right = rule.right;
		if (r->flags & PERIOD_BY_RULE)
			r->verdict = rule.verdict;
		else if ((r->flags & PERIOD_RULE_CHECKED) && rule.verdict != r->verdict)
			r->flags |= PERIOD_RULE_WRONG;
	}
	c->entered = r->entered;
	c->verdict = r->verdict;
	c->right = r->right;
}

/* The idle state that a wakeup found is that of the last period which was judged. */
join_inline void join_found(const struct cpu_ctx *c, struct wakeup_record *r)
{
	bool idle = r->class == CLASS_IDLE;

	r->state = idle ? c->entered : 0;
	r->verdict = idle ? c->verdict : VERDICT_UNKNOWN;
	r->right = idle ? c->right : 0;
}

/* In the order of the events, for a wakeup takes over what its period has found. */
join_inline void join_complete(struct cpu_ctx *c, const volatile struct settings *s,
			       union record *r)
{
	if (r->type == RECORD_WAKEUP)
		join_found(c, &r->wakeup);
	else if (r->type == RECORD_PERIOD)
		join_judge(c, s, &r->period);
}

/* Whether it is kept as a single record, too: --events. */
join_inline bool record_wanted(const union record *r, const volatile struct settings *set)
{
	if (r->type == RECORD_WAKEUP)
		return set->events == EVENTS_ALL ||
		       (set->events == EVENTS_SLOW && r->wakeup.latency >= set->slow_ns);
	if (r->type == RECORD_PERIOD)
		return set->events == EVENTS_ALL;
	return set->events != EVENTS_NONE && !r->timer.tick &&
	       r->timer.late >= set->slow_ns;
}

#endif
