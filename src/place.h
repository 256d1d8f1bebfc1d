/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where threads are put: --place any|cores|smt|llc|LIST, by the CPU topology in sysfs.
 *
 *	any	nothing is pinned
 *	cores	one CPU of each physical core, in order of CPU numbers
 *	smt	the siblings of one core
 *	llc	CPUs that share the last-level cache: one of each core, then their
 *siblings LIST	these CPUs, in the order given; a CPU may be given more than once
 *
 * smt and llc know several groups (each core, each cache). Workloads that consist of
 * independent sets of threads (rings) may put each in a group of its own, the others use
 * group 0.
 */
#ifndef IDLETRACE_PLACE_H
#define IDLETRACE_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "units.h"

struct workload_run;

#define PLACE_SYSFS  "/sys"
#define PLACE_UNIT   "cores|smt|llc|any|LIST" /* for workload_option.unit */
#define PLACE_NO_CPU UINT32_MAX		      /* not pinned */

enum place_kind { PLACE_ANY, PLACE_CORES, PLACE_SMT, PLACE_LLC, PLACE_LIST };

struct place {
	enum place_kind kind;
	unsigned int nr_groups; /* 0 for any */
	unsigned int *first;	/* of each group in cpus, and the end; owned */
	uint32_t *cpus;		/* owned */
};

/* The CPUs a run may use: those the user named, else the affinity of the caller. */
void place_allowed(const struct workload_run *run, struct cpu_mask *allowed);

/*
 * Chooses by --place TEXT among the CPUs that are online and allowed. need is the number
 * of CPUs that must be different in a group (those with fewer are left out); a LIST is
 * taken as it is. root is PLACE_SYSFS or the top of a copy of it. Returns 0 or -1 with
 * one line in err; place_free() is due after 0.
 */
int place_choose(struct place *place, const char *text, unsigned int need,
		 const struct cpu_mask *allowed, const char *root, char *err,
		 size_t size);

/* For .check: can it be chosen on this machine? Returns 0 or -1 with one line in err. */
int place_check(const char *text, unsigned int need, const struct workload_run *run,
		char *err, size_t size);

/*
 * CPU of thread nr in a group; both wrap around, so that every thread has one.
 * PLACE_NO_CPU for any.
 */
uint32_t place_cpu(const struct place *place, unsigned int group, unsigned int nr);

/* CPUs in a group, those given more than once counted as often; 0 for any. */
unsigned int place_size(const struct place *place, unsigned int group);

/* Pins the caller to that CPU; nothing for PLACE_NO_CPU. 0 or -errno. */
int place_pin(uint32_t cpu);

/* The same for another thread of the caller's, such as a parked worker. */
int place_pin_thread(pid_t tid, uint32_t cpu);

/*
 * What was chosen for the first nr threads of a group: "any (not pinned)",
 * "cores: CPU 0-5", "list: CPU 0,0". Returns buf.
 */
char *place_format(const struct place *place, unsigned int group, unsigned int nr,
		   char *buf, size_t size);

void place_free(struct place *place);

#endif
