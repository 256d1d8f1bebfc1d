/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a workload, or a command of the user's, in a child process behind a gate.
 *
 *	runner_start()	or runner_start_command(): the child exists, is ready and waits
 *	runner_go()	the gate opens
 *	runner_wait()	until the work is over (poll runner_fd() to be told)
 *	runner_result()	the workload's result
 *	runner_destroy()	kills what is left and reaps it; always due
 *
 * No call waits without a limit: a child that died, was killed or does not answer is an
 * error line in runner.error. Call all of them from the thread that called start: the
 * child dies with that thread.
 */
#ifndef IDLETRACE_RUNNER_H
#define IDLETRACE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "workload.h"

#define RUNNER_READY_TIMEOUT  (60 * NSEC_PER_SEC) /* setup of a workload */
#define RUNNER_STOP_TIMEOUT   (10 * NSEC_PER_SEC) /* from runner_stop() to the end */
#define RUNNER_RESULT_TIMEOUT (60 * NSEC_PER_SEC) /* end of the run to the result */

enum runner_state {
	RUNNER_NONE,
	RUNNER_READY,
	RUNNER_RUNNING,
	RUNNER_FINISHED,
	RUNNER_FAILED
};

struct runner {
	pid_t pid; /* of the child; its tgid, to be followed by the tracer */
	enum runner_state state;
	const struct workload *workload; /* NULL: a command */
	const char *command;		 /* its argv[0] */
	bool dropped;			 /* the child runs as the user who called sudo */
	int exit_status; /* as a shell gives it; 127, 126: the command cannot be executed
			  */
	int socket;	 /* to the child; EOF tells it that we are gone */
	int pid_fd;
	int poll_fd;
	bool listening; /* the child waits for a word from us */
	bool reaped;
	int signal; /* that killed the child */
	bool stop_asked;
	bool has_result;
	uint64_t kill_ns;    /* when the patience after runner_stop() ends */
	uint64_t overrun_ns; /* when a run with a duration should be over */
	uint64_t limit_ns;   /* duration and warm-up; 0: no duration */
	struct workload_shared *shared;
	char error[WORKLOAD_ERROR_MAX]; /* one line, when a call failed */
};

struct runner_options {
	bool drop_user; /* become SUDO_UID:SUDO_GID if the workload needs no root */
	int out, err;	/* standard output and error of a command; 0: the caller's */
};

/*
 * Forks the child for a workload and returns when it is ready to go: 0, or -1 with the
 * line in runner->error. The config must stay until runner_destroy().
 */
int runner_start(struct runner *runner, const struct workload_config *config,
		 const struct workload_run *run, const struct runner_options *options);

/* The same for a command; argv ends with NULL. */
int runner_start_command(struct runner *runner, char *const argv[],
			 const struct runner_options *options);

/*
 * Opens the gate. Returns 0 or -1; for a command, -1 with exit_status 127 or 126 when it
 * cannot be executed.
 */
int runner_go(struct runner *runner);

/* Readable when runner_wait() has something to say. */
int runner_fd(const struct runner *runner);

/*
 * Waits at most timeout_ns for the end of the run. 1: it is over, 0: not yet (or a signal
 * came), -1: failed. When 1 is returned for a workload its threads are parked: the window
 * can be closed before runner_result().
 */
int runner_wait(struct runner *runner, uint64_t timeout_ns);

/*
 * Asks to end early; returns at once. A workload ends as after its duration, with the
 * metrics so far. A command and all its descendants get SIGTERM (a Ctrl-C at the terminal
 * has reached them already, it needs no stop). Keep calling runner_wait(): it repeats the
 * request, and kills the child after RUNNER_STOP_TIMEOUT.
 */
void runner_stop(struct runner *runner);

/* CLOCK_MONOTONIC ns at which the gate opened in the child; 0: not yet. */
uint64_t runner_start_ns(const struct runner *runner);

/* Units of work done and, if known, the goal (0: unknown). */
uint64_t runner_progress(const struct runner *runner, uint64_t *goal);

/*
 * After runner_wait() returned 1: the result of a workload, valid until runner_destroy().
 * NULL with the line in runner->error when it failed.
 */
const struct workload_result *runner_result(struct runner *runner);

/*
 * When a command that runner_stop() was for is over: ends what it has left running, which
 * has had the same SIGTERM and the same time. What a command leaves at its own end stays.
 */
void runner_end_descendants(struct runner *runner);

void runner_destroy(struct runner *runner);

#endif
