// SPDX-License-Identifier: GPL-2.0
/*
 * pair [WAKER-CPU WAKEE-CPU]: a task "it-waker" sleeps for 1 ms and wakes "it-wakee",
 * over and over, until its standard input ends. Prints both pids when they are there.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void settle_down(const char *comm, const char *cpu)
{
	cpu_set_t set;

	prctl(PR_SET_NAME, comm);
	if (!cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(atoi(cpu), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("pair: sched_setaffinity");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct timespec nap = {0, 1000000};
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int fds[2];
	pid_t wakee;
	char c = 0;

	if (pipe(fds) || (wakee = fork()) < 0)
		return 1;
	if (!wakee) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		settle_down("it-wakee", argc > 2 ? argv[2] : NULL);
		close(fds[1]);
		while (read(fds[0], &c, 1) == 1)
			;
		return 0;
	}
	settle_down("it-waker", argc > 2 ? argv[1] : NULL);
	printf("%d %d\n", getpid(), wakee);
	fflush(stdout);
	while (poll(&in, 1, 0) == 0 && write(fds[1], &c, 1) == 1)
		nanosleep(&nap, NULL);
	return 0;
}
