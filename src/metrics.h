/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers out of what a command prints. Rules are regular expressions with one group, the
 * number; a scan takes the output piece by piece, looks at each line by itself (a
 * carriage return ends one, too), and keeps a value for each metric.
 *
 * A number may have thousands separators and an exponent: "1,234.5e-3". A metric without
 * one is unknown, NaN.
 */
#ifndef IDLETRACE_METRICS_H
#define IDLETRACE_METRICS_H

#include <regex.h>

#include "presets.h"

#define METRICS_MAX	 32
#define METRIC_RULES_MAX 64
#define METRIC_LINE	 4096 /* bytes of a line that are looked at */

struct metric_rule {
	regex_t regex;
	unsigned int metric; /* whose value it is */
	enum metric_fold fold;
	double scale;
	const char *section; /* NULL: anywhere */
	bool that_line;
};

struct metric_rules {
	unsigned int nr_metrics, nr_rules, nr_presets;
	struct workload_metric metrics[METRICS_MAX]; /* the values are NaN */
	struct metric_rule rules[METRIC_RULES_MAX];
	const struct preset *presets[METRICS_MAX];
};

struct metric_scan {
	const struct metric_rules *rules;
	struct workload_metric metrics[METRICS_MAX];
	bool open[METRIC_RULES_MAX]; /* the rule's section is open */
	bool warned[METRICS_MAX];    /* the preset's warning is due */
	char line[METRIC_LINE];
	size_t used;
};

/*
 * Adds what --metric says, "NAME=REGEX[:lower|:higher|:none]", or a preset by its name.
 * 0, or -EINVAL with what is wrong about it in err ("needs ..."). An empty set of rules
 * is all zeros.
 */
int metric_rules_add(struct metric_rules *rules, const char *text, char *err,
		     size_t size);
int metric_rules_add_preset(struct metric_rules *rules, const char *name, char *err,
			    size_t size);
void metric_rules_free(struct metric_rules *rules);

/* The rules must stay as long as the scan. It needs no freeing. */
void metric_scan_init(struct metric_scan *scan, const struct metric_rules *rules);
void metric_scan_feed(struct metric_scan *scan, const char *data, size_t len);
/* The end of a stream: its last line may lack its newline. */
void metric_scan_end(struct metric_scan *scan);

/* The i-th warning about the command that the output gave reason for; NULL: no more. */
const char *metric_scan_warning(const struct metric_scan *scan, unsigned int i);

/* "1,234.5e-3" and blanks around it, all of text. False: no such number. */
bool metric_number(const char *text, size_t len, double *value);

#endif
