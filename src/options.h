/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef IDLETRACE_OPTIONS_H
#define IDLETRACE_OPTIONS_H

#include "idletrace.h"
#include "metrics.h"
#include "workload.h"

enum command { COMMAND_RUN, COMMAND_INFO, COMMAND_LIST };

#define DEFAULT_WORKLOAD_DURATION (30 * NSEC_PER_SEC)
#define DEFAULT_PROFILE_DURATION  (10 * NSEC_PER_SEC)

struct options {
	enum command command;
	/* What runs: a workload, a command, or (neither) whatever runs anyway. */
	const struct workload *workload; /* NULL: none */
	struct workload_config config;	 /* of the workload */
	char **argv;			 /* the command after --, NULL: none */
	u64 duration_ns;		 /* 0: until the work ends by itself, or Ctrl-C */
	u64 warmup_ns;
	bool keep_root;		     /* do not drop to the invoking user */
	struct metric_rules metrics; /* of the command's output; none: it is not read */
	bool calibrate;		     /* runs with and without tracing, in rounds */
	u32 rounds;
	/* Which wakeups the report speaks of. */
	u32 pid; /* 0: all */
	const char *comm;
	const char *cgroup; /* path of a cgroup v2 directory */
	bool cpus_given;
	struct cpu_mask cpus;
	/* How it is traced. */
	bool no_trace;
	enum events events;
	u64 slow_ns;
	u32 slowest;
	bool timers;	  /* who armed the hrtimers */
	int housekeeping; /* CPU of the loader, -1: choose */
	u64 settle_ns;
	u64 ring_bytes; /* per CPU, 0: choose */
	const char *btf;
	bool no_observer_cost; /* do not measure it before the window */
	/* How it is reported. */
	const char *json;    /* file, "-" is stdout, NULL: no JSON */
	const char *plot;    /* directory for pictures, NULL: none */
	const char *html;    /* file for a page, NULL: none */
	const char *records; /* file for the raw records as TSV, NULL: none */
	u64 interval_ns;     /* length of an interval of the time series, 0: none */
	const char *series;  /* file for the intervals as TSV, NULL: none */
	bool histogram;
	bool verbose;
};

enum options_result { OPTIONS_OK, OPTIONS_DONE, OPTIONS_WRONG };

/*
 * Parses the command line. OPTIONS_DONE: help or version was printed, exit 0.
 * OPTIONS_WRONG: one line on stderr has said which option, which value, and what is
 * accepted; exit 2. Free with options_free() in any case.
 */
enum options_result options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

/*
 * The workload that a run's words name, before they can be parsed as its options, some of
 * which may be varied. NULL: none. The words end with NULL, or at "--".
 */
const struct workload *workload_of_words(char *const words[]);

#endif
