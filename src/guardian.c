// SPDX-License-Identifier: GPL-2.0
#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saved.h"

#define READY	 'r'
#define DISMISS	 'd'
#define READY_MS 10000
#define END_MS	 2000

/* Neither the terminal nor a polite kill is about the guardian. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT, SIGPIPE,
				      SIGTSTP, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Whoever reads the output of the program must not wait for the guardian, and a lock or a
 * device that is open must not stay so.
 */
static void close_files(int keep)
{
	int null = open("/dev/null", O_RDWR);
	long max = sysconf(_SC_OPEN_MAX);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (!syscall(SYS_close_range, 3, keep - 1, 0) || keep == 3) {
		if (!syscall(SYS_close_range, keep + 1, ~0U, 0))
			return;
	}
	if (max < 0 || max > 65536)
		max = 65536;
	for (int fd = 3; fd < (int)max; fd++)
		if (fd != keep)
			close(fd);
}

static void guard(struct guardian *g, int fd)
{
	char word = READY;
	ssize_t n;

	/* It may be one of the three that are about to be replaced. */
	fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	setsid();
	ignore_signals();
	/* Not to be hit by "killall idletrace", nor by the OOM killer. */
	prctl(PR_SET_NAME, "guardian");
	saved_write_file("/proc/self/oom_score_adj", "-1000");
	close_files(fd);
	send(fd, &word, 1, MSG_NOSIGNAL);
	do {
		n = recv(fd, &word, 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n == 1 && word == DISMISS)
		_exit(0);
	_exit(g->restore(g->ctx) ? 1 : 0);
}

static int wait_readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int ret;

	do {
		ret = poll(&p, 1, ms);
	} while (ret < 0 && errno == EINTR);
	return ret;
}

static void reap(struct guardian *g)
{
	kill(g->pid, SIGKILL);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(g->fd);
	g->fd = -1;
}

int guardian_start(struct guardian *g, int (*restore)(void *ctx), void *ctx)
{
	int fds[2];
	char word = 0;

	*g = (struct guardian){.restore = restore, .ctx = ctx, .fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	fflush(NULL);
	g->pid = fork();
	if (g->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!g->pid) {
		close(fds[0]);
		guard(g, fds[1]);
	}
	close(fds[1]);
	g->fd = fds[0];
	if (wait_readable(g->fd, READY_MS) == 1 && recv(g->fd, &word, 1, 0) == 1 &&
	    word == READY)
		return 0;
	reap(g);
	return -ECHILD;
}

int guardian_check(struct guardian *g)
{
	int err;

	if (g->fd >= 0 && !wait_readable(g->fd, 0))
		return 0;
	if (g->fd >= 0)
		reap(g);
	err = guardian_start(g, g->restore, g->ctx);
	return err ? err : 1;
}

void guardian_end(struct guardian *g)
{
	char word = DISMISS;

	if (g->fd < 0)
		return;
	if (send(g->fd, &word, 1, MSG_NOSIGNAL) == 1)
		wait_readable(g->fd, END_MS); /* its end of the socket closes with it */
	reap(g);
}
