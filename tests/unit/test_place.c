// SPDX-License-Identifier: GPL-2.0
/* Placement on machines that are made up: directories laid out as sysfs. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ftw.h>
#include <cmocka.h>

#include "place.h"
#include "workload.h"

static char root[] = "/tmp/idletrace-place-XXXXXX";
static struct cpu_mask everywhere;

/* Writes a file below the made-up /sys/devices/system/cpu, with its directories. */
static void put(const char *content, const char *fmt, ...)
{
	char path[PATH_MAX];
	size_t used =
		(size_t)snprintf(path, sizeof(path), "%s/devices/system/cpu/", root);
	va_list args;
	FILE *file;

	va_start(args, fmt);
	vsnprintf(path + used, sizeof(path) - used, fmt, args);
	va_end(args);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*p = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", content);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int clear(void **state)
{
	(void)state;
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

static void put_cpu(unsigned int cpu, const char *siblings, const char *llc)
{
	put(siblings, "cpu%u/topology/thread_siblings_list", cpu);
	/* The last level need not be the last index. */
	put("1", "cpu%u/cache/index0/level", cpu);
	put(siblings, "cpu%u/cache/index0/shared_cpu_list", cpu);
	put("3", "cpu%u/cache/index1/level", cpu);
	put(llc, "cpu%u/cache/index1/shared_cpu_list", cpu);
	put("2", "cpu%u/cache/index2/level", cpu);
	put(siblings, "cpu%u/cache/index2/shared_cpu_list", cpu);
}

/*
 * Two sockets of three cores with two threads each, numbered as firmware likes to: even
 * CPUs on the first socket, odd ones on the second, siblings six apart.
 */
static int two_sockets(void **state)
{
	char siblings[16];

	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	(void)state;
	put("0-11", "online");
	for (unsigned int cpu = 0; cpu < 12; cpu++) {
		snprintf(siblings, sizeof(siblings), "%u,%u", cpu % 6, cpu % 6 + 6);
		put_cpu(cpu, siblings, cpu % 2 ? "1,3,5,7,9,11" : "0,2,4,6,8,10");
	}
	return 0;
}

/* Four CPUs of an arm64 guest: no caches, each its own core, one offline. */
static int plain(void **state)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	(void)state;
	put("0-1,3", "online");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		char self[4] = {(char)('0' + cpu)};

		put(self, "cpu%u/topology/thread_siblings_list", cpu);
		put("0-3", "cpu%u/topology/core_siblings_list", cpu);
	}
	return 0;
}

static void chosen(const char *text, unsigned int need, unsigned int group,
		   unsigned int nr, const char *expected)
{
	char err[WORKLOAD_ERROR_MAX] = "", buf[80];
	struct place place;

	if (place_choose(&place, text, need, &everywhere, root, err, sizeof(err)))
		fail_msg("%s", err);
	assert_string_equal(place_format(&place, group, nr, buf, sizeof(buf)), expected);
	place_free(&place);
}

static void refused(const char *text, unsigned int need, const char *expected)
{
	char err[WORKLOAD_ERROR_MAX] = "";
	struct place place;

	assert_int_equal(
		place_choose(&place, text, need, &everywhere, root, err, sizeof(err)),
		-1);
	assert_string_equal(err, expected);
	assert_null(place.cpus);
}

static void test_cores(void **state)
{
	(void)state;
	chosen("cores", 2, 0, 2, "cores: CPU 0,1");
	chosen("cores", 6, 0, 6, "cores: CPU 0-5");
	/* More threads than cores begin again, and there is but one group. */
	chosen("cores", 1, 7, 8, "cores: CPU 0-5,0,1");
	refused("cores", 7,
		"--place cores: needs 7 CPUs, there are 6 physical cores to run on; see "
		"--place any or a LIST");
}

static void test_smt(void **state)
{
	(void)state;
	chosen("smt", 2, 0, 2, "smt: CPU 0,6");
	chosen("smt", 2, 1, 2, "smt: CPU 1,7");
	chosen("smt", 2, 6, 2, "smt: CPU 0,6");
	refused("smt", 3,
		"--place smt: needs 3 CPUs, no core has more than 2 to run on; see "
		"--place any or a LIST");
}

static void test_llc(void **state)
{
	(void)state;
	chosen("llc", 2, 0, 3, "llc: CPU 0,2,4");
	chosen("llc", 6, 0, 6, "llc: CPU 0,2,4,6,8,10");
	chosen("llc", 6, 1, 6, "llc: CPU 1,3,5,7,9,11");
	refused("llc", 7,
		"--place llc: needs 7 CPUs, no last-level cache has more than 6 to run "
		"on; see --place any or a LIST");
}

static void test_any(void **state)
{
	char err[WORKLOAD_ERROR_MAX];
	struct place place;

	(void)state;
	chosen("any", 100, 0, 100, "any (not pinned)");
	assert_int_equal(
		place_choose(&place, "any", 2, &everywhere, root, err, sizeof(err)), 0);
	assert_int_equal(place_cpu(&place, 0, 0), PLACE_NO_CPU);
	assert_int_equal(place_size(&place, 0), 0);
	assert_int_equal(place_pin(PLACE_NO_CPU), 0);
	place_free(&place);
}

static void test_list(void **state)
{
	(void)state;
	chosen("3", 2, 0, 2, "list: CPU 3,3");
	chosen("3,0", 2, 0, 2, "list: CPU 3,0");
	chosen("0,0", 2, 0, 2, "list: CPU 0,0");
	chosen("4-6,1", 2, 5, 5, "list: CPU 4-6,1,4");
	refused("12", 1, "--place 12: needs CPUs that are online and allowed");
	refused("", 1,
		"--place : needs cores, smt, llc, any or a CPU list such as 0-3,8");
	refused("core", 1,
		"--place core: needs cores, smt, llc, any or a CPU list such as 0-3,8");
	refused("0,,1", 1,
		"--place 0,,1: needs cores, smt, llc, any or a CPU list such as 0-3,8");
	refused("3-1", 1,
		"--place 3-1: needs cores, smt, llc, any or a CPU list such as 0-3,8");
}

/* Only CPUs that are allowed count, and a core is known by its siblings all the same. */
static void test_allowed(void **state)
{
	struct cpu_mask all = everywhere;

	(void)state;
	cpu_mask_parse("2,6-8", &everywhere);
	chosen("cores", 3, 0, 3, "cores: CPU 2,6,7");
	chosen("smt", 2, 0, 2, "smt: CPU 2,8");
	chosen("llc", 2, 0, 3, "llc: CPU 2,6,8");
	refused("0", 1, "--place 0: needs CPUs that are online and allowed");
	everywhere = all;
}

static void test_plain(void **state)
{
	(void)state;
	chosen("cores", 3, 0, 3, "cores: CPU 0,1,3");
	chosen("llc", 3, 0, 3, "llc: CPU 0,1,3");
	refused("smt", 2,
		"--place smt: needs 2 CPUs, no core has more than 1 to run on; see "
		"--place any or a LIST");
	refused("2", 1, "--place 2: needs CPUs that are online and allowed");
}

static void test_format_is_cut(void **state)
{
	char err[WORKLOAD_ERROR_MAX], buf[16];
	struct place place;

	(void)state;
	assert_int_equal(
		place_choose(&place, "0,2,4,6,8", 5, &everywhere, root, err, sizeof(err)),
		0);
	assert_int_equal(place_size(&place, 3), 5);
	assert_string_equal(place_format(&place, 0, 3, buf, sizeof(buf)),
			    "list: CPU 0,2,4");
	assert_string_equal(place_format(&place, 0, 5, buf, sizeof(buf)),
			    "list: CPU 0,...");
	place_free(&place);
}

static void test_no_sysfs(void **state)
{
	char err[WORKLOAD_ERROR_MAX];
	struct place place;

	(void)state;
	assert_int_equal(place_choose(&place, "cores", 1, &everywhere, "/nowhere", err,
				      sizeof(err)),
			 -1);
	assert_string_equal(err, "/nowhere/devices/system/cpu/online cannot be read");
}

/* The machine the test runs on: its first CPU is a core, and can be pinned to. */
static void test_here(void **state)
{
	struct workload_run run = {0};
	struct cpu_mask before, now;
	char err[WORKLOAD_ERROR_MAX];
	struct place place;

	(void)state;
	place_allowed(&run, &before);
	assert_true(cpu_mask_count(&before) > 0);
	assert_int_equal(place_check("cores", 1, &run, err, sizeof(err)), 0);
	assert_int_equal(place_check("nowhere", 1, &run, err, sizeof(err)), -1);
	assert_int_equal(
		place_choose(&place, "cores", 1, &before, PLACE_SYSFS, err, sizeof(err)),
		0);
	assert_int_equal(place_pin(place_cpu(&place, 0, 0)), 0);
	assert_int_equal(cpu_mask_get_affinity(&now), 0);
	assert_int_equal(cpu_mask_count(&now), 1);
	assert_true(cpu_mask_test(&now, place_cpu(&place, 0, 0)));
	cpu_mask_set_affinity(&before);
	place_free(&place);
}

#define ON(machine, test) cmocka_unit_test_setup_teardown(test, machine, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(two_sockets, test_cores),	     ON(two_sockets, test_smt),
		ON(two_sockets, test_llc),	     ON(two_sockets, test_any),
		ON(two_sockets, test_list),	     ON(two_sockets, test_allowed),
		ON(two_sockets, test_format_is_cut), ON(plain, test_plain),
		cmocka_unit_test(test_no_sysfs),     cmocka_unit_test(test_here),
	};

	for (unsigned int cpu = 0; cpu < 64; cpu++)
		cpu_mask_set(&everywhere, cpu);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
