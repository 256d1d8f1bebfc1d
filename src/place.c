// SPDX-License-Identifier: GPL-2.0
#include "place.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

#define CACHE_INDEX_MAX 16

/* One online and allowed CPU. Cores and caches are known by their lowest CPU. */
struct cpu {
	uint32_t cpu;
	uint32_t core;
	uint32_t llc;
	uint32_t thread; /* its rank among the siblings of its core */
};

struct topology {
	unsigned int nr;
	struct cpu *cpus; /* by number */
};

static const char *const kinds[] = {"any", "cores", "smt", "llc"};

/* ---- sysfs ---- */

static int read_line(char *buf, size_t size, const char *fmt, va_list args)
{
	char path[PATH_MAX];
	FILE *file;
	char *got;

	vsnprintf(path, sizeof(path), fmt, args);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	got = fgets(buf, (int)size, file);
	fclose(file);
	if (!got)
		return -EINVAL;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

__attribute__((format(printf, 2, 3))) static int read_mask(struct cpu_mask *mask,
							   const char *fmt, ...)
{
	char line[4096];
	va_list args;
	int err;

	va_start(args, fmt);
	err = read_line(line, sizeof(line), fmt, args);
	va_end(args);
	return err ? err : cpu_mask_parse(line, mask);
}

__attribute__((format(printf, 3, 4))) static int read_word(char *buf, size_t size,
							   const char *fmt, ...)
{
	va_list args;
	int err;

	va_start(args, fmt);
	err = read_line(buf, size, fmt, args);
	va_end(args);
	return err;
}

/* The lowest of a list file of one CPU that has that CPU in it, else the CPU itself. */
static uint32_t lowest(const char *root, uint32_t cpu, const char *file)
{
	struct cpu_mask mask;

	if (read_mask(&mask, "%s/devices/system/cpu/cpu%u/%s", root, cpu, file) ||
	    !cpu_mask_test(&mask, cpu))
		return cpu;
	return cpu_mask_next(&mask, 0);
}

/* The cache of the highest level; without any, what shares the package. */
static uint32_t last_level(const char *root, uint32_t cpu)
{
	char word[32], file[64];
	int best = -1;
	uint64_t level, highest = 0;

	for (int i = 0; i < CACHE_INDEX_MAX; i++) {
		if (read_word(word, sizeof(word),
			      "%s/devices/system/cpu/cpu%u/cache/index%d/level", root,
			      cpu, i) ||
		    parse_u64(word, &level) || level <= highest)
			continue;
		highest = level;
		best = i;
	}
	if (best < 0)
		return lowest(root, cpu, "topology/core_siblings_list");
	snprintf(file, sizeof(file), "cache/index%d/shared_cpu_list", best);
	return lowest(root, cpu, file);
}

static int topology_read(struct topology *t, const struct cpu_mask *allowed,
			 const char *root, char *err, size_t size)
{
	struct cpu_mask online;
	unsigned int cpu;

	*t = (struct topology){0};
	if (read_mask(&online, "%s/devices/system/cpu/online", root)) {
		snprintf(err, size, "%s/devices/system/cpu/online cannot be read", root);
		return -1;
	}
	t->cpus = calloc(cpu_mask_count(&online) + 1, sizeof(*t->cpus));
	if (!t->cpus) {
		snprintf(err, size, "out of memory");
		return -1;
	}
	for_each_cpu (cpu, &online) {
		struct cpu *c = &t->cpus[t->nr];

		if (!cpu_mask_test(allowed, cpu))
			continue;
		*c = (struct cpu){
			.cpu = cpu,
			.core = lowest(root, cpu, "topology/thread_siblings_list"),
			.llc = last_level(root, cpu),
		};
		for (unsigned int i = 0; i < t->nr; i++)
			c->thread += t->cpus[i].core == c->core;
		t->nr++;
	}
	return 0;
}

/* ---- groups ---- */

static bool in_group(const struct cpu *c, enum place_kind kind, uint32_t key)
{
	if (kind == PLACE_CORES)
		return c->thread == 0;
	return (kind == PLACE_SMT ? c->core : c->llc) == key;
}

/* Appends the members to the group at the end: all cores first, then their siblings. */
static unsigned int fill_group(struct place *place, const struct topology *t,
			       uint32_t key, unsigned int start)
{
	unsigned int n = start;

	for (uint32_t thread = 0, seen = 1; seen; thread++) {
		seen = 0;
		for (unsigned int i = 0; i < t->nr; i++) {
			const struct cpu *c = &t->cpus[i];

			if (c->thread < thread || !in_group(c, place->kind, key))
				continue;
			seen = 1;
			if (c->thread == thread)
				place->cpus[n++] = c->cpu;
		}
	}
	return n - start;
}

/* Is this the first CPU of its group? */
static bool begins_group(const struct topology *t, unsigned int i, enum place_kind kind)
{
	if (kind == PLACE_CORES)
		return i == 0;
	for (unsigned int j = 0; j < i; j++) {
		if (kind == PLACE_SMT ? t->cpus[j].core == t->cpus[i].core
				      : t->cpus[j].llc == t->cpus[i].llc)
			return false;
	}
	return true;
}

/* Groups of need or more. Returns the size of the largest of all. */
static unsigned int make_groups(struct place *place, const struct topology *t,
				unsigned int need)
{
	unsigned int nr, largest = 0, used = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct cpu *c = &t->cpus[i];

		if (!begins_group(t, i, place->kind))
			continue;
		nr = fill_group(place, t, place->kind == PLACE_SMT ? c->core : c->llc,
				used);
		if (nr > largest)
			largest = nr;
		if (!nr || nr < need)
			continue;
		place->first[place->nr_groups++] = used;
		used += nr;
		place->first[place->nr_groups] = used;
	}
	return largest;
}

static int place_alloc(struct place *place, unsigned int nr, char *err, size_t size)
{
	place->first = calloc(nr + 1, sizeof(*place->first));
	place->cpus = calloc(nr + 1, sizeof(*place->cpus));
	if (place->first && place->cpus)
		return 0;
	snprintf(err, size, "out of memory");
	return -1;
}

static int choose_groups(struct place *place, const struct topology *t, unsigned int need,
			 char *err, size_t size)
{
	static const char *const what[] = {
		[PLACE_CORES] = "there are %u physical cores to run on",
		[PLACE_SMT] = "no core has more than %u to run on",
		[PLACE_LLC] = "no last-level cache has more than %u to run on",
	};
	char most[64];
	unsigned int largest;

	if (place_alloc(place, t->nr, err, size))
		return -1;
	largest = make_groups(place, t, need);
	if (place->nr_groups)
		return 0;
	snprintf(most, sizeof(most), what[place->kind], largest);
	snprintf(err, size, "--place %s: needs %u CPUs, %s; see --place any or a LIST",
		 kinds[place->kind], need, most);
	return -1;
}

/* ---- lists ---- */

static int list_error(const char *text, char *err, size_t size)
{
	snprintf(err, size,
		 "--place %.40s: needs cores, smt, llc, any or a CPU list such as 0-3,8",
		 text);
	return -1;
}

/* One element, "3" or "0-5", appended at *used. */
static int add_range(struct place *place, unsigned int *used, const char *range,
		     const struct topology *t)
{
	struct cpu_mask mask;
	unsigned int cpu, i;

	if (cpu_mask_parse(range, &mask))
		return -EINVAL;
	for_each_cpu (cpu, &mask) {
		for (i = 0; i < t->nr && t->cpus[i].cpu != cpu; i++)
			;
		if (i == t->nr)
			return -ENODEV;
		place->cpus[(*used)++] = cpu;
	}
	return 0;
}

static int choose_list(struct place *place, const char *text, const struct topology *t,
		       char *err, size_t size)
{
	unsigned int used = 0, elements = 1;
	char *copy, *next, *range;
	int ret = 0;

	for (const char *p = text; *p; p++)
		elements += *p == ',';
	if (place_alloc(place, elements * (t->nr + 1), err, size))
		return -1;
	next = copy = strdup(text);
	while (!ret && (range = strsep(&next, ",")))
		ret = add_range(place, &used, range, t);
	free(copy);
	if (ret == -ENODEV) {
		snprintf(err, size,
			 "--place %.40s: needs CPUs that are online and allowed", text);
		return -1;
	}
	if (ret || !used)
		return list_error(text, err, size);
	place->nr_groups = 1;
	place->first[1] = used;
	return 0;
}

/* ---- for all ---- */

void place_allowed(const struct workload_run *run, struct cpu_mask *allowed)
{
	*allowed = run->cpus;
	if (!cpu_mask_count(allowed))
		cpu_mask_get_affinity(allowed);
}

static enum place_kind kind_of(const char *text)
{
	for (int i = 0; i < PLACE_LIST; i++) {
		if (!strcmp(text, kinds[i]))
			return (enum place_kind)i;
	}
	return PLACE_LIST;
}

int place_choose(struct place *place, const char *text, unsigned int need,
		 const struct cpu_mask *allowed, const char *root, char *err, size_t size)
{
	struct topology t;
	int ret;

	*place = (struct place){.kind = kind_of(text)};
	if (place->kind == PLACE_ANY)
		return 0;
	/* Before the machine is looked at: a word that is none is no missing CPU. */
	if (place->kind == PLACE_LIST && (!*text || text[strspn(text, "0123456789,-")]))
		return list_error(text, err, size);
	ret = topology_read(&t, allowed, root, err, size);
	if (!ret && place->kind == PLACE_LIST)
		ret = choose_list(place, text, &t, err, size);
	else if (!ret)
		ret = choose_groups(place, &t, need, err, size);
	free(t.cpus);
	if (ret)
		place_free(place);
	return ret;
}

int place_check(const char *text, unsigned int need, const struct workload_run *run,
		char *err, size_t size)
{
	struct cpu_mask allowed;
	struct place place;

	place_allowed(run, &allowed);
	if (place_choose(&place, text, need, &allowed, PLACE_SYSFS, err, size))
		return -1;
	place_free(&place);
	return 0;
}

unsigned int place_size(const struct place *place, unsigned int group)
{
	if (!place->nr_groups)
		return 0;
	group %= place->nr_groups;
	return place->first[group + 1] - place->first[group];
}

uint32_t place_cpu(const struct place *place, unsigned int group, unsigned int nr)
{
	unsigned int size = place_size(place, group);

	if (!size)
		return PLACE_NO_CPU;
	return place->cpus[place->first[group % place->nr_groups] + nr % size];
}

int place_pin_thread(pid_t tid, uint32_t cpu)
{
	struct cpu_mask mask;

	if (cpu == PLACE_NO_CPU)
		return 0;
	cpu_mask_clear(&mask);
	cpu_mask_set(&mask, cpu);
	return sched_setaffinity(tid, sizeof(mask.bits), (const cpu_set_t *)mask.bits)
		       ? -errno
		       : 0;
}

int place_pin(uint32_t cpu)
{
	return place_pin_thread(0, cpu);
}

char *place_format(const struct place *place, unsigned int group, unsigned int nr,
		   char *buf, size_t size)
{
	uint32_t from, to;
	size_t used;

	if (!place->nr_groups) {
		snprintf(buf, size, "any (not pinned)");
		return buf;
	}
	used = (size_t)snprintf(buf, size, "%s: CPU ",
				place->kind == PLACE_LIST ? "list" : kinds[place->kind]);
	for (unsigned int i = 0; i < nr && used < size; i++) {
		from = to = place_cpu(place, group, i);
		while (i + 1 < nr && place_cpu(place, group, i + 1) == to + 1) {
			to++;
			i++;
		}
		used += (size_t)snprintf(buf + used, size - used, "%u", from);
		if (to > from && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%u",
						 to == from + 1 ? "," : "-", to);
		if (i + 1 < nr && used < size)
			used += (size_t)snprintf(buf + used, size - used, ",");
	}
	if (used >= size && size > 4)
		strcpy(buf + size - 4, "...");
	return buf;
}

void place_free(struct place *place)
{
	free(place->first);
	free(place->cpus);
	*place = (struct place){.kind = place->kind};
}
