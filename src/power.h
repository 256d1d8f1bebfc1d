/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Energy of packages, cores and DRAM from the kernel's powercap zones (RAPL, on Intel and
 * AMD).
 *
 *	power_open()	finds the zones, once
 *	power_read()	a snapshot: at both ends of a run, and of each interval
 *	power_used()	what was used between two snapshots, or why that is unknown
 *
 * The counters wrap, at 200 W about every 20 minutes. A wrap between two calls of
 * power_read() is made good, a second one cannot be seen: in a longer run call it at
 * least every POWER_READ_PERIOD, whether the snapshot is needed or not.
 */
#ifndef IDLETRACE_POWER_H
#define IDLETRACE_POWER_H

#include <stdbool.h>
#include <stdint.h>

#define POWER_SYSFS	  "/sys"
#define POWER_ZONES_MAX	  128
#define POWER_REASON_MAX  96
#define POWER_READ_PERIOD (60 * 1000000000ULL) /* ns; safe up to 1 kW a zone */

enum power_domain { POWER_PACKAGE, POWER_CORE, POWER_DRAM, POWER_DOMAINS };

struct power_zone {
	char dir[48];	/* "intel-rapl:0:1" */
	char label[64]; /* "package-0", "package-0 dram" */
	enum power_domain domain;
	uint64_t range_uj; /* at which the counter wraps; 0: unknown */
	uint64_t last_uj;  /* the counter at the last power_read() */
	uint64_t total_uj; /* counted since power_open() */
	uint32_t gap;  /* times it could not be followed; totals across one are void */
	bool followed; /* last_uj is valid */
};

/* No pointers in it: to be copied or forgotten at will. */
struct power {
	char root[256];
	unsigned int nr_zones;
	bool too_many;	  /* there are more than POWER_ZONES_MAX */
	bool no_class;	  /* the kernel has no powercap at all */
	bool core_of_one; /* core zones count a single core: AMD */
	struct power_zone zones[POWER_ZONES_MAX];
};

/* Counters at one moment. Only for the struct power that filled it. */
struct power_snapshot {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	struct {
		uint64_t total_uj;
		uint32_t gap;
		int error; /* errno with which it could not be read, ERANGE: not followed
			    */
	} zones[POWER_ZONES_MAX];
};

struct power_use {
	bool known;
	double watts;
	uint64_t energy_uj;
	unsigned int zones;	       /* that were added up: sockets or dies */
	char reason[POWER_REASON_MAX]; /* one line, if it is not known */
};

/*
 * Finds the zones below root (POWER_SYSFS, or the top of a copy of it). Never fails:
 * where there are none, power_used() says so.
 */
void power_open(struct power *power, const char *root);

/* Reads all counters: as many files as there are zones. */
void power_read(struct power *power, struct power_snapshot *snapshot);

/* Energy and mean power of a domain, all sockets together, from snapshot a to b. */
void power_used(const struct power *power, const struct power_snapshot *a,
		const struct power_snapshot *b, enum power_domain domain,
		struct power_use *use);

/* Just the watts; NAN if unknown. */
double power_watts(const struct power *power, const struct power_snapshot *a,
		   const struct power_snapshot *b, enum power_domain domain);

/* "package", "core", "dram". */
const char *power_domain_name(enum power_domain domain);

/* Does any zone of a domain exist, readable or not? */
bool power_has(const struct power *power, enum power_domain domain);

#endif
