// SPDX-License-Identifier: GPL-2.0
#include "subject.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The inode of the initial pid namespace, fixed in include/linux/proc_ns.h. */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

static int wrong(char *err, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int wrong(char *err, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, size, format, args);
	va_end(args);
	return -1;
}

/* BPF sees the pids of the initial namespace; elsewhere ours are other numbers. */
static bool in_init_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == PROC_PID_INIT_INO;
}

static int process_settings(const struct options *o, struct settings *s, char *err,
			    size_t size)
{
	char path[64], line[16];
	FILE *f;

	if (!o->pid)
		return 0;
	s->target_tgid = o->pid;
	snprintf(path, sizeof(path), "/proc/%u/status", o->pid);
	f = fopen(path, "re");
	if (!f)
		return wrong(err, size, "-p %u: no such process", o->pid);
	/* A thread's number is not a process: its leader is meant. */
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &s->target_tgid) == 1)
			break;
	fclose(f);
	if (s->target_tgid != o->pid)
		return wrong(err, size, "-p %u: is a thread of process %u; give that",
			     o->pid, s->target_tgid);
	return 0;
}

/* A cgroup's level is its depth below the root of its file system. */
static int cgroup_level(const char *path, u32 *level)
{
	char dir[PATH_MAX], parent[PATH_MAX + 4];
	struct stat here, above;

	if (!realpath(path, dir) || stat(dir, &here))
		return -errno;
	for (*level = 0;; ++*level) {
		snprintf(parent, sizeof(parent), "%s/..", dir);
		if (stat(parent, &above))
			return -errno;
		if (above.st_dev != here.st_dev || above.st_ino == here.st_ino)
			return 0;
		dirname(dir);
		here = above;
	}
}

static int cgroup_settings(const struct options *o, struct settings *s, char *err,
			   size_t size)
{
	struct statfs fs;
	struct stat st;

	if (!o->cgroup)
		return 0;
	if (stat(o->cgroup, &st) || statfs(o->cgroup, &fs))
		return wrong(err, size, "--cgroup %s: %s", o->cgroup, strerror(errno));
	if (!S_ISDIR(st.st_mode) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return wrong(err, size,
			     "--cgroup %s: needs a directory of a cgroup v2 file system",
			     o->cgroup);
	s->cgroup_id = st.st_ino;
	if (cgroup_level(o->cgroup, &s->cgroup_level))
		return wrong(err, size, "--cgroup %s: %s", o->cgroup, strerror(errno));
	return 0;
}

int subject_settings(const struct options *o, const struct machine *m, struct settings *s,
		     char *err, size_t size)
{
	struct cpu_mask cpus;
	unsigned int cpu;

	if (!in_init_pid_namespace())
		return wrong(err, size,
			     "in a pid namespace of its own: run it on the host, or in a "
			     "container started with --pid=host");
	subject_cpus(o, m, &cpus);
	for_each_cpu (cpu, &cpus)
		if (!cpu_mask_test(&m->online, cpu))
			return wrong(err, size, "--cpus: CPU %u is not online", cpu);
	if (process_settings(o, s, err, size) || cgroup_settings(o, s, err, size))
		return -1;
	s->comm_filter = o->comm;
	if (o->comm)
		strncpy(s->comm, o->comm, sizeof(s->comm) - 1);
	s->follow = o->workload || o->argv;
	s->others = s->follow || o->pid || o->comm || o->cgroup;
	return 0;
}

void subject_text(const struct options *o, char *buf, size_t size)
{
	char cpus[128] = "", pid[32] = "";

	if (o->pid)
		snprintf(pid, sizeof(pid), " -p %u", o->pid);
	if (o->cpus_given)
		cpu_mask_format(&o->cpus, cpus, sizeof(cpus));
	snprintf(buf, size, "%s%s%s%s%s%s%s", pid, o->comm ? " --comm " : "",
		 o->comm ? o->comm : "", o->cgroup ? " --cgroup " : "",
		 o->cgroup ? o->cgroup : "", o->cpus_given ? " --cpus " : "", cpus);
	if (buf[0])
		memmove(buf, buf + 1, strlen(buf));
}

void subject_cpus(const struct options *o, const struct machine *m, struct cpu_mask *cpus)
{
	*cpus = o->cpus_given ? o->cpus : m->online;
}

int subject_housekeeping(const struct options *o, const struct machine *m, char *err,
			 size_t size)
{
	struct cpu_mask cpus;
	unsigned int cpu;

	if (o->housekeeping >= 0) {
		if (cpu_mask_test(&m->online, o->housekeeping))
			return o->housekeeping;
		return wrong(err, size, "--housekeeping %d: that CPU is not online",
			     o->housekeeping);
	}
	subject_cpus(o, m, &cpus);
	for_each_cpu (cpu, &m->online)
		if (!cpu_mask_test(&cpus, cpu))
			return cpu;
	return cpu_mask_next(&m->online, 0);
}
