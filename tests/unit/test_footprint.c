// SPDX-License-Identifier: GPL-2.0
/* Memory of a process, from files as the kernel writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "footprint.h"
#include "tree.h"

static const char *in_tree(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s%s", tree_root, name);
	return path;
}

static void test_resident(void **state)
{
	(void)state;
	tree_put("Name:\tidletrace\nVmPeak:\t   30000 kB\nVmHWM:\t   20792 kB\n"
		 "VmRSS:\t   10000 kB\n",
		 "/status");
	assert_int_equal(footprint_resident(in_tree("/status")), 20792 * 1024);
}

static void test_bpf(void **state)
{
	(void)state;
	tree_put("pos:\t0\nflags:\t02\n", "/fdinfo/0");
	tree_put("pos:\t0\nmap_type:\t27\nmax_entries:\t4194304\nmemlock:\t4206592\n"
		 "map_id:\t7\n",
		 "/fdinfo/10");
	tree_put("prog_type:\t26\nmemlock:\t8192\nprog_id:\t9\n", "/fdinfo/11");
	assert_int_equal(footprint_bpf(in_tree("/fdinfo")), 4206592 + 8192);
}

static void test_unknown(void **state)
{
	(void)state;
	assert_int_equal(footprint_resident(in_tree("/status")), 0);
	assert_int_equal(footprint_bpf(in_tree("/fdinfo")), 0);
	tree_put("Name:\tidletrace\n", "/status");
	assert_int_equal(footprint_resident(in_tree("/status")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_resident, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_bpf, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_unknown, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
