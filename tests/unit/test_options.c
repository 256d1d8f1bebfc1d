// SPDX-License-Identifier: GPL-2.0
/* The command line: what it accepts, and its help. */
#include "options_workload.h"
#include "version.h"

static struct attempt *parse_ok(const char *line)
{
	struct attempt *a = parse(line);

	if (a->result != OPTIONS_OK || *a->err || *a->out)
		fail_msg("%s: %d %s%s", line, (int)a->result, a->err, a->out);
	return a;
}

static void test_defaults(void **state)
{
	struct attempt *a = parse_ok("");
	const struct options *o = &a->o;

	(void)state;
	assert_int_equal(o->command, COMMAND_RUN);
	assert_null(o->workload);
	assert_null(o->argv);
	assert_int_equal(o->duration_ns, 10 * NSEC_PER_SEC);
	assert_int_equal(o->warmup_ns, 0);
	assert_false(o->keep_root);
	assert_int_equal(o->pid, 0);
	assert_null(o->comm);
	assert_null(o->cgroup);
	assert_false(o->cpus_given);
	assert_int_equal(cpu_mask_count(&o->cpus), 0);
	assert_false(o->calibrate);
	assert_int_equal(o->rounds, 6);
	assert_false(o->no_trace);
	assert_int_equal(o->events, EVENTS_NONE);
	assert_int_equal(o->slow_ns, 0);
	assert_int_equal(o->slowest, 5);
	assert_int_equal(o->housekeeping, -1);
	assert_int_equal(o->settle_ns, 200 * NSEC_PER_MSEC);
	assert_int_equal(o->ring_bytes, 0);
	assert_null(o->btf);
	assert_false(o->no_observer_cost);
	assert_null(o->json);
	assert_null(o->records);
	assert_int_equal(o->interval_ns, 0);
	assert_null(o->series);
	assert_false(o->histogram);
	assert_false(o->verbose);
	done(a);
}

static void test_duration_by_what_runs(void **state)
{
	static const struct {
		const char *line;
		u64 duration;
	} cases[] = {
		{"--workload adrestia", 30 * NSEC_PER_SEC},
		{"--workload adrestia --threads 5", 30 * NSEC_PER_SEC},
		{"--workload adrestia --loops 7", 0},
		{"--workload adrestia --loops 0", 30 * NSEC_PER_SEC},
		{"--workload adrestia --loops 7 --duration 3s", 3 * NSEC_PER_SEC},
		{"--workload adrestia -d 0", 0},
		{"run", 10 * NSEC_PER_SEC},
		{"--duration 0", 0},
		{"--duration=0s", 0},
		{"--duration 1000h", 3600000 * NSEC_PER_SEC},
		{"-d1.5s", 1500 * NSEC_PER_MSEC},
		{"-- true", 0},
		{"-d 250ms -- true", 250 * NSEC_PER_MSEC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attempt *a = parse_ok(cases[i].line);

		if (a->o.duration_ns != cases[i].duration)
			fail_msg("%s: %llu ns", cases[i].line,
				 (unsigned long long)a->o.duration_ns);
		done(a);
	}
}

static void test_all_options_of_a_profile(void **state)
{
	struct attempt *a = parse_ok(
		"run -p 4194304 --comm kworker/* --cgroup /sys/fs/cgroup/a "
		"--cpus 0-2,7 --events slow:100us --slowest 64 --housekeeping 4095 "
		"--settle 1m --ring-size 64k --btf b --no-observer-cost --json - "
		"--records r.tsv --interval 10ms --series s.tsv --plot p --html h "
		"--histogram "
		"--verbose --duration 2m");
	const struct options *o = &a->o;

	(void)state;
	assert_int_equal(o->pid, 4194304);
	assert_string_equal(o->comm, "kworker/*");
	assert_string_equal(o->cgroup, "/sys/fs/cgroup/a");
	assert_true(o->cpus_given);
	assert_int_equal(cpu_mask_count(&o->cpus), 4);
	assert_int_equal(o->events, EVENTS_SLOW);
	assert_int_equal(o->slow_ns, 100 * NSEC_PER_USEC);
	assert_int_equal(o->slowest, 64);
	assert_int_equal(o->housekeeping, 4095);
	assert_int_equal(o->settle_ns, 60 * NSEC_PER_SEC);
	assert_int_equal(o->ring_bytes, 64 << 10);
	assert_string_equal(o->btf, "b");
	assert_true(o->no_observer_cost);
	assert_string_equal(o->json, "-");
	assert_string_equal(o->records, "r.tsv");
	assert_string_equal(o->plot, "p");
	assert_string_equal(o->html, "h");
	assert_int_equal(o->interval_ns, 10 * NSEC_PER_MSEC);
	assert_string_equal(o->series, "s.tsv");
	assert_true(o->histogram);
	assert_true(o->verbose);
	assert_int_equal(o->duration_ns, 120 * NSEC_PER_SEC);
	done(a);
}

static void test_all_options_of_a_workload(void **state)
{
	struct attempt *a = parse_ok(
		"run -w adrestia --threads 500 --loops 10k --pause 3ms --memory 2M "
		"--share 12.5 --shape square --fast-lane --on-cpus 1,3 --label x=y "
		"--warmup 2s --keep-root --no-trace --cpus 3 --duration 7s");
	const struct options *o = &a->o;
	const struct values *v = values(a);

	(void)state;
	assert_ptr_equal(o->workload, &adrestia_workload);
	assert_ptr_equal(o->config.workload, &adrestia_workload);
	assert_int_equal(v->threads, 500);
	assert_int_equal(v->loops, 10000);
	assert_int_equal(v->pause, 3 * NSEC_PER_MSEC);
	assert_int_equal(v->memory, 2 << 20);
	assert_true(v->share == 12.5);
	assert_int_equal(v->shape, 1);
	assert_true(v->fast);
	assert_int_equal(cpu_mask_count(&v->on), 2);
	assert_string_equal(v->label, "x=y");
	assert_int_equal(o->warmup_ns, 2 * NSEC_PER_SEC);
	assert_true(o->keep_root);
	assert_true(o->no_trace);
	assert_int_equal(checked.duration_ns, 7 * NSEC_PER_SEC);
	assert_int_equal(checked.warmup_ns, 2 * NSEC_PER_SEC);
	assert_true(cpu_mask_test(&checked.cpus, 3));
	assert_int_equal(cpu_mask_count(&checked.cpus), 1);
	done(a);
}

static void test_bounds_and_forms(void **state)
{
	struct attempt *a;

	(void)state;
	a = parse_ok("-p1 --slowest=0 --settle 0 --ring-size=1G --housekeeping 0");
	assert_int_equal(a->o.pid, 1);
	assert_int_equal(a->o.slowest, 0);
	assert_int_equal(a->o.settle_ns, 0);
	assert_int_equal(a->o.ring_bytes, 1 << 30);
	assert_int_equal(a->o.housekeeping, 0);
	done(a);
	a = parse_ok("--ring-size 131072 --pid=77 --events all --records r");
	assert_int_equal(a->o.ring_bytes, 131072);
	assert_int_equal(a->o.pid, 77);
	assert_int_equal(a->o.events, EVENTS_ALL);
	assert_int_equal(a->o.slow_ns, 0);
	done(a);
	a = parse_ok("-vd 3s --comm 123456789012345 --json --help");
	assert_true(a->o.verbose);
	assert_int_equal(a->o.duration_ns, 3 * NSEC_PER_SEC);
	assert_string_equal(a->o.comm, "123456789012345");
	assert_string_equal(a->o.json, "--help");
	done(a);
}

/* The workload's name may come in any form and place, and its options before it. */
static void test_workload_anywhere(void **state)
{
	static const char *const lines[] = {
		"--workload adrestia --threads 9 --fast-lane=no",
		"--threads 9 --workload adrestia",
		"--threads=9 --fast-lane -w adrestia --fast-lane=no",
		"-v --threads 9 -wadrestia",
		"--threads 9 -vw adrestia run",
		"run --threads 8 --threads 9 --workload=adrestia",
		"-w adrestia --workload adrestia --threads 9",
		"--label --threads --workload=adrestia --threads 9",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct attempt *a = parse_ok(lines[i]);

		assert_ptr_equal(a->o.workload, &adrestia_workload);
		assert_int_equal(values(a)->threads, 9);
		assert_false(values(a)->fast);
		assert_true(workload_given(&a->o.config, "threads"));
		assert_false(workload_given(&a->o.config, "pause"));
		done(a);
	}
}

static void test_last_one_counts(void **state)
{
	struct attempt *a =
		parse_ok("--events slow:5us --comm a --cpus 1 --slowest 3 --slowest 4 "
			 "--cpus 2 --events none --comm b --duration 1s --duration 2s");

	(void)state;
	assert_int_equal(a->o.events, EVENTS_NONE);
	assert_int_equal(a->o.slow_ns, 0);
	assert_string_equal(a->o.comm, "b");
	assert_false(cpu_mask_test(&a->o.cpus, 1));
	assert_int_equal(a->o.slowest, 4);
	assert_int_equal(a->o.duration_ns, 2 * NSEC_PER_SEC);
	done(a);
}

static void test_command(void **state)
{
	struct attempt *a = parse_ok("--no-trace --keep-root -v -- ls --help -- -w x");

	(void)state;
	assert_ptr_equal(a->o.argv, a->argv + 5);
	assert_string_equal(a->o.argv[0], "ls");
	assert_string_equal(a->o.argv[1], "--help");
	assert_string_equal(a->o.argv[2], "--");
	assert_string_equal(a->o.argv[4], "x");
	assert_null(a->o.argv[5]);
	assert_null(a->o.workload);
	assert_true(a->o.no_trace);
	assert_true(a->o.keep_root);
	done(a);
	a = parse_ok("run -- run");
	assert_string_equal(a->o.argv[0], "run");
	done(a);
	a = parse_ok("-- -x");
	assert_string_equal(a->o.argv[0], "-x");
	done(a);
}

static void test_metrics(void **state)
{
	struct attempt *a = parse_ok("--metric a=x=([0-9]+):lower --preset=hackbench "
				     "--metric b-2=(.*) --no-trace -- ls --metric");
	const struct metric_rules *m = &a->o.metrics;

	(void)state;
	assert_int_equal(m->nr_metrics, 3);
	assert_string_equal(m->metrics[0].name, "a");
	assert_int_equal(m->metrics[0].better, BETTER_LOWER);
	assert_string_equal(m->metrics[1].unit, "s");
	assert_string_equal(m->metrics[2].name, "b-2");
	assert_int_equal(m->metrics[2].better, BETTER_NONE);
	done(a);
	a = parse_ok("-- ls");
	assert_int_equal(a->o.metrics.nr_rules, 0);
	done(a);
}

static void test_calibrate(void **state)
{
	struct attempt *a = parse_ok("run -w adrestia --calibrate --rounds 9");

	(void)state;
	assert_true(a->o.calibrate);
	assert_int_equal(a->o.rounds, 9);
	done(a);
	a = parse_ok("--calibrate --metric a=([0-9]+):lower -- ls --calibrate");
	assert_true(a->o.calibrate);
	done(a);
	a = parse_ok("-- ls --calibrate");
	assert_false(a->o.calibrate);
	done(a);
}

static void test_subcommands(void **state)
{
	struct attempt *a;

	(void)state;
	a = parse_ok("info --btf /b -v");
	assert_int_equal(a->o.command, COMMAND_INFO);
	assert_string_equal(a->o.btf, "/b");
	assert_true(a->o.verbose);
	done(a);
	a = parse_ok("--verbose list");
	assert_int_equal(a->o.command, COMMAND_LIST);
	done(a);
	a = parse_ok("list");
	assert_int_equal(a->o.command, COMMAND_LIST);
	done(a);
}

static void test_help(void **state)
{
	static const char *const named[] = {
		"\n  -w, --workload NAME ", "\n  -d, --duration TIME ",
		"\n      --warmup TIME ",   "\n      --keep-root ",
		"\n  -p, --pid PID ",	    "\n      --comm GLOB ",
		"\n      --cgroup PATH ",   "\n      --cpus LIST ",
		"\n      --calibrate ",	    "\n      --rounds N ",
		"\n      --no-trace ",	    "\n      --events WHICH ",
		"\n      --slowest N ",	    "\n      --housekeeping CPU ",
		"\n      --settle TIME ",   "\n      --ring-size SIZE ",
		"\n      --btf FILE ",	    "\n      --no-observer-cost ",
		"\n      --json FILE ",	    "\n      --records FILE ",
		"\n      --interval TIME ", "\n      --series FILE ",
		"\n      --histogram ",	    "\n  -v, --verbose ",
		"\n  -h, --help ",	    "\n  -V, --version ",
		"\nWhat runs:\n",	    "\nWhich wakeups are reported:\n",
		"\nHow they are traced:\n", "\nHow they are reported:\n",
	};
	struct attempt *a = parse_done("--help");

	(void)state;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (!strstr(a->out, named[i]))
			fail_msg("missing in --help: %s", named[i]);
	}
	done(a);
	done(parse_done("run -h"));
	done(parse_done("-h --no-trace")); /* help comes before what does not fit */
}

static void test_help_of_others(void **state)
{
	struct attempt *a;

	(void)state;
	a = parse_done("--help --workload adrestia --threads 5");
	assert_int_equal(strncmp(a->out, "Usage: idletrace --workload adrestia ", 37), 0);
	assert_non_null(strstr(a->out, "\n  --threads N "));
	assert_non_null(strstr(a->out, "1 to 1000 [4]"));
	assert_null(strstr(a->out, "--ring-size"));
	done(a);
	a = parse_done("info --help");
	assert_non_null(strstr(a->out, "--btf FILE"));
	assert_null(strstr(a->out, "--json"));
	done(a);
	a = parse_done("-h list");
	assert_non_null(strstr(a->out, "--verbose"));
	assert_null(strstr(a->out, "--btf"));
	done(a);
}

static void test_version(void **state)
{
	struct attempt *a = parse_done("--version");

	(void)state;
	assert_string_equal(a->out, "idletrace " IDLETRACE_VERSION "\n");
	done(a);
	a = parse_done("-vV");
	assert_string_equal(a->out, "idletrace " IDLETRACE_VERSION "\n");
	done(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_duration_by_what_runs),
		cmocka_unit_test(test_all_options_of_a_profile),
		cmocka_unit_test(test_all_options_of_a_workload),
		cmocka_unit_test(test_bounds_and_forms),
		cmocka_unit_test(test_workload_anywhere),
		cmocka_unit_test(test_last_one_counts),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_calibrate),
		cmocka_unit_test(test_subcommands),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_help_of_others),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
