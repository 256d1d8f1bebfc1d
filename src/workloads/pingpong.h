/* SPDX-License-Identifier: GPL-2.0 */
/* Between the parts of pingpong, and what of it needs no timing, for tests. */
#ifndef IDLETRACE_PINGPONG_H
#define IDLETRACE_PINGPONG_H

#include <stddef.h>
#include <stdint.h>

#include "modes.h"
#include "place.h"
#include "work.h"
#include "workers.h"

/* The line of the original: elapsed time by loops of one ring, in us. */
char *pingpong_line(double loop_ns, char *buf, size_t size);

/*
 * How a ring did over time, in slices that become longer as there are more of them: when
 * none is left to begin, each two become one. Begin with all zero and min_ns set.
 */
#define PINGPONG_SLICES 1024

struct pingpong_slice {
	uint64_t loops, ns;
};

struct pingpong_series {
	uint64_t min_ns; /* a slice is closed when it is as long as that */
	unsigned int nr; /* closed */
	struct pingpong_slice open;
	struct pingpong_slice slice[PINGPONG_SLICES];
};

/* Adds one loop. Returns 1 when that closed a slice, else 0. */
int pingpong_series_add(struct pingpong_series *series, uint64_t loop_ns);

/* ns per loop of each closed slice, weighted by time; returns how many. */
size_t pingpong_series_samples(const struct pingpong_series *series,
			       struct mode_sample *samples);

enum { TOKEN_PIPE, TOKEN_FIFO, TOKEN_FUTEX };

struct pingpong_options {
	uint64_t tasks;
	uint64_t rings;
	uint64_t loops;
	char *work;
	char *place;
	int token;
};

extern const char *const pingpong_tokens[];

struct ring;

/* Where a task gets the token, and what its predecessor says with it: one cache line. */
struct task {
	atomic_uint token; /* futex: 1 when it is here */
	bool measured;	   /* this hop counts */
	bool last;	   /* pass it on and go */
	uint64_t sent_ns;  /* when the predecessor let go of it */
	struct task *next;
	struct ring *ring;
	int read_fd, write_fd; /* own end, and that of the next task */
	struct hist hop;
} __attribute__((aligned(64)));

struct ring {
	struct task *first;
	uint64_t loops; /* measured */
	uint64_t begin_ns, end_ns;
	struct pingpong_series series;
};

struct pingpong {
	struct workload_ctx *ctx;
	const struct pingpong_options *opt;
	struct workers pool;
	struct place place;
	struct work_calibration calibration;
	uint64_t units;
	uint64_t goal; /* loops to measure; UINT64_MAX: until the end */
	unsigned int nr_tasks, nr_rings;
	struct task *tasks; /* of ring 0, of ring 1, ... */
	struct ring *rings;
};

void pingpong_report(struct workload_ctx *ctx);

#endif
