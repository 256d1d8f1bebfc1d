// SPDX-License-Identifier: GPL-2.0
#include "power.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "units.h"

#define CLASS	  "class/powercap"
#define MAIN_TYPE "intel-rapl:" /* of all that may show the same package */

static const char *const domain_names[POWER_DOMAINS] = {
	[POWER_PACKAGE] = "package",
	[POWER_CORE] = "core",
	[POWER_DRAM] = "dram",
};

const char *power_domain_name(enum power_domain domain)
{
	return domain_names[domain];
}

/* First line of a file below the root; 0 or -errno. */
static int read_text(const struct power *power, const char *path, char *buf, size_t size)
{
	char full[512];
	ssize_t n;
	int fd, err;

	snprintf(full, sizeof(full), "%s/%s", power->root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static int read_zone_text(const struct power *power, const char *dir, const char *file,
			  char *buf, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), CLASS "/%s/%s", dir, file);
	return read_text(power, path, buf, size);
}

static int read_zone_u64(const struct power *power, const char *dir, const char *file,
			 uint64_t *value)
{
	char text[32];
	int err = read_zone_text(power, dir, file, text, sizeof(text));

	if (err)
		return err;
	return parse_u64(text, value) ? -EINVAL : 0;
}

/* ---- the zones ---- */

/*
 * The name of a zone: "package-0", "package-0-die-1", or of a part of one: "core",
 * "dram". Other parts (uncore) are within the package, and psys is the whole board.
 */
static bool domain_of(const char *name, enum power_domain *domain)
{
	if (!strncmp(name, "package-", 8))
		*domain = POWER_PACKAGE;
	else if (!strcmp(name, "core"))
		*domain = POWER_CORE;
	else if (!strcmp(name, "dram"))
		*domain = POWER_DRAM;
	else
		return false;
	return true;
}

/* "package-0", or for a part of it "package-0 dram". */
static bool label_zone(const struct power *power, struct power_zone *zone)
{
	char parent[sizeof(zone->dir)], name[24], package[24];

	if (read_zone_text(power, zone->dir, "name", name, sizeof(name)) ||
	    !domain_of(name, &zone->domain))
		return false;
	if (zone->domain == POWER_PACKAGE) {
		snprintf(zone->label, sizeof(zone->label), "%s", name);
		return true;
	}
	strcpy(parent, zone->dir);
	*strrchr(parent, ':') = '\0';
	if (read_zone_text(power, parent, "name", package, sizeof(package)))
		snprintf(package, sizeof(package), "%.23s", parent);
	snprintf(zone->label, sizeof(zone->label), "%s %s", package, name);
	return true;
}

static struct power_zone *find_label(struct power *power, const char *label)
{
	for (unsigned int i = 0; i < power->nr_zones; i++) {
		if (!strcmp(power->zones[i].label, label))
			return &power->zones[i];
	}
	return NULL;
}

/* The same package is shown by several control types (intel-rapl-mmio): take one. */
static void add_zone(struct power *power, const char *dir)
{
	struct power_zone zone = {0}, *same;

	if (strlen(dir) >= sizeof(zone.dir))
		return;
	strcpy(zone.dir, dir);
	if (!label_zone(power, &zone))
		return;
	if (read_zone_u64(power, dir, "max_energy_range_uj", &zone.range_uj))
		zone.range_uj = 0;
	same = find_label(power, zone.label);
	if (same) {
		if (!strncmp(dir, MAIN_TYPE, strlen(MAIN_TYPE)))
			*same = zone;
	} else if (power->nr_zones < POWER_ZONES_MAX) {
		power->zones[power->nr_zones++] = zone;
	} else {
		power->too_many = true;
	}
}

static bool is_zone(const struct dirent *entry)
{
	return strchr(entry->d_name, ':');
}

/* X86_VENDOR_AMD and X86_VENDOR_HYGON of the kernel: their core counter is per core. */
static bool counts_one_core(const struct power *power)
{
	char text[64];

	if (read_text(power, "devices/system/cpu/modalias", text, sizeof(text)))
		return false;
	return strstr(text, "ven0002") || strstr(text, "ven0009");
}

void power_open(struct power *power, const char *root)
{
	struct dirent **entries;
	char path[512];
	int nr;

	memset(power, 0, sizeof(*power));
	snprintf(power->root, sizeof(power->root), "%s", root);
	snprintf(path, sizeof(path), "%s/" CLASS, power->root);
	nr = scandir(path, &entries, NULL, versionsort);
	power->no_class = nr < 0;
	for (int i = 0; i < nr; i++) {
		if (is_zone(entries[i]))
			add_zone(power, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	power->core_of_one = counts_one_core(power);
}

bool power_has(const struct power *power, enum power_domain domain)
{
	for (unsigned int i = 0; i < power->nr_zones; i++) {
		if (power->zones[i].domain == domain)
			return true;
	}
	return false;
}

/* ---- snapshots ---- */

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Counts on from the last value. False: by how much, cannot be known. */
static bool follow(struct power_zone *zone, uint64_t now_uj)
{
	bool back = now_uj < zone->last_uj;

	if (back && (!zone->range_uj || zone->last_uj > zone->range_uj))
		return false;
	zone->total_uj += now_uj - zone->last_uj + (back ? zone->range_uj : 0);
	zone->last_uj = now_uj;
	return true;
}

/* Returns 0 or the errno that says why the zone is lost, until the next snapshot. */
static int read_zone(const struct power *power, struct power_zone *zone)
{
	uint64_t now_uj;
	int err = read_zone_u64(power, zone->dir, "energy_uj", &now_uj);

	if (err) {
		zone->gap += zone->followed;
		zone->followed = false;
		return -err;
	}
	if (zone->followed && !follow(zone, now_uj))
		zone->gap++;
	zone->last_uj = now_uj;
	zone->followed = true;
	return 0;
}

void power_read(struct power *power, struct power_snapshot *snapshot)
{
	snapshot->time_ns = monotonic_ns();
	for (unsigned int i = 0; i < power->nr_zones; i++) {
		struct power_zone *zone = &power->zones[i];

		snapshot->zones[i].error = read_zone(power, zone);
		snapshot->zones[i].total_uj = zone->total_uj;
		snapshot->zones[i].gap = zone->gap;
	}
}

/* ---- what was used ---- */

static void unreadable(const struct power_zone *zone, int error, struct power_use *use)
{
	char *reason = use->reason;
	size_t size = sizeof(use->reason);

	if (error == EACCES || error == EPERM)
		snprintf(reason, size, "%.40s: only root may read its energy",
			 zone->label);
	else if (error == ENOENT || error == ENODEV || error == ENXIO)
		snprintf(reason, size, "%.40s: its zone is gone", zone->label);
	else
		snprintf(reason, size, "%.32s: cannot be read: %.30s", zone->label,
			 strerror(error));
}

/* Adds what one zone used; false with the reason if that is unknown. */
static bool add_use(const struct power *power, unsigned int i,
		    const struct power_snapshot *a, const struct power_snapshot *b,
		    struct power_use *use)
{
	const struct power_zone *zone = &power->zones[i];
	int error = a->zones[i].error ? a->zones[i].error : b->zones[i].error;

	if (error) {
		unreadable(zone, error, use);
		return false;
	}
	if (a->zones[i].gap != b->zones[i].gap) {
		snprintf(use->reason, sizeof(use->reason),
			 "%.40s: its counter could not be followed", zone->label);
		return false;
	}
	use->energy_uj += b->zones[i].total_uj - a->zones[i].total_uj;
	use->zones++;
	return true;
}

/* Why nothing can be said about a domain, whatever the counters are. */
static bool hopeless(const struct power *power, enum power_domain domain, char *reason,
		     size_t size)
{
	if (power->no_class)
		snprintf(reason, size,
			 "no powercap in sysfs: no RAPL, or not in the kernel");
	else if (!power->nr_zones)
		snprintf(reason, size,
			 "no RAPL zones: intel_rapl_msr is not loaded, or a "
			 "virtual machine");
	else if (power->too_many)
		snprintf(reason, size, "more than %d powercap zones", POWER_ZONES_MAX);
	else if (!power_has(power, domain))
		snprintf(reason, size, "no %s zone on this machine",
			 domain_names[domain]);
	else if (domain == POWER_CORE && power->core_of_one)
		snprintf(reason, size, "the core zone of AMD counts one core only");
	else
		return false;
	return true;
}

void power_used(const struct power *power, const struct power_snapshot *a,
		const struct power_snapshot *b, enum power_domain domain,
		struct power_use *use)
{
	*use = (struct power_use){0};
	if (hopeless(power, domain, use->reason, sizeof(use->reason)))
		return;
	if (b->time_ns <= a->time_ns) {
		snprintf(use->reason, sizeof(use->reason), "no time has passed");
		return;
	}
	for (unsigned int i = 0; i < power->nr_zones; i++) {
		if (power->zones[i].domain == domain && !add_use(power, i, a, b, use)) {
			use->energy_uj = 0;
			return;
		}
	}
	use->known = true;
	/* uJ per ns are kW */
	use->watts = 1000 * (double)use->energy_uj / (double)(b->time_ns - a->time_ns);
}

double power_watts(const struct power *power, const struct power_snapshot *a,
		   const struct power_snapshot *b, enum power_domain domain)
{
	struct power_use use;

	power_used(power, a, b, domain, &use);
	return use.known ? use.watts : NAN;
}
