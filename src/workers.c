// SPDX-License-Identifier: GPL-2.0
#include "workers.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARK_TIMEOUT                                                       \
	(30 * NSEC_PER_SEC) /* for all threads to arrive at the start gate \
			     */
#define JOIN_TIMEOUT (5 * NSEC_PER_SEC)
#define KICK_PERIOD  (10 * NSEC_PER_MSEC)

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

/* Sleeps while *word is value, until deadline_ns (UINT64_MAX: no deadline) or a signal.
 */
static void futex_wait(void *word, unsigned int value, int flags, uint64_t deadline_ns)
{
	struct timespec ts = to_timespec(deadline_ns);

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET | flags, value,
		deadline_ns == UINT64_MAX ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void futex_wake_all(void *word, int flags)
{
	syscall(SYS_futex, word, FUTEX_WAKE | flags, INT_MAX, NULL, NULL, 0);
}

/* ---- the pool ---- */

static void gate_pass(atomic_uint *gate)
{
	while (!atomic_load(gate))
		futex_wait(gate, 0, FUTEX_PRIVATE_FLAG, UINT64_MAX);
}

static void gate_open(atomic_uint *gate)
{
	atomic_store(gate, 1);
	futex_wake_all(gate, FUTEX_PRIVATE_FLAG);
}

/* Counts the caller in; the last of all wakes who waits for them. */
static void arrive(atomic_uint *counter, unsigned int all)
{
	if (atomic_fetch_add(counter, 1) + 1 == all)
		futex_wake_all(counter, FUTEX_PRIVATE_FLAG);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct workers *pool = worker->pool;
	struct self_report self;

	worker->tid = gettid();
	arrive(&pool->nr_parked, pool->nr_wanted);
	gate_pass(&pool->start_gate);
	if (!atomic_load(&pool->abandoned)) {
		self_report_begin(pool->ctx, &self);
		pool->fn(worker);
		self_report_end(&self);
	}
	atomic_store(&worker->done, true);
	arrive(&pool->nr_done, pool->nr_wanted);
	gate_pass(&pool->end_gate);
	return NULL;
}

static int create_thread(struct workers *pool, struct worker *worker,
			 pthread_attr_t *attr)
{
	int err = pthread_create(&worker->thread, attr, worker_main, worker);

	if (err == EAGAIN)
		return workload_error(
			pool->ctx,
			"only %u of %u threads could be started: see ulimit -u, "
			"kernel.threads-max, vm.max_map_count, pids.max",
			pool->nr, pool->nr_wanted);
	if (err)
		return workload_error(pool->ctx, "cannot start a thread: %s",
				      strerror(err));
	pool->nr++;
	return 0;
}

static int wait_until_parked(struct workers *pool)
{
	uint64_t deadline = now_ns() + PARK_TIMEOUT;
	unsigned int parked;

	while ((parked = atomic_load(&pool->nr_parked)) < pool->nr) {
		if (now_ns() >= deadline)
			return workload_error(pool->ctx,
					      "only %u of %u threads got ready in 30 s",
					      parked, pool->nr);
		futex_wait(&pool->nr_parked, parked, FUTEX_PRIVATE_FLAG,
			   now_ns() + 10 * NSEC_PER_MSEC);
	}
	return 0;
}

int workers_start(struct workers *pool, struct workload_ctx *ctx, unsigned int nr,
		  worker_fn fn, void *args, size_t arg_size)
{
	pthread_attr_t attr;
	int ret = 0;

	*pool = (struct workers){.ctx = ctx, .fn = fn, .nr_wanted = nr};
	pool->threads = calloc(nr, sizeof(*pool->threads));
	if (!pool->threads)
		return workload_error(ctx, "out of memory for %u threads", nr);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	for (unsigned int i = 0; i < nr && !ret; i++) {
		struct worker *worker = &pool->threads[i];

		worker->pool = pool;
		worker->ctx = ctx;
		worker->index = i;
		worker->arg = args ? (char *)args + i * arg_size : NULL;
		ret = create_thread(pool, worker, &attr);
	}
	pthread_attr_destroy(&attr);
	return ret ? ret : wait_until_parked(pool);
}

void workers_go(struct workers *pool)
{
	gate_open(&pool->start_gate);
}

static void kick(const struct workers *pool)
{
	for (unsigned int i = 0; i < pool->nr; i++) {
		if (!atomic_load(&pool->threads[i].done))
			syscall(SYS_tgkill, getpid(), pool->threads[i].tid,
				WORKLOAD_SIGNAL);
	}
}

/*
 * Waits for nr_done to reach all, no longer than deadline. Before the stop nothing wakes
 * the waiter but the last thread and the parent's signal, so that it adds no wakeups.
 */
static unsigned int wait_until(struct workers *pool, uint64_t deadline, bool end_on_stop)
{
	uint64_t now = now_ns(), next_kick = now + KICK_PERIOD;
	unsigned int done;

	while ((done = atomic_load(&pool->nr_done)) < pool->nr && now < deadline) {
		bool stopping = workload_stopping(pool->ctx);

		if (stopping && end_on_stop)
			break;
		if (stopping && now >= next_kick) {
			kick(pool);
			next_kick = now + KICK_PERIOD;
		}
		futex_wait(&pool->nr_done, done, FUTEX_PRIVATE_FLAG,
			   stopping && next_kick < deadline ? next_kick : deadline);
		now = now_ns();
	}
	return pool->nr - done;
}

unsigned int workers_wait(struct workers *pool, uint64_t timeout_ns)
{
	return wait_until(pool, now_ns() + timeout_ns, false);
}

unsigned int workers_run(struct workers *pool, uint64_t grace_ns)
{
	workers_go(pool);
	wait_until(pool, pool->ctx->end_ns, true);
	workload_finish(pool->ctx);
	return workers_wait(pool, grace_ns);
}

void workers_free(struct workers *pool)
{
	struct timespec until;
	bool lost = false;

	if (!pool->threads)
		return;
	if (!atomic_load(&pool->start_gate)) {
		atomic_store(&pool->abandoned, true);
		gate_open(&pool->start_gate);
	}
	gate_open(&pool->end_gate);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)(JOIN_TIMEOUT / NSEC_PER_SEC);
	for (unsigned int i = 0; i < pool->nr; i++) {
		if (pthread_timedjoin_np(pool->threads[i].thread, NULL, &until))
			lost = true;
	}
	/* A lost thread may still look at its struct worker: better leaked than reused.
	 */
	if (!lost)
		free(pool->threads);
	pool->threads = NULL;
}

/* ---- sleeps and the end ---- */

void stop_wake(struct workload_shared *shared)
{
	futex_wake_all(&shared->stop, 0);
}

void workload_finish(struct workload_ctx *ctx)
{
	int running = STOP_NO;

	atomic_compare_exchange_strong(&ctx->shared->stop, &running, STOP_END);
	stop_wake(ctx->shared);
}

bool workload_sleep_until(struct workload_ctx *ctx, uint64_t deadline_ns)
{
	bool past_end = deadline_ns >= ctx->end_ns;
	struct timespec ts = to_timespec(past_end ? ctx->end_ns : deadline_ns);

	while (!workload_stopping(ctx)) {
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) != EINTR)
			return !past_end && !workload_stopping(ctx);
	}
	return false;
}

bool workload_sleep(struct workload_ctx *ctx, uint64_t ns)
{
	struct timespec ts;

	/* The last sleep may as well be an absolute one. */
	if (ctx->end_ns != UINT64_MAX && now_ns() + ns >= ctx->end_ns)
		return workload_sleep_until(ctx, ctx->end_ns);
	ts = to_timespec(ns);
	while (!workload_stopping(ctx)) {
		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) != EINTR)
			return !workload_stopping(ctx);
	}
	return false;
}

void workload_wait_end(struct workload_ctx *ctx)
{
	while (!workload_stopping(ctx) && now_ns() < ctx->end_ns)
		futex_wait(&ctx->shared->stop, STOP_NO, 0, ctx->end_ns);
	workload_finish(ctx);
}

void timer_slack_set(uint64_t ns)
{
	syscall(SYS_prctl, PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0);
}

uint64_t timer_slack_get(void)
{
	long slack = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);

	return slack > 0 ? (uint64_t)slack : 0;
}

/* ---- self-report ---- */

static uint64_t voluntary_switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return (uint64_t)usage.ru_nvcsw;
}

void self_report_begin(struct workload_ctx *ctx, struct self_report *self)
{
	unsigned int index = atomic_fetch_add(&ctx->result->nr_threads, 1);

	self->slot = index < RESULT_THREADS ? &ctx->result->threads[index] : NULL;
	if (self->slot)
		self->slot->tid = gettid();
	self->nvcsw = voluntary_switches();
}

void self_report_end(struct self_report *self)
{
	if (!self->slot)
		return;
	self->slot->nvcsw = voluntary_switches() - self->nvcsw;
	self->slot->complete = true;
}

/* ---- process ---- */

pid_t workload_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

int need_files(uint64_t nr, char *err, size_t size)
{
	struct rlimit limit;
	uint64_t need = nr + 64; /* stdio and what the program has open itself */

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need;
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(err, size,
		 "needs %llu open files, the hard limit is %llu: ulimit -n %llu as root "
		 "raises it",
		 (unsigned long long)need, (unsigned long long)limit.rlim_max,
		 (unsigned long long)need);
	return -1;
}

static void do_nothing(int signal)
{
	(void)signal;
}

void workload_signal_init(void)
{
	/* Without SA_RESTART, so that sleeps end. */
	struct sigaction action = {.sa_handler = do_nothing};

	sigaction(WORKLOAD_SIGNAL, &action, NULL);
}
