// SPDX-License-Identifier: GPL-2.0
/* What message threads and workers of schbench do. */
#include "schbench.h"

#include <stdlib.h>

/* Requests that may wait for one worker; one more is let in, as in the original. */
#define QUEUE_LIMIT	128
#define QUEUE_LIMIT_OLD 8
#define FULL_SLEEP	(100 * NSEC_PER_USEC)

/* ---- message threads that answer workers ---- */

/* The sleep and up to a quarter more, in whole microseconds. */
static uint64_t message_sleep(const struct schbench *s, struct schbench_message *message)
{
	uint64_t quarter = s->sleep_ns / NSEC_PER_USEC / 4;
	uint64_t more = quarter ? (uint64_t)rand_r(&message->seed) % quarter : 0;

	return s->sleep_ns + more * NSEC_PER_USEC;
}

static bool think(struct schbench *s, struct schbench_message *message)
{
	uint64_t ns;

	if (s->opt->style == STYLE_NEW || s->opt->pipe)
		return true;
	if (!schbench_spin(s, s->opt->message_cputime_ns))
		return false;
	ns = message_sleep(s, message);
	return !ns || workload_sleep(s->ctx, ns);
}

static void answer(struct schbench *s, struct schbench_message *message)
{
	do {
		schbench_arm(&message->futex);
		schbench_wake_waiting(s, message);
	} while (schbench_wait(s, &message->futex) && think(s, message));
}

/* ---- message threads that keep a schedule ---- */

static struct schbench_schedule schedule_of(const struct schbench *s,
					    struct schbench_message *message)
{
	uint64_t rps = atomic_load(&message->rps);

	if (s->opt->style == STYLE_OLD)
		return schbench_schedule_old(rps, message->nr_workers);
	return schbench_schedule(rps, (enum schbench_arrival)s->opt->arrival);
}

/* False: stopped on the way. A request that finds its worker's queue full is lost. */
static bool submit(struct schbench *s, struct schbench_message *message, uint64_t due)
{
	bool old = s->opt->style == STYLE_OLD, measured = schbench_measured(s, due);
	unsigned int limit = old ? QUEUE_LIMIT_OLD : QUEUE_LIMIT;
	struct schbench_worker *worker = &message->workers[message->turn];

	message->turn = (message->turn + 1) % message->nr_workers;
	message->asked += measured;
	if (schbench_queue_put(worker, due, limit))
		return true;
	message->dropped += measured;
	/* The original's rest for a full queue; an even schedule has rests of its own. */
	if (old || s->opt->arrival != ARRIVAL_BURST)
		return true;
	return workload_sleep(s->ctx, FULL_SLEEP);
}

/* The requests of one second. Returns how many were submitted. */
static uint64_t pace_second(struct schbench *s, struct schbench_message *message,
			    uint64_t second, const struct schbench_schedule *schedule)
{
	uint64_t nr = schedule->batch * schedule->rounds, i;
	uint64_t round_due = second;

	for (i = 0; i < nr; i++) {
		uint64_t due = second + schbench_due(schedule, i);

		if (due != round_due && due > now_ns() &&
		    !workload_sleep_until(s->ctx, due))
			break;
		round_due = due;
		if (workload_stopping(s->ctx))
			break;
		if (!submit(s, message, due))
			return i + 1;
	}
	return i;
}

/* What was due from that second on, before the end, and is not among those submitted. */
static void count_missed(struct schbench *s, struct schbench_message *message,
			 const struct schbench_schedule *schedule, uint64_t second,
			 uint64_t submitted)
{
	uint64_t end = now_ns(), due;

	if (end > s->ctx->end_ns)
		end = s->ctx->end_ns;
	for (; second < end; second += NSEC_PER_SEC, submitted = 0) {
		due = schbench_nr_due(schedule, end - second);
		if (schbench_measured(s, second) && due > submitted)
			message->missed += due - submitted;
	}
}

static void pace(struct schbench *s, struct schbench_message *message)
{
	uint64_t second = s->origin_ns, submitted = 0;
	struct schbench_schedule schedule = schedule_of(s, message);

	while (workload_sleep_until(s->ctx, second)) {
		submitted = pace_second(s, message, second, &schedule);
		if (submitted < schedule.batch * schedule.rounds)
			break;
		submitted = 0;
		second += NSEC_PER_SEC;
		schedule = schedule_of(s, message);
	}
	count_missed(s, message, &schedule, second, submitted);
}

void schbench_message_main(struct schbench *s, struct schbench_message *message)
{
	if (s->paced)
		pace(s, message);
	else
		answer(s, message);
}

/* ---- workers ---- */

static void record_wakeup(struct schbench *s, struct schbench_worker *worker,
			  uint64_t posted, uint64_t now)
{
	uint64_t usec = schbench_usec(posted, now);

	worker->last_ns = now;
	if (!schbench_measured(s, now))
		return;
	hist_add(&worker->wakeup, now - posted);
	/* With --style old and a schedule the original's one table is of requests. */
	if (s->opt->style == STYLE_OLD && s->paced)
		return;
	if (usec)
		plat_add(&worker->wakeup_usec, usec);
	else
		worker->uncounted_wakeups++;
}

/* Waits until there is something to do; when that began to be due, in *due. */
static bool next_request(struct schbench *s, struct schbench_worker *worker,
			 struct schbench_request *request)
{
	bool woken = true;

	if (s->paced) {
		if (!schbench_queue_take(s, worker, request, &woken))
			return false;
	} else {
		if (!schbench_handshake(s, worker))
			return false;
		request->due_ns = request->sent_ns = worker->wake_ns;
	}
	if (woken)
		record_wakeup(s, worker, request->sent_ns, now_ns());
	return true;
}

/* Sleep, then the products: with --products-only nothing else is timed. */
static bool do_request(struct schbench *s, struct schbench_worker *worker,
		       const struct schbench_request *request)
{
	uint64_t begin = now_ns(), end, usec;

	if (s->sleep_ns && !workload_sleep(s->ctx, s->sleep_ns))
		return false;
	if (s->opt->products_only)
		begin = now_ns();
	if (s->opt->operations && !schbench_multiply(s, worker->matrices))
		return false;
	end = now_ns();
	worker->last_ns = end;
	if (!schbench_measured(s, end))
		return true;
	usec = schbench_usec(begin, end);
	if (usec)
		plat_add(&worker->request_usec, usec);
	else
		worker->uncounted_requests++;
	hist_add(&worker->request, end - begin);
	hist_add(&worker->enqueue_to_done, end - request->due_ns);
	return true;
}

static void count_loop(struct schbench *s, struct schbench_worker *worker)
{
	uint64_t loops = atomic_load_explicit(&worker->loops, memory_order_relaxed);

	atomic_store_explicit(&worker->loops, loops + 1, memory_order_relaxed);
	worker->done += schbench_measured(s, worker->last_ns);
}

static void work_new(struct schbench *s, struct schbench_worker *worker)
{
	struct schbench_request request;

	while (next_request(s, worker, &request)) {
		if (!s->opt->pipe && !do_request(s, worker, &request))
			break;
		count_loop(s, worker);
	}
}

/* Work by the clock: what others run meanwhile counts as done. */
static bool spin(struct schbench *s, struct schbench_worker *worker)
{
	uint64_t begin, cpu;

	if (!s->opt->cputime_ns || s->opt->pipe)
		return !workload_stopping(s->ctx);
	begin = now_ns();
	cpu = schbench_cpu_ns();
	if (!schbench_spin(s, s->opt->cputime_ns))
		return false;
	if (schbench_measured(s, begin)) {
		worker->spin_cpu_ns += schbench_cpu_ns() - cpu;
		worker->spin_ns += now_ns() - begin;
	}
	return true;
}

/* The latency of a request without its work; the original shows at least 1 us. */
static void record_old(struct schbench *s, struct schbench_worker *worker,
		       const struct schbench_request *request)
{
	uint64_t end = now_ns(), usec = schbench_usec(request->sent_ns, end);
	uint64_t work = s->opt->cputime_ns / NSEC_PER_USEC;

	worker->last_ns = end;
	if (!schbench_measured(s, end))
		return;
	plat_add(&worker->wakeup_usec, usec > work ? usec - work : 1);
	hist_add(&worker->enqueue_to_done, end - request->due_ns);
}

static void work_old(struct schbench *s, struct schbench_worker *worker)
{
	struct schbench_request request;

	if (s->paced) {
		while (next_request(s, worker, &request) && spin(s, worker)) {
			record_old(s, worker, &request);
			count_loop(s, worker);
		}
		return;
	}
	while (spin(s, worker) && next_request(s, worker, &request))
		count_loop(s, worker);
}

void schbench_worker_main(struct schbench *s, struct schbench_worker *worker)
{
	/* By the thread that uses them, so that they are in memory near to it. */
	if (worker->matrices)
		schbench_fill(worker->matrices, s->side);
	if (s->opt->style == STYLE_OLD)
		work_old(s, worker);
	else
		work_new(s, worker);
}
