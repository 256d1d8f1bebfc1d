// SPDX-License-Identifier: GPL-2.0
/* The senders and receivers of messaging, as threads or processes, and their run. */
#include "messaging_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_TIMEOUT (20 * NSEC_PER_SEC) /* sooner than the runner gives up */
#define READY_LOOK    100		  /* ms between two looks for dead processes */
#define END_TIMEOUT   (5 * NSEC_PER_SEC)

static int open_channels(struct messaging *m, unsigned int group)
{
	size_t first = group * m->opt->fds;

	for (size_t i = first; i < first + m->opt->fds; i++) {
		int ends[2];

		if (m->opt->pipe
			    ? pipe2(ends, O_CLOEXEC)
			    : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
			return workload_error(m->ctx, "cannot open a %s: %s",
					      m->opt->pipe ? "pipe" : "socket",
					      strerror(errno));
		m->in[i] = ends[0];
		m->out[i] = ends[1];
	}
	return 0;
}

/* ---- the tasks ---- */

static bool transfer(int fd, char *data, size_t size, bool out)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = out ? write(fd, data + done, size - done)
				: read(fd, data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int await_gate(struct messaging *m)
{
	struct pollfd gate = {.fd = m->wake[0], .events = POLLIN};
	char byte = 0;

	if (!transfer(m->ready[1], &byte, 1, true))
		return -1;
	while (poll(&gate, 1, -1) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return 0;
}

/* A receiver that is gone is somebody else's to report. */
static int send_all(struct messaging *m, const struct party *p, char *data)
{
	const int *out = &m->out[p->group * m->opt->fds];

	for (uint64_t loop = 0; loop < m->loops && !workload_stopping(m->ctx); loop++) {
		for (uint64_t i = 0; i < m->opt->fds; i++) {
			if (transfer(out[i], data, m->opt->size, true))
				continue;
			if (errno == EPIPE || errno == ECONNRESET)
				return 0;
			return workload_error(m->ctx, "cannot send: %s", strerror(errno));
		}
	}
	return 0;
}

/* Ends with the loops, or when all senders have closed their end. */
static void receive_all(struct messaging *m, struct party *p, char *data)
{
	int in = m->in[p->group * m->opt->fds + p->index];
	uint64_t all = UINT64_MAX, n = 0;

	if (m->loops != UINT64_MAX)
		all = m->loops * m->opt->fds;
	while (n < all && transfer(in, data, m->opt->size, false)) {
		atomic_store_explicit(&p->messages, ++n, memory_order_relaxed);
		if (!p->group && !p->index)
			workload_progress(m->ctx, n * m->nr / 2);
	}
	p->last_ns = now_ns();
}

static int take_part(struct party *p)
{
	struct messaging *m = p->m;
	char *data = aligned_alloc(64, (m->opt->size + 63) / 64 * 64);
	int ret = 0;

	/* In lines of its own: others would write to the same ones. */
	if (!data)
		return workload_error(m->ctx, "out of memory for a message");
	memset(data, 0, m->opt->size);
	if (await_gate(m))
		ret = workload_error(m->ctx, "cannot wait at the gate: %s",
				     strerror(errno));
	else if (p->sends)
		ret = send_all(m, p, data);
	else
		receive_all(m, p, data);
	free(data);
	return ret;
}

/* The loops need no end of file, but who is stopped early does. */
static void close_after_stop(struct messaging *m, unsigned int group)
{
	if (atomic_fetch_sub(&m->sending[group], 1) > 1 || !workload_stopping(m->ctx))
		return;
	for (uint64_t i = group * m->opt->fds; i < (group + 1) * m->opt->fds; i++) {
		close(m->out[i]);
		m->out[i] = -1;
	}
}

static void thread_main(struct worker *worker)
{
	struct party *p = worker->arg;

	if (take_part(p))
		workload_finish(p->m->ctx);
	if (p->sends)
		close_after_stop(p->m, p->group);
}

/* Only the senders may hold the ends to write to, or no receiver would see the end. */
_Noreturn static void process_main(struct party *p)
{
	struct messaging *m = p->m;
	size_t first = p->group * m->opt->fds;
	struct self_report self;
	int ret;

	self_report_begin(m->ctx, &self);
	sigprocmask(SIG_SETMASK, &m->saved_signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = first; i < first + m->opt->fds; i++) {
		if (p->sends)
			close(m->in[i]);
		else
			close(m->out[i]);
	}
	ret = take_part(p);
	self_report_end(&self);
	_exit(ret ? 1 : 0);
}

/* ---- processes ---- */

static int fork_group(struct messaging *m, unsigned int group)
{
	unsigned int per_group = 2 * (unsigned int)m->opt->fds;
	size_t first = group * m->opt->fds;

	if (open_channels(m, group))
		return -1;
	for (unsigned int i = 0; i < per_group; i++) {
		pid_t pid = workload_fork();

		if (!pid)
			process_main(&m->parties[group * per_group + i]);
		if (pid < 0)
			return workload_error(
				m->ctx,
				"only %u of %u processes could be started: see ulimit "
				"-u, kernel.pid_max, pids.max",
				m->nr_forked, m->nr);
		m->pids[m->nr_forked++] = pid;
	}
	for (size_t i = first; i < first + m->opt->fds; i++) {
		close(m->in[i]);
		close(m->out[i]);
	}
	return 0;
}

/* Takes who is dead. -1: one of them should not be. */
static int reap(struct messaging *m)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < m->nr_forked; i++) {
			if (m->pids[i] == pid)
				m->pids[i] = 0;
		}
		m->nr_reaped++;
		if (WIFSIGNALED(status))
			return workload_error(
				m->ctx,
				"one of %u processes was killed by signal %d (%s)", m->nr,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		if (WEXITSTATUS(status))
			return -1;
	}
	return 0;
}

static void kill_all(struct messaging *m)
{
	for (unsigned int i = 0; i < m->nr_forked; i++) {
		if (m->pids[i])
			kill(m->pids[i], SIGKILL);
	}
	for (unsigned int i = 0; i < m->nr_forked; i++) {
		while (m->pids[i] && waitpid(m->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
		m->pids[i] = 0;
	}
}

/* Waits for a signal: a child's death, or the parent's request. */
static void await_signal(struct messaging *m, uint64_t until_ns)
{
	uint64_t now = now_ns(), left = until_ns > now ? until_ns - now : 0;
	struct timespec ts = {(time_t)(left / NSEC_PER_SEC), (long)(left % NSEC_PER_SEC)};

	if (until_ns == UINT64_MAX)
		sigwaitinfo(&m->signals, NULL);
	else if (left)
		sigtimedwait(&m->signals, NULL, &ts);
}

uint64_t messaging_received(const struct messaging *m)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < m->nr; i++)
		sum += atomic_load(&m->parties[i].messages);
	return sum;
}

/* The warm-up is over. */
static void begin_counting(struct messaging *m)
{
	m->warm = messaging_received(m);
	m->count_ns = now_ns();
}

/* Until all processes are gone, the end of the duration and the grace after it. */
static int await_processes(struct messaging *m)
{
	struct workload_ctx *ctx = m->ctx;
	uint64_t give_up = UINT64_MAX, until;

	while (m->nr_reaped < m->nr_forked) {
		uint64_t now = now_ns();

		if (!m->count_ns && now >= ctx->start_ns)
			begin_counting(m);
		if (now >= ctx->end_ns)
			workload_finish(ctx);
		if (workload_stopping(ctx) && give_up == UINT64_MAX)
			give_up = now + END_TIMEOUT;
		if (now >= give_up)
			return workload_error(ctx, "processes did not end in 5 s");
		until = !m->count_ns ? ctx->start_ns : ctx->end_ns;
		await_signal(m, give_up != UINT64_MAX ? give_up : until);
		if (reap(m))
			return -1;
	}
	return 0;
}

/* ---- run ---- */

/* Takes a byte of each task; -1 if a process died or it takes too long. */
static int await_ready(struct messaging *m)
{
	struct pollfd p = {.fd = m->ready[0], .events = POLLIN};
	uint64_t deadline = now_ns() + READY_TIMEOUT;
	unsigned int ready = 0;
	char bytes[256];
	ssize_t n;

	while (ready < m->nr) {
		if (now_ns() >= deadline)
			return workload_error(m->ctx, "only %u of %u tasks got ready",
					      ready, m->nr);
		if (poll(&p, 1, READY_LOOK) > 0) {
			n = read(m->ready[0], bytes, sizeof(bytes));
			ready += n > 0 ? (unsigned int)n : 0;
		} else if (m->ctx->shared->error[0] || reap(m)) {
			return -1;
		}
	}
	return 0;
}

/* All that are ready go. */
static int open_gate(struct messaging *m)
{
	char byte = 0;

	m->start_ns = now_ns();
	if (m->start_ns >= m->ctx->start_ns)
		m->count_ns = m->start_ns;
	if (!transfer(m->wake[1], &byte, 1, true))
		return workload_error(m->ctx, "cannot open the gate: %s",
				      strerror(errno));
	return 0;
}

int messaging_start_threads(struct messaging *m)
{
	for (unsigned int g = 0; g < m->opt->groups; g++) {
		if (open_channels(m, g))
			return -1;
	}
	if (workers_start(&m->pool, m->ctx, m->nr, thread_main, m->parties,
			  sizeof(*m->parties)))
		return -1;
	workers_go(&m->pool);
	return await_ready(m);
}

void messaging_end_threads(struct messaging *m)
{
	if (!m->pool.threads)
		return;
	workload_finish(m->ctx);
	close(m->wake[1]);
	workers_free(&m->pool);
}

static int run_threads(struct messaging *m)
{
	struct workload_ctx *ctx = m->ctx;

	if (open_gate(m))
		return -1;
	if (!m->count_ns) {
		workload_sleep_until(ctx, ctx->start_ns);
		begin_counting(m);
	}
	if (workers_run(&m->pool, END_TIMEOUT))
		return workload_error(ctx, "threads did not end in 5 s");
	m->end_ns = now_ns();
	return ctx->shared->error[0] ? -1 : 0;
}

static int fork_and_wait(struct messaging *m)
{
	for (unsigned int g = 0; g < m->opt->groups; g++) {
		if (fork_group(m, g))
			return -1;
	}
	return await_ready(m) || open_gate(m) || await_processes(m) ? -1 : 0;
}

static int run_processes(struct messaging *m)
{
	int ret;

	/* Blocked, so that none of them is missed between a look and the wait for it. */
	sigemptyset(&m->signals);
	sigaddset(&m->signals, SIGCHLD);
	sigaddset(&m->signals, WORKLOAD_SIGNAL);
	sigprocmask(SIG_BLOCK, &m->signals, &m->saved_signals);
	ret = fork_and_wait(m);
	m->end_ns = now_ns();
	workload_finish(m->ctx);
	kill_all(m);
	sigprocmask(SIG_SETMASK, &m->saved_signals, NULL);
	return ret;
}

int messaging_run(struct messaging *m)
{
	return m->opt->threads ? run_threads(m) : run_processes(m);
}
