// SPDX-License-Identifier: GPL-2.0
#include "ab_options.h"

#include "own_options.h"

#include <stdlib.h>
#include <string.h>

#define SETTLE_MAX (3600 * NSEC_PER_SEC)

static const char help_text[] =
	"Usage: idletrace ab --vary KNOB=A,B[,...] [options] [options of a run]\n"
	"       idletrace ab --knobs\n"
	"\n"
	"Compares settings of this machine, or of the workload, in rounds in which each\n"
	"has its turn, in a balanced order. Whatever it changes is put back, also if it\n"
	"is killed. Ctrl-C ends it with the rounds that are complete.\n"
	"\n"
	"  --vary KNOB=A,B           What to vary; given again: every combination.\n"
	"                            The first setting is what others are compared to\n"
	"  --rounds N                How often each setting has its turn [10]\n"
	"  --settle TIME             From each change of a setting to the run [1s]\n"
	"  --discard-first           One round more, the first, which does not count\n"
	"  --aa                      The first setting against itself, too: the noise\n"
	"  --format NAME             The table, one of those below [native]\n"
	"  --force                   Print a table of what should not be compared\n"
	"  --json FILE               Write all runs as JSON, - is the standard output\n"
	"  --plot DIR                Draw pictures, with gnuplot; its files stay there\n"
	"  --html FILE               Write one page with tables and pictures\n"
	"  --knobs                   What there is to vary on this machine\n"
	"  --root DIR                The knobs' files below DIR; for tests\n"
	"  -h, --help                This help\n"
	"\n"
	"idletrace --help has the options of a run.\n"
	"\n"
	"Formats:\n";

static enum options_result take_vary(void *options, const struct own_option *own,
				     const char *value)
{
	struct ab_options *o = options;

	return own_option_append(own, value, o->vary, &o->nr_vary, KNOBS_MAX);
}

static enum options_result take_rounds(void *options, const struct own_option *own,
				       const char *value)
{
	struct ab_options *o = options;
	uint64_t n;

	if (parse_u64(value, &n) || !n || n > AB_ROUNDS_MAX)
		return own_option_wrong(own, value);
	o->rounds = (unsigned int)n;
	return OPTIONS_OK;
}

static enum options_result take_settle(void *options, const struct own_option *own,
				       const char *value)
{
	struct ab_options *o = options;
	uint64_t n;

	if (parse_duration(value, NULL, &n) || n > SETTLE_MAX)
		return own_option_wrong(own, value);
	o->settle_ns = n;
	return OPTIONS_OK;
}

static enum options_result take_format(void *options, const struct own_option *own,
				       const char *value)
{
	struct own_option names = *own;
	struct ab_options *o = options;
	char list[128], accepts[160];

	o->format = comparison_find_format(value);
	if (o->format)
		return OPTIONS_OK;
	snprintf(accepts, sizeof(accepts), "one of %s",
		 comparison_format_names(list, sizeof(list)));
	names.accepts = accepts;
	return own_option_wrong(&names, value);
}

static enum options_result help(void *options, const struct own_option *own,
				const char *value)
{
	(void)options;
	(void)own;
	(void)value;
	fputs(help_text, stdout);
	for (int i = 0; comparison_formats[i]; i++)
		printf("  %-12s %s\n", comparison_formats[i]->name,
		       comparison_formats[i]->summary);
	fputs("\nKnobs:\n", stdout);
	for (int i = 0; knob_table[i]; i++) {
		const char *example = knob_table[i]->example;

		printf("  %-25s", example);
		if (strlen(example) > 25)
			printf("\n%27s", "");
		printf(" %s\n", knob_table[i]->summary);
	}
	return OPTIONS_DONE;
}

#define FIELD(f) offsetof(struct ab_options, f)

static const struct own_option own_options[] = {
	{"--vary", "KNOB=VALUE,VALUE, see idletrace ab --help", .take = take_vary},
	{"--rounds", "1 to 10000", .take = take_rounds},
	{"--settle", "a time with a unit, 0 to 1h", .take = take_settle},
	{"--format", "the name of a format", .take = take_format},
	{"--json", "the name of a file", .offset = FIELD(json)},
	{"--html", "the name of a file", .offset = FIELD(html)},
	{"--plot", "the name of a directory", .offset = FIELD(plot)},
	{"--root", "a directory", .offset = FIELD(root)},
	{"--discard-first", NULL, .offset = FIELD(discard_first)},
	{"--aa", NULL, .offset = FIELD(aa)},
	{"--force", NULL, .offset = FIELD(force)},
	{"--knobs", NULL, .offset = FIELD(knobs)},
	{"--help", .take = help},
	{"-h", .take = help},
	{.name = NULL},
};

static const struct own_option calibrate_options[] = {
	{"--calibrate", NULL, .offset = FIELD(calibrate)},
	{"--rounds", "2 to 10000", .take = take_rounds},
	{"--json", "the name of a file", .offset = FIELD(json)},
	{"--plot", "the name of a directory", .offset = FIELD(plot)},
	{.name = NULL},
};

enum options_result ab_options_parse(struct ab_options *o, int argc, char **argv)
{
	enum options_result result;

	*o = (struct ab_options){.rounds = AB_ROUNDS,
				 .settle_ns = NSEC_PER_SEC,
				 .root = "",
				 .format = comparison_formats[0]};
	result = own_options_parse(own_options, o, argc - 2, argv + 2, &o->run,
				   &o->nr_run);
	if (result != OPTIONS_OK || o->nr_vary || o->knobs)
		return result;
	return own_option_wrong(&own_options[0], NULL);
}

enum options_result ab_options_calibrate(struct ab_options *o,
					 const struct options *parsed, int argc,
					 char **argv)
{
	int words = argc > 1 && !strcmp(argv[1], "run") ? 2 : 1;

	*o = (struct ab_options){.vary = {"trace=off,on"},
				 .nr_vary = 1,
				 .rounds = parsed->rounds,
				 .settle_ns = NSEC_PER_SEC,
				 .root = "",
				 .format = comparison_formats[0]};
	return own_options_parse(calibrate_options, o, argc - words, argv + words,
				 &o->run, &o->nr_run);
}

void ab_options_free(struct ab_options *o)
{
	free(o->run);
}
