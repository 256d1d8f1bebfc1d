// SPDX-License-Identifier: GPL-2.0
/*
 * ab's own options may stand anywhere among those of the run, which depend on the
 * workload. So they are picked out by name, and options_parse() sees the rest.
 */
#include "ab_options.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN	   60
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

enum own_kind {
	OWN_VARY,
	OWN_ROUNDS,
	OWN_SETTLE,
	OWN_FORMAT,
	OWN_TEXT,
	OWN_FLAG,
	OWN_HELP,
};

struct own_option {
	const char *name;
	enum own_kind kind;
	size_t offset;
	const char *accepts;
};

#define FIELD(f) offsetof(struct ab_options, f)

static const struct own_option own_options[] = {
	{"--vary", OWN_VARY, 0, "KNOB=VALUE,VALUE, see idletrace ab --help"},
	{"--rounds", OWN_ROUNDS, 0, "1 to 10000"},
	{"--settle", OWN_SETTLE, 0, "a time with a unit, 0 to 1h"},
	{"--format", OWN_FORMAT, 0, "the name of a format"},
	{"--json", OWN_TEXT, FIELD(json), "the name of a file"},
	{"--html", OWN_TEXT, FIELD(html), "the name of a file"},
	{"--plot", OWN_TEXT, FIELD(plot), "the name of a directory"},
	{"--root", OWN_TEXT, FIELD(root), "a directory"},
	{"--discard-first", OWN_FLAG, FIELD(discard_first), NULL},
	{"--aa", OWN_FLAG, FIELD(aa), NULL},
	{"--force", OWN_FLAG, FIELD(force), NULL},
	{"--knobs", OWN_FLAG, FIELD(knobs), NULL},
	{"--help", OWN_HELP, 0, NULL},
	{"-h", OWN_HELP, 0, NULL},
	{NULL, 0, 0, NULL},
};

static const struct own_option calibrate_options[] = {
	{"--calibrate", OWN_FLAG, FIELD(calibrate), NULL},
	{"--rounds", OWN_ROUNDS, 0, "2 to 10000"},
	{"--json", OWN_TEXT, FIELD(json), "the name of a file"},
	{"--plot", OWN_TEXT, FIELD(plot), "the name of a directory"},
	{NULL, 0, 0, NULL},
};

static const struct own_option *find_own(const struct own_option *own, const char *word)
{
	size_t len = strcspn(word, "=");

	for (; own->name; own++)
		if (strlen(own->name) == len && !memcmp(own->name, word, len))
			return own;
	return NULL;
}

static int wrong(const struct own_option *own, const char *value, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s%.*s: %s%s", own->name, value ? " " : "", SHOWN,
		 !value	  ? ""
		 : *value ? value
			  : "''",
		 own->accepts ? "needs " : "", own->accepts ? own->accepts : what);
	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	fprintf(stderr, "idletrace: %s\n", line);
	return -1;
}

static int wrong_format(const char *value)
{
	struct own_option own = {.name = "--format"};
	char names[128], accepts[160];

	snprintf(accepts, sizeof(accepts), "one of %s",
		 comparison_format_names(names, sizeof(names)));
	own.accepts = accepts;
	return wrong(&own, value, NULL);
}

static void help(void)
{
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
}

static int store(struct ab_options *o, const struct own_option *own, const char *value)
{
	void *field = (char *)o + own->offset;
	uint64_t n;

	switch (own->kind) {
	case OWN_VARY:
		if (o->nr_vary == KNOBS_MAX) {
			fprintf(stderr, "idletrace: --vary: at most %d times\n",
				KNOBS_MAX);
			return -1;
		}
		o->vary[o->nr_vary++] = value;
		return 0;
	case OWN_ROUNDS:
		if (parse_u64(value, &n) || !n || n > AB_ROUNDS_MAX)
			return wrong(own, value, NULL);
		o->rounds = (unsigned int)n;
		return 0;
	case OWN_SETTLE:
		if (parse_duration(value, NULL, &n) || n > SETTLE_MAX)
			return wrong(own, value, NULL);
		o->settle_ns = n;
		return 0;
	case OWN_FORMAT:
		o->format = comparison_find_format(value);
		return o->format ? 0 : wrong_format(value);
	case OWN_TEXT:
		if (!*value)
			return wrong(own, value, NULL);
		*(const char **)field = value;
		return 0;
	case OWN_FLAG: *(bool *)field = true; return 0;
	case OWN_HELP: break;
	}
	return 0;
}

/* What is not among those options goes to o->run. */
static enum options_result split(struct ab_options *o, const struct own_option *options,
				 int argc, char **argv)
{
	o->run = calloc((size_t)argc + 1, sizeof(*o->run));
	if (!o->run) {
		fprintf(stderr, "idletrace: out of memory\n");
		return OPTIONS_WRONG;
	}
	for (int i = 0; i < argc; i++) {
		const struct own_option *own = find_own(options, argv[i]);
		char *value = own ? strchr(argv[i], '=') : NULL;
		bool takes_value = own && own->accepts;

		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				o->run[o->nr_run++] = argv[i++];
			break;
		}
		if (!own) {
			o->run[o->nr_run++] = argv[i];
			continue;
		}
		if (own->kind == OWN_HELP) {
			help();
			return OPTIONS_DONE;
		}
		if (value && !takes_value) {
			wrong(own, value + 1, "takes no value");
			return OPTIONS_WRONG;
		}
		if (takes_value)
			value = value ? value + 1 : argv[++i];
		if (takes_value && !value) {
			wrong(own, NULL, NULL);
			return OPTIONS_WRONG;
		}
		if (store(o, own, value))
			return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

enum options_result ab_options_parse(struct ab_options *o, int argc, char **argv)
{
	enum options_result result;

	*o = (struct ab_options){.rounds = AB_ROUNDS,
				 .settle_ns = NSEC_PER_SEC,
				 .root = "",
				 .format = comparison_formats[0]};
	result = split(o, own_options, argc - 2, argv + 2);
	if (result != OPTIONS_OK || o->nr_vary || o->knobs)
		return result;
	wrong(&own_options[0], NULL, NULL);
	return OPTIONS_WRONG;
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
	return split(o, calibrate_options, argc - words, argv + words);
}

void ab_options_free(struct ab_options *o)
{
	free(o->run);
}
