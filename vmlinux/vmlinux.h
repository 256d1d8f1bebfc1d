/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel types that bpf/ uses, and of them only the fields it reads. CO-RE finds the
 * real offsets at load, so one file serves every architecture and every kernel with BTF.
 * A ___suffix is another shape of the same kernel type; each says which kernels have it.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef short int __s16;
typedef short unsigned int __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long int __s64;
typedef long long unsigned int __u64;
typedef __u8 u8;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
enum {
	false = 0,
	true = 1,
};

/* enum bpf_map_type, values of the UAPI. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

/* Flags of the UAPI. */
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	u64 id; /* since v5.5 */
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

/* Since v6.1, 7f203bc89eb6. */
struct cgroup___ancestors {
	struct cgroup *ancestors[0];
};

/* Before v6.1. */
struct cgroup___ancestor_ids {
	u64 ancestor_ids[0];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	long unsigned int nvcsw;
	char comm[16];
	struct css_set *cgroups;
};

struct rb_node {
	struct rb_node *rb_left;
};

/* v7.x has struct timerqueue_linked_node in its place, with the same member. */
struct timerqueue_node {
	struct rb_node node;
	s64 expires;
};

struct hrtimer_cpu_base;

struct hrtimer_clock_base {
	struct hrtimer_cpu_base *cpu_base;
	int clockid;
};

struct hrtimer {
	struct timerqueue_node node;
	struct hrtimer_clock_base *base;
	void *function;
	u8 is_soft; /* bool since v7.x */
};

struct hrtimer_sleeper {
	struct hrtimer timer;
	struct task_struct *task;
};

struct cpuidle_state_usage {
	unsigned long long disable;
	unsigned long long usage;
	u64 time_ns;
	unsigned long long above;
	unsigned long long below;
	unsigned long long rejected; /* since v5.10 */
};

struct cpuidle_device {
	unsigned int cpu;
	s64 next_hrtimer;
	struct cpuidle_state_usage states_usage[10];
};

#pragma clang attribute pop

#endif
