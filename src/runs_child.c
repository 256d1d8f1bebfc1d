// SPDX-License-Identifier: GPL-2.0
/* idletrace, run by itself. */
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_status.h"

/* From a signal to the child's end: no less than its own timeouts together. */
#define STOP_TIMEOUT_MS 30000
#define SAID_MAX	4096

static int signal_fd = -1;
static int signal_seen;
static sigset_t old_mask;

struct child {
	pid_t pid;
	int pidfd;
	int report; /* its JSON: a file without a name */
	int says;   /* its stderr */
	size_t used;
	char said[SAID_MAX];
};

int runs_begin(void)
{
	sigset_t set;
	int err;

	signal_seen = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old_mask);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd >= 0)
		return 0;
	err = -errno;
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	return err;
}

void runs_end(void)
{
	/* Those that came more than once must not end the process now. */
	runs_interrupted();
	close(signal_fd);
	signal_fd = -1;
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

bool runs_interrupted(void)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == sizeof(info))
		signal_seen = (int)info.ssi_signo;
	return signal_seen;
}

bool runs_sleep(uint64_t ns)
{
	struct timespec time = {(time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC)};
	struct pollfd pfd = {.fd = signal_fd, .events = POLLIN};

	if (!runs_interrupted())
		ppoll(&pfd, 1, &time, NULL);
	return !runs_interrupted();
}

/* "idletrace run --json /proc/self/fd/N ARGV...": what comes last may be a command's. */
static char **child_argv(char *const argv[], char *json)
{
	static char name[] = "idletrace", run[] = "run", option[] = "--json";
	char **all;
	size_t nr = 0;

	while (argv[nr])
		nr++;
	all = calloc(nr + 5, sizeof(*all));
	if (!all)
		return NULL;
	all[0] = name;
	all[1] = run;
	all[2] = option;
	all[3] = json;
	memcpy(all + 4, argv, nr * sizeof(*argv));
	return all;
}

/* Between fork and exec. The report's descriptor is the only one to survive. */
_Noreturn static void become(char **argv, pid_t parent, int report, int says)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_STATUS_FAILED);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(says, STDERR_FILENO) < 0 || fcntl(report, F_SETFD, 0))
		_exit(EXIT_STATUS_FAILED);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	execv("/proc/self/exe", argv);
	dprintf(STDERR_FILENO, "idletrace: /proc/self/exe: %s\n", strerror(errno));
	_exit(EXIT_STATUS_FAILED);
}

static int spawn(struct child *c, char *const argv[])
{
	pid_t parent = getpid();
	char json[32], **all;
	int says[2];

	snprintf(json, sizeof(json), "/proc/self/fd/%d", c->report);
	all = child_argv(argv, json);
	if (!all || pipe2(says, O_CLOEXEC | O_NONBLOCK)) {
		free(all);
		return -1;
	}
	c->says = says[0];
	/* Who writes must not find it full and give up; who reads must not wait. */
	fcntl(says[1], F_SETFL, 0);
	fflush(NULL);
	c->pid = fork();
	if (!c->pid)
		become(all, parent, c->report, says[1]);
	free(all);
	close(says[1]);
	if (c->pid < 0)
		return -1;
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return c->pidfd < 0 ? -1 : 0;
}

/* Keeps the last of what it says. Returns false at the end. */
static bool listen_to(struct child *c)
{
	ssize_t n;

	for (;;) {
		if (c->used > SAID_MAX / 2) {
			memmove(c->said, c->said + c->used - SAID_MAX / 2, SAID_MAX / 2);
			c->used = SAID_MAX / 2;
		}
		n = read(c->says, c->said + c->used, SAID_MAX - 1 - c->used);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		c->used += (size_t)n;
	}
}

/* Returns its wait status. */
static int wait_for(struct child *c)
{
	struct pollfd fds[] = {
		{.fd = c->pidfd, .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
		{.fd = c->says, .events = POLLIN},
	};
	bool passed_on = false;
	int status;

	for (;;) {
		int ready = poll(fds, 3, passed_on ? STOP_TIMEOUT_MS : -1);

		if (!ready)
			kill(c->pid, SIGKILL);
		if (!listen_to(c))
			fds[2].fd = -1;
		if (waitpid(c->pid, &status, WNOHANG) == c->pid)
			break;
		if (!passed_on && runs_interrupted()) {
			kill(c->pid, signal_seen);
			passed_on = true;
			fds[1].fd = -1;
		}
	}
	listen_to(c);
	return status;
}

/* The last line of its own that the child printed, or what became of it. */
static void what_it_said(struct child *c, int status, char *err, size_t size)
{
	static const char name[] = "idletrace: ";
	char *line, *save = NULL, *last = NULL;

	c->said[c->used] = '\0';
	for (line = strtok_r(c->said, "\r\n", &save); line;
	     line = strtok_r(NULL, "\r\n", &save))
		if (!strncmp(line, name, sizeof(name) - 1))
			last = line + sizeof(name) - 1;
	if (last)
		snprintf(err, size, "%s", last);
	else if (WIFSIGNALED(status))
		snprintf(err, size, "a run was killed by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(err, size, "a run ended with exit status %d",
			 WEXITSTATUS(status));
}

static json_t *read_report(int fd, char *err, size_t size)
{
	json_error_t error;
	json_t *run;

	lseek(fd, 0, SEEK_SET);
	run = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
	if (!run)
		snprintf(err, size, "the report of a run: %s", error.text);
	return run;
}

static enum runs_end finish(struct child *c, int status, json_t **run, char *err,
			    size_t size)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (runs_interrupted()) {
		snprintf(err, size, "interrupted");
		return RUNS_INTERRUPTED;
	}
	if (code == EXIT_STATUS_DONE || code == EXIT_STATUS_LOST) {
		*run = read_report(c->report, err, size);
		return *run ? RUNS_DONE : RUNS_FAILED;
	}
	what_it_said(c, status, err, size);
	return code == EXIT_STATUS_USAGE ? RUNS_WRONG_USAGE : RUNS_FAILED;
}

static void cleanup(struct child *c)
{
	if (c->report >= 0)
		close(c->report);
	if (c->says >= 0)
		close(c->says);
	if (c->pidfd >= 0)
		close(c->pidfd);
}

enum runs_end runs_execute(char *const argv[], json_t **run, char *err, size_t size)
{
	struct child c = {.pid = -1, .pidfd = -1, .says = -1};
	enum runs_end end = RUNS_FAILED;

	*run = NULL;
	err[0] = '\0';
	if (runs_interrupted()) {
		snprintf(err, size, "interrupted");
		return RUNS_INTERRUPTED;
	}
	c.report = memfd_create("idletrace-report", MFD_CLOEXEC);
	if (c.report < 0 || spawn(&c, argv)) {
		snprintf(err, size, "cannot start a run: %s", strerror(errno));
		if (c.pid > 0) {
			kill(c.pid, SIGKILL);
			waitpid(c.pid, NULL, 0);
		}
	} else {
		end = finish(&c, wait_for(&c), run, err, size);
	}
	cleanup(&c);
	return end;
}
