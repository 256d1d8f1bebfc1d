// SPDX-License-Identifier: GPL-2.0
/* Numbers out of a command's output: rules, numbers, and every preset. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture.h"
#include "metrics.h"

static struct metric_rules rules;
static struct metric_scan scan;
static char err[128];

static int reset(void **state)
{
	(void)state;
	metric_rules_free(&rules);
	memset(&rules, 0, sizeof(rules));
	err[0] = '\0';
	return 0;
}

static void add(const char *text)
{
	if (metric_rules_add(&rules, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
}

static void add_preset(const char *name)
{
	if (metric_rules_add_preset(&rules, name, err, sizeof(err)))
		fail_msg("%s: %s", name, err);
}

static void feed(const char *output)
{
	metric_scan_init(&scan, &rules);
	metric_scan_feed(&scan, output, strlen(output));
	metric_scan_end(&scan);
}

static const struct workload_metric *metric(const char *name)
{
	for (unsigned int i = 0; i < rules.nr_metrics; i++)
		if (!strcmp(scan.metrics[i].name, name))
			return &scan.metrics[i];
	fail_msg("no metric %s", name);
	return NULL;
}

static void expect(const char *name, double value, const char *unit,
		   enum metric_better better)
{
	const struct workload_metric *m = metric(name);

	if (!(fabs(m->value - value) <= 1e-9 * fabs(value)))
		fail_msg("%s: %.10g, not %.10g", name, m->value, value);
	assert_string_equal(m->unit, unit);
	assert_int_equal(m->better, better);
}

static void expect_unknown(const char *name)
{
	if (!isnan(metric(name)->value))
		fail_msg("%s: %.10g", name, metric(name)->value);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"0", 0},
		{"155.407", 155.407},
		{" 42 ", 42},
		{"-3", -3},
		{"+.5", 0.5},
		{"1,234", 1234},
		{"1,234,567.5", 1234567.5},
		{"12,345e-3", 12.345},
		{"1e6", 1e6},
		{"2.5E+03", 2500},
		{"7.", 7},
		{"1234", 1234},
	};
	static const char *const bad[] = {
		"",	 " ",	 "-",	"1,2",	 "1,2345",   "1234,567",
		",123",	 "0x10", "inf", "nan",	 "1 2",	     "12ms",
		"1e999", "1e",	 "--1", "1.2.3", "1,234,56",
	};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		value = NAN;
		if (!metric_number(good[i].text, strlen(good[i].text), &value) ||
		    value != good[i].value)
			fail_msg("%s: %g", good[i].text, value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (metric_number(bad[i], strlen(bad[i]), &value))
			fail_msg("'%s' is %g", bad[i], value);
}

static void test_last_match_counts(void **state)
{
	(void)state;
	add("a=a ([0-9.,e]+)");
	add("b=^b: ([^ ]*):higher");
	add("c=(nothing):lower");
	add("d=x:([0-9]+)x:none");
	feed("a 1 a 2\nb: 1\rb: 2,000 \na 3e2 a 4.5\n b: 3\nd x:7x");
	expect("a", 4.5, "", BETTER_NONE);
	expect("b", 2000, "", BETTER_HIGHER);
	expect_unknown("c");
	assert_int_equal(metric("c")->better, BETTER_LOWER);
	expect("d", 7, "", BETTER_NONE);
	/* What the last one does not say, an older one does not know either. */
	feed("b: 1\nb: -\n");
	expect_unknown("b");
	feed("");
	expect_unknown("a");
}

/* However the output comes in: pieces, NULs, empty matches and lines without an end. */
static void test_pieces(void **state)
{
	char line[3 * METRIC_LINE];

	(void)state;
	add("n=n=([0-9]*)");
	add("e=([0-9]*)");
	metric_scan_init(&scan, &rules);
	metric_scan_feed(&scan, "n=1", 3);
	metric_scan_feed(&scan,
			 "2\0"
			 "3",
			 3);
	metric_scan_feed(&scan, "\n", 1);
	expect("n", 123, "", BETTER_NONE);
	memset(line, 'x', sizeof(line));
	memcpy(line, "n=4 ", 4);
	memcpy(line + sizeof(line) - 4, " n=5", 4);
	metric_scan_feed(&scan, line, sizeof(line));
	metric_scan_end(&scan);
	expect("n", 4, "", BETTER_NONE);
	metric_scan_end(&scan);
}

static void refuse(const char *text, const char *why)
{
	assert_int_equal(metric_rules_add(&rules, text, err, sizeof(err)), -EINVAL);
	if (!strstr(err, why))
		fail_msg("%s: '%s', not '%s'", text, err, why);
}

static void test_refused(void **state)
{
	static const char *const forms[] = {
		"",	  "x",	     "x=",	"=(a)",
		"1x=(a)", "x y=(a)", "x.y=(a)", "a23456789012345678901234567890123=(a)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		refuse(forms[i], "needs NAME=REGEX[:lower|:higher|:none]");
	refuse("x=(", "needs a POSIX extended regex: ");
	refuse("x=([0-9]", "needs a POSIX extended regex: ");
	refuse("x=a", "needs one group ( ), the number, and has 0");
	refuse("x=(a)(b)", "needs one group ( ), the number, and has 2");
	assert_int_equal(rules.nr_rules, 0);
	add("x=(a)");
	refuse("x=(b)", "needs another name, that one is there");
	for (int i = 1; i < METRICS_MAX; i++) {
		char text[32];

		snprintf(text, sizeof(text), "y%d=(a)", i);
		add(text);
	}
	refuse("z=(a)", "at most 32 metrics");
}

static void test_refused_presets(void **state)
{
	(void)state;
	assert_int_equal(metric_rules_add_preset(&rules, "nosuch", err, sizeof(err)),
			 -EINVAL);
	assert_string_equal(err, "needs the name of a preset, see --help");
	add_preset("tbench");
	assert_int_equal(metric_rules_add_preset(&rules, "netperf", err, sizeof(err)),
			 -EINVAL);
	assert_string_equal(err, "has a metric throughput, which is there");
	add("own=(x)");
}

/* Names must fit, patterns compile, and nothing be known of no output. */
static void test_every_preset(void **state)
{
	int n = 0;

	for (const struct preset *p = presets; p->name; p++, n++) {
		reset(state);
		add_preset(p->name);
		feed("1 2 3 4 5 6\n");
		for (unsigned int i = 0; i < rules.nr_metrics; i++)
			expect_unknown(rules.metrics[i].name);
		for (const struct preset_metric *m = p->metrics; m->name; m++)
			expect_unknown(m->name);
		assert_null(metric_scan_warning(&scan, 0));
		assert_int_not_equal(rules.metrics[0].better, BETTER_NONE);
	}
	assert_int_equal(n, 10);
}

static void test_tbench(void **state)
{
	(void)state;
	add_preset("tbench");
	feed("   1     25108   154.54 MB/sec  execute   1 sec  latency 2.898 ms\n"
	     " Operation                Count    AvgLat    MaxLat\n"
	     " NTCreateX                12345     0.020     1.234\n"
	     "Throughput 155.407 MB/sec  1 clients  1 procs  max_latency=2.898 ms\n");
	expect("throughput", 155.407, "MB/s", BETTER_HIGHER);
	expect("max_latency", 2.898, "ms", BETTER_LOWER);
}

static void test_netperf(void **state)
{
	(void)state;
	add_preset("netperf");
	feed("Local /Remote\n"
	     "Socket Size   Request  Resp.   Elapsed  Trans.\n"
	     "bytes  Bytes  bytes    bytes   secs.    per sec\n\n"
	     "16384  131072 1        1       3.00     41392.01\n"
	     "16384  131072\n"
	     "16384  131072 1        1       3.00     1000.99   \n");
	expect("transactions", 42393, "Trans/s", BETTER_HIGHER);
	expect_unknown("stream");
	feed("131072  16384  16384    10.00    9415.35   \n");
	expect("stream", 9415.35, "Mbit/s", BETTER_HIGHER);
	expect_unknown("transactions");
	/* UDP_STREAM */
	feed("212992   65507   10.00       12345      0    6468.05\n"
	     "212992           10.00       12345           6468.05\n");
	expect_unknown("stream");
	expect_unknown("transactions");
	feed("THROUGHPUT=54406.51\nTHROUGHPUT_UNITS=Trans/s\nMEAN_LATENCY=18.30\n"
	     "P50_LATENCY=17\nP99_LATENCY=33\n"
	     "THROUGHPUT=10.49\nMEAN_LATENCY=18.20\nP99_LATENCY=43\n");
	expect("throughput", 54417, "", BETTER_HIGHER);
	expect("mean_latency", 18.3, "us", BETTER_LOWER);
	expect("p50_latency", 17, "us", BETTER_LOWER);
	expect("p99_latency", 43, "us", BETTER_LOWER);
}

static void test_iperf3(void **state)
{
	(void)state;
	add_preset("iperf3");
	feed("[  5]   0.00-1.00   sec  4.2 GBytes  36.9 Gbits/sec    0   1.1 MBytes\n"
	     "[  5]   0.00-10.00  sec  21.0 GBytes  18.0 Gbits/sec   12             "
	     "sender\n"
	     "[  5]   0.00-10.04  sec  20.9 GBytes  17.9 Gbits/sec                  "
	     "receiver\n"
	     "[SUM]   0.00-10.00  sec  42.0 GBytes  36.1 Gbits/sec   15             "
	     "sender\n"
	     "[SUM]   0.00-10.04  sec  42.0 GBytes  35.9 Gbits/sec                  "
	     "receiver\n");
	expect("received", 35900, "Mbit/s", BETTER_HIGHER);
	expect("sent", 36100, "Mbit/s", BETTER_HIGHER);
	expect("retransmits", 15, "", BETTER_LOWER);
	expect_unknown("jitter");
	feed("[  5]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.000 ms  0/906 (0%) "
	     " "
	     "sender\n"
	     "[  5]   0.00-10.04  sec  1.25 MBytes  980 Kbits/sec  0.012 ms  0/906 (0%)  "
	     "receiver\n");
	expect("received", 0.98, "Mbit/s", BETTER_HIGHER);
	expect("sent", 1.05, "Mbit/s", BETTER_HIGHER);
	expect("jitter", 0.012, "ms", BETTER_LOWER);
	expect_unknown("retransmits");
	/* --bidir */
	feed("[  6][TX-C]   0.00-2.00   sec  1.35 GBytes  5.79 Gbits/sec    6      "
	     "sender\n"
	     "[  6][TX-C]   0.00-2.01   sec  1.35 GBytes  5.76 Gbits/sec           "
	     "receiver\n"
	     "[  8][RX-C]   0.00-2.00   sec  1.17 GBytes  5.01 Gbits/sec    4      "
	     "sender\n"
	     "[  8][RX-C]   0.00-2.01   sec  1.16 GBytes   970 Mbits/sec           "
	     "receiver\n");
	expect("received_there", 5760, "Mbit/s", BETTER_HIGHER);
	expect("received_here", 970, "Mbit/s", BETTER_HIGHER);
	expect_unknown("received");
	expect_unknown("sent");
	feed("[  5]  0.00-1.00 sec  0.5 TBytes  1.20 Tbits/sec  receiver\n"
	     "[  5]  0.00-1.00 sec  12 Bytes  96.0 bits/sec  3  sender\n");
	expect("received", 1200000, "Mbit/s", BETTER_HIGHER);
	expect("sent", 0.000096, "Mbit/s", BETTER_HIGHER);
}

static void test_stream(void **state)
{
	(void)state;
	add_preset("stream");
	feed("Function    Best Rate MB/s  Avg time     Min time     Max time\n"
	     "Copy:           92119.2     0.001744     0.001737     0.001779\n"
	     "Scale:          51234.5     0.003144     0.003123     0.003179\n"
	     "Add:            60000.0     0.004044     0.004000     0.004179\n"
	     "Triad:          61000.1     0.003944     0.003934     0.003979\n");
	expect("copy", 92119.2, "MB/s", BETTER_HIGHER);
	expect("scale", 51234.5, "MB/s", BETTER_HIGHER);
	expect("add", 60000, "MB/s", BETTER_HIGHER);
	expect("triad", 61000.1, "MB/s", BETTER_HIGHER);
}

static void test_stress_ng(void **state)
{
	(void)state;
	add_preset("stress-ng");
	feed("stress-ng: info:  [77] dispatching hogs: 1 switch\n"
	     "stress-ng: info:  [78] switch: 8348.23 nanosecs per context switch (pipe "
	     "method)\n"
	     "stress-ng: metrc: [77] stressor       bogo ops real time  usr time  sys "
	     "time"
	     "   bogo ops/s     bogo ops/s\n"
	     "stress-ng: metrc: [77] switch           359284      3.00      0.63      "
	     "2.37"
	     "    119743.00      119933.36\n");
	expect("bogo_ops_rate", 119743, "ops/s", BETTER_HIGHER);
	expect("context_switch", 8348.23, "ns", BETTER_LOWER);
	expect_unknown("cyclic_p99");
	feed("stress-ng: info:  [79] cyclic:   mean: 5247.61 ns, mode: 4862 ns\n"
	     "stress-ng: info:  [79] cyclic:   min: 3300 ns, max: 84444 ns, std.dev. "
	     "18.1\n"
	     "stress-ng: info:  [79] cyclic:   90.00%:       6000 ns\n"
	     "stress-ng: info:  [79] cyclic:   99.00%:      16565 ns\n"
	     "stress-ng: info:  [79] cyclic:   99.90%:      26565 ns\n");
	expect("cyclic_mean", 5247.61, "ns", BETTER_LOWER);
	expect("cyclic_max", 84444, "ns", BETTER_LOWER);
	expect("cyclic_p99", 16565, "ns", BETTER_LOWER);
}

static void test_sysbench(void **state)
{
	(void)state;
	add_preset("sysbench");
	feed("CPU speed:\n    events per second:   955.27\n\n"
	     "General statistics:\n"
	     "    total time:                          10.0012s\n"
	     "    total number of events:              9554\n\n"
	     "Latency (ms):\n"
	     "         min:                                    1.01\n"
	     "         avg:                                    1.05\n"
	     "         max:                                   12.70\n"
	     "         95th percentile:                        1.06\n"
	     "         sum:                                 9998.00\n");
	expect("events_rate", 955.27, "events/s", BETTER_HIGHER);
	expect("total_time", 10.0012, "s", BETTER_LOWER);
	expect("events", 9554, "", BETTER_HIGHER);
	expect("latency_avg", 1.05, "ms", BETTER_LOWER);
	expect("latency_max", 12.7, "ms", BETTER_LOWER);
	expect("latency_p95", 1.06, "ms", BETTER_LOWER);
	feed("    transactions:                        1234   (123.38 per sec.)\n"
	     "102400.00 MiB transferred (7788.99 MiB/sec)\n");
	expect("transactions", 123.38, "1/s", BETTER_HIGHER);
	expect("transferred", 7788.99, "MiB/s", BETTER_HIGHER);
	feed("Total operations: 7909794 (3950911.79 per second)\n"
	     "File operations:\n    reads/s:                      10015.62\n"
	     "    writes/s:                     6677.08\n");
	expect("operations", 3950911.79, "1/s", BETTER_HIGHER);
	expect("reads", 10015.62, "1/s", BETTER_HIGHER);
	expect("writes", 6677.08, "1/s", BETTER_HIGHER);
	expect_unknown("latency_avg");
}

static void test_cyclictest(void **state)
{
	(void)state;
	add_preset("cyclictest");
	feed("# /dev/cpu_dma_latency set to 0us\n"
	     "T: 0 (11018) P: 0 I:1000 C:   2996 Min:     62 Act:   78 Avg:   82 Max:    "
	     "3539\n"
	     "T: 1 (11019) P: 0 I:1500 C:   1997 Min:     59 Act:   80 Avg:   99 Max:    "
	     " "
	     "212\n");
	expect("max", 3539, "us", BETTER_LOWER);
	expect("min", 59, "us", BETTER_LOWER);
	expect("avg_first", 82, "us", BETTER_LOWER);
	assert_non_null(strstr(metric_scan_warning(&scan, 0), "--default-system"));
	assert_null(metric_scan_warning(&scan, 1));
	/* -N */
	feed("T: 0 ( 3217) P: 0 I:1000 C:   1374 Min:  43836 Act: 7231720 Avg:  593177 "
	     "Max:96304609\n"
	     "T: 1 ( 3218) P: 0 I:1500 C:    885 Min:  30613 Act: 5271652 Avg:  965857 "
	     "Max: 9674078\n");
	expect("max", 96304.609, "us", BETTER_LOWER);
	expect("min", 30.613, "us", BETTER_LOWER);
	expect("avg_first", 593.177, "us", BETTER_LOWER);
	/* -h */
	feed("# Histogram\n000021 000001\t000000\n# Total: 000001975 000001926\n"
	     "# Min Latencies: 00051 00021\n# Avg Latencies: 00095 00124\n"
	     "# Max Latencies: 07011 07905\n# Histogram Overflows: 00009 00031\n"
	     "# Histogram Overflow at cycle number:\n# Thread 0: 09103 00006\n");
	expect("max", 7905, "us", BETTER_LOWER);
	expect("min", 21, "us", BETTER_LOWER);
	expect("avg_first", 95, "us", BETTER_LOWER);
	feed("# /dev/cpu_dma_latency set to 100us\n"
	     "T:10 (1) P:99 I:1000 C:1 Min:1000000 Act:    1 Avg:    1 Max:7\n");
	assert_null(metric_scan_warning(&scan, 0));
	expect("max", 7, "us", BETTER_LOWER);
	expect_unknown("avg_first");
}

static void test_benches(void **state)
{
	add_preset("perf-bench");
	feed("# Running 'sched/pipe' benchmark:\n"
	     "# Executed 50000 pipe operations between two processes\n\n"
	     "     Total time: 0.860 [sec]\n\n      17.208800 usecs/op\n"
	     "          58,109 ops/sec\n");
	expect("total_time", 0.86, "s", BETTER_LOWER);
	expect("op_time", 17.2088, "us", BETTER_LOWER);
	expect("ops_rate", 58109, "ops/s", BETTER_HIGHER);
	expect_unknown("operations");
	feed("Averaged 58109 operations/sec (+- 0.12%), total secs = 8\n");
	expect("operations", 58109, "ops/s", BETTER_HIGHER);
	feed("[Run 1]: Wokeup 2 of 2 threads in 0.1570 ms\n"
	     "Wokeup 2 of 2 threads in 0.0724 ms (+-19.13%)\n");
	expect("wake_time", 0.0724, "ms", BETTER_LOWER);
	reset(state);
	add_preset("hackbench");
	feed("Running in process mode with 10 groups using 40 file descriptors each (== "
	     "400 "
	     "tasks)\nEach sender will pass 100 messages of 100 bytes\nTime: 0.973\n");
	expect("time", 0.973, "s", BETTER_LOWER);
}

static void test_schbench(void **state)
{
	(void)state;
	add_preset("schbench");
	feed("Wakeup Latencies percentiles (usec) runtime 10 (s) (3502 total samples)\n"
	     "\t  50.0th: 6          (304 samples)\n"
	     "\t  90.0th: 13         (1426 samples)\n"
	     "\t* 99.0th: 104        (290 samples)\n"
	     "\t  99.9th: 4584       (32 samples)\n"
	     "\t  min=1, max=16417\n"
	     "Request Latencies percentiles (usec) runtime 10 (s) (3503 total samples)\n"
	     "\t  50.0th: 5000       (304 samples)\n"
	     "\t* 99.0th: 7000       (290 samples)\n"
	     "RPS percentiles (requests) runtime 10 (s) (11 total samples)\n"
	     "\t  20.0th: 355        (3 samples)\n"
	     "\t* 50.0th: 359        (4 samples)\n"
	     "sched delay: message 21 (usec) worker 44 (usec)\n"
	     "current rps: 360.98\naverage rps: 352.58\n");
	expect("wakeup_p99", 104, "us", BETTER_LOWER);
	expect("wakeup_p50", 6, "us", BETTER_LOWER);
	expect("request_p99", 7000, "us", BETTER_LOWER);
	expect("rps_p50", 359, "requests/s", BETTER_HIGHER);
	expect("average_rps", 352.58, "requests/s", BETTER_HIGHER);
	feed("Latency percentiles (usec)\n\t50.0000th: 8\n\t75.0000th: 9\n"
	     "\t*99.0000th: 15\n\t99.5000th: 17\n\tmin=0, max=533\n");
	expect("wakeup_p99", 15, "us", BETTER_LOWER);
	expect("wakeup_p50", 8, "us", BETTER_LOWER);
	expect_unknown("request_p99");
}

/* What was kept goes to the standard output, and into the scan. */
static void test_capture(void **state)
{
	char text[64] = "";
	struct capture c;
	int pipe_fds[2], out = dup(STDOUT_FILENO), ret;

	(void)state;
	add("n=n=([0-9]+)");
	metric_scan_init(&scan, &rules);
	assert_int_equal(pipe(pipe_fds), 0);
	fflush(stdout);
	assert_true(dup2(pipe_fds[1], STDOUT_FILENO) >= 0);
	ret = capture_open(&c);
	assert_int_equal(write(c.out, "n=1\nab\n", 7), 7);
	ret |= capture_finish(&c, &scan) | capture_finish(&c, &scan);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(pipe_fds[1]);
	assert_int_equal(ret, 0);
	assert_int_equal(read(pipe_fds[0], text, sizeof(text) - 1), 7);
	assert_string_equal(text, "n=1\nab\n");
	close(pipe_fds[0]);
	expect("n", 1, "", BETTER_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers),	    TEST(test_last_match_counts),
		TEST(test_pieces),	    TEST(test_refused),
		TEST(test_refused_presets), TEST(test_every_preset),
		TEST(test_tbench),	    TEST(test_netperf),
		TEST(test_iperf3),	    TEST(test_stream),
		TEST(test_stress_ng),	    TEST(test_sysbench),
		TEST(test_cyclictest),	    TEST(test_benches),
		TEST(test_schbench),	    TEST(test_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
