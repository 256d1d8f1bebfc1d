/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A synthetic machine for the join: takes a table of events, keeps what the kernel keeps
 * of them (who runs, voluntary switches, the account of idle states), and calls join.h
 * where the BPF programs do. Collects the wakeups and periods that come out.
 */
#ifndef TEST_STREAM_H
#define TEST_STREAM_H

#include <stddef.h>

#include "join.h"

/* Rows of a table leave out what does not apply to them. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define STREAM_CPUS  4
#define STREAM_TASKS 16
#define STREAM_OUT   64

enum { IDLE = 0, A, B, C, D, BUSY = 8 }; /* tasks; CPU n starts with BUSY + n running */

/* A wakeup by what runs on CPU 1. */
#define WAKER_1 (BUSY + 1)
#define BY_1	.source = SOURCE_REMOTE, .waker = WAKER_1, .waker_cpu = 1

enum what {
	SLEEP,	 /* the running task blocks, who runs next */
	PREEMPT, /* the running task stays on the run queue, who runs next */
	RUN,	 /* from the idle task to who */
	WAKE,	 /* sched_waking of who, by what runs on cpu or an interrupt there */
	FORK,	 /* sched_wakeup_new of who, a new task */
	WOKEN,	 /* sched_wakeup */
	GONE,	 /* sched_process_exit of the running task */
	ENTER,	 /* cpu_idle, arg: state */
	EXIT,	 /* cpu_idle exit */
	ACCOUNT, /* the kernel accounts arg2 ns in state arg, and traces a miss */
	REJECT,	 /* the kernel accounts that the driver refused state arg */
	SLEEPER, /* an hrtimer expires that will wake who, arg: how late */
	TIMER,	 /* any other hrtimer but: */
	TICK,
};

struct event {
	u64 at; /* ns */
	u32 cpu;
	enum what what;
	u64 who;   /* ENTER, ACCOUNT, REJECT: the state; timers but SLEEPER: how late */
	u64 arg;   /* ACCOUNT: residency; SLEEPER: how late */
	bool lost; /* the kernel did it, but the program missed it */
};

struct seen_wakeup {
	u32 task, cpu;
	enum wakeup_class class;
	u8 state;
	enum verdict verdict;
	enum wake_source source;
	u64 latency, exit;
	u32 waker, late;
	u16 waker_cpu;
	bool fresh; /* of a new task */
	u8 right;
};

struct seen_period {
	u32 cpu;
	u8 requested, entered;
	enum verdict verdict;
	enum period_end end;
	u64 residency;
	u8 right;
	bool uncounted;
	u64 awake; /* from entry */
};

/* How the verdict is known: best truth first. */
enum truth { TRUTH_ACCOUNT, TRUTH_MISS, TRUTH_RULE, TRUTHS };

struct kernel_usage {
	u64 usage, time, above, below, rejected;
};

struct stream_cpu {
	struct cpu_ctx ctx;
	u64 runs;
	struct kernel_usage now[STATES_MAX], before[STATES_MAX];
};

struct stream_task {
	u64 address, nvcsw;
	bool known; /* has a context */
	struct task_ctx ctx;
};

struct stream {
	struct settings settings;
	bool device; /* the kernel's account can be read */
	u32 disabled;
	struct stream_cpu cpu[STREAM_CPUS];
	struct stream_task task[STREAM_TASKS];
	u32 nr_wakeups, nr_periods;
	u32 rule_checked, rule_wrong; /* periods */
	struct seen_wakeup wakeups[STREAM_OUT];
	struct seen_period periods[STREAM_OUT];
};

/*
 * Four states: POLL, and three with target residencies of 100, 1000 and 10000 ns and
 * exit latencies of 10, 50 and 300 ns.
 */
void stream_init(struct stream *s, enum truth truth);
void stream_feed(struct stream *s, const struct event *events, size_t nr);

#define FEED(s, ...)                                        \
	stream_feed(s, (const struct event[]){__VA_ARGS__}, \
		    sizeof((const struct event[]){__VA_ARGS__}) / sizeof(struct event))

/* Fail unless exactly these came out, field by field. */
void stream_expect_wakeups(int line, const struct stream *s,
			   const struct seen_wakeup *want, size_t nr);
void stream_expect_periods(int line, const struct stream *s,
			   const struct seen_period *want, size_t nr);

#define WAKEUPS(s, ...)                                                               \
	stream_expect_wakeups(__LINE__, s, (const struct seen_wakeup[]){__VA_ARGS__}, \
			      sizeof((const struct seen_wakeup[]){__VA_ARGS__}) /     \
				      sizeof(struct seen_wakeup))
#define PERIODS(s, ...)                                                               \
	stream_expect_periods(__LINE__, s, (const struct seen_period[]){__VA_ARGS__}, \
			      sizeof((const struct seen_period[]){__VA_ARGS__}) /     \
				      sizeof(struct seen_period))

/* Fail unless the counters of loss, of all CPUs together, are exactly these. */
void stream_expect_counts(int line, const struct stream *s, struct counters want);

#define COUNTS(s, ...) stream_expect_counts(__LINE__, s, (struct counters){__VA_ARGS__})

/*
 * The kernel's rule told once more, in other words than verdict.h has: of the sets of
 * enabled shallower and enabled deeper states. Fills *right unless it is NULL.
 */
enum verdict kernel_rule(const struct state_param *param, u32 states, u32 disabled,
			 u32 entered, u64 residency, u8 *right);

#endif
