// SPDX-License-Identifier: GPL-2.0
/*
 * The metric that a benchmark is known by comes first. Where instances that run side by
 * side print a line each, the metric is their sum or their extreme.
 */
#include "presets.h"

#define N "([0-9][0-9.]*)"

static const struct preset_metric tbench[] = {
	{"throughput", "MB/s", "^Throughput " N " MB/sec", .better = BETTER_HIGHER},
	{"max_latency", "ms", "^Throughput .* max_latency=" N " ms",
	 .better = BETTER_LOWER},
	{0},
};

/*
 * A row of TCP_RR has six columns, of TCP_STREAM five; what -k prints says its unit in a
 * line of its own.
 */
static const struct preset_metric netperf[] = {
	{"transactions", "Trans/s",
	 "^[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+[.][0-9]+ +" N " *$",
	 .better = BETTER_HIGHER, .fold = FOLD_SUM},
	{"stream", "Mbit/s", "^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+[.][0-9]+ +" N " *$",
	 .better = BETTER_HIGHER, .fold = FOLD_SUM},
	{"throughput", "", "^THROUGHPUT=" N, .better = BETTER_HIGHER, .fold = FOLD_SUM},
	{"mean_latency", "us", "^MEAN_LATENCY=" N, .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{"p50_latency", "us", "^P50_LATENCY=" N, .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{"p99_latency", "us", "^P99_LATENCY=" N, .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{0},
};

#define IPERF3_UNIT(name, role, prefix, end, factor)                                    \
	{                                                                               \
		name, "Mbit/s",                                                         \
			"^\\[[ 0-9SUM]+\\]" role " .* " N " " prefix "bits/sec.* " end, \
			.better = BETTER_HIGHER, .scale = factor                        \
	}
#define IPERF3(name, role, end)                                                          \
	IPERF3_UNIT(name, role, "", end, 1e-6), IPERF3_UNIT(name, role, "K", end, 1e-3), \
		IPERF3_UNIT(name, role, "M", end, 1),                                    \
		IPERF3_UNIT(name, role, "G", end, 1e3),                                  \
		IPERF3_UNIT(name, role, "T", end, 1e6)

/*
 * The sum of parallel streams is the last line of its kind. With --bidir each way is a
 * metric of its own: what the other host has received, and what this one has.
 */
static const struct preset_metric iperf3[] = {
	IPERF3("received", "", "receiver"),
	IPERF3("sent", "", "sender"),
	IPERF3("received_there", "\\[TX-C\\]", "receiver"),
	IPERF3("received_here", "\\[RX-C\\]", "receiver"),
	{"retransmits", "", "bits/sec +([0-9]+) +sender", .better = BETTER_LOWER},
	{"jitter", "ms", "bits/sec +" N " ms .* receiver", .better = BETTER_LOWER},
	{0},
};

#define STREAM(name, row)                                                  \
	{                                                                  \
		name, "MB/s", "^" row ": +" N " ", .better = BETTER_HIGHER \
	}

static const struct preset_metric stream[] = {
	STREAM("copy", "Copy"),
	STREAM("scale", "Scale"),
	STREAM("add", "Add"),
	STREAM("triad", "Triad"),
	{0},
};

#define STRESSOR "stress-ng: [a-z]+: +\\[[0-9]+\\] [a-z0-9-]+ +[0-9]+ +"

/* Of several stressors the last. */
static const struct preset_metric stress_ng[] = {
	{"bogo_ops_rate", "ops/s",
	 STRESSOR "[0-9]+[.][0-9]+ +[0-9]+[.][0-9]+ +[0-9]+[.][0-9]+ +" N,
	 .better = BETTER_HIGHER},
	{"context_switch", "ns", N " nanosecs per context switch",
	 .better = BETTER_LOWER},
	{"cyclic_mean", "ns", "cyclic: +mean: +" N " ns", .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{"cyclic_p99", "ns", "cyclic: +99[.]00%: +" N " ns", .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{"cyclic_max", "ns", "cyclic: .*max: +" N " ns", .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{0},
};

static const struct preset_metric sysbench[] = {
	{"events_rate", "events/s", "^ *events per second: +" N, .better = BETTER_HIGHER},
	{"transactions", "1/s", "^ *transactions: +[0-9]+ +[(]" N " per sec",
	 .better = BETTER_HIGHER},
	{"transferred", "MiB/s", "MiB transferred [(]" N " MiB/sec",
	 .better = BETTER_HIGHER},
	{"operations", "1/s", "^Total operations: +[0-9]+ +[(]" N " per sec",
	 .better = BETTER_HIGHER},
	{"reads", "1/s", "^ *reads/s: +" N, .better = BETTER_HIGHER},
	{"writes", "1/s", "^ *writes/s: +" N, .better = BETTER_HIGHER},
	{"total_time", "s", "^ *total time: +" N "s", .better = BETTER_LOWER},
	{"events", "", "^ *total number of events: +" N, .better = BETTER_HIGHER},
	{"latency_avg", "ms", "^ *avg: +" N " *$", .better = BETTER_LOWER,
	 .section = "Latency (ms)"},
	{"latency_p95", "ms", "^ *95th percentile: +" N, .better = BETTER_LOWER,
	 .section = "Latency (ms)"},
	{"latency_max", "ms", "^ *max: +" N " *$", .better = BETTER_LOWER,
	 .section = "Latency (ms)"},
	{0},
};

#define THREAD "T: *[0-9]+ .*"
/* The width of this column tells ns (cyclictest's option -N) from us. */
#define AVG_US "Avg:[ 0-9]{5,7} "
#define AVG_NS "Avg:[ 0-9]{8,} "
/* After a histogram the numbers of all threads are in one line. */
#define OF_ALL_THREADS(what) .section = "# " what " Latencies: ", .that_line = true

/* Each thread has an average of its own: the first thread's stands for them. */
static const struct preset_metric cyclictest[] = {
	{"max", "us", THREAD AVG_US "Max: *([0-9]+)", .better = BETTER_LOWER,
	 .fold = FOLD_MAX},
	{"max", "us", THREAD AVG_NS "Max: *([0-9]+)", .better = BETTER_LOWER,
	 .fold = FOLD_MAX, .scale = 1e-3},
	{"max", "us", " ([0-9]+)", .better = BETTER_LOWER, .fold = FOLD_MAX,
	 OF_ALL_THREADS("Max")},
	{"avg_first", "us", "T: *0 .*Avg:([ 0-9]{5,7}) ", .better = BETTER_LOWER},
	{"avg_first", "us", "T: *0 .*Avg:([ 0-9]{8,}) ", .better = BETTER_LOWER,
	 .scale = 1e-3},
	{"avg_first", "us", "^# Avg Latencies: ([0-9]+)", .better = BETTER_LOWER},
	{"min", "us", THREAD "Min: *([0-9]+) .*" AVG_US, .better = BETTER_LOWER,
	 .fold = FOLD_MIN},
	{"min", "us", THREAD "Min: *([0-9]+) .*" AVG_NS, .better = BETTER_LOWER,
	 .fold = FOLD_MIN, .scale = 1e-3},
	{"min", "us", " ([0-9]+)", .better = BETTER_LOWER, .fold = FOLD_MIN,
	 OF_ALL_THREADS("Min")},
	{0},
};

static const struct preset_metric perf_bench[] = {
	{"total_time", "s", "Total time: +" N " \\[sec\\]", .better = BETTER_LOWER},
	{"op_time", "us", "^ *" N " usecs/op", .better = BETTER_LOWER},
	{"ops_rate", "ops/s", "^ *([0-9][0-9.,]*) ops/sec", .better = BETTER_HIGHER},
	{"wake_time", "ms", "^[RW][a-z]+ [0-9]+ of [0-9]+ threads .*in +" N " ms",
	 .better = BETTER_LOWER},
	{"operations", "ops/s", "Averaged +" N " operations/sec",
	 .better = BETTER_HIGHER},
	{0},
};

static const struct preset_metric hackbench[] = {
	{"time", "s", "^Time: +" N, .better = BETTER_LOWER},
	{0},
};

#define REQUEST "Request Latencies percentiles"
#define RPS	"RPS percentiles"

static const struct preset_metric schbench[] = {
	{"wakeup_p99", "us", "99[.]0+th: +" N, .better = BETTER_LOWER,
	 .section = "Wakeup Latencies percentiles"},
	{"wakeup_p99", "us", "99[.]0+th: +" N, .better = BETTER_LOWER,
	 .section = "Latency percentiles"},
	{"wakeup_p50", "us", "50[.]0+th: +" N, .better = BETTER_LOWER,
	 .section = "Wakeup Latencies percentiles"},
	{"wakeup_p50", "us", "50[.]0+th: +" N, .better = BETTER_LOWER,
	 .section = "Latency percentiles"},
	{"request_p99", "us", "99[.]0+th: +" N, .better = BETTER_LOWER,
	 .section = REQUEST},
	{"rps_p50", "requests/s", "50[.]0+th: +" N, .better = BETTER_HIGHER,
	 .section = RPS},
	{"average_rps", "requests/s", "^average rps: +" N, .better = BETTER_HIGHER},
	{0},
};

const struct preset presets[] = {
	{"tbench", .metrics = tbench},
	{"netperf", .metrics = netperf},
	{"iperf3", .metrics = iperf3},
	{"stream", .metrics = stream},
	{"stress-ng", .metrics = stress_ng},
	{"sysbench", .metrics = sysbench},
	{"cyclictest", cyclictest, .trap = "/dev/cpu_dma_latency set to 0us",
	 .warning = "cyclictest held /dev/cpu_dma_latency at 0: deep idle states were "
		    "off; its "
		    "option --default-system leaves them on"},
	{"perf-bench", .metrics = perf_bench},
	{"hackbench", .metrics = hackbench},
	{"schbench", .metrics = schbench},
	{0},
};
