// SPDX-License-Identifier: GPL-2.0
/* Every knob on a machine made of plain files: what it takes, refuses and puts back. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "knobs.h"
#include "tree.h"

#define CPU	"/sys/devices/system/cpu"
#define NR_CPUS 4

static struct knobs knobs;

static int setup(void **state)
{
	static const char *const names[] = {"POLL", "C1", "C1E", "C6"};

	if (tree_setup(state))
		return -1;
	tree_put("0-3\n", CPU "/online");
	tree_put("menu teo haltpoll \n", CPU "/cpuidle/available_governors");
	tree_put("teo\n", CPU "/cpuidle/current_governor");
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		for (int s = 0; s < 4; s++) {
			char name[16];

			snprintf(name, sizeof(name), "%s\n", names[s]);
			tree_put(name, CPU "/cpu%d/cpuidle/state%d/name", cpu, s);
			tree_put(cpu == 2 && s == 3 ? "1\n" : "0\n",
				 CPU "/cpu%d/cpuidle/state%d/disable", cpu, s);
		}
	}
	tree_put("performance schedutil userspace\n",
		 CPU "/cpufreq/policy0/scaling_available_governors");
	tree_put("schedutil\n", CPU "/cpufreq/policy0/scaling_governor");
	tree_put("<unsupported>\n", CPU "/cpufreq/policy0/scaling_setspeed");
	tree_put("userspace performance\n",
		 CPU "/cpufreq/policy2/scaling_available_governors");
	tree_put("userspace\n", CPU "/cpufreq/policy2/scaling_governor");
	tree_put("1200000\n", CPU "/cpufreq/policy2/scaling_setspeed");
	tree_put("GENTLE NO_HRTICK TTWU_QUEUE WA_IDLE \n",
		 "/sys/kernel/debug/sched/features");
	tree_put("1\n", "/proc/sys/kernel/numa_balancing");
	tree_put("4096\t87380\t6291456\n", "/proc/sys/net/ipv4/tcp_rmem");
	tree_put("", "/dev/cpu_dma_latency");
	tree_put("always [madvise] never\n", "/sys/thp");
	tree_put("Y\n", "/sys/module/x/parameters/y");
	knobs_init(&knobs, tree_root);
	return 0;
}

static int teardown(void **state)
{
	knobs_free(&knobs);
	return tree_teardown(state);
}

static struct knob_use *add(const char *spec)
{
	char err[KNOB_ERROR] = "";
	struct knob_use *use = knobs_add(&knobs, spec, NULL, err, sizeof(err));

	if (!use)
		fail_msg("%s: %s", spec, err);
	return use;
}

static void refuse_with(const char *spec, const struct workload *w, const char *want)
{
	char err[KNOB_ERROR] = "";

	if (knobs_add(&knobs, spec, w, err, sizeof(err)))
		fail_msg("%s: was accepted", spec);
	if (!strstr(err, want))
		fail_msg("%s: \"%s\" lacks \"%s\"", spec, err, want);
	assert_null(strchr(err, '\n'));
}

static void refuse(const char *spec, const char *want)
{
	refuse_with(spec, NULL, want);
}

static void set(struct knob_use *use, const char *value)
{
	if (knob_set(use, value))
		fail_msg("%s=%s: %s", use->name, value, use->err);
}

static void restored(int failures, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(knobs_restore(&knobs, f), failures);
	fclose(f);
	if (!strstr(text, want))
		fail_msg("\"%s\" lacks \"%s\"", text, want);
	if (!failures)
		assert_string_equal(text, "");
	free(text);
}

static void test_governor(void **state)
{
	struct knob_use *use = add("governor=menu,teo");

	(void)state;
	tree_expect("teo\n", CPU "/cpuidle/current_governor");
	set(use, "menu");
	tree_expect("menu", CPU "/cpuidle/current_governor");
	restored(0, "");
	tree_expect("teo\n", CPU "/cpuidle/current_governor");
}

static void test_governor_refused(void **state)
{
	(void)state;
	refuse("governor=menu,ladder", "no ladder here, there is menu, teo, haltpoll");
	tree_remove(CPU "/cpuidle/current_governor");
	tree_put("teo\n", CPU "/cpuidle/current_governor_ro");
	refuse("governor=menu", "cpuidle_sysfs_switch");
	tree_remove(CPU "/cpuidle/available_governors");
	refuse("governor=menu", "no cpuidle governors");
}

/* Only what every policy has can be chosen. */
static void test_cpufreq_governor(void **state)
{
	struct knob_use *use;

	(void)state;
	refuse("cpufreq-governor=schedutil", "there is performance, userspace");
	use = add("cpufreq-governor=performance,userspace");
	set(use, "performance");
	tree_expect("performance", CPU "/cpufreq/policy0/scaling_governor");
	tree_expect("performance", CPU "/cpufreq/policy2/scaling_governor");
	/* The kernel forgets the speed while another governor is at work. */
	tree_put("<unsupported>\n", CPU "/cpufreq/policy2/scaling_setspeed");
	restored(0, "");
	tree_expect("schedutil\n", CPU "/cpufreq/policy0/scaling_governor");
	tree_expect("<unsupported>\n", CPU "/cpufreq/policy0/scaling_setspeed");
	tree_expect("userspace\n", CPU "/cpufreq/policy2/scaling_governor");
	tree_expect("1200000\n", CPU "/cpufreq/policy2/scaling_setspeed");
}

static void test_idle_state(void **state)
{
	struct knob_use *use = add("state3=on,off");

	(void)state;
	assert_int_equal(use->nr_files, NR_CPUS);
	set(use, "off");
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		tree_expect("1", CPU "/cpu%d/cpuidle/state3/disable", cpu);
	set(use, "on");
	tree_expect("0", CPU "/cpu2/cpuidle/state3/disable");
	tree_expect("0\n", CPU "/cpu2/cpuidle/state2/disable");
	restored(0, "");
	tree_expect("0\n", CPU "/cpu1/cpuidle/state3/disable");
	tree_expect("1\n", CPU "/cpu2/cpuidle/state3/disable");
}

static void test_idle_state_by_name(void **state)
{
	struct knob_use *use = add("idle-state:C1E=off,on");

	(void)state;
	set(use, "off");
	tree_expect("1", CPU "/cpu0/cpuidle/state2/disable");
	tree_expect("0\n", CPU "/cpu0/cpuidle/state3/disable");
	set(add("idle-state:state1=off"), "off");
	tree_expect("1", CPU "/cpu3/cpuidle/state1/disable");
	refuse("idle-state:C7=on", "state0(POLL), state1(C1), state2(C1E), state3(C6)");
	refuse("state9=on", "no state9 here, there is state0(POLL)");
	refuse("state3=yes", "on or off");
	refuse("idle-state=on", "needs a state after a colon");
	refuse("stately=on", "no such knob");
}

/* A CPU that goes offline may take its files with it. */
static void test_offline_cpu(void **state)
{
	struct knob_use *use = add("state3=off,on");

	(void)state;
	set(use, "off");
	tree_put("0-2\n", CPU "/online");
	tree_remove(CPU "/cpu3/cpuidle/state3/disable");
	set(use, "off");
	assert_true(use->skipped);
	restored(1, "cpu3/cpuidle/state3/disable: not put back to 0: No such file");
	tree_expect("0\n", CPU "/cpu0/cpuidle/state3/disable");
	tree_expect("1\n", CPU "/cpu2/cpuidle/state3/disable");
	tree_put("1\n", CPU "/cpu3/cpuidle/state3/disable");
	restored(0, "");
	tree_expect("0\n", CPU "/cpu3/cpuidle/state3/disable");
}

static void test_offline_is_said(void **state)
{
	struct knob_use *use = add("state3=off,on");

	(void)state;
	set(use, "off");
	tree_put("0-2\n", CPU "/online");
	tree_remove(CPU "/cpu3/cpuidle/state3/disable");
	restored(1, "(cpu3 is offline)");
}

/* What vanishes while its CPU is online is an error, and does not keep the rest. */
static void test_vanished_knob(void **state)
{
	struct knob_use *file, *governor;

	(void)state;
	governor = add("governor=menu,teo");
	file = add("file:/sys/module/x/parameters/y=N,Y");
	set(governor, "menu");
	set(file, "N");
	tree_remove("/sys/module/x/parameters/y");
	assert_int_equal(knob_set(file, "Y"), -1);
	assert_non_null(strstr(file->err, "No such file"));
	restored(1, "parameters/y: not put back to Y: No such file or directory");
	tree_expect("teo\n", CPU "/cpuidle/current_governor");
}

static void test_pm_qos(void **state)
{
	struct knob_use *use;
	char path[PATH_MAX];
	int32_t us = -1;
	FILE *f;

	(void)state;
	use = add("pm-qos=none,20,1ms,0");
	set(use, "none");
	assert_int_equal(use->fd, -1);
	set(use, "20");
	assert_true(use->fd >= 0);
	set(use, "1ms");
	snprintf(path, sizeof(path), "%s/dev/cpu_dma_latency", tree_root);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(&us, sizeof(us), 1, f), 1);
	fclose(f);
	assert_int_equal(us, 1000);
	restored(0, "");
	assert_int_equal(use->fd, -1);
	knobs_free(&knobs);
	refuse("pm-qos=ten", "whole microseconds");
	refuse("pm-qos=-1", "whole microseconds");
	refuse("pm-qos=1ns", "whole microseconds");
	refuse("pm-qos=3000000000", "whole microseconds");
	tree_remove("/dev/cpu_dma_latency");
	refuse("pm-qos=1", "No such file");
}

static const struct saved *feature_file(struct knob_use *use, const char *feature)
{
	for (unsigned int i = 0; i < use->nr_files; i++)
		if (!strcmp(use->files[i].feature, feature))
			return &use->files[i];
	fail_msg("no %s", feature);
	return NULL;
}

/* The kernel takes one word; a plain file is left with it, so only texts are tried. */
static void test_sched_feature(void **state)
{
	struct knob_use *use = add("sched-feature=NO_TTWU_QUEUE,TTWU_QUEUE,HRTICK");
	const struct knob *knob = use->knob;
	const struct saved *ttwu, *hrtick;

	(void)state;
	assert_int_equal(use->nr_files, 2);
	ttwu = feature_file(use, "TTWU_QUEUE");
	hrtick = feature_file(use, "HRTICK");
	assert_string_equal(ttwu->old, "TTWU_QUEUE");
	assert_string_equal(hrtick->old, "NO_HRTICK");
	assert_string_equal(knob->text(use, ttwu, "NO_TTWU_QUEUE"), "NO_TTWU_QUEUE");
	assert_string_equal(knob->text(use, hrtick, "NO_TTWU_QUEUE"), "NO_HRTICK");
	assert_string_equal(knob->text(use, ttwu, "HRTICK"), "TTWU_QUEUE");
	restored(0, "");
	tree_remove("/sys/kernel/debug/sched/features");
	restored(2, "not put back to NO_HRTICK");
}

static void test_sched_feature_refused(void **state)
{
	(void)state;
	refuse("sched-feature=NO_FOO,TTWU_QUEUE",
	       "no FOO here, there is GENTLE, HRTICK, TTWU_QUEUE, WA_IDLE");
	tree_remove("/sys/kernel/debug/sched/features");
	refuse("sched-feature=TTWU_QUEUE", "no scheduler features");
	/* Before v5.13. */
	tree_put("TTWU_QUEUE\n", "/sys/kernel/debug/sched_features");
	assert_int_equal(add("sched-feature=TTWU_QUEUE,NO_TTWU_QUEUE")->nr_files, 1);
	knobs_free(&knobs);
	tree_remove("/sys/kernel/debug/sched_features");
	tree_remove("/sys/kernel/debug/sched");
	refuse("sched-feature=WA_IDLE", "mount -t debugfs");
}

static void test_sysctl(void **state)
{
	struct knob_use *use = add("sysctl:kernel.numa_balancing=0,1");

	(void)state;
	set(use, "0");
	tree_expect("0", "/proc/sys/kernel/numa_balancing");
	use = add("sysctl:net/ipv4/tcp_rmem=1 2 3");
	set(use, "1 2 3");
	restored(0, "");
	tree_expect("1\n", "/proc/sys/kernel/numa_balancing");
	tree_expect("4096\t87380\t6291456\n", "/proc/sys/net/ipv4/tcp_rmem");
	refuse("sysctl:kernel.numa=1", "/proc/sys/kernel has numa_balancing");
	refuse("sysctl:nowhere.at.all=1", "/proc/sys has ");
	refuse("sysctl:kernel=1", "is not a file");
	refuse("sysctl:kernel/../../x=1", "needs a name");
	refuse("sysctl=1", "needs the name of a sysctl");
}

static void test_file(void **state)
{
	struct knob_use *use = add("file:/sys/thp=always,never");

	(void)state;
	/* The kernel brackets the choice again. */
	tree_put("always madvise [never]\n", "/sys/thp");
	restored(1, "sys/thp: not put back to madvise");
	tree_expect("madvise", "/sys/thp");
	knobs_free(&knobs);
	tree_put("always [madvise] never\n", "/sys/thp");
	refuse("file:/sys/thp=sometimes", "always, madvise, never");
	use = add("file:/sys/module/x/parameters/y=a\\,b,N");
	assert_string_equal(use->values.words[0], "a,b");
	set(use, "a,b");
	tree_expect("a,b", "/sys/module/x/parameters/y");
	restored(0, "");
	tree_expect("Y\n", "/sys/module/x/parameters/y");
}

static void test_file_refused(void **state)
{
	static char large[SAVED_MAX + 1];

	(void)state;
	memset(large, 'x', SAVED_MAX);
	tree_put(large, "/large");
	refuse("file:/large=1", "more than 4 kB");
	refuse("file:/sys=1", "is not a file");
	refuse("file:/nowhere=1", "No such file");
	refuse("file:relative=1", "begins with a slash");
	refuse("file:=1", "needs a path");
}

/* Half of the values are set when one is refused. */
static void test_not_taken(void **state)
{
	struct knob_use *use = add("state2=off,on");
	char path[PATH_MAX];

	(void)state;
	tree_remove(CPU "/cpu1/cpuidle/state2/disable");
	assert_int_equal(knob_set(use, "off"), -1);
	assert_non_null(strstr(use->err, "state2=off: "));
	snprintf(path, sizeof(path), "%s" CPU "/cpu1/cpuidle/state2/disable", tree_root);
	assert_int_equal(mkdir(path, 0700), 0);
	restored(1, "cpu1/cpuidle/state2/disable: not put back to 0: Is a directory");
	tree_expect("0\n", CPU "/cpu0/cpuidle/state2/disable");
}

static void test_none(void **state)
{
	struct knob_use *use = add("none=a,b");

	(void)state;
	assert_int_equal(use->nr_files, 0);
	set(use, "b");
	restored(0, "");
}

static void assert_argument(const struct knob_use *use, const char *value,
			    const char *want)
{
	char *word = NULL;

	assert_int_equal(use->knob->argument(use, value, &word), 0);
	if (want)
		assert_string_equal(word, want);
	else
		assert_null(word);
	free(word);
}

static void test_trace(void **state)
{
	struct knob_use *use;

	(void)state;
	refuse("trace:x=on,off", "nothing goes after trace");
	refuse("trace=on,maybe", "no maybe here, there is on, off");
	use = add("trace=on,off");
	assert_int_equal(use->nr_files, 0);
	assert_argument(use, "on", NULL);
	assert_argument(use, "off", "--no-trace");
	set(use, "off");
	restored(0, "");
}

static void test_option(void **state)
{
	const struct workload *w = workload_find("adrestia");
	char err[KNOB_ERROR];
	struct knob_use *use;

	(void)state;
	use = knobs_add(&knobs, "loops=10,100", w, err, sizeof(err));
	assert_non_null(use);
	assert_argument(use, "10", "--loops=10");
	use = knobs_add(&knobs, "option:threads=1,2", w, err, sizeof(err));
	assert_non_null(use);
	assert_argument(use, "2", "--threads=2");
	refuse_with("option:nosuch=1", w, "not an option of adrestia, which has");
	refuse_with("nosuch=1", w, "no such knob");
	refuse_with("loops=1", w, "is varied twice");
	refuse_with("option:loops=x", w, "--loops x: needs");
	refuse("loops=1", "no such knob");
	refuse("option:loops=1", "needs --workload");
}

/* A knob and an option of the same name: the option would be out of reach. */
static void test_names_do_not_collide(void **state)
{
	(void)state;
	for (int i = 0; workloads[i]; i++)
		for (int k = 0; knob_table[k]; k++)
			assert_null(
				workload_find_option(workloads[i], knob_table[k]->name));
}

static void test_specs(void **state)
{
	char spec[16];

	(void)state;
	refuse("", "needs KNOB=VALUE,VALUE");
	refuse("governor", "needs KNOB=VALUE,VALUE");
	refuse("=menu", "needs KNOB=VALUE,VALUE");
	refuse("nosuch=1", "there are governor, cpufreq-governor, state3, pm-qos");
	refuse("governor=", "a value is empty");
	refuse("governor=menu,", "a value is empty");
	refuse("governor=menu,,teo", "a value is empty");
	refuse("governor=menu,menu", "menu is there twice");
	refuse("governor:x=menu", "nothing goes after governor");
	add("none=a");
	refuse("none=b", "is varied twice");
	for (int i = 1; i < KNOBS_MAX; i++) {
		snprintf(spec, sizeof(spec), "state%d=on", i % 4);
		if (i < 4)
			add(spec);
	}
	tree_expect("teo\n", CPU "/cpuidle/current_governor");
}

static void test_too_many(void **state)
{
	char spec[512] = "none=0";

	(void)state;
	for (int i = 1; i <= KNOB_VALUES; i++)
		snprintf(spec + strlen(spec), sizeof(spec) - strlen(spec), ",%d", i);
	refuse(spec, "more than 64 values");
	for (int i = 0; i < KNOBS_MAX; i++) {
		snprintf(spec, sizeof(spec), "file:/sys/%d=1", i);
		tree_put("0\n", "/sys/%d", i);
		add(spec);
	}
	refuse("none=a", "more than 8 knobs");
}

static void test_list(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	knobs_print(tree_root, f);
	fclose(f);
	assert_non_null(strstr(text, "    menu teo haltpoll\n"));
	assert_non_null(strstr(text, "    performance userspace\n"));
	assert_non_null(strstr(text, "    state0(POLL) state1(C1)"));
	assert_non_null(strstr(text, "    GENTLE HRTICK TTWU_QUEUE WA_IDLE\n"));
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line <= 80);
	}
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_governor),
		TEST(test_governor_refused),
		TEST(test_cpufreq_governor),
		TEST(test_idle_state),
		TEST(test_idle_state_by_name),
		TEST(test_offline_cpu),
		TEST(test_offline_is_said),
		TEST(test_vanished_knob),
		TEST(test_pm_qos),
		TEST(test_sched_feature),
		TEST(test_sched_feature_refused),
		TEST(test_sysctl),
		TEST(test_file),
		TEST(test_file_refused),
		TEST(test_not_taken),
		TEST(test_none),
		TEST(test_trace),
		TEST(test_option),
		TEST(test_names_do_not_collide),
		TEST(test_specs),
		TEST(test_too_many),
		TEST(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
