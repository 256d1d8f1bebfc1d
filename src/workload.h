/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the program and its built-in workloads.
 *
 * A workload is one file in src/workloads/ that defines one struct workload, and one line
 * in the table in src/workload.c. It runs in a child process of its own (src/runner.c),
 * in this order:
 *
 *	check	  in the parent: do the options make sense together?
 *	setup	  threads exist and sleep, memory is allocated; nothing runs yet
 *	run	  the gate is open: work until workload_stopping() or the loops are done
 *	report	  nothing runs any more: turn samples into metrics, lines and histograms
 *	teardown  free everything
 *
 * Threads, absolute sleeps and timer slack: see src/workers.h.
 */
#ifndef IDLETRACE_WORKLOAD_H
#define IDLETRACE_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "hist.h"
#include "units.h"

#define WORKLOAD_ERROR_MAX 256 /* bytes for one error line, without "idletrace: " */

/* ---- options ---- */

/* The C type of the field, and how the value is written. */
enum option_type {
	OPTION_COUNT,	 /* uint64_t: 500, 10k */
	OPTION_DURATION, /* uint64_t, ns: 20us */
	OPTION_SIZE,	 /* uint64_t, bytes: 256k */
	OPTION_NUMBER,	 /* double: 12.5 */
	OPTION_ENUM,	 /* int, the index in choices: one of their names */
	OPTION_BOOL,	 /* bool: yes, no, or the option alone for yes */
	OPTION_CPULIST,	 /* struct cpu_mask: 0-3,8 */
	OPTION_TEXT,	 /* char *, owned by the config: anything; min is its length */
};

/*
 * One option. The value is stored in the workload's own options struct, at the place
 * given by OPTION_FIELD(). min and max are inclusive, in the field's unit; max 0 means no
 * upper limit. word, if any, is a word accepted in the place of a number ("auto"), which
 * is stored as word_value, or as the empty set for a CPU list.
 */
struct workload_option {
	const char *name;	    /* without dashes */
	const char *help;	    /* half a line */
	const char *unit;	    /* shown in the help for the value; NULL: by type */
	const char *def;	    /* default, as the user would write it */
	const char *const *choices; /* OPTION_ENUM: names, NULL at the end */
	const char *word;
	uint64_t word_value;
	uint64_t min;
	uint64_t max;
	enum option_type type;
	uint32_t offset;
	uint32_t size;
};

#define OPTION_FIELD(type_, field) \
	.offset = offsetof(type_, field), .size = sizeof(((type_ *)0)->field)

struct workload;

/* A workload with the values of its options. */
struct workload_config {
	const struct workload *workload;
	void *values;	/* the workload's options struct, owned */
	uint64_t given; /* bit i: the user gave option i */
};

/* How long and where: the same for every workload. */
struct workload_run {
	uint64_t duration_ns; /* of the measurement; 0: ends by loops only */
	uint64_t warmup_ns;   /* runs, but is not measured, before duration begins */
	struct cpu_mask cpus; /* where it may run; empty: anywhere */
};

/* ---- results ---- */

enum metric_better { BETTER_NONE, BETTER_LOWER, BETTER_HIGHER };

#define RESULT_METRICS	 1024
#define RESULT_LATENCIES 8
#define RESULT_TEXT	 8192
#define RESULT_NAME	 32
#define RESULT_THREADS	 131072

struct workload_metric {
	char name[RESULT_NAME]; /* lower case and underscores, stable */
	char unit[16];		/* "ns", "records/s", ""  */
	double value;
	enum metric_better better;
};

struct workload_latency {
	char name[RESULT_NAME];
	struct hist hist; /* ns */
};

/* What a thread says about itself, from the gate, or shortly before it, to its end. */
struct workload_thread {
	pid_t tid;
	bool complete; /* false: it began and did not get to its end */
	uint64_t nvcsw;
};

/*
 * What a workload hands back. Lives in memory shared with the parent, so it is flat.
 * legacy is what the original program prints, text what the report adds; both are whole
 * lines, each ended by a newline.
 */
struct workload_result {
	uint64_t start_ns;    /* CLOCK_MONOTONIC: measurement began (warm-up over) */
	uint64_t end_ns;      /* CLOCK_MONOTONIC: measurement ended */
	bool stopped;	      /* ended early because the parent asked */
	struct cpu_mask cpus; /* the CPUs that take part */
	char legacy[RESULT_TEXT];
	char text[RESULT_TEXT];
	unsigned int nr_metrics;
	unsigned int nr_latencies;
	atomic_uint nr_threads; /* may exceed RESULT_THREADS; the rest was not kept */
	struct workload_metric metrics[RESULT_METRICS];
	struct workload_latency latencies[RESULT_LATENCIES];
	struct workload_thread threads[RESULT_THREADS];
};

/* ---- while it runs ---- */

enum workload_stop { STOP_NO, STOP_END, STOP_ASKED };

/* Memory shared between parent and child (and children of the child). */
struct workload_shared {
	atomic_int stop; /* enum workload_stop; all look at it all the time */
	_Alignas(64) atomic_ullong progress; /* units of work done; any unit */
	atomic_ullong progress_goal;	     /* 0: unknown */
	atomic_ullong gate_ns;		     /* CLOCK_MONOTONIC: the gate opened */
	char error[WORKLOAD_ERROR_MAX];
	struct workload_result result;
};

struct workload_ctx {
	const struct workload_config *config;
	const void *options; /* config->values */
	struct workload_run run;
	struct workload_shared *shared;
	struct workload_result *result; /* &shared->result */
	uint64_t start_ns; /* measurement begins, CLOCK_MONOTONIC; valid in run() */
	uint64_t end_ns;   /* duration ends; UINT64_MAX without a duration */
	void *priv;	   /* the workload's own state */
};

/*
 * .check, .setup and .run return 0 or -1 with one error line in err or from
 * workload_error(). .check and .need_files are optional. .teardown is also called after a
 * setup that failed half way.
 */
struct workload {
	const char *name;    /* also the comm of its process */
	const char *summary; /* one line, fits after the name in 80 columns */
	const struct workload_option *options;
	unsigned int nr_options; /* at most 64 */
	size_t options_size;	 /* of its options struct */
	bool needs_root;	 /* else it can run as the user who called sudo */
	int (*check)(const struct workload_config *config, const struct workload_run *run,
		     char *err, size_t size);
	uint64_t (*need_files)(const struct workload_config *config); /* descriptors */
	int (*setup)(struct workload_ctx *ctx);
	int (*run)(struct workload_ctx *ctx);
	void (*report)(struct workload_ctx *ctx);
	void (*teardown)(struct workload_ctx *ctx);
};

/* All workloads, NULL at the end. */
extern const struct workload *const workloads[];

/* NULL if there is none of that name. */
const struct workload *workload_find(const char *name);

/* Defaults of all options. Returns 0 or -ENOMEM. Free with workload_config_free(). */
int workload_config_init(struct workload_config *config, const struct workload *w);
void workload_config_free(struct workload_config *config);

/* The option called name (no dashes), or NULL. */
const struct workload_option *workload_find_option(const struct workload *w,
						   const char *name);

/* Does the option take a value on the command line? (A bool may stand alone.) */
bool workload_option_takes_value(const struct workload_option *option);

/*
 * Sets one option from text; value NULL is a bool given alone. Returns 0, -ENOENT (no
 * such option), -EINVAL or -ENOMEM, with one line in err.
 */
int workload_parse_option(struct workload_config *config, const char *name,
			  const char *value, char *err, size_t size);

/* All options together. Returns 0 or -EINVAL with one line in err. */
int workload_check(const struct workload_config *config, const struct workload_run *run,
		   char *err, size_t size);

/* Did the user give that option himself? */
bool workload_given(const struct workload_config *config, const char *name);

/* The value of option i as text that workload_parse_option() takes back. */
char *workload_option_text(const struct workload_config *config, unsigned int i,
			   char *buf, size_t size);

/* Summary and options, within 80 columns. */
void workload_print_help(const struct workload *w, FILE *out);

/* ---- for the workloads themselves ---- */

/* Time to end: the parent asked, or workload_finish() was called. */
static inline bool workload_stopping(const struct workload_ctx *ctx)
{
	return atomic_load_explicit(&ctx->shared->stop, memory_order_relaxed) != STOP_NO;
}

/* Tells all threads of the workload that the duration or the loops are over. */
void workload_finish(struct workload_ctx *ctx);

static inline void workload_progress(struct workload_ctx *ctx, uint64_t done)
{
	atomic_store_explicit(&ctx->shared->progress, done, memory_order_relaxed);
}

/* Sets the error line and returns -1. */
int workload_error(struct workload_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends to the result. What does not fit is dropped, whole lines at a time. */
void result_metric(struct workload_result *result, const char *name, double value,
		   const char *unit, enum metric_better better);
void result_legacy(struct workload_result *result, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void result_text(struct workload_result *result, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A new empty histogram in the result, to be filled; NULL when there are too many. */
struct hist *result_latency(struct workload_result *result, const char *name);

/*
 * Metrics NAME_p50, _p90, _p99, _p99_9 and _max of a histogram in ns, and a line of text
 * with the same in one unit. Nothing for an empty one.
 */
void result_latency_report(struct workload_result *result, const char *name,
			   const struct hist *hist);

#endif
