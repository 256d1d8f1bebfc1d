/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs and the loader agree on: records, map values and settings.
 * All times are ns of CLOCK_MONOTONIC (bpf_ktime_get_ns()).
 */
#ifndef IDLETRACE_H
#define IDLETRACE_H

#include "buckets.h"
#include "types.h"
#include "verdict.h"

#define CPUS_MAX    4096
#define COMM_LEN    16 /* TASK_COMM_LEN */
#define SLOWEST_MAX 64
#define STAGE_MAX   32

enum wakeup_class {
	CLASS_RUNNING, /* the CPU was not idle at the waking */
	CLASS_QUEUED,  /* it was idle, but ran another task first */
	CLASS_ABORTED, /* it was in the idle loop and entered no state */
	CLASS_IDLE,    /* first task to run after the period its waking fell into */
	CLASSES
};

enum wake_source {
	SOURCE_UNKNOWN,
	SOURCE_TIMER,  /* an hrtimer that expired on the CPU that runs the task */
	SOURCE_REMOTE, /* a waking on another CPU */
	SOURCE_LOCAL,  /* a task on the same CPU */
	SOURCE_IRQ,    /* an interrupt in the idle period, no hrtimer */
	SOURCES
};

/* What ended an idle period, against the timer it was programmed for. */
enum period_end {
	END_TIMER,	 /* an hrtimer other than the tick */
	END_TICK,	 /* the tick and nothing else */
	END_INTERCEPTED, /* anything else, before any timer */
	ENDS
};

/* A wakeup histogram's place: class, and for CLASS_IDLE the state and the verdict. */
#define SLOT_IDLE	    CLASS_IDLE
#define SLOTS(states)	    (SLOT_IDLE + (states)*VERDICTS)
#define IDLE_SLOT(state, v) (SLOT_IDLE + (state)*VERDICTS + (v))

/* The tasks a report speaks of, and all others. */
enum scope { SCOPE_SUBJECT, SCOPE_OTHER, SCOPES };

struct latency_hist {
	u64 count, sum, min, max;
	u32 bucket[HIST_BUCKETS];
};

/*
 * Map "hists": a pool of histograms per CPU. What each is of, its key, is settled when
 * the first value comes: most combinations of state, verdict and scope never occur.
 */
#define HISTS_MAX 128
#define SLOTS_MAX SLOTS(STATES_MAX)

enum hist_key {
	KEY_LATENCY, /* + SOURCES * (SLOTS_MAX * scope + slot) + source */
	KEY_EXIT = KEY_LATENCY + SCOPES * SLOTS_MAX * SOURCES, /* waking to awake; */
	KEY_QUEUE = KEY_EXIT + SCOPES * SLOTS_MAX, /* awake to run; + SLOTS_MAX * scope
						      + slot */
	KEY_RESIDENCY = KEY_QUEUE + SCOPES * SLOTS_MAX, /* + state */
	KEY_LATE = KEY_RESIDENCY + STATES_MAX, /* of timers; + state, or states */
	HIST_KEYS = KEY_LATE + STATES_MAX + 1
};

/* Map "idle": one state's periods on one CPU. */
struct idle_stats {
	u64 requested;	       /* traced at entry */
	u64 entered;	       /* by the kernel's account; requested if unknown */
	u64 uncounted;	       /* periods the kernel did not account ... */
	u64 uncounted_time;    /* ... and how long they were */
	u64 rule_checked;      /* judged by our rule and by the kernel ... */
	u64 rule_wrong;	       /* ... differently */
	u64 verdict[VERDICTS]; /* of the entered periods; [REJECTED] of requests */
	u64 end[ENDS];
	u64 time;		      /* residency of the entered periods */
	u64 shallow_time[STATES_MAX]; /* too shallow: residency by the right state */
	u64 deep_wakeups[STATES_MAX]; /* wakeups out of too deep periods, likewise */
	u64 deep_exit[STATES_MAX];    /* ... and their exit phases, summed */
};

/* Map "timers": hrtimers by the state that their CPU was in; [states] = running. */
struct timer_stats {
	u64 expired;
	u64 tick;
};

/* Map "timer_users": hrtimers by handler and name of the task that armed them. */
struct timer_owner {
	u64 function;
	char comm[COMM_LEN]; /* "" when not seen arming it */
};

struct timer_user {
	u64 expired;
	u64 ended; /* idle periods that such a timer was the first to interrupt */
	u64 late;  /* sum */
};

#define TIMER_USERS_MAX 1024

enum record_type { RECORD_WAKEUP, RECORD_PERIOD, RECORD_TIMER };

struct wakeup_record {
	u8 type, class, state, verdict, source, scope;
	u16 cpu;
	u32 pid, waker; /* waker: 0 when the idle task's CPU woke it (interrupt) */
	u64 time;	/* when it ran */
	u64 latency;
	u64 exit; /* exit phase, 0 where the CPU was not idle */
	u32 late; /* lateness of the timer that woke it */
	u16 waker_cpu;
	u8 flags, right;
	char comm[COMM_LEN]; /* stale where nobody will read it */
};

#define WAKEUP_NEW 1 /* first run of a new task: from sched_wakeup_new */

struct period_record {
	u8 type, requested, entered, verdict, right, end;
	u16 cpu;
	u64 entry, awake, exit;
	u64 residency;	/* the kernel's where it can be read */
	u64 next_timer; /* ns from entry to the next hrtimer the governor knew, or 0 */
	u32 flags;
	u32 disabled;
	u64 unused;
};

#define PERIOD_UNCOUNTED    1  /* not in the kernel's statistics */
#define PERIOD_KERNEL	    2  /* residency and entered state are the kernel's */
#define PERIOD_RULE_WRONG   4  /* our rule and the kernel disagree */
#define PERIOD_RULE_CHECKED 8  /* both have judged it */
#define PERIOD_BY_RULE	    16 /* nobody else has */

struct timer_record {
	u8 type, state, idle, tick;
	u16 cpu, unused2;
	u64 time, expires, late;
	u64 function;
	u64 unused3[3];
};

union record {
	struct wakeup_record wakeup;
	struct period_record period;
	struct timer_record timer;
	u8 type;
};

/* Map "slowest": the slowest wakeups of one CPU, unsorted. */
struct slowest {
	u32 count;
	u32 worst; /* index of the fastest of them, once full */
	struct wakeup_record record[SLOWEST_MAX];
};

struct counters {
	u64 switches;	  /* sched_switch seen inside the window */
	u64 own;	  /* wakeups of idletrace itself */
	u64 unslept;	  /* wakings of tasks that had not slept: nothing to wait for */
	u64 orphans;	  /* wakings without a run: the task died, or its run was lost */
	u64 unmatched;	  /* runs after a sleep whose waking was not seen */
	u64 unseen;	  /* switches that the kernel did not trace */
	u64 unseen_runs;  /* ... that answered a waking */
	u64 negative;	  /* run before waking, by the clock */
	u64 map_full;	  /* no memory for a task or a histogram */
	u64 ring;	  /* records that a ring refused */
	u64 unpaired;	  /* idle entries without an exit, or the reverse */
	u64 late_skipped; /* hrtimers of a clock that is not CLOCK_MONOTONIC */
};

enum events { EVENTS_NONE, EVENTS_SLOW, EVENTS_ALL };

/* Settings, constant from load on. */
struct settings {
	u32 own_tgid;
	u32 target_tgid; /* 0: all tasks are the subject */
	u32 states;	 /* number of idle states, 1 + highest index traced */
	u32 hists;	 /* in the pool of each CPU */
	u32 slowest;	 /* how many slowest wakeups to keep, <= SLOWEST_MAX */
	u32 events;
	u64 slow_ns;
	u64 cgroup_id;
	u32 cgroup_level;
	bool task_storage; /* else the hash "tasks_by_pid" */
	bool has_driver;   /* a cpuidle driver and governor account the periods */
	bool has_miss;	   /* tracepoint cpu_idle_miss */
	bool follow;	   /* children of target_tgid are subjects too */
	bool others;	   /* histograms for tasks that are not the subject */
	bool timers;	   /* who armed what */
	bool comm_filter;
	char comm[COMM_LEN];  /* glob */
	bool has_device;      /* cpuidle_device can be found, by device_delta ... */
	bool has_cast;	      /* ... and read without a helper */
	s64 device_delta;     /* from per-CPU hrtimer_bases to per-CPU cpuidle_devices */
	u64 sleeper_function; /* hrtimer_wakeup(), 0 unknown */
	u64 tick_function;    /* tick_nohz_handler() or tick_sched_timer(), 0 unknown */
};

#endif
