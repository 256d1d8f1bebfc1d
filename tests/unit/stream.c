// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stream.h"

static const struct state_param params[] = {{0, 0}, {100, 10}, {1000, 50}, {10000, 300}};

void stream_init(struct stream *s, enum truth truth)
{
	memset(s, 0, sizeof(*s));
	s->settings.states = sizeof(params) / sizeof(params[0]);
	s->settings.has_driver = true;
	s->settings.has_miss = truth != TRUTH_RULE;
	s->device = truth == TRUTH_ACCOUNT;
	for (u32 cpu = 0; cpu < STREAM_CPUS; cpu++) {
		s->cpu[cpu].ctx.cpu = cpu;
		s->cpu[cpu].runs = BUSY + cpu;
		s->cpu[cpu].ctx.running = RUNNING_UNKNOWN;
		s->cpu[cpu].ctx.dev = s->device;
		memcpy(s->cpu[cpu].ctx.param, params, sizeof(params));
	}
	for (u32 pid = 0; pid < STREAM_TASKS; pid++) {
		s->task[pid].address = 0xffff0000 + pid * 0x1000;
		s->task[pid].nvcsw = 100 + pid;
	}
}

enum verdict kernel_rule(const struct state_param *param, u32 states, u32 disabled,
			 u32 entered, u64 residency, u8 *right)
{
	u32 enabled = ~disabled & ((1U << states) - 1);
	u32 shallower = enabled & ((1U << entered) - 1);
	u32 deeper = enabled & ~((2U << entered) - 1);
	u8 ignored;

	right = right ? right : &ignored;
	*right = entered;
	if (residency < param[entered].residency_ns) {
		if (!shallower)
			return VERDICT_HIT;
		/* The deepest that pays off; where none does, the shallowest. */
		for (*right = 31; *right != 255; --*right)
			if (shallower & (1U << *right) &&
			    param[*right].residency_ns <= residency)
				return VERDICT_TOO_DEEP;
		*right = __builtin_ctz(shallower);
		return VERDICT_TOO_DEEP;
	}
	if (deeper && residency > param[entered].latency_ns &&
	    residency >= param[entered].latency_ns +
				 param[__builtin_ctz(deeper)].residency_ns) {
		*right = __builtin_ctz(deeper);
		return VERDICT_TOO_SHALLOW;
	}
	return VERDICT_HIT;
}

/* ---- the programs ---- */

static void read_account(const struct stream *s, const struct stream_cpu *cpu,
			 struct accounted *a)
{
	a->known = true;
	for (u32 i = 0; i < s->settings.states; i++) {
		const struct kernel_usage *now = &cpu->now[i], *before = &cpu->before[i];

		if (now->usage == before->usage && now->rejected == before->rejected)
			continue;
		a->counted +=
			now->usage - before->usage + now->rejected - before->rejected;
		a->entered = i;
		a->residency = now->time - before->time;
		a->verdict = now->rejected != before->rejected ? VERDICT_REJECTED
			     : now->above != before->above     ? VERDICT_TOO_DEEP
			     : now->below != before->below     ? VERDICT_TOO_SHALLOW
							       : VERDICT_HIT;
	}
}

static void end_period(struct stream *s, struct stream_cpu *cpu)
{
	struct cpu_ctx *c = &cpu->ctx;
	struct accounted a = {.known = false};
	union record r = {0};
	const struct period_record *p = &r.period;

	if (c->phase == PHASE_NONE)
		return;
	if (s->device)
		read_account(s, cpu, &a);
	if (!join_period(c, &a, &s->settings, &r.period))
		return;
	c->disabled_before = c->disabled;
	if (s->device)
		c->disabled = s->disabled;
	join_complete(c, &s->settings, &r);
	assert_true(s->nr_periods < STREAM_OUT);
	assert_int_equal(p->cpu, c->cpu);
	s->rule_checked += !!(p->flags & PERIOD_RULE_CHECKED);
	s->rule_wrong += !!(p->flags & PERIOD_RULE_WRONG);
	s->periods[s->nr_periods++] = (struct seen_period){
		.cpu = p->cpu,
		.requested = p->requested,
		.entered = p->entered,
		.verdict = p->verdict,
		.end = p->end,
		.residency = p->residency,
		.right = p->right,
		.uncounted = p->flags & PERIOD_UNCOUNTED,
		.awake = p->awake ? p->awake - p->entry : 0,
	};
}

static void run(struct stream *s, struct cpu_ctx *c, u32 pid, u64 now, bool from_idle)
{
	struct stream_task *next = &s->task[pid];
	struct task_ctx *t = next->known ? &next->ctx : NULL;
	union record r = {0};
	const struct wakeup_record *w = &r.wakeup;
	bool woken = t && join_run(c, t, next->nvcsw, now, from_idle, &r.wakeup);

	if (from_idle)
		join_from_idle(c, now);
	if (!woken)
		return;
	join_complete(c, &s->settings, &r);
	assert_true(s->nr_wakeups < STREAM_OUT);
	assert_true(w->time == now);
	s->wakeups[s->nr_wakeups++] = (struct seen_wakeup){
		.task = pid,
		.cpu = w->cpu,
		.class = w->class,
		.state = w->state,
		.verdict = w->verdict,
		.source = w->source,
		.latency = w->latency,
		.exit = w->exit,
		.waker = w->waker,
		.late = w->late,
		.waker_cpu = w->waker_cpu,
		.fresh = w->flags & WAKEUP_NEW,
		.right = w->right,
	};
}

static void sched_switch(struct stream *s, struct stream_cpu *cpu, u32 prev, u32 next,
			 u64 now)
{
	struct stream_task *task = &s->task[prev];
	struct cpu_ctx *c = &cpu->ctx;

	if (prev == IDLE || !join_saw(c, prev))
		end_period(s, cpu);
	if (!join_saw(c, prev))
		join_unseen(c, prev != IDLE && task->known ? &task->ctx : NULL,
			    prev == IDLE);
	c->running = next;
	if (next == IDLE)
		join_to_idle(c);
	else
		run(s, c, next, now, prev == IDLE);
}

static void sched_waking(struct stream *s, struct stream_cpu *cpu, u32 pid, u64 now,
			 bool fork)
{
	struct stream_task *task = &s->task[pid];
	const struct waking w = {
		.now = now,
		.task = task->address,
		.nvcsw = task->nvcsw,
		.waker = cpu->runs,
		.fork = fork,
	};

	task->known = true;
	join_waking(&cpu->ctx, &task->ctx, &w);
}

static void sched_process_exit(struct stream_cpu *cpu, struct stream_task *task)
{
	if (task->known)
		join_drop_waking(&cpu->ctx, &task->ctx);
	memset(&task->ctx, 0, sizeof(task->ctx));
	task->known = false;
}

static void cpu_idle(struct stream *s, struct stream_cpu *cpu, u32 state, u64 now)
{
	end_period(s, cpu);
	memcpy(cpu->before, cpu->now, sizeof(cpu->before));
	join_idle_enter(&cpu->ctx, state, now);
}

/* ---- the kernel ---- */

static void account(struct stream *s, struct stream_cpu *cpu, const struct event *e)
{
	struct kernel_usage *u = &cpu->now[e->who];
	enum verdict v = kernel_rule(cpu->ctx.param, s->settings.states, s->disabled,
				     e->who, e->arg, NULL);

	u->usage++;
	u->time += e->arg;
	u->above += v == VERDICT_TOO_DEEP;
	u->below += v == VERDICT_TOO_SHALLOW;
	if (s->settings.has_miss && v != VERDICT_HIT && !e->lost)
		join_idle_miss(&cpu->ctx, e->who, v == VERDICT_TOO_SHALLOW);
}

static void switch_to(struct stream *s, struct stream_cpu *cpu, const struct event *e)
{
	u32 prev = cpu->runs;

	if ((prev == IDLE) != (e->what == RUN))
		fail_msg("%llu: bad table: task %u runs on CPU %u",
			 (unsigned long long)e->at, prev, e->cpu);
	if (e->what == SLEEP)
		s->task[prev].nvcsw++;
	cpu->runs = e->who;
	if (!e->lost)
		sched_switch(s, cpu, prev, e->who, e->at);
}

static void wake(struct stream *s, struct stream_cpu *cpu, const struct event *e)
{
	struct stream_task *task = &s->task[e->who];

	if (e->what == FORK) {
		task->nvcsw = 0;
		task->address += 0x100;
	}
	if (!e->lost)
		sched_waking(s, cpu, e->who, e->at, e->what == FORK);
}

static void feed_one(struct stream *s, const struct event *e)
{
	struct stream_cpu *cpu = &s->cpu[e->cpu];

	switch (e->what) {
	case SLEEP:
	case PREEMPT:
	case RUN: switch_to(s, cpu, e); return;
	case WAKE:
	case FORK: wake(s, cpu, e); return;
	case ACCOUNT: account(s, cpu, e); return;
	case REJECT: cpu->now[e->who].rejected++; return;
	default: break;
	}
	if (e->lost)
		return;
	if (e->what == WOKEN)
		join_awake(&cpu->ctx, e->at);
	else if (e->what == GONE)
		sched_process_exit(cpu, &s->task[cpu->runs]);
	else if (e->what == ENTER)
		cpu_idle(s, cpu, e->who, e->at);
	else if (e->what == EXIT)
		join_idle_exit(&cpu->ctx, join_wants_exit(&cpu->ctx) ? e->at : 0);
	else if (e->what == SLEEPER)
		join_timer(&cpu->ctx, e->at, false, s->task[e->who].address, e->arg);
	else
		join_timer(&cpu->ctx, e->at, e->what == TICK, 0, e->who);
}

void stream_feed(struct stream *s, const struct event *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		feed_one(s, &events[i]);
}

/* ---- what came out ---- */

#define CHECK(kind, n, got, want, field)                                                \
	do {                                                                            \
		if ((got)->field != (want)->field)                                      \
			fail_msg("line %d: %s %zu: " #field " is %lld, not %lld", line, \
				 kind, n, (long long)(got)->field,                      \
				 (long long)(want)->field);                             \
	} while (0)

void stream_expect_wakeups(int line, const struct stream *s,
			   const struct seen_wakeup *want, size_t nr)
{
	for (size_t i = 0; i < nr && i < s->nr_wakeups; i++) {
		const struct seen_wakeup *got = &s->wakeups[i], *w = &want[i];

		CHECK("wakeup", i, got, w, task);
		CHECK("wakeup", i, got, w, cpu);
		CHECK("wakeup", i, got, w, class);
		CHECK("wakeup", i, got, w, state);
		CHECK("wakeup", i, got, w, verdict);
		CHECK("wakeup", i, got, w, source);
		CHECK("wakeup", i, got, w, latency);
		CHECK("wakeup", i, got, w, exit);
		CHECK("wakeup", i, got, w, waker);
		CHECK("wakeup", i, got, w, late);
		CHECK("wakeup", i, got, w, waker_cpu);
		CHECK("wakeup", i, got, w, fresh);
		CHECK("wakeup", i, got, w, right);
	}
	if (s->nr_wakeups != nr)
		fail_msg("line %d: %u wakeups came out, not %zu", line, s->nr_wakeups,
			 nr);
}

void stream_expect_periods(int line, const struct stream *s,
			   const struct seen_period *want, size_t nr)
{
	for (size_t i = 0; i < nr && i < s->nr_periods; i++) {
		const struct seen_period *got = &s->periods[i], *w = &want[i];

		CHECK("period", i, got, w, cpu);
		CHECK("period", i, got, w, requested);
		CHECK("period", i, got, w, entered);
		CHECK("period", i, got, w, verdict);
		CHECK("period", i, got, w, end);
		CHECK("period", i, got, w, residency);
		CHECK("period", i, got, w, right);
		CHECK("period", i, got, w, uncounted);
		CHECK("period", i, got, w, awake);
	}
	if (s->nr_periods != nr)
		fail_msg("line %d: %u periods came out, not %zu", line, s->nr_periods,
			 nr);
}

void stream_expect_counts(int line, const struct stream *s, struct counters want)
{
	struct counters got = {.unslept = 0};

	for (u32 cpu = 0; cpu < STREAM_CPUS; cpu++) {
		const struct counters *c = &s->cpu[cpu].ctx.count;

		got.unslept += c->unslept;
		got.orphans += c->orphans;
		got.unmatched += c->unmatched;
		got.unseen += c->unseen;
		got.unseen_runs += c->unseen_runs;
		got.negative += c->negative;
		got.unpaired += c->unpaired;
	}
#define COUNT(field) CHECK("counter", (size_t)0, &got, &want, field)
	COUNT(unslept);
	COUNT(orphans);
	COUNT(unmatched);
	COUNT(unseen);
	COUNT(unseen_runs);
	COUNT(negative);
	COUNT(unpaired);
#undef COUNT
	assert_int_equal(s->rule_wrong, 0);
}
