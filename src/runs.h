/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs as documents (schema idletrace.run/1): made by a child process that runs idletrace
 * itself, or read from files. What compares runs, prints them side by side or plots them
 * works on these documents alone, so that it can do the same with runs that were saved.
 */
#ifndef IDLETRACE_RUNS_H
#define IDLETRACE_RUNS_H

#include <jansson.h>

#include "hist.h"
#include "workload.h"

/* ---- making runs ---- */

/*
 * Between these two SIGINT, SIGTERM and SIGHUP no longer end the process but are noticed
 * by runs_execute(), runs_sleep() and runs_interrupted(). Returns 0 or -errno.
 */
int runs_begin(void);
void runs_end(void);

/* One of the signals has come; from then on nothing is started any more. */
bool runs_interrupted(void);

/* Sleeps; false: it was cut short by a signal. */
bool runs_sleep(uint64_t ns);

enum runs_end { RUNS_DONE, RUNS_FAILED, RUNS_WRONG_USAGE, RUNS_INTERRUPTED };

/*
 * Runs "idletrace run ARGV...", to be called between runs_begin() and runs_end(). argv
 * holds run options only (NULL at the end; without --json; "--" and a command may come
 * last). The text of its report goes nowhere, its stdin is empty. The child dies with us;
 * a signal is passed on and waited for.
 *
 * RUNS_DONE: *run is a new reference; a run that lost records is done as well, see
 * run_lossy(). Else *run is NULL, and err has one line without "idletrace: ", what the
 * child said last.
 */
enum runs_end runs_execute(char *const argv[], json_t **run, char *err, size_t size);

/* ---- reading runs ---- */

/*
 * A document of any of our schemas: one run, or a collection of them as `sweep` and `ab`
 * write it: {schema: "idletrace.sweep/1" or "idletrace.ab/1", points: [{name:
 * "work=10us", runs: [RUN, ...]}, ...]}, other members being of no concern here. A new
 * reference, or NULL with one line in err.
 */
json_t *runs_load(const char *path, char *err, size_t size);

/* Is it a collection (and not one run)? Of which command ("sweep", "ab"), or NULL. */
const char *runs_collection(const json_t *doc);

/* Writes a document ("-" is stdout): all of it, or the old file stays. 0 or -errno. */
int runs_save(json_t *doc, const char *path);

/* ---- numbers of one run ---- */

#define RUN_NAME 48

/* A number that a run may have. */
struct run_measure {
	char name[RUN_NAME]; /* a metric of the workload, or one with a dot, see below */
	char unit[16];	     /* "ns", "%", "W", "records/s", "" */
	enum metric_better better;
};

/*
 * Every run_*() that returns bool: false if the run does not know the number, and then
 * *value is left alone.
 *
 * Names are those of the workload's own metrics, and:
 *	wakeup.X exit.X queue.X	 ns, X one of p50 p90 p99 p99_9 max mean
 *	wakeup.rate		 wakeups per second
 *	idle.too_deep		 % of the idle periods of the CPUs that take part
 *	idle.too_shallow
 *	idle.share		 % of their time in any idle state
 *	idle.deepest		 % of their time in the deepest state
 *	idle.idles .aboves .belows .misses	counts; misses = aboves + belows
 *	idle.miss_ratio		 misses / idles
 *	machine.X		 the same of all observed CPUs
 *	kernel.idle_rate	 idle entries per second of all observed CPUs, as the
 *				 kernel counts them: without tracing as well
 *	cost.too_deep .too_shallow	ns, see design: misprediction cost
 *	power.watts		 W, of the packages
 *	observer.bpf		 ns of BPF programs per wakeup
 *	observer.cpu_idle	 ns, mean run of the program on cpu_idle
 *	observer.cpu		 % of one CPU, the loader
 */
bool run_number(const json_t *run, const char *name, double *value);

/* Unit and direction of any of these names. False: not a number of this run. */
bool run_measure(const json_t *run, const char *name, struct run_measure *measure);

/* The workload's (or command's) i-th metric; false: no more. */
bool run_metric(const json_t *run, size_t i, struct run_measure *measure, double *value);

/* The metric that the run is about: the first that has a direction. False: none. */
bool run_headline(const json_t *run, struct run_measure *measure, double *value);

/* Names with a dot that belong into every table, in its order; NULL at the end. */
extern const char *const run_table_measures[];

/* ---- idle states of one run ---- */

enum run_cpus { RUN_CPUS_TAKING_PART, RUN_CPUS_ALL };

/* Number of idle states in the run's tables, 0: none known. */
unsigned int run_states(const json_t *run);
const char *run_state_name(const json_t *run, unsigned int state);

enum run_state_number {
	RUN_STATE_IDLES,       /* entries, of the kernel's counters if they are known */
	RUN_STATE_ABOVE,       /* too deep */
	RUN_STATE_BELOW,       /* too shallow */
	RUN_STATE_TOO_DEEP,    /* % of its entries */
	RUN_STATE_TOO_SHALLOW, /* % of its entries */
	RUN_STATE_SHARE,       /* % of the CPUs' time */
};

bool run_state_number(const json_t *run, unsigned int state, enum run_cpus cpus,
		      enum run_state_number which, double *value);

/* ---- the rest ---- */

/* A member of members: run_at(run, "host.cpuidle.governor"). Borrowed; NULL if there is
 * none or it is null. */
json_t *run_at(const json_t *run, const char *path);

/* The same for text; "" if there is none. Borrowed. */
const char *run_text(const json_t *run, const char *path);

/* Adds the buckets of a latency object ("wakeups.latency") to h, in ns. */
bool run_latency(const json_t *run, const char *path, struct hist *h);

/* Name of the workload or of the command's program; "profile" for neither. */
const char *run_subject(const json_t *run);

/*
 * What ran, as one would write it: "pingpong --rings 2", "make -j4", "profile of all
 * tasks". Returns buf; what does not fit ends in "...".
 */
char *run_title(const json_t *run, char *buf, size_t size);

/* "kernel 6.12.1 x86_64, 2 CPUs, cpuidle intel_idle/menu". Returns buf. */
char *run_where(const json_t *run, char *buf, size_t size);

/*
 * A member of wakeups.classes as people call it: "CPU running", "C6 too deep". Returns
 * buf.
 */
char *run_class_name(const json_t *class, char *buf, size_t size);

/* Records were lost; the run was cut short by a signal: its numbers are incomplete. */
bool run_lossy(const json_t *run);
bool run_stopped(const json_t *run);

#endif
