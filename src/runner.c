// SPDX-License-Identifier: GPL-2.0
#include "runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descendants.h"
#include "runner_child.h"
#include "workers.h"

#define GO_TIMEOUT    (10 * NSEC_PER_SEC) /* from the gate to execve() */
#define END_TIMEOUT   (10 * NSEC_PER_SEC) /* teardown and exit */
#define OVERRUN	      (10 * NSEC_PER_SEC) /* beyond the duration */
#define RESEND_PERIOD (100 * NSEC_PER_MSEC)

static int fail(struct runner *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct runner *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, args);
	va_end(args);
	r->state = RUNNER_FAILED;
	if (!r->exit_status)
		r->exit_status = 1;
	return -1;
}

static struct runner_user find_user(const struct runner_options *options, bool needs_root)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u, g;
	struct runner_user user = {0};

	if (!options || !options->drop_user || needs_root || geteuid() || !uid || !gid)
		return user;
	if (parse_u64(uid, &u) || parse_u64(gid, &g) || !u || u >= UINT32_MAX ||
	    g >= UINT32_MAX)
		return user;
	return (struct runner_user){.drop = true, .uid = (uid_t)u, .gid = (gid_t)g};
}

static int to_ms(uint64_t ns)
{
	uint64_t ms = (ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;

	return ms > 1000 * 1000 ? 1000 * 1000 : (int)ms;
}

static bool readable(int fd, uint64_t timeout_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, to_ms(timeout_ns)) > 0;
}

static const char *child_name(const struct runner *r)
{
	return r->workload ? r->workload->name : r->command;
}

/* Is the process over within that time? Signals do not cut this short. */
static bool is_over(const struct runner *r, uint64_t timeout_ns)
{
	uint64_t now = now_ns(), deadline = now + timeout_ns;

	do {
		if (readable(r->pid_fd, deadline - now))
			return true;
		now = now_ns();
	} while (now < deadline);
	return false;
}

/* The child is dead or about to be: takes its exit status, as a shell gives it. */
static void reap(struct runner *r)
{
	bool watched = r->pid_fd >= 0;
	int status;

	if (r->reaped || (watched && !is_over(r, NSEC_PER_SEC)) ||
	    waitpid(r->pid, &status, watched ? WNOHANG : 0) != r->pid)
		return;
	r->reaped = true;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (!r->exit_status)
		r->exit_status = r->signal ? 128 + r->signal : WEXITSTATUS(status);
}

static int fail_dead(struct runner *r)
{
	reap(r);
	if (r->signal)
		return fail(r, "%.100s: its process was killed by signal %d (%s)",
			    child_name(r), r->signal, strsignal(r->signal));
	return fail(r, "%.100s: its process ended unexpectedly", child_name(r));
}

static int fail_child(struct runner *r)
{
	char *line;

	r->listening = true;
	if (!r->workload)
		return fail(r, "%.100s: cannot become the user who called sudo",
			    r->command);
	line = r->shared->error;
	line[sizeof(r->shared->error) - 1] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "--", 2))
		return fail(r, "%s", line);
	return fail(r, "%s: %.200s", r->workload->name, *line ? line : "failed");
}

/*
 * Reads size bytes that the child says, waiting for them or for its death. 1: got them,
 * 0: nothing in this time (or a signal came), -1: it is dead or has closed the socket.
 */
static int listen_child(struct runner *r, void *buf, size_t size, uint64_t timeout_ns)
{
	ssize_t n;

	if (!readable(r->poll_fd, timeout_ns))
		return 0;
	n = recv(r->socket, buf, size, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return readable(r->pid_fd, 0) ? -1 : 0;
	return n == (ssize_t)size ? 1 : -1;
}

/* Waits for one particular word; signals do not cut this short. */
static int expect(struct runner *r, char word, uint64_t timeout_ns, const char *what)
{
	uint64_t deadline = now_ns() + timeout_ns, now;
	char said;
	int ret = 0;

	while (!ret && (now = now_ns()) < deadline)
		ret = listen_child(r, &said, 1, deadline - now);
	if (!ret)
		return fail(r, "%.100s: no %s in %llu s", child_name(r), what,
			    (unsigned long long)(timeout_ns / NSEC_PER_SEC));
	if (ret > 0 && said == SAY_ERROR)
		return fail_child(r);
	return ret > 0 && said == word ? 0 : fail_dead(r);
}

static int watch(struct runner *r, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(r->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Forks. In the child: 0, and sockets[1] is its end. In the parent: the pid, or -1. */
static pid_t fork_child(struct runner *r, int sockets[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return fail(r, "cannot create a socket: %s", strerror(errno));
	r->socket = sockets[0];
	/* Where it is ignored, the exit status of a child is lost. */
	signal(SIGCHLD, SIG_DFL);
	r->pid = fork();
	if (!r->pid)
		close(sockets[0]);
	else
		close(sockets[1]);
	if (r->pid < 0)
		return fail(r, "cannot fork: %s", strerror(errno));
	return r->pid;
}

static int await_ready(struct runner *r)
{
	r->pid_fd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	r->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->pid_fd < 0 || r->poll_fd < 0 || watch(r, r->pid_fd) || watch(r, r->socket))
		return fail(r, "cannot watch a child process: %s", strerror(errno));
	if (expect(r, SAY_READY, RUNNER_READY_TIMEOUT, "readiness"))
		return -1;
	r->listening = true;
	r->state = RUNNER_READY;
	return 0;
}

static void runner_init(struct runner *r)
{
	*r = (struct runner){.socket = -1, .pid_fd = -1, .poll_fd = -1};
}

int runner_start(struct runner *r, const struct workload_config *config,
		 const struct workload_run *run, const struct runner_options *options)
{
	struct runner_user user = find_user(options, config->workload->needs_root);
	pid_t parent = getpid();
	int sockets[2];

	runner_init(r);
	r->workload = config->workload;
	r->dropped = user.drop;
	if (run->duration_ns)
		r->limit_ns = run->warmup_ns + run->duration_ns;
	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->shared == MAP_FAILED) {
		r->shared = NULL;
		return fail(r, "cannot map memory: %s", strerror(errno));
	}
	if (fork_child(r, sockets) < 0)
		return -1;
	if (!r->pid) {
		struct workload_ctx ctx = {
			.config = config,
			.options = config->values,
			.run = *run,
			.shared = r->shared,
			.result = &r->shared->result,
			.end_ns = UINT64_MAX,
		};

		workload_child(&ctx, &user, parent, sockets[1]);
	}
	return await_ready(r);
}

int runner_start_command(struct runner *r, char *const argv[],
			 const struct runner_options *options)
{
	struct runner_user user = find_user(options, false);
	pid_t parent = getpid();
	int sockets[2];

	runner_init(r);
	descendants_adopt();
	r->command = argv[0];
	r->dropped = user.drop;
	if (fork_child(r, sockets) < 0)
		return -1;
	if (!r->pid)
		command_child(argv, &user, options, parent, sockets[1]);
	return await_ready(r);
}

static int await_exec(struct runner *r)
{
	uint64_t deadline = now_ns() + GO_TIMEOUT, now;
	int err, ret = 0;

	while (!ret && (now = now_ns()) < deadline)
		ret = listen_child(r, &err, sizeof(err), deadline - now);
	if (!ret)
		return fail(r, "%s: not executed in 10 s", r->command);
	/* execve() has closed the socket: from now on only the process itself tells. */
	epoll_ctl(r->poll_fd, EPOLL_CTL_DEL, r->socket, NULL);
	if (ret < 0)
		return 0;
	r->exit_status = err == ENOENT ? 127 : 126;
	if (err == ENOENT)
		return fail(r, "command not found: %.200s", r->command);
	return fail(r, "cannot execute %.200s: %s", r->command, strerror(err));
}

int runner_go(struct runner *r)
{
	char byte = 'G';

	if (r->state != RUNNER_READY)
		return fail(r, "not ready to run");
	if (send(r->socket, &byte, 1, MSG_NOSIGNAL) != 1)
		return fail_dead(r);
	r->listening = false;
	r->state = RUNNER_RUNNING;
	if (r->limit_ns)
		r->overrun_ns = now_ns() + r->limit_ns + OVERRUN;
	return r->workload ? 0 : await_exec(r);
}

int runner_fd(const struct runner *r)
{
	return r->poll_fd;
}

static void interrupt(struct runner *r)
{
	if (!r->workload) {
		descendants_signal(SIGTERM);
		return;
	}
	atomic_store(&r->shared->stop, STOP_ASKED);
	stop_wake(r->shared);
	kill(r->pid, WORKLOAD_SIGNAL);
}

void runner_stop(struct runner *r)
{
	if (r->state != RUNNER_RUNNING || r->stop_asked || r->reaped)
		return;
	r->stop_asked = true;
	r->kill_ns = now_ns() + RUNNER_STOP_TIMEOUT;
	interrupt(r);
}

static int wait_workload(struct runner *r, uint64_t timeout_ns)
{
	char said;
	int ret = listen_child(r, &said, 1, timeout_ns);

	if (ret < 0)
		return fail_dead(r);
	if (!ret)
		return 0;
	if (said != SAY_FINISHED)
		return fail_child(r);
	r->listening = true;
	r->state = RUNNER_FINISHED;
	return 1;
}

static int wait_command(struct runner *r, uint64_t timeout_ns)
{
	descendants_reap(r->pid);
	if (!readable(r->pid_fd, timeout_ns))
		return 0;
	reap(r);
	r->state = RUNNER_FINISHED;
	return 1;
}

/* Time to give up on a child that was asked to stop. */
static int out_of_patience(struct runner *r)
{
	kill(r->pid, SIGKILL);
	if (r->workload)
		return fail(r, "%s: did not stop in 10 s, killed", r->workload->name);
	return wait_command(r, NSEC_PER_SEC);
}

int runner_wait(struct runner *r, uint64_t timeout_ns)
{
	uint64_t now = now_ns(), deadline, slice;
	int ret;

	if (__builtin_add_overflow(now, timeout_ns, &deadline))
		deadline = UINT64_MAX;
	do {
		if (r->state != RUNNER_RUNNING)
			return r->state == RUNNER_FINISHED ? 1 : -1;
		if (r->overrun_ns && now >= r->overrun_ns)
			runner_stop(r);
		if (r->stop_asked && now >= r->kill_ns)
			return out_of_patience(r);
		slice = deadline - now;
		if (r->overrun_ns > now && r->overrun_ns - now < slice)
			slice = r->overrun_ns - now;
		if (r->stop_asked && slice > RESEND_PERIOD)
			slice = RESEND_PERIOD;
		ret = r->workload ? wait_workload(r, slice) : wait_command(r, slice);
		/* It may have been about to sleep when the first request came. */
		if (!ret && r->stop_asked && r->workload)
			interrupt(r);
		if (!ret && slice && now_ns() - now < slice)
			return 0; /* a signal, which is the caller's business */
		now = now_ns();
	} while (!ret && now < deadline);
	return ret;
}

uint64_t runner_start_ns(const struct runner *r)
{
	return r->shared ? atomic_load(&r->shared->gate_ns) : 0;
}

uint64_t runner_progress(const struct runner *r, uint64_t *goal)
{
	*goal = r->shared ? atomic_load(&r->shared->progress_goal) : 0;
	return r->shared ? atomic_load(&r->shared->progress) : 0;
}

const struct workload_result *runner_result(struct runner *r)
{
	struct workload_result *result;

	if (r->state != RUNNER_FINISHED || !r->workload)
		return NULL;
	if (!r->has_result && expect(r, SAY_RESULT, RUNNER_RESULT_TIMEOUT, "result"))
		return NULL;
	r->has_result = true;
	/* The child may run as somebody else: what it left must not lead us astray. */
	result = &r->shared->result;
	if (result->nr_metrics > RESULT_METRICS)
		result->nr_metrics = RESULT_METRICS;
	if (result->nr_latencies > RESULT_LATENCIES)
		result->nr_latencies = RESULT_LATENCIES;
	result->legacy[RESULT_TEXT - 1] = '\0';
	result->text[RESULT_TEXT - 1] = '\0';
	for (unsigned int i = 0; i < RESULT_METRICS; i++) {
		result->metrics[i].name[RESULT_NAME - 1] = '\0';
		result->metrics[i].unit[sizeof(result->metrics[i].unit) - 1] = '\0';
	}
	for (unsigned int i = 0; i < RESULT_LATENCIES; i++)
		result->latencies[i].name[RESULT_NAME - 1] = '\0';
	return result;
}

void runner_end_descendants(struct runner *r)
{
	if (r->workload || !r->stop_asked)
		return;
	descendants_end(r->kill_ns);
	descendants_reap(r->pid);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void runner_destroy(struct runner *r)
{
	/* A child that listens takes EOF as the word to clean up and go. */
	close_fd(&r->socket);
	if (r->pid > 0 && !r->reaped) {
		if (!r->listening || r->pid_fd < 0 || !is_over(r, END_TIMEOUT)) {
			kill(r->pid, SIGKILL);
			if (!r->workload)
				descendants_signal(SIGKILL);
		}
		reap(r);
	}
	close_fd(&r->pid_fd);
	close_fd(&r->poll_fd);
	if (r->shared)
		munmap(r->shared, sizeof(*r->shared));
	r->shared = NULL;
	r->state = RUNNER_NONE;
}
