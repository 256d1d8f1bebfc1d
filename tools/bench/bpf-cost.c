// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-cost SECONDS NAME=PID...
 *
 * What the BPF programs of these processes cost, by the kernel's own statistics, all in
 * the same window: with them run empty programs on the first one's tracepoints. Prints
 * "NAME PROGRAM RUNS NANOSECONDS" for each program, NAME being empty for those, and
 * "window START END", ns of CLOCK_MONOTONIC. Needs root.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "empty.skel.h"
#include "types.h"

#define PROGRAMS_MAX 256
#define SETTLE_NS    300000000L

struct program {
	const char *owner;
	int fd;
	u32 id;
	struct bpf_prog_info before, after;
};

struct programs {
	u32 n;
	struct program row[PROGRAMS_MAX];
};

static void die(const char *what)
{
	fprintf(stderr, "bpf-cost: %s\n", what);
	exit(1);
}

static void read_info(int fd, struct bpf_prog_info *info)
{
	u32 size = sizeof(*info);

	memset(info, 0, size);
	if (bpf_obj_get_info_by_fd(fd, info, &size))
		die("cannot read the statistics of a program");
}

static void add(struct programs *p, const char *owner, u32 id, int fd)
{
	for (u32 i = 0; i < p->n; i++)
		if (p->row[i].id == id)
			return;
	if (p->n == PROGRAMS_MAX)
		die("too many programs");
	if (fd < 0)
		fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		die("a program is gone");
	p->row[p->n].owner = owner;
	p->row[p->n].id = id;
	p->row[p->n].fd = fd;
	read_info(fd, &p->row[p->n++].before);
}

/* A program's own descriptor and that of a link to it both name its id. */
static void add_file(struct programs *p, const char *owner, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];
	u32 id;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "prog_id: %u", &id) == 1 && id)
			add(p, owner, id, -1);
	if (f)
		fclose(f);
}

static void add_process(struct programs *p, const char *owner, const char *pid)
{
	char path[512];
	struct dirent *entry;
	u32 before = p->n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, entry->d_name);
		if (isdigit(entry->d_name[0]))
			add_file(p, owner, path);
	}
	if (dir)
		closedir(dir);
	if (p->n == before) {
		fprintf(stderr, "bpf-cost: %s: no BPF program\n", owner);
		exit(1);
	}
}

/* Whether the first process has a program of this name, which the kernel may cut off. */
static bool has_twin(const struct programs *p, const char *name)
{
	for (u32 i = 0; i < p->n && p->row[i].owner == p->row[0].owner; i++)
		if (!strncmp(name, p->row[i].before.name, BPF_OBJ_NAME_LEN - 1))
			return true;
	return false;
}

static struct empty_bpf *attach_empty(struct programs *p)
{
	struct empty_bpf *empty = empty_bpf__open();
	struct bpf_program *program = NULL;
	struct bpf_prog_info info;
	u32 given = p->n, first = 0;

	if (!empty)
		die("cannot open the empty programs");
	while ((program = bpf_object__next_program(empty->obj, program)))
		bpf_program__set_autoload(program,
					  has_twin(p, bpf_program__name(program)));
	if (empty_bpf__load(empty) || empty_bpf__attach(empty))
		die("cannot attach the empty programs");
	while ((program = bpf_object__next_program(empty->obj, program))) {
		if (!bpf_program__autoload(program))
			continue;
		read_info(bpf_program__fd(program), &info);
		add(p, "empty", info.id, bpf_program__fd(program));
	}
	while (first < given && p->row[first].owner == p->row[0].owner)
		first++;
	if (p->n - given != first)
		die("a program has no empty twin: see empty.bpf.c");
	return empty;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void measure(struct programs *p, double seconds)
{
	struct timespec settle = {0, SETTLE_NS};
	struct timespec window = {seconds, (seconds - (long)seconds) * 1e9};
	u64 start;

	nanosleep(&settle, NULL);
	start = now_ns();
	for (u32 i = 0; i < p->n; i++)
		read_info(p->row[i].fd, &p->row[i].before);
	nanosleep(&window, NULL);
	for (u32 i = 0; i < p->n; i++)
		read_info(p->row[i].fd, &p->row[i].after);
	printf("window %llu %llu\n", (unsigned long long)start,
	       (unsigned long long)now_ns());
}

static void print(const struct program *row)
{
	printf("%s %s %llu %llu\n", row->owner, row->after.name,
	       (unsigned long long)(row->after.run_cnt - row->before.run_cnt),
	       (unsigned long long)(row->after.run_time_ns - row->before.run_time_ns));
}

int main(int argc, char **argv)
{
	static struct programs programs;
	double seconds = argc > 1 ? atof(argv[1]) : 0;
	struct empty_bpf *empty;
	int stats;

	if (argc < 3 || seconds <= 0)
		die("usage: bpf-cost SECONDS NAME=PID...");
	for (int i = 2; i < argc; i++) {
		char *pid = strchr(argv[i], '=');

		if (!pid)
			die("usage: bpf-cost SECONDS NAME=PID...");
		*pid++ = '\0';
		add_process(&programs, argv[i], pid);
	}
	/* Off again when its descriptor is closed, however this ends. */
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		die("cannot enable the kernel's BPF statistics: needs root");
	empty = attach_empty(&programs);
	measure(&programs, seconds);
	for (u32 i = 0; i < programs.n; i++)
		print(&programs.row[i]);
	empty_bpf__destroy(empty);
	close(stats);
	return 0;
}
