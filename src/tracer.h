/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF side of a run: programs, maps, rings. Everything goes when it is closed. */
#ifndef IDLETRACE_TRACER_H
#define IDLETRACE_TRACER_H

#include "caps.h"
#include "machine.h"
#include "results.h"

/* This process has what loading the programs needs: CAP_BPF and CAP_PERFMON, or more. */
bool tracer_privileged(void);

struct tracer_config {
	const struct caps *caps;
	const struct machine *machine;
	const char *btf;	  /* NULL: the running kernel's */
	struct settings settings; /* states, hists and what caps decide are filled in */
	u64 ring_bytes;
};

struct tracer;
struct sample;

/* Whether libbpf's own messages go to stderr or nowhere; before all else. */
void tracer_set_verbose(bool verbose);

/*
 * Loads and attaches the programs, every window closed. NULL with one line in err that
 * says what is missing.
 */
struct tracer *tracer_open(const struct tracer_config *config, char *err, size_t size);
void tracer_close(struct tracer *t);

/*
 * Opens or closes the window on one CPU. Call it while running on that CPU: then no idle
 * period is open there, and what the kernel has counted so far is what was traced so far.
 */
void tracer_window(struct tracer *t, unsigned int cpu, bool open);

/*
 * After a poke of these CPUs: do their switches reach the programs? Attaching patches the
 * kernel's code, and a CPU was seen to go on with the old one (arm64 under emulation).
 * Then it attaches once more; the caller pokes and asks again.
 */
bool tracer_sees_switches(struct tracer *t, const struct cpu_mask *cpus);
int tracer_attach_again(struct tracer *t);

/* What is lost or left over from here on counts. Just before the window opens. */
void tracer_rebase(struct tracer *t);

/* Forgets everything counted so far. All windows must be closed. */
void tracer_reset(struct tracer *t);

/* Takes what is in the rings; returns the fill of the fullest ring before, in percent. */
typedef void (*record_fn)(void *ctx, const union record *record);
unsigned int tracer_drain(struct tracer *t, record_fn fn, void *ctx);

/*
 * Adds up what was counted into results that results_init() has prepared: rows, sources,
 * idle periods, timers, slowest, loss, and per CPU. All windows must be closed. Records
 * that had not come into a ring yet go to fn; call it once, after the last
 * tracer_drain().
 */
void tracer_read(struct tracer *t, struct results *r, record_fn fn, void *ctx);

/*
 * What was counted so far, at any time inside the window. Sets time (CLOCK_MONOTONIC),
 * buckets, states and loss of the sample; open idle periods of these CPUs are in the
 * residencies. False: it could not be read, for want of memory.
 */
bool tracer_sample(struct tracer *t, const struct cpu_mask *cpus, struct sample *s);

/* Time and runs of the programs by the kernel's own statistics, which must be enabled. */
struct program_stats {
	u64 run_time_ns;
	u64 wakings;   /* runs of the programs that begin a wakeup */
	u64 idle_runs; /* of the one on cpu_idle, which a period has two of */
	u64 idle_run_time_ns;
};
void tracer_program_stats(struct tracer *t, struct program_stats *stats);

#endif
