/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The intervals of a run (--interval): taken while the window is open, each written to
 * its files as it closes, so that memory does not grow with the length of the run.
 *
 *	series_open()	before the window; without --interval all of this does nothing
 *	series_begin()	the window is open
 *	series_take()	whenever series_due() has come
 *	series_stop()	the window closes
 *	series_finish()	the results are complete: they end the last interval
 *
 * Afterwards, as long as the series is open, all intervals can be read in their order and
 * as often as one likes (a run with --series alone has kept none, see series_kept()):
 *
 *	struct interval i;
 *
 *	for (u64 n = 0; n < series->count && series_kept(series); n++)
 *		if (!series_read(series, n, &i))
 *			...
 */
#ifndef IDLETRACE_SERIES_H
#define IDLETRACE_SERIES_H

#include "interval.h"
#include "options.h"
#include "spill.h"
#include "tracer.h"

struct series {
	u64 every;   /* ns, 0: no --interval */
	u64 count;   /* intervals so far */
	u64 start;   /* of the window, CLOCK_MONOTONIC like the next three */
	u64 began;   /* what the intervals' ends are counted from */
	u64 planned; /* end of the work, UINT64_MAX: unknown */
	u64 next;    /* end of the current interval */
	const struct machine *machine;
	const struct cpu_mask *cpus; /* that are observed */
	struct power *power;
	FILE *tsv; /* --series, NULL: none */
	const char *path;
	int tsv_error; /* errno */
	bool keeps;    /* rows are open */
	bool in_json;  /* they go there, too */
	struct spill rows;
	struct sample last, now;
};

/*
 * For o->interval_ns, o->series, o->json, o->plot and o->html. Both stay with the caller.
 * Returns 0, or -1 with one line in err. series_close() is due in any case.
 */
int series_open(struct series *s, const struct options *o, const struct machine *m,
		char *err, size_t size);
void series_close(struct series *s);

/*
 * The window of r has opened on these CPUs, the work began at that moment and is planned
 * to take that long (0: unknown). before is power's snapshot of the beginning. What is
 * passed stays with the caller.
 */
void series_begin(struct series *s, const struct results *r, const struct cpu_mask *cpus,
		  struct power *power, const struct power_snapshot *before, u64 began,
		  u64 duration);

/* When series_take() is due, CLOCK_MONOTONIC; UINT64_MAX: never. */
u64 series_due(const struct series *s);
void series_take(struct series *s, struct tracer *t, const struct results *r);

/* after is power's snapshot of the end. */
void series_stop(struct series *s, const struct power_snapshot *after);

/* Returns 0, or -1 with one line in err if --series was not written whole. */
int series_finish(struct series *s, const struct results *r, char *err, size_t size);

/* Were intervals kept for series_read(), and all of them? */
bool series_kept(const struct series *s);

/* Interval i of s->count. 0 or -errno. */
int series_read(const struct series *s, u64 i, struct interval *interval);

#endif
