/* SPDX-License-Identifier: GPL-2.0 */
/* What src/runner.c and its child have in common; nobody else needs this. */
#ifndef IDLETRACE_RUNNER_CHILD_H
#define IDLETRACE_RUNNER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "runner.h"

/* What the child says, one byte each. A command that cannot be executed sends an int. */
#define SAY_READY    'R'
#define SAY_FINISHED 'F' /* threads are parked */
#define SAY_RESULT   'D' /* the result is complete */
#define SAY_ERROR    'E' /* the line is in shared->error */

/* Whom to become. */
struct runner_user {
	bool drop;
	uid_t uid;
	gid_t gid;
};

/* To be called right after fork(), with the child's end of the socket. */
_Noreturn void workload_child(struct workload_ctx *ctx, const struct runner_user *user,
			      pid_t parent, int socket);
_Noreturn void command_child(char *const argv[], const struct runner_user *user,
			     const struct runner_options *options, pid_t parent,
			     int socket);

#endif
