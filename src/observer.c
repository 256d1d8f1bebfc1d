// SPDX-License-Identifier: GPL-2.0
#include "observer.h"

#include <bpf/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"

#define BUSY_NS		(20 * NSEC_PER_MSEC)
#define IDLE_NS		(60 * NSEC_PER_MSEC)
#define MEASURE_WAKEUPS 200 /* fewer say nothing */
#define MEASURE_PERIODS 100
#define FEW		0.01 /* periods per wakeup: they cannot matter */

u64 observer_cpu_ns(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static void play(int in, int out, bool serve)
{
	char token = 0;

	if (serve && write(out, &token, 1) != 1)
		return;
	while (read(in, &token, 1) == 1 && write(out, &token, 1) == 1)
		;
}

/* One of the two players; ends when it is killed, or with us. */
static pid_t player(const int in[2], const int out[2], const struct cpu_mask *cpus,
		    bool serve, pid_t parent)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || cpu_mask_set_affinity(cpus))
		_exit(1);
	close(in[1]);
	close(out[0]);
	play(in[0], out[1], serve);
	_exit(0);
}

static void ping_pong(const struct cpu_mask *first, const struct cpu_mask *second, u64 ns)
{
	pid_t parent = getpid(), pid[2] = {-1, -1};
	struct timespec time = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
	int a[2] = {-1, -1}, b[2] = {-1, -1};

	if (!pipe(a) && !pipe(b)) {
		pid[0] = player(a, b, first, true, parent);
		pid[1] = player(b, a, second, false, parent);
		nanosleep(&time, NULL);
	}
	for (int i = 0; i < 2; i++) {
		if (pid[i] > 0) {
			kill(pid[i], SIGKILL);
			waitpid(pid[i], NULL, 0);
		}
		if (a[i] >= 0)
			close(a[i]);
		if (b[i] >= 0)
			close(b[i]);
	}
}

static void sample(struct tracer *t, const struct cpu_mask *first,
		   const struct cpu_mask *second, u64 ns, struct program_stats *stats)
{
	struct program_stats before;

	tracer_program_stats(t, &before);
	ping_pong(first, second, ns);
	tracer_program_stats(t, stats);
	stats->run_time_ns -= before.run_time_ns;
	stats->wakings -= before.wakings;
	stats->idle_runs -= before.idle_runs;
	stats->idle_run_time_ns -= before.idle_run_time_ns;
}

/*
 * One CPU, and two halves that have none in common: among its own each player wakes up on
 * one that idles, if there is any.
 */
static void choose_cpus(const struct machine *m, struct cpu_mask *one,
			struct cpu_mask halves[2])
{
	unsigned int cpu, nr = 0;

	cpu_mask_clear(one);
	cpu_mask_set(one, cpu_mask_next(&m->online, 0));
	cpu_mask_clear(&halves[0]);
	cpu_mask_clear(&halves[1]);
	for_each_cpu (cpu, &m->online)
		cpu_mask_set(&halves[nr++ % 2], cpu);
}

void observer_measure(struct observer *o, struct tracer *t, const struct machine *m)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct program_stats busy, idle = {0};
	struct cpu_mask one, halves[2];
	unsigned int cpu;

	if (fd < 0)
		return;
	choose_cpus(m, &one, halves);
	for_each_cpu (cpu, &m->online)
		tracer_window(t, cpu, true);
	sample(t, &one, &one, BUSY_NS, &busy);
	if (cpu_mask_count(&halves[1]))
		sample(t, &halves[0], &halves[1], IDLE_NS, &idle);
	for_each_cpu (cpu, &m->online)
		tracer_window(t, cpu, false);
	close(fd);
	observer_solve(o, &busy, &idle);
	tracer_reset(t);
}

void observer_solve(struct observer *o, const struct program_stats *busy,
		    const struct program_stats *idle)
{
	double t1 = (double)busy->run_time_ns, t2 = (double)idle->run_time_ns;
	double w1 = (double)busy->wakings, w2 = (double)idle->wakings;
	double p1 = (double)busy->idle_runs / 2, p2 = (double)idle->idle_runs / 2;
	double determinant = w1 * p2 - w2 * p1;

	if (w1 < MEASURE_WAKEUPS)
		return;
	if (p2 >= MEASURE_PERIODS && p2 * 4 >= w2 && p2 * w1 >= p1 * w2 * 2) {
		o->bpf_ns_wakeup = (t1 * p2 - t2 * p1) / determinant;
		o->bpf_ns_period = (w1 * t2 - w2 * t1) / determinant;
		o->cpu_idle_ns = (double)idle->idle_run_time_ns / (2 * p2);
		o->period_known = o->bpf_ns_wakeup >= 0 && o->bpf_ns_period >= 0;
	}
	if (!o->period_known)
		o->bpf_ns_wakeup = t1 / w1;
	o->wakeup_known = o->period_known || p1 <= FEW * w1;
	o->measured_wakeups = busy->wakings + idle->wakings;
}

void observer_estimate(struct observer *o, u64 wakeups, u64 periods)
{
	double per_wakeup = wakeups ? (double)periods / (double)wakeups : 0;

	o->estimated =
		wakeups && o->wakeup_known && (o->period_known || per_wakeup <= FEW);
	o->bpf_ns_per_wakeup = o->bpf_ns_wakeup;
	if (o->period_known)
		o->bpf_ns_per_wakeup += per_wakeup * o->bpf_ns_period;
}
