// SPDX-License-Identifier: GPL-2.0
#include "compare.h"

#include <argp.h>
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "exit_status.h"
#include "html_page.h"
#include "pages.h"

#define ERROR_MAX 512

static const char help_begin[] =
	"Usage: idletrace compare [options] BASE.json OTHER.json...\n"
	"       idletrace compare [options] --side NAME=FILE[,FILE...] --side ...\n"
	"       idletrace compare [options] AB.json\n"
	"\n"
	"Compares runs that were saved with --json; the first side is what the others "
	"are\n"
	"compared to. A file is a side of its own, named like it. With --side, a side "
	"is\n"
	"several files, each a sample: *, ? and [] in their names are expanded, so that\n"
	"  idletrace compare --side 'menu=menu-*.json' --side 'teo=teo-*.json'\n"
	"needs no list. Of files that sweep or ab wrote, each point is compared with "
	"the\n"
	"point of the same name; of one file of ab alone, its settings are the sides.\n"
	"\n"
	"      --side NAME=FILE,...  A side and its samples\n"
	"      --format NAME         The table, one of those below [native]\n"
	"      --metric NAME,...     What to compare: metrics of the workload, or as\n"
	"                            wakeup.p99, exit.p50, idle.too_shallow, "
	"power.watts\n"
	"      --points FIRST..LAST  Of a sweep only these points, as in ..work=1ms\n"
	"      --force               Compare what should not be: another workload,\n"
	"                            another metric\n"
	"      --plot DIR            Draw pictures, with gnuplot; its files stay there\n"
	"      --html FILE           Write one page with tables and pictures\n"
	"      --json FILE           Write the comparison as JSON, - is standard output\n"
	"  -h, --help                This help\n"
	"\n"
	"Formats:\n";

enum key {
	KEY_SIDE = 0x100,
	KEY_FORMAT,
	KEY_METRIC,
	KEY_POINTS,
	KEY_FORCE,
	KEY_JSON,
	KEY_PLOT,
	KEY_HTML,
	KEY_HELP = 'h'
};

static const struct argp_option option_list[] = {
	{.name = "side", .key = KEY_SIDE, .arg = "NAME=FILE"},
	{.name = "format", .key = KEY_FORMAT, .arg = "NAME"},
	{.name = "metric", .key = KEY_METRIC, .arg = "NAME"},
	{.name = "points", .key = KEY_POINTS, .arg = "FIRST..LAST"},
	{.name = "force", .key = KEY_FORCE},
	{.name = "json", .key = KEY_JSON, .arg = "FILE"},
	{.name = "plot", .key = KEY_PLOT, .arg = "DIR"},
	{.name = "html", .key = KEY_HTML, .arg = "FILE"},
	{.name = "help", .key = KEY_HELP},
	{0},
};

struct compare {
	struct comparison comparison;
	const struct comparison_format *format;
	const char *names[COMPARISON_MEASURES + 1]; /* of --metric, in metrics */
	char *metrics;
	const char *points; /* FIRST..LAST */
	const char *json;
	const char *plot; /* directory for pictures */
	const char *html; /* file for a page */
	char **files;	  /* the words, BASE first */
	unsigned int nr_files;
	bool force, help, failed;
	int status; /* of the failure */
	char err[ERROR_MAX];
};

__attribute__((format(printf, 3, 4))) static int fail(struct compare *c, int status,
						      const char *fmt, ...)
{
	va_list args;

	if (c->failed)
		return EINVAL;
	fprintf(stderr, "idletrace: ");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
	c->failed = true;
	c->status = status;
	return EINVAL;
}

/* ---- files to runs ---- */

static int add_document(struct compare *c, const char *side, json_t *doc)
{
	const json_t *point;
	json_t *runs;
	size_t i;
	int err = 0;

	if (!runs_collection(doc)) {
		runs = json_pack("[O]", doc);
		err = comparison_add(&c->comparison, side, "", runs, c->err,
				     sizeof(c->err));
		json_decref(runs);
		return err;
	}
	json_array_foreach (run_at(doc, "points"), i, point)
		if (!err)
			err = comparison_add(
				&c->comparison, side, run_text(point, "name"),
				run_at(point, "runs"), c->err, sizeof(c->err));
	return err;
}

static int add_file(struct compare *c, const char *side, const char *path)
{
	json_t *doc = runs_load(path, c->err, sizeof(c->err));
	int err = doc ? add_document(c, side, doc) : -1;

	json_decref(doc);
	return err ? fail(c, EXIT_STATUS_FAILED, "%s", c->err) : 0;
}

static int add_pattern(struct compare *c, const char *side, const char *pattern)
{
	glob_t found;
	int err = glob(pattern, GLOB_NOCHECK, NULL, &found);

	if (err)
		return fail(c, EXIT_STATUS_FAILED, "%s: cannot be expanded", pattern);
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		err = add_file(c, side, found.gl_pathv[i]);
	globfree(&found);
	return err;
}

static int add_side(struct compare *c, const char *arg)
{
	const char *sign = strchr(arg, '=');
	char *name, *files, *save = NULL;
	int err = 0;

	if (!sign || sign == arg || !sign[1])
		return fail(c, EXIT_STATUS_USAGE,
			    "--side %s: needs NAME=FILE, or more files after commas",
			    arg);
	name = strdup(arg);
	if (!name)
		return fail(c, EXIT_STATUS_FAILED, "out of memory");
	files = name + (sign - arg);
	*files++ = '\0';
	for (char *file = strtok_r(files, ",", &save); file && !err;
	     file = strtok_r(NULL, ",", &save))
		err = add_pattern(c, name, file);
	free(name);
	return err;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool names_are_unique(char *const files[], unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int k = 0; k < i; k++)
			if (!strcmp(base_name(files[i]), base_name(files[k])))
				return false;
	return true;
}

/* Length of the directory that all are in. */
static size_t common_directory(char *const files[], unsigned int nr)
{
	size_t common = 0;

	for (size_t i = 0; files[0][i]; i++) {
		for (unsigned int k = 1; k < nr; k++)
			if (files[k][i] != files[0][i])
				return common;
		if (files[0][i] == '/')
			common = i + 1;
	}
	return common;
}

/* Its label without ".json"; the path if a side has that name already. */
static int add_word(struct compare *c, const char *path, const char *label)
{
	size_t len = strlen(label);
	char name[COMPARISON_NAME];

	if (len > 5 && !strcmp(label + len - 5, ".json"))
		len -= 5;
	snprintf(name, sizeof(name), "%.*s", (int)len, label);
	for (unsigned int i = 0; i < c->comparison.nr_sides; i++)
		if (!strcmp(c->comparison.sides[i].name, name))
			return add_file(c, path, path);
	return add_file(c, name, path);
}

/* One file of ab alone. */
static int add_ab(struct compare *c, const char *path)
{
	json_t *doc = runs_load(path, c->err, sizeof(c->err));
	const char *what = doc ? runs_collection(doc) : NULL;
	int err = 0;

	if (!doc || (what && !strcmp(what, "ab") &&
		     comparison_add_ab(&c->comparison, doc, c->err, sizeof(c->err))))
		err = fail(c, EXIT_STATUS_FAILED, "%s", c->err);
	json_decref(doc);
	return err;
}

static int add_words(struct compare *c)
{
	size_t common;
	bool unique;
	int err = 0;

	if (c->nr_files == 1 && !c->comparison.nr_sides)
		return add_ab(c, c->files[0]);
	/* As short as they can be told apart: runs of one name in several directories. */
	unique = names_are_unique(c->files, c->nr_files);
	common = c->nr_files ? common_directory(c->files, c->nr_files) : 0;
	for (unsigned int i = 0; i < c->nr_files && !err; i++)
		err = add_word(c, c->files[i],
			       unique ? base_name(c->files[i]) : c->files[i] + common);
	return err;
}

/* ---- the command line ---- */

static int take_format(struct compare *c, const char *name)
{
	char names[128];

	c->format = comparison_find_format(name);
	return c->format ? 0
			 : fail(c, EXIT_STATUS_USAGE, "--format %s: needs one of %s",
				name, comparison_format_names(names, sizeof(names)));
}

static int take_metrics(struct compare *c, const char *list)
{
	char *save = NULL;
	unsigned int nr = 0;

	free(c->metrics);
	c->metrics = strdup(list);
	if (!c->metrics)
		return fail(c, EXIT_STATUS_FAILED, "out of memory");
	memset(c->names, 0, sizeof(c->names));
	for (char *name = strtok_r(c->metrics, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		if (nr == COMPARISON_MEASURES)
			return fail(c, EXIT_STATUS_USAGE,
				    "--metric %.40s...: needs %d names or fewer", list,
				    COMPARISON_MEASURES);
		c->names[nr++] = name;
	}
	return nr ? 0
		  : fail(c, EXIT_STATUS_USAGE,
			 "--metric '%s': needs the name of a metric", list);
}

/* argp refused what it is at. */
static int wrong_option(struct compare *c, const struct argp_state *state)
{
	const char *word = state->argv[state->next - 1];

	/* Inside of "-abc" argp is not past it. */
	if (word[0] != '-' && state->next < state->argc)
		word = state->argv[state->next];
	for (const struct argp_option *o = option_list; o->name; o++)
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, o->name))
			return fail(c, EXIT_STATUS_USAGE, "%s: needs %s", word,
				    o->arg ? o->arg : "no value");
	return fail(c, EXIT_STATUS_USAGE,
		    "%s: no such option, see idletrace compare --help", word);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct compare *c = state->input;

	switch (key) {
	case KEY_SIDE: return add_side(c, arg);
	case KEY_FORMAT: return take_format(c, arg);
	case KEY_METRIC: return take_metrics(c, arg);
	case KEY_POINTS: c->points = arg; return 0;
	case KEY_FORCE: c->force = true; return 0;
	case KEY_JSON: c->json = arg; return 0;
	case KEY_PLOT: c->plot = arg; return 0;
	case KEY_HTML: c->html = arg; return 0;
	case KEY_HELP: c->help = true; return 0;
	case ARGP_KEY_ARG: c->files[c->nr_files++] = arg; return 0;
	case ARGP_KEY_ERROR: return c->failed ? 0 : wrong_option(c, state);
	default: return ARGP_ERR_UNKNOWN;
	}
}

static int parse(struct compare *c, int argc, char **argv)
{
	static const struct argp argp = {.options = option_list, .parser = take};

	c->files = calloc((size_t)argc + 1, sizeof(*c->files));
	if (!c->files)
		return fail(c, EXIT_STATUS_FAILED, "out of memory");
	if (argp_parse(&argp, argc - 1, argv + 1, ARGP_SILENT | ARGP_IN_ORDER, NULL, c))
		return fail(c, EXIT_STATUS_FAILED, "out of memory");
	return 0;
}

static void print_help(void)
{
	fputs(help_begin, stdout);
	for (size_t i = 0; comparison_formats[i]; i++)
		printf("  %-12s %s\n", comparison_formats[i]->name,
		       comparison_formats[i]->summary);
}

/* ---- all of it ---- */

static int take_points(struct compare *c)
{
	const char *dots = c->points ? strstr(c->points, "..") : NULL;
	char first[COMPARISON_NAME];

	if (!c->points)
		return 0;
	if (!dots)
		return fail(c, EXIT_STATUS_USAGE, "--points %s: needs FIRST..LAST",
			    c->points);
	snprintf(first, sizeof(first), "%.*s", (int)(dots - c->points), c->points);
	if (!comparison_window(&c->comparison, first, dots + 2, c->err, sizeof(c->err)))
		return 0;
	return fail(c, EXIT_STATUS_USAGE, "--points %s: %s", c->points, c->err);
}

/* A case that only one side has shows nothing. */
static bool has_common_case(const struct comparison *c)
{
	for (size_t i = 0; i < c->nr_cases; i++) {
		unsigned int sides = 0;

		for (unsigned int s = 0; s < c->nr_sides; s++)
			sides += json_array_size(c->cases[i].runs[s]) > 0;
		if (sides > 1)
			return true;
	}
	return false;
}

static int check_pages(struct compare *c)
{
	if (!pages_check(c->plot, c->html))
		return 0;
	c->status = EXIT_STATUS_FAILED;
	return -1;
}

static int check(struct compare *c)
{
	const struct comparison *sides = &c->comparison;

	if (sides->nr_sides < 2)
		return fail(c, EXIT_STATUS_USAGE,
			    "compare: needs two sides: BASE.json OTHER.json, or --side "
			    "twice");
	if (!has_common_case(sides))
		return fail(c, EXIT_STATUS_FAILED,
			    "compare: the sides have no point in common");
	if (comparison_check(sides, c->err, sizeof(c->err)) && !c->force)
		return fail(c, EXIT_STATUS_FAILED,
			    "compare: %s; --force compares them all the same", c->err);
	return 0;
}

static int draw(struct plots *plots, const void *what)
{
	return plot_comparison(plots, ((const struct html_comparison *)what)->comparison);
}

static int show_pages(struct compare *c, const char *args)
{
	struct html_comparison what = {
		.comparison = &c->comparison, .format = c->format, .args = args};
	struct pages pages = {.plot = c->plot,
			      .html = c->html,
			      .draw = draw,
			      .write = html_comparison,
			      .what = &what};

	if (!pages_make(&pages))
		return 0;
	c->status = EXIT_STATUS_FAILED;
	return -1;
}

static int show(struct compare *c, const char *args)
{
	json_t *doc;
	int err;

	if (!c->json || strcmp(c->json, "-"))
		comparison_print(&c->comparison, c->format);
	err = show_pages(c, args);
	if (err || !c->json)
		return err;
	doc = comparison_json(&c->comparison, args);
	err = runs_save(doc, c->json);
	json_decref(doc);
	return err ? fail(c, EXIT_STATUS_FAILED, "--json %s: %s", c->json, strerror(-err))
		   : 0;
}

static int run(struct compare *c, int argc, char **argv, const char *args)
{
	if (parse(c, argc, argv))
		return -1;
	if (c->help) {
		print_help();
		return 0;
	}
	if (add_words(c) || check(c) || check_pages(c) || take_points(c))
		return -1;
	if (comparison_finish(&c->comparison, c->names[0] ? c->names : NULL, c->err,
			      sizeof(c->err)))
		return fail(c, EXIT_STATUS_FAILED, "compare: %s", c->err);
	return show(c, args);
}

int compare_run(int argc, char **argv, const char *args)
{
	struct compare *c = calloc(1, sizeof(*c));
	int status;

	if (!c) {
		fprintf(stderr, "idletrace: out of memory\n");
		return EXIT_STATUS_FAILED;
	}
	comparison_init(&c->comparison);
	c->format = comparison_formats[0];
	status = run(c, argc, argv, args) ? c->status : EXIT_STATUS_DONE;
	comparison_free(&c->comparison);
	free(c->metrics);
	free(c->files);
	free(c);
	return status;
}
