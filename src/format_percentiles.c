// SPDX-License-Identifier: GPL-2.0
/* A column per setting, a row per percentile, of all its runs together. */
#include "formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL  10
#define COLUMN 14
#define SIDES  5 /* at a time */

static const double percents[] = {1, 10, 25, 50, 75, 90, 95, 96, 99, 99.9, 99.99};

/* A column's histogram: of all runs that have such latencies. */
static void merge(const json_t *runs, const char *path, struct hist *h)
{
	const json_t *run;
	size_t i;

	memset(h, 0, sizeof(*h));
	json_array_foreach (runs, i, run)
		run_latency(run, path, h);
}

static void print_value(const struct hist *h, double ns)
{
	char text[24];

	printf("%*s", COLUMN,
	       comparison_number(h->count ? ns : NAN, "ns", text, sizeof(text)));
}

static void print_percentiles(const struct hist *h, unsigned int nr)
{
	printf("%-*s", LABEL, "count");
	for (unsigned int s = 0; s < nr; s++)
		printf("%*llu", COLUMN, (unsigned long long)h[s].count);
	printf("\n%-*s", LABEL, "min");
	for (unsigned int s = 0; s < nr; s++)
		print_value(&h[s], (double)h[s].min);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		char label[16];

		snprintf(label, sizeof(label), "p%g", percents[i]);
		printf("\n%-*s", LABEL, label);
		for (unsigned int s = 0; s < nr; s++)
			print_value(&h[s], (double)hist_percentile(&h[s], percents[i]));
	}
	printf("\n%-*s", LABEL, "max");
	for (unsigned int s = 0; s < nr; s++)
		print_value(&h[s], (double)h[s].max);
	printf("\n%-*s", LABEL, "average");
	for (unsigned int s = 0; s < nr; s++)
		print_value(&h[s], (double)hist_mean(&h[s]));
	printf("\n");
}

static void print_columns(const struct comparison *c, unsigned int first,
			  unsigned int end)
{
	char name[COLUMN];

	printf("%-*s", LABEL, "");
	for (unsigned int s = first; s < end; s++)
		printf("%*s", COLUMN,
		       format_fit(format_side(c, s, COLUMN - 1), COLUMN - 1, name,
				  sizeof(name)));
	printf("\n");
}

static void print_table(const struct comparison *c, size_t i, const char *title,
			const char *path, struct hist *h)
{
	const struct comparison_case *at = &c->cases[i];
	u64 count = 0;

	for (unsigned int s = 0; s < c->nr_sides; s++) {
		merge(at->runs[s], path, &h[s]);
		count += h[s].count;
	}
	if (!count)
		return;
	printf("%s%s%s, us\n", at->name, *at->name ? ": " : "", title);
	for (unsigned int s = 0; s < c->nr_sides; s += SIDES) {
		unsigned int end = s + SIDES < c->nr_sides ? s + SIDES : c->nr_sides;

		print_columns(c, s, end);
		print_percentiles(h + s, end - s);
	}
	printf("\n");
}

/* The latencies that the workload itself has measured. */
static void print_own(const struct comparison *c, size_t i, struct hist *h)
{
	json_t *run = json_array_get(c->cases[i].runs[0], 0), *latency;
	const char *name;

	json_object_foreach (run_at(run, "workload.latencies"), name, latency) {
		char path[96];

		snprintf(path, sizeof(path), "workload.latencies.%s", name);
		print_table(c, i, name, path, h);
	}
}

static void print_format(const struct comparison *c)
{
	struct hist *h = calloc(c->nr_sides, sizeof(*h));

	for (size_t i = 0; h && i < c->nr_cases; i++) {
		print_table(c, i, "wakeup latency", "wakeups.latency", h);
		print_table(c, i, "exit phase", "wakeups.exit", h);
		print_table(c, i, "queue phase", "wakeups.queue", h);
		print_own(c, i, h);
	}
	free(h);
}

const struct comparison_format format_percentiles = {
	.name = "percentiles",
	.summary = "latencies: a column per setting, a row per percentile",
	.print = print_format,
};
