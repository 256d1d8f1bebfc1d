// SPDX-License-Identifier: GPL-2.0
/* How message threads and workers of schbench wait for each other. */
#include "schbench.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKED, RUNNING };

void schbench_post(atomic_uint *futex)
{
	unsigned int blocked = BLOCKED;

	if (atomic_compare_exchange_strong(futex, &blocked, RUNNING))
		syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void schbench_arm(atomic_uint *futex)
{
	atomic_store(futex, BLOCKED);
}

bool schbench_wait(struct schbench *s, atomic_uint *futex)
{
	unsigned int running = RUNNING;

	while (!atomic_compare_exchange_strong(futex, &running, BLOCKED)) {
		/* Who is asleep already when the stop comes is sent a signal. */
		if (workload_stopping(s->ctx))
			return false;
		syscall(SYS_futex, futex, FUTEX_WAIT_PRIVATE, BLOCKED, NULL, NULL, 0);
		running = RUNNING;
	}
	return true;
}

bool schbench_handshake(struct schbench *s, struct schbench_worker *worker)
{
	struct schbench_message *message = worker->message;

	schbench_arm(&worker->futex);
	if (worker->page)
		memset(worker->page, 2, s->opt->pipe);
	worker->next = atomic_load(&message->waiting);
	while (!atomic_compare_exchange_weak(&message->waiting, &worker->next, worker))
		;
	schbench_post(&message->futex);
	return schbench_wait(s, &worker->futex);
}

/*
 * One time stamp for all: who is late on the list is charged with the wakeups before its
 * own, so that a waker that is preempted shows. Not so with --pipe, where it would show
 * the transfers.
 */
void schbench_wake_waiting(struct schbench *s, struct schbench_message *message)
{
	struct schbench_worker *worker = atomic_exchange(&message->waiting, NULL), *next;
	uint64_t now = worker ? now_ns() : 0;

	for (; worker; worker = next) {
		next = worker->next;
		if (worker->page) {
			memset(worker->page, 1, s->opt->pipe);
			now = now_ns();
		}
		worker->wake_ns = now;
		schbench_post(&worker->futex);
	}
}

bool schbench_queue_put(struct schbench_worker *worker, uint64_t due_ns,
			unsigned int limit)
{
	struct schbench_queue *queue = &worker->queue;
	unsigned int put = atomic_load(&queue->put);

	if (put - atomic_load(&queue->taken) > limit)
		return false;
	queue->slots[put % QUEUE_SLOTS] =
		(struct schbench_request){.due_ns = due_ns, .sent_ns = now_ns()};
	atomic_store(&queue->put, put + 1);
	schbench_post(&worker->futex);
	return true;
}

bool schbench_queue_take(struct schbench *s, struct schbench_worker *worker,
			 struct schbench_request *request, bool *slept)
{
	struct schbench_queue *queue = &worker->queue;
	unsigned int taken = atomic_load(&queue->taken);

	*slept = false;
	while (atomic_load(&queue->put) == taken) {
		schbench_arm(&worker->futex);
		/* What came before that was posted to nobody. */
		if (atomic_load(&queue->put) != taken)
			break;
		if (!schbench_wait(s, &worker->futex))
			return false;
		*slept = true;
	}
	*request = queue->slots[taken % QUEUE_SLOTS];
	atomic_store(&queue->taken, taken + 1);
	return !workload_stopping(s->ctx);
}
