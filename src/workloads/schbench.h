/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the workload schbench share. */
#ifndef IDLETRACE_SCHBENCH_H
#define IDLETRACE_SCHBENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schbench_plat.h"
#include "schbench_rules.h"
#include "workers.h"

enum { STYLE_NEW, STYLE_OLD };

#define CHOSEN_BY_STYLE UINT64_MAX /* value of an option whose default is the style's */

struct schbench_options {
	int style;
	int arrival;
	uint64_t message_threads, threads;
	uint64_t footprint, operations;
	uint64_t sleep_ns, cputime_ns, message_cputime_ns;
	uint64_t rps;
	uint64_t pipe;
	double auto_rps;
	bool no_locking, products_only;
	char *message_cpus, *worker_cpus;
	uint64_t timer_slack_ns;
};

/* How many threads there are, and where. */
struct schbench_layout {
	uint64_t messages, workers;		   /* workers: of each message thread */
	struct cpu_mask message_cpus, worker_cpus; /* empty: anywhere */
};

/*
 * The options together with the CPUs that the workload may use. Returns 0, or -1 with one
 * line in err.
 */
int schbench_layout(const struct schbench_options *opt, const struct cpu_mask *allowed,
		    struct schbench_layout *layout, char *err, size_t size);

/* Requests that wait for a worker: one thread puts, one takes. */
#define QUEUE_SLOTS 256

struct schbench_request {
	uint64_t due_ns;  /* when the schedule wants it */
	uint64_t sent_ns; /* when the message thread put it here */
};

struct schbench_queue {
	atomic_uint put, taken;
	struct schbench_request slots[QUEUE_SLOTS];
};

struct schbench_worker {
	_Alignas(64) atomic_uint futex;
	struct schbench_worker *next; /* on the list of the message thread */
	uint64_t wake_ns;	      /* by the message thread, before it posts */
	struct schbench_message *message;
	void *page; /* --pipe */
	uint64_t *matrices;
	struct schbench_queue queue;
	_Alignas(64) atomic_ullong loops; /* all; the thread of run() looks at it */
	uint64_t last_ns;		  /* something was done */
	uint64_t done;			  /* loops of the measurement */
	uint64_t uncounted_wakeups;	  /* of less than 1 us: not in plat */
	uint64_t uncounted_requests;
	uint64_t spin_ns, spin_cpu_ns; /* elapsed and CPU time of --cputime */
	struct plat wakeup_usec, request_usec;
	struct hist wakeup, request, enqueue_to_done;
};

struct schbench_message {
	_Alignas(64) atomic_uint futex;
	_Atomic(struct schbench_worker *) waiting; /* list of those to wake */
	struct schbench_worker *workers;
	unsigned int nr_workers;
	unsigned int turn; /* the worker that gets the next request */
	unsigned int seed;
	atomic_ullong rps;		 /* goal */
	uint64_t asked, dropped, missed; /* requests of the measurement */
};

struct schbench {
	struct workload_ctx *ctx;
	const struct schbench_options *opt;
	struct schbench_layout layout;
	struct workers pool;
	struct schbench_message *messages;
	struct schbench_worker *workers;
	size_t nr_workers; /* of all message threads */
	struct schbench_lock *locks;
	uint64_t sleep_ns;
	uint64_t side;	    /* of the matrices */
	bool paced;	    /* --rps or --auto-rps: the message threads keep a schedule */
	uint64_t origin_ns; /* of the schedule: the start gate */
	uint64_t stopped_ns; /* the measurement is over */
	uint64_t auto_goal;  /* requests per second of one message thread */
	bool auto_settled;
	struct plat rps;
	double ns_per_step_begin, ns_per_step_end; /* multiply-add; 0: not measured */
};

/* Is a time within the measurement? */
static inline bool schbench_measured(const struct schbench *s, uint64_t ns)
{
	return ns >= s->ctx->start_ns;
}

/* ---- schbench_wait.c: how threads wait for each other ---- */

/* Lets the thread that waits on the futex go on. */
void schbench_post(atomic_uint *futex);

/* From here on a post counts for the next schbench_wait(). */
void schbench_arm(atomic_uint *futex);

/* Waits for a post; false: the workload is stopping. */
bool schbench_wait(struct schbench *s, atomic_uint *futex);

/* Asks the worker's message thread for a wakeup and waits for it. */
bool schbench_handshake(struct schbench *s, struct schbench_worker *worker);

/* The message thread's half: wakes all who asked. */
void schbench_wake_waiting(struct schbench *s, struct schbench_message *message);

/* Queues a request. False: more than limit are waiting there already. */
bool schbench_queue_put(struct schbench_worker *worker, uint64_t due_ns,
			unsigned int limit);

/* Takes the oldest request; waits if there is none, and sets *slept then. */
bool schbench_queue_take(struct schbench *s, struct schbench_worker *worker,
			 struct schbench_request *request, bool *slept);

/* ---- schbench_work.c: what requests consist of ---- */

/* Matrices of a worker; call schbench_fill() before use, in the thread that uses them. */
uint64_t *schbench_matrices(uint64_t side);
void schbench_fill(uint64_t *matrices, uint64_t side);

/* Locks of all CPUs, or NULL. */
struct schbench_lock *schbench_locks(void);

/* The products of one request, under the CPU's lock. False: stopped on the way. */
bool schbench_multiply(struct schbench *s, uint64_t *matrices);

/* CPU time of the calling thread, ns. */
uint64_t schbench_cpu_ns(void);

/* ns of CPU time per multiply-add at this moment; 0: not known. */
double schbench_ns_per_step(struct schbench *s);

/* Spins until ns have passed. False: stopped on the way. */
bool schbench_spin(struct schbench *s, uint64_t ns);

/* ---- schbench_threads.c, schbench_monitor.c, schbench_report.c ---- */

void schbench_message_main(struct schbench *s, struct schbench_message *message);
void schbench_worker_main(struct schbench *s, struct schbench_worker *worker);

/* The thread of run(): requests per second, --auto-rps, and the end of the duration. */
void schbench_monitor(struct schbench *s);

void schbench_report(struct schbench *s);

#endif
