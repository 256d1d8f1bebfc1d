/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tracer.c (programs and rings) and tracer_read.c (maps to results). */
#ifndef IDLETRACE_TRACER_PRIVATE_H
#define IDLETRACE_TRACER_PRIVATE_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "join.h"
#include "tracer.h"

/* One CPU's ring: what the last look took from it. */
struct ring_reader {
	struct tracer *tracer;
	int fd; /* 0: no ring. Kept open, so that /proc/PID/fdinfo shows its memory */
	u64 bytes;
};

struct tracer {
	struct tracer_config config;
	struct idletrace_bpf *skel;
	struct ring_buffer *rings;   /* NULL: no records */
	struct ring_reader *readers; /* by CPU */
	unsigned int cpus;	     /* possible */
	struct counters *base;	     /* counters at the last reset, per CPU */
	u64 base_recursion;
	record_fn record_fn;
	void *record_ctx;
};

u64 tracer_recursion_misses(struct tracer *t);

/* Room for all CPUs' values of any map; to be freed. */
void *tracer_alloc_values(struct tracer *t);

/* All CPUs' values of one key; stride is what the kernel rounds a value up to. */
static inline bool lookup(struct bpf_map *map, u32 key, void *values)
{
	return !bpf_map_lookup_elem(bpf_map__fd(map), &key, values);
}

static inline size_t stride(size_t value_size)
{
	return (value_size + 7) & ~(size_t)7;
}

#define at(values, cpu, type) \
	((const type *)((const char *)(values) + (cpu)*stride(sizeof(type))))

/* Loss since tracer_rebase(), but for wrapped. Overwrites values. False: no memory. */
bool tracer_loss(struct tracer *t, struct loss *l, void *values);

#endif
