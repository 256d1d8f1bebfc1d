// SPDX-License-Identifier: GPL-2.0
/* The requests of schbench: products of matrices under a lock per CPU, or a timed spin.
 */
#include "schbench.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define NR_MATRICES	   3
#define CALIBRATE_NS	   (5 * NSEC_PER_MSEC)
#define CALIBRATE_ROUNDS   3
#define CALIBRATE_MAX_SIDE 4096 /* beyond, its matrices alone would take seconds */

struct schbench_lock {
	_Alignas(64) atomic_bool held;
};

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* ---- matrices ---- */

uint64_t *schbench_matrices(uint64_t side)
{
	return malloc(NR_MATRICES * side * side * sizeof(uint64_t) + 1);
}

void schbench_fill(uint64_t *matrices, uint64_t side)
{
	for (uint64_t i = 0; i < NR_MATRICES * side * side; i++)
		matrices[i] = i;
}

/* Row i of the product of the first two matrices, into the third. */
static __attribute__((noinline)) void multiply_row(uint64_t *matrices, uint64_t side,
						   uint64_t i)
{
	const uint64_t *a = matrices + i * side, *b = matrices + side * side;
	uint64_t *c = matrices + 2 * side * side + i * side;

	for (uint64_t j = 0; j < side; j++) {
		c[j] = 0;
		for (uint64_t k = 0; k < side; k++)
			c[j] += a[k] * b[k * side + j];
	}
}

static bool multiply(struct schbench *s, uint64_t *matrices)
{
	for (uint64_t n = 0; n < s->opt->operations; n++) {
		for (uint64_t i = 0; i < s->side; i++) {
			if (workload_stopping(s->ctx))
				return false;
			multiply_row(matrices, s->side, i);
		}
	}
	return true;
}

/* ---- a lock per CPU ---- */

struct schbench_lock *schbench_locks(void)
{
	/* As many as there can be CPU numbers: those in use may have gaps. */
	size_t size = CPU_MASK_MAX * sizeof(struct schbench_lock);
	struct schbench_lock *locks = aligned_alloc(64, size);

	for (size_t i = 0; locks && i < CPU_MASK_MAX; i++)
		atomic_init(&locks[i].held, false);
	return locks;
}

static bool try_lock(struct schbench_lock *lock)
{
	bool held = false;

	return atomic_compare_exchange_strong_explicit(
		&lock->held, &held, true, memory_order_acquire, memory_order_relaxed);
}

static void unlock(struct schbench_lock *lock)
{
	atomic_store_explicit(&lock->held, false, memory_order_release);
}

/*
 * The lock of the CPU we run on. It is kept when we are moved later, and whoever runs
 * there next has to wait for us: that is what preemption costs here.
 */
static struct schbench_lock *lock_cpu(struct schbench *s)
{
	for (;;) {
		int cpu = sched_getcpu();
		struct schbench_lock *lock = &s->locks[(unsigned int)cpu % CPU_MASK_MAX];

		while (!try_lock(lock)) {
			if (workload_stopping(s->ctx))
				return NULL;
			cpu_relax();
		}
		if (sched_getcpu() == cpu)
			return lock;
		unlock(lock);
	}
}

bool schbench_multiply(struct schbench *s, uint64_t *matrices)
{
	struct schbench_lock *lock;
	bool whole;

	if (!s->locks)
		return multiply(s, matrices);
	lock = lock_cpu(s);
	if (!lock)
		return false;
	whole = multiply(s, matrices);
	unlock(lock);
	return whole;
}

/* ---- how fast, and work by time ---- */

uint64_t schbench_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Rows of the product until ns have passed: ns of CPU time per multiply-add. */
static double time_rows(uint64_t *matrices, uint64_t side, uint64_t ns)
{
	uint64_t begin = now_ns(), cpu = schbench_cpu_ns(), rows = 0;

	do {
		multiply_row(matrices, side, rows++ % side);
	} while (now_ns() - begin < ns);
	return (double)(schbench_cpu_ns() - cpu) / (double)(rows * side * side);
}

double schbench_ns_per_step(struct schbench *s)
{
	double best = 0, ns;
	uint64_t *matrices;

	if (!s->opt->operations || !s->side || s->side > CALIBRATE_MAX_SIDE)
		return 0;
	matrices = schbench_matrices(s->side);
	if (!matrices)
		return 0;
	schbench_fill(matrices, s->side);
	time_rows(matrices, s->side, CALIBRATE_NS);
	for (int i = 0; i < CALIBRATE_ROUNDS; i++) {
		ns = time_rows(matrices, s->side, CALIBRATE_NS);
		if (!i || ns < best)
			best = ns;
	}
	free(matrices);
	return best;
}

bool schbench_spin(struct schbench *s, uint64_t ns)
{
	uint64_t begin = now_ns();

	while (now_ns() - begin < ns) {
		if (workload_stopping(s->ctx))
			return false;
		cpu_relax();
	}
	return true;
}
