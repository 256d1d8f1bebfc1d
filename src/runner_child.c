// SPDX-License-Identifier: GPL-2.0
/* The child's half of src/runner.c. */
#include "runner_child.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workers.h"

static void say(int socket, char what)
{
	if (send(socket, &what, 1, MSG_NOSIGNAL) != 1)
		_exit(1);
}

/* Blocks until the parent sends a byte. False: the parent is gone, or wants no more. */
static bool hear(int socket)
{
	char byte;
	ssize_t n;

	do {
		n = read(socket, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

/* The parent's handlers are not ours; what its caller ignores (nohup) stays ignored. */
static void reset_signals(void)
{
	struct sigaction action;
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++) {
		if (!sigaction(sig, NULL, &action) && action.sa_handler != SIG_IGN)
			signal(sig, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool drop_to(const struct runner_user *user)
{
	return !setgroups(1, &user->gid) && !setresgid(user->gid, user->gid, user->gid) &&
	       !setresuid(user->uid, user->uid, user->uid);
}

/* To be called last: the kernel forgets it when the user changes. */
static void die_with(pid_t parent, int signal)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		_exit(1);
}

static int prepare(struct workload_ctx *ctx, const struct runner_user *user, pid_t parent)
{
	const struct workload *w = ctx->config->workload;
	int err;

	prctl(PR_SET_NAME, w->name);
	reset_signals();
	signal(SIGINT, SIG_IGN); /* Ctrl-C is for the parent, who then asks us to stop */
	workload_signal_init();
	if (w->need_files && need_files(w->need_files(ctx->config), ctx->shared->error,
					sizeof(ctx->shared->error)))
		return -1;
	if (user->drop && !drop_to(user))
		return workload_error(ctx, "cannot become user %u: %s", user->uid,
				      strerror(errno));
	die_with(parent, SIGKILL);
	if (cpu_mask_count(&ctx->run.cpus)) {
		err = cpu_mask_set_affinity(&ctx->run.cpus);
		if (err)
			return workload_error(ctx, "cannot run on the CPUs asked for: %s",
					      strerror(-err));
	}
	cpu_mask_get_affinity(&ctx->result->cpus);
	return 0;
}

static int run(struct workload_ctx *ctx)
{
	struct workload_result *result = ctx->result;
	uint64_t gate = now_ns();
	struct self_report self;
	int ret;

	ctx->start_ns = gate + ctx->run.warmup_ns;
	if (ctx->run.duration_ns)
		ctx->end_ns = ctx->start_ns + ctx->run.duration_ns;
	atomic_store(&ctx->shared->gate_ns, gate);
	self_report_begin(ctx, &self);
	ret = ctx->config->workload->run(ctx);
	self_report_end(&self);
	result->end_ns = now_ns();
	result->start_ns =
		ctx->start_ns < result->end_ns ? ctx->start_ns : result->end_ns;
	result->stopped = atomic_load(&ctx->shared->stop) == STOP_ASKED;
	return ret;
}

_Noreturn void workload_child(struct workload_ctx *ctx, const struct runner_user *user,
			      pid_t parent, int socket)
{
	const struct workload *w = ctx->config->workload;
	bool prepared = !prepare(ctx, user, parent);
	int ret = prepared ? w->setup(ctx) : -1;

	say(socket, ret ? SAY_ERROR : SAY_READY);
	if (!ret && hear(socket)) {
		ret = run(ctx);
		if (!ret) {
			say(socket, SAY_FINISHED);
			w->report(ctx);
		}
		say(socket, ret ? SAY_ERROR : SAY_RESULT);
	}
	/* Threads stay parked until the parent has closed its window. */
	while (hear(socket))
		;
	if (prepared)
		w->teardown(ctx);
	_exit(ret ? 1 : 0);
}

/*
 * Is there such a file at all? A directory of PATH that may not be searched makes
 * execvp() say EACCES for a command that is nowhere.
 */
static bool exists(const char *command)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(command, '/') || !dir)
		return true;
	while (*dir) {
		int len = (int)strcspn(dir, ":");

		snprintf(path, sizeof(path), "%.*s/%s", len, dir, command);
		if (!access(path, F_OK))
			return true;
		dir += len;
		dir += *dir == ':';
	}
	return false;
}

_Noreturn void command_child(char *const argv[], const struct runner_user *user,
			     const struct runner_options *options, pid_t parent,
			     int socket)
{
	int err;

	reset_signals();
	if (options && ((options->out && dup2(options->out, STDOUT_FILENO) < 0) ||
			(options->err && dup2(options->err, STDERR_FILENO) < 0)))
		_exit(1);
	if (user->drop && !drop_to(user)) {
		say(socket, SAY_ERROR);
		_exit(1);
	}
	die_with(parent, SIGTERM);
	say(socket, SAY_READY);
	if (!hear(socket))
		_exit(1);
	execvp(argv[0], argv);
	err = errno;
	if (err == EACCES && !exists(argv[0]))
		err = ENOENT;
	send(socket, &err, sizeof(err), MSG_NOSIGNAL);
	_exit(127);
}
