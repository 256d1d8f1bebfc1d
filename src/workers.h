/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads, sleeps and self-report for workloads.
 */
#ifndef IDLETRACE_WORKERS_H
#define IDLETRACE_WORKERS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "workload.h"

#define WORKER_STACK (64 * 1024)

struct worker;
typedef void (*worker_fn)(struct worker *worker);

struct worker {
	struct workers *pool;
	struct workload_ctx *ctx;
	unsigned int index;
	pid_t tid;
	void *arg; /* element index of the args of workers_start() */
	pthread_t thread;
	atomic_bool done;
};

/*
 * A pool of threads. Each is parked before its function begins (the start gate) and
 * parked again after it returns (the end gate), so that what threads cost to start and to
 * exit stays out of the measurement.
 */
struct workers {
	struct workload_ctx *ctx;
	worker_fn fn;
	unsigned int nr;	/* threads that exist */
	unsigned int nr_wanted; /* threads there should be */
	atomic_bool abandoned;	/* the function must not run any more */
	atomic_uint start_gate; /* futex: 1 when open */
	atomic_uint end_gate;	/* futex: 1 when open */
	atomic_uint nr_parked;	/* arrived at the start gate; futex */
	atomic_uint nr_done;	/* arrived at the end gate; futex */
	struct worker *threads;
};

/*
 * Creates nr threads with stacks of WORKER_STACK bytes and waits until all are parked at
 * the start gate. args is an array of nr elements of arg_size bytes, or NULL. Returns 0,
 * or -1 with the error line set; workers_free() is due in both cases.
 */
int workers_start(struct workers *pool, struct workload_ctx *ctx, unsigned int nr,
		  worker_fn fn, void *args, size_t arg_size);

/* Opens the start gate. */
void workers_go(struct workers *pool);

/*
 * Waits until every function has returned. While the workload is stopping, threads asleep
 * in a system call are interrupted (EINTR) again and again. Returns 0, or the number of
 * threads that are still running after timeout_ns.
 */
unsigned int workers_wait(struct workers *pool, uint64_t timeout_ns);

/*
 * A whole run in one call: opens the start gate, waits until every function has returned,
 * the duration is over or the parent asks to stop, calls workload_finish(), and gives the
 * threads grace_ns to notice. Returns as workers_wait().
 */
unsigned int workers_run(struct workers *pool, uint64_t grace_ns);

/* Opens all gates, joins and frees. A thread that does not end in 5 s is left behind. */
void workers_free(struct workers *pool);

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);

/*
 * Sleeps until the absolute time deadline_ns (CLOCK_MONOTONIC, TIMER_ABSTIME), or less
 * when the workload is stopping. Returns false in that case.
 */
bool workload_sleep_until(struct workload_ctx *ctx, uint64_t deadline_ns);

/* The same for a relative sleep, as usleep() does it. */
bool workload_sleep(struct workload_ctx *ctx, uint64_t ns);

/*
 * For workloads whose threads do everything: sleeps until the duration is over or
 * somebody calls workload_finish(), then calls workload_finish().
 */
void workload_wait_end(struct workload_ctx *ctx);

/* Sets the timer slack of this thread (threads it creates inherit it); 0: default. */
void timer_slack_set(uint64_t ns);

/* Timer slack of this thread in ns. */
uint64_t timer_slack_get(void);

/*
 * Self-report of the calling thread or process, from begin to end. Pool threads and the
 * thread of run() do this by themselves; only processes that a workload forks need it.
 */
struct self_report {
	struct workload_thread *slot;
	uint64_t nvcsw;
};
void self_report_begin(struct workload_ctx *ctx, struct self_report *self);
void self_report_end(struct self_report *self);

/*
 * fork() for workloads made of processes: the child dies with the thread that forked it.
 * Returns the pid, 0 in the child, or -1 with errno.
 */
pid_t workload_fork(void);

/*
 * Makes sure that nr more descriptors can be opened: raises the soft limit, and the hard
 * limit where the caller may. Returns 0 or -1 with one line in err.
 */
int need_files(uint64_t nr, char *err, size_t size);

/* For the parent: wakes who waits for shared->stop to change. */
void stop_wake(struct workload_shared *shared);

/* Sent by the parent to interrupt sleeps when it asks to stop; the handler does nothing.
 */
#define WORKLOAD_SIGNAL SIGUSR2
void workload_signal_init(void);

#endif
