/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tracer.c (programs and rings) and tracer_read.c (maps to results). */
#ifndef IDLETRACE_TRACER_PRIVATE_H
#define IDLETRACE_TRACER_PRIVATE_H

#include <bpf/libbpf.h>

#include "join.h"
#include "tracer.h"

/* One CPU's ring: what the last look took from it. */
struct ring_reader {
	struct tracer *tracer;
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

#endif
