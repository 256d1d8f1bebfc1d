// SPDX-License-Identifier: GPL-2.0
#include "descendants.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saved.h"
#include "workers.h"

#define LOOK_PERIOD (20 * NSEC_PER_MSEC)
#define KILL_TIME   NSEC_PER_SEC /* for the kernel to end what was killed */

struct process {
	pid_t pid, parent;
	bool below; /* us */
};

void descendants_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void descendants_reap(pid_t child)
{
	siginfo_t info = {0};

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid &&
	       info.si_pid != child) {
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
}

/* False: it is gone, or dead and waits to be reaped. */
static bool read_process(const char *pid, struct process *p)
{
	char path[64], text[1024], state, *after;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (saved_read_file(path, text, sizeof(text)) < 0)
		return false;
	/* What stands in the parentheses can be anything. */
	after = strrchr(text, ')');
	*p = (struct process){.pid = (pid_t)strtol(pid, NULL, 10)};
	return after && sscanf(after, ") %c %d", &state, &p->parent) == 2 &&
	       state != 'Z' && state != 'X';
}

/* Everything that runs; *nr of them. NULL: no memory, or no /proc. */
static struct process *read_processes(size_t *nr)
{
	struct process *all = NULL, *more, p;
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	*nr = 0;
	while (proc && (entry = readdir(proc))) {
		if (*entry->d_name < '1' || *entry->d_name > '9' ||
		    !read_process(entry->d_name, &p))
			continue;
		if (*nr % 256 == 0) {
			more = realloc(all, (*nr + 256) * sizeof(*all));
			if (!more)
				break;
			all = more;
		}
		all[(*nr)++] = p;
	}
	if (proc)
		closedir(proc);
	return all;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static bool is_below(const struct process *all, size_t nr, pid_t pid)
{
	const struct process *p = bsearch(&pid, all, nr, sizeof(*all), by_pid);

	return p && p->below;
}

/* A generation in each pass, or several: a child can have the lower number. */
static void mark(struct process *all, size_t nr)
{
	pid_t self = getpid();
	bool again = true;

	qsort(all, nr, sizeof(*all), by_pid);
	while (again) {
		again = false;
		for (size_t i = 0; i < nr; i++) {
			if (all[i].below ||
			    (all[i].parent != self && !is_below(all, nr, all[i].parent)))
				continue;
			all[i].below = again = true;
		}
	}
}

unsigned int descendants_signal(int signal)
{
	unsigned int found = 0;
	struct process *all;
	size_t nr;

	all = read_processes(&nr);
	if (all)
		mark(all, nr);
	for (size_t i = 0; i < nr; i++)
		if (all[i].below && (!kill(all[i].pid, signal) || errno == EPERM))
			found++;
	free(all);
	return found;
}

static bool all_gone_by(uint64_t deadline_ns, int signal)
{
	const struct timespec period = {.tv_nsec = LOOK_PERIOD};

	while (descendants_signal(signal)) {
		if (now_ns() >= deadline_ns)
			return false;
		nanosleep(&period, NULL);
	}
	return true;
}

void descendants_end(uint64_t deadline_ns)
{
	/* One that is killed may have forked just before. */
	if (!all_gone_by(deadline_ns, 0))
		all_gone_by(now_ns() + KILL_TIME, SIGKILL);
}
