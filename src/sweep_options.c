// SPDX-License-Identifier: GPL-2.0
/*
 * sweep's own options may stand anywhere among those of the run, which depend on the
 * workload. So they are picked out by name, and options_parse() sees the rest.
 */
#include "sweep_options.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 60

static const char help[] =
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
	"idletrace --help has the options of a run, idletrace --workload NAME --help "
	"those\n"
	"of a workload.\n";

struct own_option {
	const char *name;
	size_t offset;
	const char *accepts;
};

#define FIELD(f) offsetof(struct sweep_options, f)

static const struct own_option own_options[] = {
	{"--over", FIELD(over), "OPTION=RANGE, see idletrace sweep --help"},
	{"--metric", FIELD(metric), "the name of a metric"},
	{"--json", FIELD(json), "the name of a file"},
	{"--plot", FIELD(plot), "the name of a directory"},
	{"--html", FIELD(html), "the name of a file"},
	{"--root", FIELD(root), "a directory"},
};

#define NR_OWN (sizeof(own_options) / sizeof(own_options[0]))

static const struct own_option *find_own(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < NR_OWN; i++)
		if (strlen(own_options[i].name) == len &&
		    !memcmp(own_options[i].name, word, len))
			return &own_options[i];
	return NULL;
}

static enum options_result wrong(const char *line)
{
	fprintf(stderr, "idletrace: %s\n", line);
	return OPTIONS_WRONG;
}

static enum options_result store(struct sweep_options *o, const struct own_option *own,
				 const char *value)
{
	char line[128];

	if (!value || (!*value && own->offset != FIELD(root))) {
		snprintf(line, sizeof(line), "%s%s: needs %s", own->name,
			 value ? " ''" : "", own->accepts);
		return wrong(line);
	}
	if (own->offset != FIELD(over)) {
		*(const char **)((char *)o + own->offset) = value;
		return OPTIONS_OK;
	}
	if (o->nr_over == SWEEP_AXES) {
		snprintf(line, sizeof(line), "--over %.*s: at most %d times", SHOWN,
			 value, SWEEP_AXES);
		return wrong(line);
	}
	o->over[o->nr_over++] = value;
	return OPTIONS_OK;
}

enum options_result sweep_options_parse(struct sweep_options *o, int argc, char **argv)
{
	*o = (struct sweep_options){.root = ""};
	o->run = calloc((size_t)argc + 1, sizeof(*o->run));
	if (!o->run)
		return wrong("out of memory");
	for (int i = 2; i < argc; i++) {
		const struct own_option *own = find_own(argv[i]);
		char *value = own ? strchr(argv[i], '=') : NULL;

		if (!strcmp(argv[i], "--"))
			return wrong("--: sweep needs a workload, not a command");
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(help, stdout);
			return OPTIONS_DONE;
		}
		if (!own)
			o->run[o->nr_run++] = argv[i];
		else if (store(o, own, value ? value + 1 : argv[++i]) != OPTIONS_OK)
			return OPTIONS_WRONG;
	}
	if (o->nr_over)
		return OPTIONS_OK;
	return wrong("sweep: needs --over OPTION=RANGE, see idletrace sweep --help");
}

void sweep_options_free(struct sweep_options *o)
{
	free(o->run);
}
