// SPDX-License-Identifier: GPL-2.0
#include "sweep_options.h"

#include "own_options.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
	"Usage: idletrace sweep --workload NAME --over OPTION=RANGE [--over ...]\n"
	"                       [options] [options of NAME and of a run]\n"
	"\n"
	"One traced run for each value of an option of the workload, and one table of\n"
	"them. With --json or --plot, a sweep that was interrupted or killed is "
	"continued\n"
	"by the same command. Ctrl-C ends it with the table so far.\n"
	"\n"
	"  --over OPTION=RANGE       What to vary; given again: every combination\n"
	"  --over gap=auto           Idle gaps of 0.5, 1 and 2 times each idle state's\n"
	"                            target residency, by the option that makes them\n"
	"                            (adrestia, ebizzy, pingpong, schbench, waiters)\n"
	"  --metric NAME             What to show of each run: a metric of the "
	"workload,\n"
	"                            or one such as wakeup.p99 [its first]\n"
	"  --json FILE               Write all runs as JSON, - is the standard output;\n"
	"                            FILE.partial has them meanwhile\n"
	"  --plot DIR                Write pictures, and what gnuplot made them from\n"
	"  --html FILE               Write one page with table and pictures\n"
	"  --root DIR                Where gap=auto looks for sys/; for tests\n"
	"  -h, --help                This help\n"
	"\n"
	"Ranges, all of which take values as the option does, such as 20us or 10k:\n"
	"  A,B,...                   These values, or ranges\n"
	"  FROM:TO:lin:N             N values at equal distances\n"
	"  FROM:TO:log:N             N values at equal ratios; FROM may be 0, which is\n"
	"                            then followed by N-1 values from 1us (or 1) on\n"
	"  FROM:TO:STEP              FROM, FROM+STEP, ... up to TO\n"
	"  RANGE:updown              There, and back again\n"
	"\n"
	"Example: idletrace sweep --workload pingpong --duration 5s --plot pictures \\\n"
	"                 --over work=0:1ms:log:20\n"
	"\n"
	"idletrace --help has the options of a run, idletrace --workload NAME --help\n"
	"those of a workload.\n";

static enum options_result take_over(void *options, const struct own_option *own,
				     const char *value)
{
	struct sweep_options *o = options;

	return own_option_append(own, value, o->over, &o->nr_over, SWEEP_AXES);
}

static enum options_result help(void *options, const struct own_option *own,
				const char *value)
{
	(void)options;
	(void)own;
	(void)value;
	fputs(help_text, stdout);
	return OPTIONS_DONE;
}

#define FIELD(f) offsetof(struct sweep_options, f)

static const struct own_option own_options[] = {
	{"--over", "OPTION=RANGE, see idletrace sweep --help", .take = take_over},
	{"--metric", "the name of a metric", .offset = FIELD(metric)},
	{"--json", "the name of a file", .offset = FIELD(json)},
	{"--plot", "the name of a directory", .offset = FIELD(plot)},
	{"--html", "the name of a file", .offset = FIELD(html)},
	{"--root", "a directory", .offset = FIELD(root)},
	{"--help", .take = help},
	{"-h", .take = help},
	{.name = NULL},
};

enum options_result sweep_options_parse(struct sweep_options *o, int argc, char **argv)
{
	enum options_result result;

	*o = (struct sweep_options){.root = ""};
	result = own_options_parse(own_options, o, argc - 2, argv + 2, &o->run,
				   &o->nr_run);
	if (result != OPTIONS_OK)
		return result;
	for (int i = 0; i < o->nr_run; i++) {
		if (strcmp(o->run[i], "--"))
			continue;
		fprintf(stderr, "idletrace: --: sweep needs a workload, not a command\n");
		return OPTIONS_WRONG;
	}
	if (o->nr_over)
		return OPTIONS_OK;
	return own_option_wrong(&own_options[0], NULL);
}

void sweep_options_free(struct sweep_options *o)
{
	free(o->run);
}
