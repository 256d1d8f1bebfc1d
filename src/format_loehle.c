// SPDX-License-Identifier: GPL-2.0
/* Tab-separated, a line per run: how often the governor was wrong. */
#include "formats.h"

#include <string.h>

static const char *first_metric(const struct comparison *c)
{
	static struct run_measure measure;
	double value;

	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			if (run_headline(json_array_get(c->cases[i].runs[s], 0), &measure,
					 &value))
				return measure.name;
	return NULL;
}

static void print_number(const json_t *run, const char *name, const char *fmt)
{
	double value;

	if (name && run_number(run, name, &value))
		printf(fmt, value);
	else
		printf("\t-");
}

static void print_run(const json_t *run, const char *device, const char *governor,
		      size_t iteration, const char *metric)
{
	printf("%s\t%s\t%zu", device, governor, iteration);
	if (metric)
		print_number(run, metric, "\t%.10g");
	print_number(run, "idle.idles", "\t%.0f");
	print_number(run, "idle.misses", "\t%.0f");
	print_number(run, "idle.miss_ratio", "\t%.3f");
	print_number(run, "idle.belows", "\t%.0f");
	print_number(run, "idle.aboves", "\t%.0f");
	printf("\n");
}

static const char *governor(const char *side)
{
	static const char knob[] = "governor=";

	return strncmp(side, knob, strlen(knob)) ? side : side + strlen(knob);
}

static void print_loehle(const struct comparison *c)
{
	const char *metric = first_metric(c);
	const json_t *run;
	size_t j;

	printf("device\tgov\titer%s%s\tidles\tidle_misses\tidle_miss_ratio\tbelows\t"
	       "aboves\n",
	       metric ? "\t" : "", metric ? metric : "");
	for (size_t i = 0; i < c->nr_cases; i++)
		for (unsigned int s = 0; s < c->nr_sides; s++)
			json_array_foreach (c->cases[i].runs[s], j, run)
				print_run(run,
					  c->nr_cases > 1 ? c->cases[i].name
							  : run_subject(run),
					  governor(c->sides[s].name), j + 1, metric);
}

const struct comparison_format format_loehle = {
	.name = "loehle",
	.summary = "TSV, a line per run: idle misses, belows, aboves",
	.bare = true,
	.print = print_loehle,
};
