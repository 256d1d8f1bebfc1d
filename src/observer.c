// SPDX-License-Identifier: GPL-2.0
#include "observer.h"

#include <bpf/bpf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workers.h"

#define MEASURE_NS	(80 * NSEC_PER_MSEC)
#define MEASURE_WAKEUPS 200 /* fewer say nothing */

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
static pid_t player(const int in[2], const int out[2], bool serve, pid_t parent)
{
	pid_t pid = fork();
	struct cpu_mask all;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Where the scheduler likes it, not where the loader is pinned. */
	cpu_mask_clear(&all);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		cpu_mask_set(&all, cpu);
	cpu_mask_set_affinity(&all);
	close(in[1]);
	close(out[0]);
	play(in[0], out[1], serve);
	_exit(0);
}

static void ping_pong(u64 ns)
{
	pid_t parent = getpid(), pid[2] = {-1, -1};
	struct timespec time = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
	int a[2] = {-1, -1}, b[2] = {-1, -1};

	if (!pipe(a) && !pipe(b)) {
		pid[0] = player(a, b, true, parent);
		pid[1] = player(b, a, false, parent);
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

void observer_measure(struct observer *o, struct tracer *t, const struct machine *m)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct program_stats before, after;
	unsigned int cpu;

	if (fd < 0)
		return;
	for_each_cpu (cpu, &m->online)
		tracer_window(t, cpu, true);
	tracer_program_stats(t, &before);
	ping_pong(MEASURE_NS);
	tracer_program_stats(t, &after);
	for_each_cpu (cpu, &m->online)
		tracer_window(t, cpu, false);
	close(fd);
	o->calibration_wakeups = after.wakings - before.wakings;
	o->bpf_known = o->calibration_wakeups >= MEASURE_WAKEUPS;
	if (o->bpf_known)
		o->bpf_ns_per_wakeup = (double)(after.run_time_ns - before.run_time_ns) /
				       (double)o->calibration_wakeups;
	tracer_reset(t);
}
