/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a run found: plain numbers, from which the text and the JSON are printed and which
 * tests fill by hand. Times are ns. No BPF in here.
 */
#ifndef IDLETRACE_RESULTS_H
#define IDLETRACE_RESULTS_H

#include "caps.h"
#include "hist.h"
#include "idletrace.h"
#include "machine.h"
#include "power.h"
#include "metrics.h"
#include "workload.h"

/* One class of wakeups; of CLASS_IDLE one state and verdict. */
struct wakeup_row {
	enum wakeup_class class;
	u32 state;	      /* CLASS_IDLE only */
	enum verdict verdict; /* CLASS_IDLE only */
	struct hist latency;  /* waking to run; its count is the row's */
	struct hist exit;     /* waking to awake: of the classes whose CPU was idle */
	struct hist queue;    /* awake to run; the whole latency where it was not idle */
};

struct wakeups {
	u32 nr_rows; /* SLOTS(states), empty rows included */
	struct wakeup_row *rows;
	struct hist sources[SOURCES];	  /* latency by enum wake_source */
	struct hist latency, exit, queue; /* all rows together */
};

/* Traced minus kernel, over the window. */
struct residual {
	s64 usage, above, below, rejected, time_us;
};

/* The idle periods of one state: on one CPU, or on all together. */
struct idle_row {
	u64 requested, entered;
	u64 uncounted;	    /* entered, but not accounted by the kernel: no driver yet */
	u64 uncounted_time; /* ... their part of time */
	u64 verdict[VERDICTS]; /* of entered periods, by enum verdict; [REJECTED] of
				  requests */
	u64 end[ENDS];	       /* by enum period_end */
	u64 time;
	u64 shallow_time[STATES_MAX]; /* residency of too shallow periods, by right state
				       */
	u64 deep_wakeups[STATES_MAX]; /* wakeups out of too deep periods, by right state
				       */
	u64 deep_exit[STATES_MAX];    /* sum of their exit phases */
	struct state_usage kernel;    /* difference of the kernel's counters */
	struct residual residual;
};

struct cpu_row {
	u32 cpu;
	bool in_window;	 /* was observed: online, and asked for */
	bool has_kernel; /* the kernel's counters could be read at both ends */
	u64 start, end;	 /* of the window on this CPU, CLOCK_MONOTONIC */
	u64 switches, periods;
	struct idle_row state[STATES_MAX];
};

/* The CPUs that a workload keeps to, where others are observed as well. */
struct idle_part {
	bool given;
	struct cpu_mask cpus;
	u64 cpu_time; /* sum of their windows */
	struct idle_row state[STATES_MAX];
	struct hist residency[STATES_MAX];
};

struct timer_row {
	u64 expired, tick;
	struct hist late;
};

/* hrtimers of one handler that tasks of one name armed (--timers). */
struct timer_user_row {
	struct timer_owner owner;
	struct timer_user user;
	char function[48]; /* the handler's symbol, "" if it is hidden */
};

/* Too deep: what the wakeups out of one state paid. */
struct deep_cost {
	u64 wakeups;
	s64 time;   /* exit phases beyond the median of hits in the right state, summed */
	bool known; /* false: no hit in the right state to compare with */
};

struct slow_wakeup {
	struct wakeup_record record;
	char waker[COMM_LEN]; /* "" if it is gone */
};

/* A task that the records spoke of (--events all). */
struct task_row {
	u32 pid;
	char comm[COMM_LEN];
	u64 wakeups, sum, max;
	u8 scope;
};

struct loss {
	u64 ring, orphans, unmatched, map_full, negative, recursion, unpaired;
	u64 unseen;	 /* switches that the kernel did not trace ... */
	u64 unseen_runs; /* ... and that answered a waking */
	u64 wrapped;	 /* counted in a histogram's total, missing in its buckets */
};

struct observer {
	/* Measured before the window. */
	bool wakeup_known, period_known;
	double bpf_ns_wakeup;
	double bpf_ns_period; /* with period_known, as the next */
	double cpu_idle_ns;   /* mean run of the program on cpu_idle, entry and exit */
	u64 measured_wakeups;
	/* Of the window. */
	bool estimated;
	double bpf_ns_per_wakeup; /* with its share of the idle periods */
	u64 cpu_ns;		  /* CPU time of the loader */
	u64 wakeups;		  /* of the loader */
	u64 late_ns;		  /* most that it woke after the time it had set */
	u32 housekeeping;
	/* Of the program. */
	u64 start_ns;	/* from its start to the open window */
	u64 finish_ns;	/* from the end of the window until everything was read */
	u64 memory;	/* most that was resident, bytes; 0: unknown, as the next */
	u64 bpf_memory; /* maps and programs in the kernel */
};

struct series;

struct results {
	const struct machine *machine;
	const struct caps *caps;
	struct machine after; /* the machine when the window closed */
	const char *args;     /* the command line, quoted for a shell */
	time_t date;
	/* The window: the longest over the CPUs, and when it opened. */
	u64 start, duration;
	bool interrupted; /* ended by a signal before its time */
	bool traced;	  /* false: --no-trace, only the workload's part is valid */
	/* What ran. */
	const struct workload_config *config; /* NULL: no workload */
	const struct workload_result *workload;
	char **argv;			   /* NULL: no command */
	int exit_status;		   /* of the command */
	const struct metric_scan *metrics; /* of its output, NULL: not read */
	char filter[256]; /* "--comm foo* --cpus 0-3", "" without filters */
	/* Wakeups of the subject, and (if counted) of all others. */
	struct wakeups wakeups, others;
	bool has_others;
	u32 nr_states; /* states in the tables below */
	struct idle_row idle[STATES_MAX];
	struct hist residency[STATES_MAX];
	u32 nr_cpus;
	struct cpu_row *cpus;
	u64 cpu_time; /* sum of the windows of all CPUs */
	struct idle_part part;
	struct timer_row timers[STATES_MAX + 1]; /* [nr_states]: CPU running */
	u32 nr_timer_users;
	struct timer_user_row *timer_users; /* most ended idle periods first */
	u64 timers_other_clock; /* expired, but not of CLOCK_MONOTONIC: lateness unknown
				 */
	struct deep_cost deep[STATES_MAX];	  /* by entered state */
	u64 shallow_cost[STATES_MAX][STATES_MAX]; /* residency, [entered][right] */
	u32 nr_slowest;
	struct slow_wakeup slowest[SLOWEST_MAX];
	u32 nr_tasks;
	struct task_row *tasks;
	u64 tasks_left_out; /* wakeups of tasks beyond these */
	u64 records;	    /* taken from the rings */
	u64 unslept;	    /* wakings of tasks that had not slept */
	u64 switches;
	u64 kernel_switches;	    /* of the whole machine, ... */
	bool kernel_switches_known; /* ... so only if all of it was observed */
	u64 rule_checked, rule_wrong;
	const struct series *series; /* the intervals, NULL: no --interval */
	bool has_power;		     /* the machine has powercap zones, readable or not */
	struct power_use power[POWER_DOMAINS];
	struct loss loss;
	struct observer observer;
};

/* Allocates the tables for nr_states states. Returns 0 or -ENOMEM. */
int results_init(struct results *r, u32 nr_states, u32 nr_cpus);
void results_free(struct results *r);

/*
 * Tells which CPUs take part, before residencies are filled: a part of its own only if
 * that is some of the CPUs in the window.
 */
void results_take_part(struct results *r, const struct cpu_mask *cpus);

/*
 * After rows and CPUs are filled: totals, sums over the CPUs, residuals, costs, order of
 * the timers' users. Sources, and the slowest in their order, come with the rows.
 */
void results_finish(struct results *r);

/* All idle periods of the window: entered, rejected, and not accounted. */
u64 results_periods(const struct results *r);

/* Something was lost on the way: the numbers are incomplete. */
bool results_lossy(const struct results *r);

/* The kernel's names of these values: "hit", "too deep", "timer", "running", ... */
const char *verdict_name(enum verdict v);
const char *source_name(enum wake_source s);
const char *class_name(enum wakeup_class c);

/* Prints the report to stdout. */
void report_text(const struct results *r, bool histogram);

/* Where it goes besides; NULL: nowhere. */
struct report_files {
	const char *json; /* file, "-" is stdout */
	const char *plot; /* directory for pictures */
	const char *html; /* file */
};

/* Before the run: are there directories for them? 0, or -1 with a line on stderr. */
int report_files_check(const struct report_files *files);
int report_files(const struct results *r, const struct report_files *files);

#endif
