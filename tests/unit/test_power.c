// SPDX-License-Identifier: GPL-2.0
/* Energy from powercap, on a sysfs tree of our own. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "power.h"
#include "units.h"

#define RANGE 262143328850ULL /* uJ, as a package has it */

static char root[256];
static struct power power;
static struct power_snapshot a, b;

/* ---- the tree ---- */

static char *path_of(const char *zone, const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/class/powercap/%s%s%s", root, zone,
		 *file ? "/" : "", file);
	return path;
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void set_energy(const char *zone, uint64_t uj)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)uj);
	write_text(path_of(zone, "energy_uj"), text);
}

static void make_zone(const char *zone, const char *name, uint64_t uj, uint64_t range_uj)
{
	char text[32];

	assert_int_equal(mkdir(path_of(zone, ""), 0755), 0);
	snprintf(text, sizeof(text), "%s\n", name);
	write_text(path_of(zone, "name"), text);
	set_energy(zone, uj);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)range_uj);
	if (range_uj)
		write_text(path_of(zone, "max_energy_range_uj"), text);
}

static void make_dir(const char *below)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, below);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void set_vendor(const char *modalias)
{
	char path[512];

	make_dir("devices");
	make_dir("devices/system");
	make_dir("devices/system/cpu");
	snprintf(path, sizeof(path), "%s/devices/system/cpu/modalias", root);
	write_text(path, modalias);
}

static int make_root(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(root, sizeof(root), "%s/test_power-XXXXXX", tmp ? tmp : P_tmpdir);
	if (!mkdtemp(root) || chmod(root, 0755))
		return -1;
	return 0;
}

static int make_powercap(void **state)
{
	if (make_root(state))
		return -1;
	make_dir("class");
	make_dir("class/powercap");
	make_dir("class/powercap/intel-rapl");
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int type,
		      struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- what comes out ---- */

/* Between a and b exactly ten seconds, whatever the clock says. */
static void read_both_ends(void (*between)(void))
{
	power_open(&power, root);
	power_read(&power, &a);
	if (between)
		between();
	power_read(&power, &b);
	assert_true(b.time_ns >= a.time_ns);
	b.time_ns = a.time_ns + 10 * NSEC_PER_SEC;
}

static void used(enum power_domain domain, uint64_t uj, unsigned int zones)
{
	struct power_use use;

	power_used(&power, &a, &b, domain, &use);
	assert_string_equal(use.reason, "");
	assert_true(use.known);
	assert_int_equal(use.energy_uj, uj);
	assert_int_equal(use.zones, zones);
	assert_true(fabs(use.watts - (double)uj / 1e7) < 1e-9);
	assert_true(power_watts(&power, &a, &b, domain) == use.watts);
}

static void unknown(enum power_domain domain, const char *reason)
{
	struct power_use use;

	power_used(&power, &a, &b, domain, &use);
	assert_false(use.known);
	assert_string_equal(use.reason, reason);
	assert_int_equal(use.energy_uj, 0);
	assert_true(isnan(power_watts(&power, &a, &b, domain)));
}

/* ---- tests ---- */

static void two_sockets_run(void)
{
	set_energy("intel-rapl:0", 1000 + 700000000);
	set_energy("intel-rapl:0:0", 300000000);
	set_energy("intel-rapl:0:1", 55);
	set_energy("intel-rapl:1", 500000000);
	set_energy("intel-rapl:1:0", 200000000);
	set_energy("intel-rapl:2", 9000000000);
}

static void test_sockets(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", 1000, RANGE);
	make_zone("intel-rapl:0:0", "core", 0, RANGE);
	make_zone("intel-rapl:0:1", "dram", 5, 65712999613);
	make_zone("intel-rapl:0:2", "uncore", 5, RANGE);
	make_zone("intel-rapl:1", "package-1", 0, RANGE);
	make_zone("intel-rapl:1:0", "core", 0, RANGE);
	make_zone("intel-rapl:2", "psys", 0, RANGE);
	read_both_ends(two_sockets_run);
	used(POWER_PACKAGE, 1200000000, 2);
	used(POWER_CORE, 500000000, 2);
	used(POWER_DRAM, 50, 1);
	assert_string_equal(power.zones[2].label, "package-0 dram");
	assert_true(power_has(&power, POWER_DRAM));
}

static void dies_run(void)
{
	set_energy("intel-rapl:0", 100);
	set_energy("intel-rapl:10", 10);
}

static void test_dies(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0-die-0", 0, RANGE);
	make_zone("intel-rapl:10", "package-0-die-1", 0, RANGE);
	read_both_ends(dies_run);
	used(POWER_PACKAGE, 110, 2);
	unknown(POWER_DRAM, "no dram zone on this machine");
}

static void mmio_runs(void)
{
	set_energy("intel-rapl:0", 100);
	set_energy("intel-rapl-mmio:0", 7777);
}

/* One package, shown twice. */
static void test_mmio_is_the_same_package(void **state)
{
	(void)state;
	make_dir("class/powercap/intel-rapl-mmio");
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	make_zone("intel-rapl-mmio:0", "package-0", 0, RANGE);
	read_both_ends(mmio_runs);
	used(POWER_PACKAGE, 100, 1);
	assert_string_equal(power.zones[0].dir, "intel-rapl:0");
}

static void wrap(void)
{
	set_energy("intel-rapl:0", 23);
}

static void test_wrap(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", RANGE - 100, RANGE);
	read_both_ends(wrap);
	used(POWER_PACKAGE, 123, 1);
}

static void wrap_three_times(void)
{
	struct power_snapshot between;

	for (int i = 0; i < 3; i++) {
		set_energy("intel-rapl:0", RANGE - 5);
		power_read(&power, &between);
		set_energy("intel-rapl:0", 5);
		power_read(&power, &between);
	}
}

/* More than one wrap in a run, made good by reading now and then. */
static void test_wraps(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", 5, RANGE);
	read_both_ends(wrap_three_times);
	used(POWER_PACKAGE, 3 * RANGE, 1);
}

static void test_wrap_of_unknown_range(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", RANGE - 100, 0);
	read_both_ends(wrap);
	unknown(POWER_PACKAGE, "package-0: its counter could not be followed");
	/* From there on it can. */
	a = b;
	set_energy("intel-rapl:0", 1023);
	power_read(&power, &b);
	b.time_ns = a.time_ns + 10 * NSEC_PER_SEC;
	used(POWER_PACKAGE, 1000, 1);
}

static void second_vanishes(void)
{
	set_energy("intel-rapl:0", 100);
	set_energy("intel-rapl:0:0", 40);
	unlink(path_of("intel-rapl:1", "energy_uj"));
	unlink(path_of("intel-rapl:1", "name"));
	unlink(path_of("intel-rapl:1", "max_energy_range_uj"));
	assert_int_equal(rmdir(path_of("intel-rapl:1", "")), 0);
}

static void test_vanished(void **state)
{
	struct power_snapshot first;

	(void)state;
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	make_zone("intel-rapl:0:0", "core", 0, RANGE);
	make_zone("intel-rapl:1", "package-1", 0, RANGE);
	read_both_ends(second_vanishes);
	unknown(POWER_PACKAGE, "package-1: its zone is gone");
	used(POWER_CORE, 40, 1);
	/* Back again: no word about the time that includes the gap. */
	first = a;
	make_zone("intel-rapl:1", "package-1", 500, RANGE);
	a = b;
	power_read(&power, &b);
	b.time_ns = a.time_ns + 10 * NSEC_PER_SEC;
	unknown(POWER_PACKAGE, "package-1: its zone is gone");
	a = first;
	unknown(POWER_PACKAGE, "package-1: its counter could not be followed");
	a = b;
	set_energy("intel-rapl:1", 600);
	power_read(&power, &b);
	b.time_ns = a.time_ns + 10 * NSEC_PER_SEC;
	used(POWER_PACKAGE, 100, 2);
}

/* As the kernel has it since 5.10. */
static void test_permission(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	assert_int_equal(chmod(path_of("intel-rapl:0", "energy_uj"), 0400), 0);
	power_open(&power, root);
	if (geteuid())
		assert_int_equal(chmod(path_of("intel-rapl:0", "energy_uj"), 0), 0);
	else
		assert_int_equal(seteuid(65534), 0);
	power_read(&power, &a);
	power_read(&power, &b);
	b.time_ns = a.time_ns + NSEC_PER_SEC;
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	unknown(POWER_PACKAGE, "package-0: only root may read its energy");
}

static void spoil(void)
{
	write_text(path_of("intel-rapl:0", "energy_uj"), "none\n");
}

static void test_nonsense(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	read_both_ends(spoil);
	unknown(POWER_PACKAGE, "package-0: cannot be read: Invalid argument");
}

static void test_amd(void **state)
{
	(void)state;
	set_vendor("cpu:type:x86,ven0002fam0019mod0021:feature:,0000,0001\n");
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	make_zone("intel-rapl:0:0", "core", 0, RANGE);
	read_both_ends(wrap);
	used(POWER_PACKAGE, 23, 1);
	unknown(POWER_CORE, "the core zone of AMD counts one core only");
}

static void test_no_time(void **state)
{
	(void)state;
	make_zone("intel-rapl:0", "package-0", 0, RANGE);
	read_both_ends(NULL);
	used(POWER_PACKAGE, 0, 1);
	b.time_ns = a.time_ns;
	unknown(POWER_PACKAGE, "no time has passed");
}

static void test_no_zones(void **state)
{
	(void)state;
	read_both_ends(NULL);
	unknown(POWER_PACKAGE,
		"no RAPL zones: intel_rapl_msr is not loaded, or a virtual machine");
}

static void test_no_powercap(void **state)
{
	(void)state;
	read_both_ends(NULL);
	unknown(POWER_PACKAGE, "no powercap in sysfs: no RAPL, or not in the kernel");
}

static void test_too_many(void **state)
{
	char dir[32], name[32];

	(void)state;
	for (int i = 0; i <= POWER_ZONES_MAX; i++) {
		snprintf(dir, sizeof(dir), "intel-rapl:%d", i);
		snprintf(name, sizeof(name), "package-%d", i);
		make_zone(dir, name, 0, RANGE);
	}
	read_both_ends(NULL);
	unknown(POWER_PACKAGE, "more than 128 powercap zones");
}

/* Whatever this machine has, it is watts or a reason. */
static void test_this_machine(void **state)
{
	struct power_use use;

	(void)state;
	power_open(&power, POWER_SYSFS);
	power_read(&power, &a);
	usleep(1000);
	power_read(&power, &b);
	for (enum power_domain d = 0; d < POWER_DOMAINS; d++) {
		power_used(&power, &a, &b, d, &use);
		assert_true(use.known ? use.watts >= 0 && !*use.reason
				      : *use.reason != 0);
		assert_in_range(strlen(use.reason), 0, 76);
	}
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, make_powercap, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(test_sockets),
		ON_TREE(test_dies),
		ON_TREE(test_mmio_is_the_same_package),
		ON_TREE(test_wrap),
		ON_TREE(test_wraps),
		ON_TREE(test_wrap_of_unknown_range),
		ON_TREE(test_vanished),
		ON_TREE(test_permission),
		ON_TREE(test_nonsense),
		ON_TREE(test_amd),
		ON_TREE(test_no_time),
		ON_TREE(test_no_zones),
		ON_TREE(test_too_many),
		cmocka_unit_test_setup_teardown(test_no_powercap, make_root, remove_root),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
