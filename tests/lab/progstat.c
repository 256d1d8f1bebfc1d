// SPDX-License-Identifier: GPL-2.0
/*
 * progstat
 *
 * Prints a line "NAME RUNS NANOSECONDS" for every BPF program that has run since
 * kernel.bpf_stats_enabled was set. Asks the kernel itself, so that what is measured does
 * not depend on what the measured program says.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int show(unsigned id)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr = {.prog_id = id};
	int fd, err;

	fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	if (fd < 0)
		return -1;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	err = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	if (!err && info.run_cnt)
		printf("%s %llu %llu\n", info.name, info.run_cnt, info.run_time_ns);
	return err;
}

int main(void)
{
	union bpf_attr attr = {0};

	while (!bpf(BPF_PROG_GET_NEXT_ID, &attr)) {
		unsigned id = attr.next_id;

		/* Gone in the meantime is no error. */
		if (show(id) && errno != ENOENT) {
			perror("progstat");
			return 1;
		}
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
	}
	return errno != ENOENT;
}
