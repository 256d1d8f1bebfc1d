// SPDX-License-Identifier: GPL-2.0
/* The command line: the one line for everything that it refuses. */
#include "options_workload.h"

/* "%W" in text becomes the names of all workloads. */
static void expand(const char *text, char *buf, size_t size)
{
	const char *at = strstr(text, "%W");
	int head = at ? (int)(at - text) : (int)strlen(text);
	size_t used = (size_t)snprintf(buf, size, "%.*s", head, text);

	for (int i = 0; at && workloads[i]; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
					 workloads[i]->name);
	if (at)
		snprintf(buf + used, size - used, "%s", at + 2);
}

static void expect_error(struct attempt *a, const char *line, const char *error)
{
	char text[512], whole[600];

	expand(error, text, sizeof(text));
	snprintf(whole, sizeof(whole), "idletrace: %s\n", text);
	if (a->result != OPTIONS_WRONG)
		fail_msg("accepted: %s", line);
	assert_string_equal(a->err, whole);
	assert_string_equal(a->out, "");
	if (!strstr(error, "%W") && strlen(whole) > 81)
		fail_msg("more than 80 columns: %s", whole);
}

struct bad {
	const char *line, *error;
};

static void expect_errors(const struct bad *bad)
{
	for (; bad->line; bad++) {
		struct attempt *a = parse(bad->line);

		expect_error(a, bad->line, bad->error);
		done(a);
	}
}

static const struct bad bad_values[] = {
	{"--duration", "--duration: needs a time with a unit, 0 to 1000h"},
	{"--duration 10", "--duration 10: needs a time with a unit, 0 to 1000h"},
	{"--duration ''", "--duration '': needs a time with a unit, 0 to 1000h"},
	{"--duration= -v", "--duration '': needs a time with a unit, 0 to 1000h"},
	{"-d -5s", "-d -5s: needs a time with a unit, 0 to 1000h"},
	{"-d", "-d: needs a time with a unit, 0 to 1000h"},
	{"-vd", "-d: needs a time with a unit, 0 to 1000h"},
	{"-d5x", "-d 5x: needs a time with a unit, 0 to 1000h"},
	{"--duration 1001h", "--duration 1001h: needs a time with a unit, 0 to 1000h"},
	{"--duration 9999999999999999h",
	 "--duration 9999999999999999h: needs a time with a unit, 0 to 1000h"},
	{"--duration --warmup 1s",
	 "--duration --warmup: needs a time with a unit, 0 to 1000h"},
	{"--duration -- ls", "--duration: needs a time with a unit, 0 to 1000h"},
	{"-w adrestia --warmup 1", "--warmup 1: needs a time with a unit, 0 to 1000h"},
	{"-p 0", "-p 0: needs 1 to 4194304"},
	{"-pself", "-p self: needs 1 to 4194304"},
	{"--pid 4194305", "--pid 4194305: needs 1 to 4194304"},
	{"--pid=-1", "--pid -1: needs 1 to 4194304"},
	{"--pid 4294967297", "--pid 4294967297: needs 1 to 4194304"},
	{"--pid", "--pid: needs 1 to 4194304"},
	{"--metric x -- ls", "--metric x: needs NAME=REGEX[:lower|:higher|:none]"},
	{"--metric", "--metric: needs NAME=REGEX[:lower|:higher|:none]"},
	{"--metric x=a -- ls",
	 "--metric x=a: needs one group ( ), the number, and has 0"},
	{"--metric x=(a --metric y -- ls",
	 "--metric x=(a: needs a POSIX extended regex: Unmatched ( or \\("},
	{"--metric x=(a) --metric x=(b) -- ls",
	 "--metric x=(b): needs another name, that one is there"},
	{"--metric x=(a)", "--metric: needs -- COMMAND"},
	{"--preset tbench -w adrestia", "--preset: needs -- COMMAND"},
	{"--preset x -- ls", "--preset x: needs the name of a preset, see --help"},
	{"--preset tbench --preset tbench -- ls",
	 "--preset tbench: has a metric throughput, which is there"},
	{"--comm 1234567890123456",
	 "--comm 1234567890123456: needs a pattern of 1 to 15 characters"},
	{"--comm ''", "--comm '': needs a pattern of 1 to 15 characters"},
	{"--comm", "--comm: needs a pattern of 1 to 15 characters"},
	{"--cgroup ''", "--cgroup '': needs the directory of a cgroup v2"},
	{"--cgroup", "--cgroup: needs the directory of a cgroup v2"},
	{"--cpus 3-1", "--cpus 3-1: needs a CPU list such as 0-3,8"},
	{"--cpus 0,", "--cpus 0,: needs a CPU list such as 0-3,8"},
	{"--cpus 8192", "--cpus 8192: needs a CPU list such as 0-3,8"},
	{"--cpus ''", "--cpus '': needs a CPU list such as 0-3,8"},
	{"--cpus", "--cpus: needs a CPU list such as 0-3,8"},
	{"--events some",
	 "--events some: needs all, slow:TIME such as slow:100us, or none"},
	{"--events slow",
	 "--events slow: needs all, slow:TIME such as slow:100us, or none"},
	{"--events slow:5",
	 "--events slow:5: needs all, slow:TIME such as slow:100us, or none"},
	{"--events slow:0",
	 "--events slow:0: needs all, slow:TIME such as slow:100us, or none"},
	{"--events ''", "--events '': needs all, slow:TIME such as slow:100us, or none"},
	{"--events", "--events: needs all, slow:TIME such as slow:100us, or none"},
	{"--slowest 65", "--slowest 65: needs 0 to 64"},
	{"--slowest -1", "--slowest -1: needs 0 to 64"},
	{"--slowest 5k", "--slowest 5k: needs 0 to 64"},
	{"--slowest", "--slowest: needs 0 to 64"},
	{"--housekeeping 0-1", "--housekeeping 0-1: needs the number of a CPU"},
	{"--housekeeping 4096", "--housekeeping 4096: needs the number of a CPU"},
	{"--housekeeping", "--housekeeping: needs the number of a CPU"},
	{"--settle 61s", "--settle 61s: needs a time with a unit, 0 to 1m"},
	{"--settle 200", "--settle 200: needs a time with a unit, 0 to 1m"},
	{"--settle", "--settle: needs a time with a unit, 0 to 1m"},
	{"--ring-size 3M", "--ring-size 3M: needs a power of two, 64k to 1G"},
	{"--ring-size 32k", "--ring-size 32k: needs a power of two, 64k to 1G"},
	{"--ring-size 2G", "--ring-size 2G: needs a power of two, 64k to 1G"},
	{"--ring-size 0", "--ring-size 0: needs a power of two, 64k to 1G"},
	{"--ring-size", "--ring-size: needs a power of two, 64k to 1G"},
	{"--btf ''", "--btf '': needs the name of a file"},
	{"--btf", "--btf: needs the name of a file"},
	{"--json=", "--json '': needs the name of a file"},
	{"--json", "--json: needs the name of a file"},
	{"--interval 9ms", "--interval 9ms: needs a time with a unit, 10ms to 1000h"},
	{"--interval 0", "--interval 0: needs a time with a unit, 10ms to 1000h"},
	{"--interval", "--interval: needs a time with a unit, 10ms to 1000h"},
	{"--series ''", "--series '': needs the name of a file"},
	{"--records ''", "--records '': needs the name of a file"},
	{"--records", "--records: needs the name of a file"},
	{NULL, NULL},
};

static void test_bad_values(void **state)
{
	(void)state;
	expect_errors(bad_values);
}

static const struct bad bad_options[] = {
	{"--nonsense", "--nonsense: no such option, see idletrace --help"},
	{"--nonsense=5", "--nonsense: no such option, see idletrace --help"},
	{"--dur 5s", "--dur: no such option, see idletrace --help"},
	{"--dur=5s", "--dur: no such option, see idletrace --help"},
	{"--no", "--no: no such option, see idletrace --help"},
	{"--verb", "--verb: no such option, see idletrace --help"},
	{"--histogram --verb", "--verb: no such option, see idletrace --help"},
	{"--worklo=adrestia", "--worklo: no such option, see idletrace --help"},
	{"-w adrestia --fast", "--fast: no such option, see idletrace --help"},
	{"-w adrestia --thread 5", "--thread: no such option, see idletrace --help"},
	{"--=5", "--: no such option, see idletrace --help"},
	{"---", "---: no such option, see idletrace --help"},
	{"--Duration 5s", "--Duration: no such option, see idletrace --help"},
	{"--usage", "--usage: no such option, see idletrace --help"},
	{"-x", "-x: no such option, see idletrace --help"},
	{"-xv", "-x: no such option, see idletrace --help"},
	{"-vx", "-x: no such option, see idletrace --help"},
	{"-v -xv", "-x: no such option, see idletrace --help"},
	{"-p 5 -vxv", "-x: no such option, see idletrace --help"},
	{"-?", "-?: no such option, see idletrace --help"},
	{"--histogram=yes", "--histogram yes: takes no value"},
	{"--no-trace=", "--no-trace '': takes no value"},
	{"--help=all", "--help all: takes no value"},
	{"--verbose=2 --nonsense", "--verbose 2: takes no value"},
	{"--workload", "--workload: needs the name of a workload, see idletrace list"},
	{"-w", "-w: needs the name of a workload, see idletrace list"},
	{"--workload nope", "--workload nope: needs one of %W"},
	{"--threads 5 --workload=nope", "--workload nope: needs one of %W"},
	{"-vwnope", "-w nope: needs one of %W"},
	{"-w ''", "-w '': needs one of %W"},
	{"--workload adrestia --workload other",
	 "--workload other: only one workload, and adrestia was given"},
	{"--json --workload=adrestia --label a",
	 "--workload adrestia: stands as the value of another option"},
	{"--label 5", "--label: an option of a workload (adrestia); give --workload"},
	{"--label", "--label: an option of a workload (adrestia); give --workload"},
	{"--label=", "--label: an option of a workload (adrestia); give --workload"},
	{"--fast-lane -- ls",
	 "--fast-lane: an option of a workload (adrestia); give --workload"},
	{"-w adrestia --threads", "--threads: needs 1 to 1000"},
	{"-w adrestia --threads 0", "--threads 0: needs 1 to 1000"},
	{"--threads=1k1 -w adrestia", "--threads 1k1: needs 1 to 1000"},
	{"-w adrestia --shape oval", "--shape oval: needs round or square"},
	{"-w adrestia --fast-lane=maybe", "--fast-lane maybe: needs yes or no"},
	{"-w adrestia --share -1", "--share -1: needs 0 to 100"},
	{"-w adrestia --threads 13", "--threads 13: not with that many"},
	{NULL, NULL},
};

static void test_bad_options(void **state)
{
	(void)state;
	expect_errors(bad_options);
}

static const struct bad bad_combinations[] = {
	{"ls", "ls: a command goes after --, else run info list sweep ab compare"},
	{"ls -l", "ls: a command goes after --, else run info list sweep ab compare"},
	{"-v sweep",
	 "sweep: a command goes after --, else run info list sweep ab compare"},
	{"''", "'': a command goes after --, else run info list sweep ab compare"},
	{"-", "-: a command goes after --, else run info list sweep ab compare"},
	{"Run", "Run: a command goes after --, else run info list sweep ab compare"},
	{"run ls", "ls: one word too many; a command goes after --"},
	{"run info", "info: one word too many; a command goes after --"},
	{"list list", "list: one word too many; a command goes after --"},
	{"-w adrestia --fast-lane yes",
	 "yes: a command goes after --, else run info list sweep ab compare"},
	{"--", "--: needs a command to run after it"},
	{"run --workload adrestia --", "--: needs a command to run after it"},
	{"-w adrestia -- ls", "--workload adrestia: not together with -- COMMAND"},
	{"-w adrestia -p 5", "--pid 5: not with --workload, which is reported"},
	{"-p 5 -- ls", "--pid 5: not with -- COMMAND, which is reported"},
	{"--warmup 1s", "--warmup: needs --workload"},
	{"--warmup 0 -- ls", "--warmup: needs --workload"},
	{"--keep-root", "--keep-root: needs --workload or -- COMMAND"},
	{"--no-trace", "--no-trace: needs --workload or -- COMMAND"},
	{"--no-trace -p 5", "--no-trace: needs --workload or -- COMMAND"},
	{"--records r", "--records r: needs --events all or slow:TIME"},
	{"--records r --events none", "--records r: needs --events all or slow:TIME"},
	{"--records r --events all --json r",
	 "--records r: needs a file other than --json"},
	{"--events all --records -",
	 "--records -: needs a file; the report is on the standard output"},
	{"--records r --events all --no-trace -- ls", "--records r: not with --no-trace"},
	{"--interval 1s --json a --no-trace -- ls", "--interval: not with --no-trace"},
	{"--series s", "--series s: needs --interval TIME"},
	{"--series s --interval 1s --json s", "--series s: needs a file of its own"},
	{"--series s --interval 1s --events all --records s",
	 "--series s: needs a file of its own"},
	{"--series - --interval 1s",
	 "--series -: needs a file; the report is on the standard output"},
	{"--calibrate",
	 "--calibrate: needs --workload or -- COMMAND, which it runs in turns"},
	{"--calibrate -p 5",
	 "--calibrate: needs --workload or -- COMMAND, which it runs in turns"},
	{"--calibrate -- ls",
	 "--calibrate: needs --preset, or --metric with :lower or :higher"},
	{"--calibrate --metric a=(.) -- ls",
	 "--calibrate: needs --preset, or --metric with :lower or :higher"},
	{"--calibrate -w adrestia --no-trace",
	 "--no-trace: not with --calibrate, which runs both"},
	{"--calibrate -w adrestia --events all --records r",
	 "--records: not with --calibrate"},
	{"--calibrate -w adrestia --interval 1s", "--interval: not with --calibrate"},
	{"--calibrate -w adrestia --rounds 1", "--rounds 1: needs 2 to 10000"},
	{"--rounds 5 -w adrestia", "--rounds 5: needs --calibrate"},
	{"info --calibrate", "--calibrate: not an option of idletrace info"},
	{"info --json x", "--json: not an option of idletrace info"},
	{"--duration 5s info", "--duration: not an option of idletrace info"},
	{"info -w adrestia --threads 5", "--workload: not an option of idletrace info"},
	{"info -- ls", "info: takes no command to run"},
	{"list --btf b", "--btf: not an option of idletrace list"},
	{"list --no-trace", "--no-trace: not an option of idletrace list"},
	{"list -- ls", "list: takes no command to run"},
	{NULL, NULL},
};

static void test_bad_combinations(void **state)
{
	(void)state;
	expect_errors(bad_combinations);
}

/* An option of one workload, given to another. */
static void test_other_workload(void **state)
{
	char line[256], error[256];
	struct attempt *a;

	(void)state;
	if (!workloads[1] || workload_find_option(workloads[1], "label"))
		skip();
	snprintf(line, sizeof(line), "-w %s --label x", workloads[1]->name);
	snprintf(error, sizeof(error), "--label: not an option of %s, but of adrestia",
		 workloads[1]->name);
	a = parse(line);
	expect_error(a, line, error);
	done(a);
}

/* Whatever a user writes, it is one line of ASCII. */
static void test_hostile_text(void **state)
{
	char longer[600];
	char *const words[] = {(char *)"--comm=one\ntwo\033[1m\xc3\xa4 three four",
			       (char *)"--two\nlines",
			       (char *)"a\tb",
			       (char *)"-\n",
			       (char *)"--json=%s%n --",
			       longer};

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	memcpy(longer, "--", 2);
	longer[sizeof(longer) - 1] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		static struct attempt a;
		size_t len;

		memset(&a, 0, sizeof(a));
		a.argv[0] = (char *)"idletrace";
		a.argv[1] = words[i];
		a.argv[2] = (char *)"--nonsense";
		a.argc = 3;
		parse_split(&a);
		assert_int_equal(a.result, OPTIONS_WRONG);
		len = strlen(a.err);
		assert_in_range(len, 12, 120);
		for (size_t k = 0; k < len - 1; k++)
			assert_in_range(a.err[k], ' ', '~');
		assert_int_equal(a.err[len - 1], '\n');
		done(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_bad_combinations),
		cmocka_unit_test(test_other_workload),
		cmocka_unit_test(test_hostile_text),
	};

	return cmocka_run_group_tests_name("options, refused", tests, NULL, NULL);
}
