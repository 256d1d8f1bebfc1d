// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOAD=many-cpus.so CPUS=256 idletrace ...
 *
 * As if so many CPUs were possible: what the loader reads from the per-CPU maps are the
 * values of this machine's CPUs, over and over again.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int (*cpus_fn)(void);
typedef int (*lookup_fn)(int fd, const void *key, void *value);

static int real_cpus(void)
{
	cpus_fn next = (cpus_fn)dlsym(RTLD_NEXT, "libbpf_num_possible_cpus");

	return next();
}

int libbpf_num_possible_cpus(void)
{
	const char *cpus = getenv("CPUS");

	return cpus ? atoi(cpus) : real_cpus();
}

static void repeat(char *values, size_t size)
{
	int cpus = libbpf_num_possible_cpus(), real = real_cpus();

	for (int cpu = real; cpu < cpus; cpu++)
		memcpy(values + cpu * size, values + cpu % real * size, size);
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	lookup_fn next = (lookup_fn)dlsym(RTLD_NEXT, "bpf_map_lookup_elem");
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info);
	int err = next(fd, key, value);

	if (!err && !bpf_obj_get_info_by_fd(fd, &info, &size) &&
	    info.type == BPF_MAP_TYPE_PERCPU_ARRAY)
		repeat(value, (info.value_size + 7) & ~7UL);
	return err;
}
