/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records on their way to user space. They are gathered per CPU and submitted in batches:
 * a submit costs as much as everything else together (docs: OVERHEAD in the man page).
 * All callers run with interrupts off, so that a batch has one writer at a time.
 */
#ifndef IDLETRACE_RECORD_BPF_H
#define IDLETRACE_RECORD_BPF_H

#include "maps.bpf.h"

/* The next free record of this CPU's batch; it must be filled and pushed at once. */
static __always_inline union record *record_next(struct batch *b)
{
	u32 n = b->count;

	return n < BATCH_MAX ? &b->record[n] : 0;
}

static __always_inline struct batch *record_batch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&batches, &zero);
}

static __always_inline void record_push(struct cpu_ctx *c, struct batch *b)
{
	u32 cpu = c->cpu;
	void *ring;

	if (++b->count < BATCH_MAX)
		return;
	b->count = 0;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	/* Never wake the reader: from the idle path that is a storm of interrupts. */
	if (!ring ||
	    bpf_ringbuf_output(ring, b->record, sizeof(b->record), BPF_RB_NO_WAKEUP))
		c->count.ring += BATCH_MAX;
}

#endif
