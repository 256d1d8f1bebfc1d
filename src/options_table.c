// SPDX-License-Identifier: GPL-2.0
/* The options that do not depend on a workload, and how their values are read. */
#include "options_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(f)     .offset = offsetof(struct options, f)
#define LONGEST	     (1000 * 3600 * NSEC_PER_SEC)
#define PID_MAX	     (4 * 1024 * 1024) /* PID_MAX_LIMIT of 64 bit kernels */
#define ANY_FILE     .kind = KIND_TEXT, .accepts = "the name of a file", .min = 1
#define TIME_UPTO(t) .kind = KIND_TIME, .accepts = "a time with a unit, 0 to " t

const struct option_entry option_table[NR_OPTIONS] = {
	{"workload", 'w', "NAME", "Run this built-in workload; see idletrace list",
	 .accepts = "the name of a workload, see idletrace list", .kind = KIND_WORKLOAD,
	 .group = GROUP_WHAT},
	{"duration", 'd', "TIME",
	 "Length of the window, 0: until the work ends or Ctrl-C [workload: 30s, or 0 if "
	 "its loops are given; command: 0; else 10s]",
	 TIME_UPTO("1000h"), .group = GROUP_WHAT, FIELD(duration_ns), .max = LONGEST},
	{"warmup", 0, "TIME", "Let the workload run before the window opens [0]",
	 TIME_UPTO("1000h"), .group = GROUP_WHAT, FIELD(warmup_ns), .max = LONGEST},
	{"keep-root", 0, NULL, "Do not run it as the user who called sudo",
	 .kind = KIND_FLAG, .group = GROUP_WHAT, FIELD(keep_root)},
	{"metric", 0, "NAME=REGEX",
	 "A number in the output of -- COMMAND: the last match of the one group ( ) of a "
	 "POSIX extended regex, line by line; with :lower or :higher, which is better, "
	 "at its end; may be given again. The output is kept in memory and "
	 "passed on when the command has ended, so that nobody is woken up for it",
	 .accepts = "NAME=REGEX[:lower|:higher|:none]", .kind = KIND_METRIC,
	 .group = GROUP_WHAT, FIELD(metrics)},
	{"preset", 0, "NAME",
	 "The metrics of tbench, netperf, iperf3, stream, stress-ng, sysbench, "
	 "cyclictest, perf-bench, hackbench or schbench",
	 .accepts = "the name of a preset, see --help", .kind = KIND_PRESET,
	 .group = GROUP_WHAT, FIELD(metrics)},

	{"calibrate", 0, NULL,
	 "Report what tracing costs: run it with and without, in turns; the same as "
	 "idletrace ab with the knob trace=off,on",
	 .kind = KIND_FLAG, .group = GROUP_WHAT, FIELD(calibrate)},
	{"rounds", 0, "N", "Turns of --calibrate, each a run with and one without [6]",
	 .accepts = "2 to 10000", .kind = KIND_U32, .group = GROUP_WHAT, FIELD(rounds),
	 .min = 2, .max = 10000},

	{"pid", 'p', "PID", "Threads of this process", .accepts = "1 to 4194304",
	 .kind = KIND_U32, .group = GROUP_WHICH, FIELD(pid), .min = 1, .max = PID_MAX},
	{"comm", 0, "GLOB", "Threads of a name like this, such as 'kworker/*'",
	 .accepts = "a pattern of 1 to 15 characters", .kind = KIND_TEXT,
	 .group = GROUP_WHICH, FIELD(comm), .min = 1, .max = COMM_LEN - 1},
	{"cgroup", 0, "PATH", "Tasks in this cgroup",
	 .accepts = "the directory of a cgroup v2", .kind = KIND_TEXT,
	 .group = GROUP_WHICH, FIELD(cgroup), .min = 1},
	{"cpus", 0, "LIST", "Only on these CPUs, where a workload is kept, too",
	 .accepts = "a CPU list such as 0-3,8", .kind = KIND_CPUS, .group = GROUP_WHICH,
	 FIELD(cpus)},

	{"no-trace", 0, NULL, "Run the workload or command alone, without BPF",
	 .kind = KIND_FLAG, .group = GROUP_HOW, FIELD(no_trace)},
	{"events", 0, "WHICH",
	 "Wakeups kept as single records: all, slow:TIME or none; histograms count all "
	 "of them in any case [none]",
	 .accepts = "all, slow:TIME such as slow:100us, or none", .kind = KIND_EVENTS,
	 .group = GROUP_HOW, FIELD(events)},
	{"slowest", 0, "N", "Show the N slowest wakeups, 0 to 64 [5]",
	 .accepts = "0 to 64", .kind = KIND_U32, .group = GROUP_HOW, FIELD(slowest),
	 .max = SLOWEST_MAX},
	{"timers", 0, NULL, "Find out who arms the hrtimers that end idle periods",
	 .kind = KIND_FLAG, .group = GROUP_HOW, FIELD(timers)},
	{"housekeeping", 0, "CPU", "Where idletrace itself runs [chosen]",
	 .accepts = "the number of a CPU", .kind = KIND_CPU, .group = GROUP_HOW,
	 FIELD(housekeeping), .max = CPUS_MAX - 1},
	{"settle", 0, "TIME", "From attaching to the window, 0 to 1m [200ms]",
	 TIME_UPTO("1m"), .group = GROUP_HOW, FIELD(settle_ns), .max = 60 * NSEC_PER_SEC},
	{"ring-size", 0, "SIZE",
	 "Of records, per CPU; a power of two, 64k to 1G [4M or less]",
	 .accepts = "a power of two, 64k to 1G", .kind = KIND_RING, .group = GROUP_HOW,
	 FIELD(ring_bytes), .min = 64 << 10, .max = 1 << 30},
	{"btf", 0, "FILE", "Types of the kernel [/sys/kernel/btf/vmlinux]", ANY_FILE,
	 .group = GROUP_HOW, FIELD(btf), .info = true},
	{"no-observer-cost", 0, NULL, "Do not measure what the BPF programs cost first",
	 .kind = KIND_FLAG, .group = GROUP_HOW, FIELD(no_observer_cost)},

	{"json", 0, "FILE", "Write the report as JSON, - is the standard output",
	 ANY_FILE, .group = GROUP_REPORT, FIELD(json)},
	{"plot", 0, "DIR", "Draw pictures, with gnuplot; its scripts and data stay there",
	 .accepts = "the name of a directory", .kind = KIND_TEXT, .min = 1,
	 .group = GROUP_REPORT, FIELD(plot)},
	{"html", 0, "FILE", "Write the report as one page, with its pictures", ANY_FILE,
	 .group = GROUP_REPORT, FIELD(html)},
	{"records", 0, "FILE", "Write the single records as TSV; events all or slow",
	 ANY_FILE, .group = GROUP_REPORT, FIELD(records)},
	{"interval", 0, "TIME",
	 "Also the window in intervals of that length, from 10ms on, in the JSON and in "
	 "--series; they are written as they close, however long it takes",
	 .accepts = "a time with a unit, 10ms to 1000h", .kind = KIND_TIME,
	 .group = GROUP_REPORT, FIELD(interval_ns), .min = 10 * NSEC_PER_MSEC,
	 .max = LONGEST},
	{"series", 0, "FILE", "Write the intervals as TSV", ANY_FILE,
	 .group = GROUP_REPORT, FIELD(series)},
	{"histogram", 0, NULL, "Show the latencies as bars", .kind = KIND_FLAG,
	 .group = GROUP_REPORT, FIELD(histogram)},
	{"verbose", 'v', NULL, "Say more about what is done and found", .kind = KIND_FLAG,
	 .group = GROUP_REPORT, FIELD(verbose), .info = true, .list = true},

	{"help", 'h', NULL, "This help; with a workload, the options of that one",
	 .kind = KIND_NOTE, .group = GROUP_OTHER, .info = true, .list = true},
	{"version", 'V', NULL, "The version", .kind = KIND_NOTE, .group = GROUP_OTHER,
	 .info = true, .list = true},
};

const struct option_entry *option_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (strlen(option_table[i].name) == len &&
		    !memcmp(option_table[i].name, name, len))
			return &option_table[i];
	}
	return NULL;
}

const struct option_entry *option_by_letter(char letter)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (letter && option_table[i].letter == letter)
			return &option_table[i];
	}
	return NULL;
}

static int store_events(const char *value, struct options *o)
{
	uint64_t ns = 0;

	if (!strcmp(value, "all")) {
		o->events = EVENTS_ALL;
	} else if (!strcmp(value, "none")) {
		o->events = EVENTS_NONE;
	} else if (!strncmp(value, "slow:", 5)) {
		if (parse_duration(value + 5, NULL, &ns) || !ns)
			return -EINVAL;
		o->events = EVENTS_SLOW;
	} else {
		return -EINVAL;
	}
	o->slow_ns = ns;
	return 0;
}

static int store_number(const struct option_entry *entry, const char *value, void *field)
{
	uint64_t v = 0;
	int err;

	if (entry->kind == KIND_TIME)
		err = parse_duration(value, NULL, &v);
	else if (entry->kind == KIND_RING)
		err = parse_size(value, &v);
	else
		err = parse_u64(value, &v);
	if (err || v < entry->min || v > entry->max)
		return -EINVAL;
	if (entry->kind == KIND_RING && (v & (v - 1)))
		return -EINVAL;
	if (entry->kind == KIND_U32)
		*(u32 *)field = (u32)v;
	else if (entry->kind == KIND_CPU)
		*(int *)field = (int)v;
	else
		*(u64 *)field = v;
	return 0;
}

static int store_text(const struct option_entry *entry, const char *value,
		      const char **field)
{
	size_t len = strlen(value);

	if (len < entry->min || (entry->max && len > entry->max))
		return -EINVAL;
	*field = value;
	return 0;
}

int option_store(const struct option_entry *entry, const char *value, struct options *o)
{
	void *field = (char *)o + entry->offset;

	switch (entry->kind) {
	case KIND_METRIC:
	case KIND_PRESET:
	case KIND_NOTE: return 0;
	case KIND_FLAG: *(bool *)field = true; return 0;
	case KIND_TIME:
	case KIND_RING:
	case KIND_U32:
	case KIND_CPU: return store_number(entry, value, field);
	case KIND_TEXT: return store_text(entry, value, field);
	case KIND_CPUS: o->cpus_given = true; return cpu_mask_parse(value, field);
	case KIND_EVENTS: return store_events(value, o);
	case KIND_WORKLOAD: o->workload = workload_find(value); break;
	}
	return o->workload ? 0 : -EINVAL;
}

struct argp_option *option_argp(const struct workload *w)
{
	unsigned int nr_workload = w ? w->nr_options : 0;
	struct argp_option *all = calloc(NR_OPTIONS + nr_workload + 1, sizeof(*all));

	if (!all)
		return NULL;
	for (int i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *entry = &option_table[i];

		all[i] = (struct argp_option){
			.name = entry->name,
			.key = entry->letter ? entry->letter : KEY_COMMON + i,
			.arg = entry->arg,
		};
	}
	for (unsigned int i = 0; i < nr_workload; i++) {
		const struct workload_option *option = &w->options[i];
		bool takes_value = workload_option_takes_value(option);

		all[NR_OPTIONS + i] = (struct argp_option){
			.name = option->name,
			.key = KEY_WORKLOAD + (int)i,
			.arg = "VALUE",
			.flags = takes_value ? 0 : OPTION_ARG_OPTIONAL,
		};
	}
	return all;
}
