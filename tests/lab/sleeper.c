// SPDX-License-Identifier: GPL-2.0
/*
 * sleeper SECONDS
 *
 * A load that visits every idle state: on each of two CPUs a thread sleeps from 50 us to
 * 50 ms, each order of magnitude as often as the next, and wakes at the end of every
 * sleep a partner on the other CPU through a pipe. Prints how many wakeups that made. The
 * same sequence of sleeps on every run.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SHORTEST_NS 50e3
#define LONGEST_NS  50e6
#define PAIRS	    2

struct pair {
	int cpu;
	int pipe[2];
	pthread_t waker, reader;
	unsigned long sleeps, reads;
};

static atomic_bool stop;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* A CPU that is offline leaves the thread where it is. */
	sched_setaffinity(0, sizeof(set), &set);
}

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 11) * 0x1p-53;
}

static void *wake(void *arg)
{
	struct pair *pair = arg;
	uint64_t seed = 1 + pair->cpu;
	struct timespec pause = {0};

	pin(pair->cpu);
	prctl(PR_SET_TIMERSLACK, 1);
	while (!stop) {
		pause.tv_nsec =
			SHORTEST_NS * pow(LONGEST_NS / SHORTEST_NS, uniform(&seed));
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		pair->sleeps++;
		if (write(pair->pipe[1], "", 1) != 1)
			break;
	}
	close(pair->pipe[1]);
	return NULL;
}

static void *follow(void *arg)
{
	struct pair *pair = arg;
	char byte;

	pin(1 - pair->cpu);
	while (read(pair->pipe[0], &byte, 1) == 1)
		pair->reads++;
	return NULL;
}

int main(int argc, char **argv)
{
	struct pair pair[PAIRS] = {{.cpu = 0}, {.cpu = 1}};
	unsigned long wakeups = 0;
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	struct timespec span = {seconds, 0};
	int i;

	if (seconds <= 0) {
		fprintf(stderr, "usage: sleeper SECONDS\n");
		return 2;
	}
	for (i = 0; i < PAIRS; i++) {
		if (pipe(pair[i].pipe) ||
		    pthread_create(&pair[i].waker, NULL, wake, &pair[i]) ||
		    pthread_create(&pair[i].reader, NULL, follow, &pair[i])) {
			perror("sleeper");
			return 1;
		}
	}
	nanosleep(&span, NULL);
	stop = true;
	for (i = 0; i < PAIRS; i++) {
		pthread_join(pair[i].waker, NULL);
		pthread_join(pair[i].reader, NULL);
		wakeups += pair[i].sleeps + pair[i].reads;
	}
	printf("sleeper: %lu wakeups\n", wakeups);
	return 0;
}
