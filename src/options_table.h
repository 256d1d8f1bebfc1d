/* SPDX-License-Identifier: GPL-2.0 */
/* The options that do not depend on a workload; for options*.c only. */
#ifndef IDLETRACE_OPTIONS_TABLE_H
#define IDLETRACE_OPTIONS_TABLE_H

#include <argp.h>

#include "options.h"

enum option_kind {
	KIND_NOTE, /* no field; that it was given is all */
	KIND_FLAG,
	KIND_TIME,
	KIND_RING,
	KIND_U32,
	KIND_CPU,
	KIND_TEXT, /* min and max are its length */
	KIND_CPUS,
	KIND_EVENTS,
	KIND_WORKLOAD,
	KIND_METRIC, /* of struct metric_rules; its parser says what is wrong */
	KIND_PRESET,
};

enum option_group { GROUP_WHAT = 1, GROUP_WHICH, GROUP_HOW, GROUP_REPORT, GROUP_OTHER };

/* One option; its value goes to the place in struct options given by offset. */
struct option_entry {
	const char *name;
	char letter;	 /* short form, 0: none */
	const char *arg; /* name of the value, NULL: takes none */
	const char *help;
	const char *accepts; /* the end of "needs ..." */
	enum option_kind kind;
	enum option_group group;
	bool info, list; /* these commands know it, too */
	size_t offset;
	u64 min, max;
};

#define NR_OPTIONS 31

extern const struct option_entry option_table[NR_OPTIONS];

/* The entry of that name (len bytes, no dashes) or letter, or NULL. */
const struct option_entry *option_by_name(const char *name, size_t len);
const struct option_entry *option_by_letter(char letter);

/* Stores a value, but no rule for metrics. Returns 0 or -EINVAL. Text is not copied. */
int option_store(const struct option_entry *entry, const char *value, struct options *o);

/* Keys of argp: an index of option_table, or of the workload's options. */
#define KEY_COMMON   0x100
#define KEY_WORKLOAD 0x1000

/* The options as argp wants them, those of w (or NULL) last. NULL without memory. */
struct argp_option *option_argp(const struct workload *w);

/* Prints the help that fits what was given, within 80 columns. */
void option_help(const struct options *o, FILE *out);

#endif
