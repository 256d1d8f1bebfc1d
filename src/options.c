// SPDX-License-Identifier: GPL-2.0
/*
 * The command line. argp splits it; which options there are depends on the workload, so
 * that its name is looked up first. All messages are our own, one line each: argp is kept
 * from printing and from exiting. Abbreviated options are refused, because what one is
 * short for would change with the workload.
 */
#include "options.h"
#include "options_table.h"
#include "version.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 40 /* characters of the user's text in a message */

#define DEFAULT_SETTLE	(200 * NSEC_PER_MSEC)
#define DEFAULT_SLOWEST 5
#define DEFAULT_ROUNDS	6

struct parser {
	struct options *o;
	const struct workload *scanned; /* o->workload, once argp has come to it */
	u64 given;			/* bit i: option_table[i] */
	bool command_given;
	bool failed;
	int seen; /* where the last option or word ended, an index of argv */
};

/* Prints the one line. What would break it, or is not ASCII, is shown as "?". */
__attribute__((format(printf, 2, 3))) static int fail(struct parser *p, const char *fmt,
						      ...)
{
	char line[WORKLOAD_ERROR_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	for (char *c = line; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	fprintf(stderr, "idletrace: %s\n", line);
	p->failed = true;
	return EINVAL;
}

static const char *shown(const char *value)
{
	return *value ? value : "''";
}

/* The names of the workloads, or of those that have that option. */
static size_t workload_names(const char *option, size_t len, char *buf, size_t size)
{
	size_t used = 0;
	char name[SHOWN + 1];

	snprintf(name, sizeof(name), "%.*s", (int)len, option ? option : "");
	buf[0] = '\0';
	for (const struct workload *const *w = workloads; *w && used < size; w++) {
		if (!option || workload_find_option(*w, name))
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 used ? ", " : "", (*w)->name);
	}
	return used;
}

static int unknown_workload(struct parser *p, const char *word, const char *name)
{
	char names[160];

	workload_names(NULL, 0, names, sizeof(names));
	return fail(p, "%s %.*s: needs one of %s", word, SHOWN, shown(name), names);
}

static int unknown_option(struct parser *p, const char *name, size_t len)
{
	int show = len > SHOWN ? SHOWN : (int)len;
	char names[160];

	if (!workload_names(name, len, names, sizeof(names)))
		return fail(p, "--%.*s: no such option, see idletrace --help", show,
			    name);
	if (p->scanned)
		return fail(p, "--%.*s: not an option of %s, but of %s", show, name,
			    p->scanned->name, names);
	return fail(p, "--%.*s: an option of a workload (%s); give --workload", show,
		    name, names);
}

static int needs(struct parser *p, const struct option_entry *entry, const char *word)
{
	return fail(p, "%s: needs %s", word, entry->accepts);
}

/* argp refused "--name" or "--name=value": why? */
static int wrong_long(struct parser *p, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const struct option_entry *entry = option_by_name(word + 2, len);
	char err[WORKLOAD_ERROR_MAX], name[SHOWN + 3];

	snprintf(name, sizeof(name), "%.*s", (int)len + 2, word);
	if (entry && entry->arg)
		return needs(p, entry, name);
	if (entry)
		return fail(p, "%s %.*s: takes no value", name, SHOWN,
			    shown(word + 2 + len + 1));
	if (!p->scanned || !workload_find_option(p->scanned, name + 2))
		return unknown_option(p, word + 2, len);
	workload_parse_option(&p->o->config, name + 2, NULL, err, sizeof(err));
	return fail(p, "%s", err);
}

/* argp refused a letter of "-abc". */
static int wrong_short(struct parser *p, const char *word)
{
	char name[3] = "-";

	for (const char *c = word + 1; *c; c++) {
		const struct option_entry *entry = option_by_letter(*c);

		name[1] = *c;
		if (entry && entry->arg)
			return needs(p, entry, name);
		if (!entry)
			break;
	}
	return fail(p, "%s: no such option, see idletrace --help", name);
}

/* The argument that holds the option: argp is past it, or inside of a "-abc". */
static const char *current_word(const struct parser *p, const struct argp_state *state,
				const char *arg)
{
	if (state->next == p->seen)
		return state->argv[state->next];
	if (arg && arg == state->argv[state->next - 1])
		return state->argv[state->next - 2];
	return state->argv[state->next - 1];
}

static bool is_abbreviated(const char *word, const char *name)
{
	size_t len = strcspn(word, "=");

	return word[0] == '-' && word[1] == '-' && len - 2 != strlen(name);
}

static int take_metrics(struct parser *p, const struct option_entry *entry,
			const char *arg)
{
	char err[128];
	int ret =
		entry->kind == KIND_METRIC
			? metric_rules_add(&p->o->metrics, arg, err, sizeof(err))
			: metric_rules_add_preset(&p->o->metrics, arg, err, sizeof(err));

	return ret ? fail(p, "--%s %.*s: %s", entry->name, SHOWN, shown(arg), err) : 0;
}

static int take_common(struct parser *p, const struct option_entry *entry,
		       const char *word, const char *arg)
{
	char name[SHOWN];

	if (is_abbreviated(word, entry->name))
		return unknown_option(p, word + 2, strcspn(word + 2, "="));
	if (word[1] == '-')
		snprintf(name, sizeof(name), "--%s", entry->name);
	else
		snprintf(name, sizeof(name), "-%c", entry->letter);
	if (entry->kind == KIND_WORKLOAD && p->o->workload &&
	    strcmp(arg, p->o->workload->name))
		return fail(p, "%s %.*s: only one workload, and %s was given", name,
			    SHOWN, shown(arg), p->o->workload->name);
	if ((entry->kind == KIND_METRIC || entry->kind == KIND_PRESET) &&
	    take_metrics(p, entry, arg))
		return EINVAL;
	if (option_store(entry, arg, p->o))
		return entry->kind == KIND_WORKLOAD
			       ? unknown_workload(p, name, arg)
			       : fail(p, "%s %.*s: needs %s", name, SHOWN, shown(arg),
				      entry->accepts);
	p->given |= 1ULL << (entry - option_table);
	return 0;
}

static int take_workload(struct parser *p, unsigned int i, const char *word,
			 const char *arg)
{
	const char *name = p->scanned->options[i].name;
	char err[WORKLOAD_ERROR_MAX];

	if (is_abbreviated(word, name))
		return unknown_option(p, word + 2, strcspn(word + 2, "="));
	if (workload_parse_option(&p->o->config, name, arg, err, sizeof(err)))
		return fail(p, "%s", err);
	return 0;
}

static int take_word(struct parser *p, const char *word)
{
	static const char *const commands[] = {
		[COMMAND_RUN] = "run", [COMMAND_INFO] = "info", [COMMAND_LIST] = "list"};

	if (p->command_given)
		return fail(p, "%.*s: one word too many; a command goes after --", SHOWN,
			    shown(word));
	for (int i = 0; i < 3; i++) {
		if (!strcmp(word, commands[i])) {
			p->o->command = (enum command)i;
			p->command_given = true;
			return 0;
		}
	}
	return fail(p,
		    "%.*s: a command goes after --, else run info list sweep ab compare",
		    SHOWN, shown(word));
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct parser *p = state->input;
	const char *word;
	int err;

	if (key == ARGP_KEY_ARG) {
		p->seen = state->next;
		return take_word(p, arg);
	}
	if (key == ARGP_KEY_ERROR && p->failed)
		return 0;
	if (key != ARGP_KEY_ERROR && (key <= 0 || key >= KEY_WORKLOAD + (1 << 8)))
		return ARGP_ERR_UNKNOWN;
	word = current_word(p, state, arg);
	if (key == ARGP_KEY_ERROR)
		return word[1] == '-' ? wrong_long(p, word) : wrong_short(p, word);
	if (key >= KEY_WORKLOAD)
		err = take_workload(p, (unsigned int)(key - KEY_WORKLOAD), word, arg);
	else if (key >= KEY_COMMON)
		err = take_common(p, &option_table[key - KEY_COMMON], word, arg);
	else
		err = take_common(p, option_by_letter((char)key), word, arg);
	p->seen = state->next;
	return err;
}

/*
 * The workload's name, in one of the four ways to write it, before argp can tell options
 * from values: it cannot know the workload's. NULL: none.
 */
static const char *scan_workload(int nr, char *const words[], const char **word)
{
	for (int i = 0; i < nr; i++) {
		const char *arg = words[i];
		size_t flags = arg[0] == '-' ? 1 + strspn(arg + 1, "vhV") : 0;

		*word = "--workload";
		if (!strncmp(arg, "--workload=", 11))
			return arg + 11;
		if (!strcmp(arg, "--workload"))
			return i + 1 < nr ? words[i + 1] : NULL;
		*word = "-w";
		if (flags && arg[flags] == 'w')
			return arg[flags + 1] ? arg + flags + 1
			       : i + 1 < nr   ? words[i + 1]
					      : NULL;
	}
	return NULL;
}

const struct workload *workload_of_words(char *const words[])
{
	int nr = 0;
	const char *word, *name;

	while (words[nr] && strcmp(words[nr], "--"))
		nr++;
	name = scan_workload(nr, words, &word);
	return name ? workload_find(name) : NULL;
}

static int prepare_workload(struct parser *p, int argc, char **argv)
{
	const char *word;
	const char *name = scan_workload(argc - 1, argv + 1, &word);

	if (!name)
		return 0;
	p->scanned = workload_find(name);
	if (!p->scanned)
		return unknown_workload(p, word, name);
	if (workload_config_init(&p->o->config, p->scanned))
		return fail(p, "out of memory");
	return 0;
}

static int split(struct parser *p, int argc, char **argv)
{
	struct argp argp = {.options = option_argp(p->scanned), .parser = take};
	int err;

	if (!argp.options)
		return fail(p, "out of memory");
	err = argp_parse(&argp, argc, argv, ARGP_SILENT | ARGP_IN_ORDER, NULL, p);
	free((void *)argp.options);
	if (err && !p->failed)
		return fail(p, "out of memory");
	if (!err && p->scanned && !p->o->workload)
		return fail(p, "--workload %s: stands as the value of another option",
			    p->scanned->name);
	return err;
}

static bool given(const struct parser *p, const char *name)
{
	return p->given >> (option_by_name(name, strlen(name)) - option_table) & 1;
}

/* info and list take few options. */
static int check_command(struct parser *p)
{
	const struct options *o = p->o;
	const char *name = o->command == COMMAND_INFO ? "info" : "list";

	if (o->command == COMMAND_RUN)
		return 0;
	for (int i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *entry = &option_table[i];

		if (p->given >> i & 1 &&
		    !(o->command == COMMAND_INFO ? entry->info : entry->list))
			return fail(p, "--%s: not an option of idletrace %s", entry->name,
				    name);
	}
	if (o->argv)
		return fail(p, "%s: takes no command to run", name);
	return 0;
}

static int check_run(struct parser *p)
{
	const struct options *o = p->o;

	if (o->workload && o->argv)
		return fail(p, "--workload %s: not together with -- COMMAND",
			    o->workload->name);
	if (o->pid && o->workload)
		return fail(p, "--pid %u: not with --workload, which is reported",
			    o->pid);
	if (o->pid && o->argv)
		return fail(p, "--pid %u: not with -- COMMAND, which is reported",
			    o->pid);
	if (!o->workload && given(p, "warmup"))
		return fail(p, "--warmup: needs --workload");
	if (!o->argv && o->metrics.nr_rules)
		return fail(p, "--%s: needs -- COMMAND",
			    given(p, "metric") ? "metric" : "preset");
	if (!o->workload && !o->argv && o->keep_root)
		return fail(p, "--keep-root: needs --workload or -- COMMAND");
	if (!o->workload && !o->argv && o->no_trace)
		return fail(p, "--no-trace: needs --workload or -- COMMAND");
	return 0;
}

static bool has_direction(const struct metric_rules *rules)
{
	for (unsigned int i = 0; i < rules->nr_metrics; i++)
		if (rules->metrics[i].better != BETTER_NONE)
			return true;
	return false;
}

static int check_calibrate(struct parser *p)
{
	const struct options *o = p->o;

	if (!o->calibrate)
		return given(p, "rounds")
			       ? fail(p, "--rounds %u: needs --calibrate", o->rounds)
			       : 0;
	if (!o->workload && !o->argv)
		return fail(p,
			    "--calibrate: needs --workload or -- COMMAND, which it runs "
			    "in turns");
	if (o->argv && !has_direction(&o->metrics))
		return fail(p, "--calibrate: needs --preset, or --metric with :lower or "
			       ":higher");
	if (o->no_trace)
		return fail(p, "--no-trace: not with --calibrate, which runs both");
	if (o->records || o->interval_ns)
		return fail(p, "--%s: not with --calibrate",
			    o->records ? "records" : "interval");
	return 0;
}

static int check_records(struct parser *p)
{
	const struct options *o = p->o;

	if (!o->records)
		return 0;
	if (o->no_trace)
		return fail(p, "--records %.*s: not with --no-trace", SHOWN, o->records);
	if (o->events == EVENTS_NONE)
		return fail(p, "--records %.*s: needs --events all or slow:TIME", SHOWN,
			    o->records);
	if (!strcmp(o->records, "-"))
		return fail(p, "--records -: needs a file; the report is on the standard "
			       "output");
	if (o->json && !strcmp(o->json, o->records))
		return fail(p, "--records %.*s: needs a file other than --json", SHOWN,
			    o->records);
	return 0;
}

static int check_series(struct parser *p)
{
	const struct options *o = p->o;

	if (o->interval_ns && o->no_trace)
		return fail(p, "--interval: not with --no-trace");
	if (!o->series)
		return 0;
	if (!o->interval_ns)
		return fail(p, "--series %.*s: needs --interval TIME", SHOWN, o->series);
	if (!strcmp(o->series, "-"))
		return fail(p, "--series -: needs a file; the report is on the standard "
			       "output");
	if ((o->json && !strcmp(o->series, o->json)) ||
	    (o->records && !strcmp(o->series, o->records)))
		return fail(p, "--series %.*s: needs a file of its own", SHOWN,
			    o->series);
	return 0;
}

/* Did the user say how many loops the workload does? Then they are what ends it. */
static bool has_loops(const struct options *o)
{
	const struct workload_option *loops = workload_find_option(o->workload, "loops");
	const char *values = o->config.values;

	return loops && loops->type == OPTION_COUNT &&
	       workload_given(&o->config, "loops") &&
	       *(const uint64_t *)(values + loops->offset);
}

static u64 default_duration(const struct options *o)
{
	if (o->workload)
		return has_loops(o) ? 0 : DEFAULT_WORKLOAD_DURATION;
	return o->argv ? 0 : DEFAULT_PROFILE_DURATION;
}

static int check_workload(struct parser *p)
{
	const struct options *o = p->o;
	struct workload_run run = {.duration_ns = o->duration_ns,
				   .warmup_ns = o->warmup_ns,
				   .cpus = o->cpus};
	char err[WORKLOAD_ERROR_MAX];

	if (o->workload && workload_check(&o->config, &run, err, sizeof(err)))
		return fail(p, "%s", err);
	return 0;
}

static enum options_result finish(struct parser *p)
{
	if (given(p, "help")) {
		option_help(p->o, stdout);
		return OPTIONS_DONE;
	}
	if (given(p, "version")) {
		printf("idletrace %s\n", IDLETRACE_VERSION);
		return OPTIONS_DONE;
	}
	if (check_command(p) || check_calibrate(p) || check_run(p) || check_records(p) ||
	    check_series(p))
		return OPTIONS_WRONG;
	if (!given(p, "duration"))
		p->o->duration_ns = default_duration(p->o);
	return check_workload(p) ? OPTIONS_WRONG : OPTIONS_OK;
}

/* Takes the command off the end; returns how many arguments come before its "--". */
static int take_command(struct parser *p, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		if (i + 1 < argc)
			p->o->argv = argv + i + 1;
		else
			fail(p, "--: needs a command to run after it");
		return i;
	}
	return argc;
}

enum options_result options_parse(struct options *o, int argc, char **argv)
{
	struct parser p = {.o = o, .seen = 1};

	*o = (struct options){
		.slowest = DEFAULT_SLOWEST,
		.housekeeping = -1,
		.settle_ns = DEFAULT_SETTLE,
		.rounds = DEFAULT_ROUNDS,
	};
	argc = take_command(&p, argc, argv);
	if (p.failed || prepare_workload(&p, argc, argv) || split(&p, argc, argv))
		return OPTIONS_WRONG;
	return finish(&p);
}

void options_free(struct options *o)
{
	workload_config_free(&o->config);
	metric_rules_free(&o->metrics);
}
