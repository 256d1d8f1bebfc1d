// SPDX-License-Identifier: GPL-2.0
#include "ab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab_options.h"
#include "ab_order.h"
#include "ab_settings.h"
#include "calibration.h"
#include "exit_status.h"
#include "guardian.h"
#include "html_page.h"
#include "journal.h"
#include "pages.h"
#include "report_json.h"
#include "runs.h"
#include "version.h"
#include "workers.h"

/* A run takes this much longer than its window, before there is one to measure. */
#define RUN_OVERHEAD (2 * NSEC_PER_SEC)

struct ab {
	struct ab_options options;
	struct knobs knobs;
	struct ab_settings settings;
	struct guardian guardian;
	struct journal journal;
	json_t *order;	       /* of the rounds that count */
	unsigned int complete; /* their number */
	unsigned int turns;    /* done, for the time that is left */
	uint64_t turn_ns;      /* of one, as it is known so far */
	bool open_end;	       /* a run takes as long as it takes */
	uint64_t began_ns;
	bool lost;
	char err[KNOB_ERROR + 64];
};

static int fail(const char *line, int status)
{
	fprintf(stderr, "idletrace: %s\n", line);
	return status;
}

/* ---- before anything happens ---- */

/* Parses the run's options with those words in front. Free *run in any case. */
static enum options_result parse_run(struct options *run, char *const words[])
{
	static char name[] = "idletrace", command[] = "run";
	enum options_result result;
	char **argv;
	int argc = 0;

	*run = (struct options){0};
	while (words[argc])
		argc++;
	argv = calloc((size_t)argc + 3, sizeof(*argv));
	if (!argv)
		return OPTIONS_WRONG;
	argv[0] = name;
	argv[1] = command;
	memcpy(argv + 2, words, (size_t)argc * sizeof(*argv));
	result = options_parse(run, argc + 2, argv);
	/* What it has of argv are the words, which stay; but for the command. */
	if (run->argv)
		run->argv = (char **)words;
	free(argv);
	return result;
}

static enum options_result check_run(const struct ab *ab, unsigned int setting,
				     const struct options *run)
{
	if (run->records)
		fail("--records: every run would overwrite it; not with ab",
		     EXIT_STATUS_USAGE);
	else if (run->interval_ns)
		fail("--interval: every run would have its own; not with ab",
		     EXIT_STATUS_USAGE);
	else if (!run->duration_ns && !run->workload && !run->argv)
		fail("--duration 0: a run needs an end; not with ab", EXIT_STATUS_USAGE);
	else if (run->no_trace && ab_setting_has(&ab->settings, setting, "trace", "on"))
		fail("--no-trace: not with --vary trace, which is on and off",
		     EXIT_STATUS_USAGE);
	else if (run->calibrate)
		fail("--calibrate: not with ab, where --vary trace=off,on is the same",
		     EXIT_STATUS_USAGE);
	else
		return OPTIONS_OK;
	return OPTIONS_WRONG;
}

static int add_knobs(struct ab *ab)
{
	const struct workload *workload = workload_of_words(ab->options.run);
	char err[KNOB_ERROR];

	for (unsigned int i = 0; i < ab->options.nr_vary; i++) {
		if (knobs_add(&ab->knobs, ab->options.vary[i], workload, err,
			      sizeof(err)))
			continue;
		fprintf(stderr, "idletrace: --vary %s\n", err);
		return -1;
	}
	return 0;
}

/* Every run's command line, and how long one takes. */
static enum options_result check_runs(struct ab *ab)
{
	enum options_result result = OPTIONS_OK;

	for (unsigned int i = 0; i < ab->settings.nr && result == OPTIONS_OK; i++) {
		struct options run;

		result = parse_run(&run, ab->settings.settings[i].argv);
		if (result == OPTIONS_OK)
			result = check_run(ab, i, &run);
		ab->turn_ns = ab->options.settle_ns + run.warmup_ns + run.duration_ns +
			      RUN_OVERHEAD;
		ab->open_end |= !run.duration_ns;
		options_free(&run);
	}
	return result;
}

/* OPTIONS_OK, or what else is due has been printed. */
static enum options_result prepare(struct ab *ab)
{
	if (add_knobs(ab))
		return OPTIONS_WRONG;
	if (!ab_settings_init(&ab->settings, &ab->knobs, &ab->options, ab->err,
			      sizeof(ab->err)))
		return check_runs(ab);
	fail(ab->err, EXIT_STATUS_USAGE);
	return OPTIONS_WRONG;
}

/* ---- the rounds ---- */

static int restore(struct ab *ab)
{
	int failed = knobs_restore(&ab->knobs, stderr);

	journal_end(&ab->journal);
	return failed;
}

/* In the guardian, when the main process is gone. */
static int restore_after_it(void *ctx)
{
	struct ab *ab = ctx;

	return journal_claim(&ab->journal) ? restore(ab) : 0;
}

/* Better now than in the middle: does the machine take every setting? */
static int rehearse(struct ab *ab)
{
	char err[KNOB_ERROR];

	for (unsigned int i = 0; i < ab->settings.nr; i++) {
		if (!ab_setting_apply(&ab->settings, i, err, sizeof(err)))
			continue;
		snprintf(ab->err, sizeof(ab->err), "--vary %s", err);
		return EXIT_STATUS_USAGE;
	}
	return 0;
}

/* Fewer show nothing; two have an interval. */
static unsigned int least_rounds(const struct ab *ab)
{
	return ab->options.calibrate ? 2 : 1;
}

static unsigned int all_rounds(const struct ab *ab)
{
	return ab->options.rounds + ab->options.discard_first;
}

/* What the turns that are left will take. */
static char *time_left(const struct ab *ab, char *buf, size_t size)
{
	unsigned int left = all_rounds(ab) * ab->settings.nr - ab->turns;
	double seconds = left * ((double)ab->turn_ns / NSEC_PER_SEC);

	if (seconds >= 90)
		snprintf(buf, size, "%.0f min", seconds / 60);
	else
		snprintf(buf, size, "%.0f s", seconds);
	return buf;
}

static void say_plan(const struct ab *ab)
{
	char time[48];

	fprintf(stderr,
		"idletrace: %u rounds of a run without and a run with tracing, %s%s\n",
		all_rounds(ab), ab->open_end ? "however long they take" : "about ",
		ab->open_end ? "" : time_left(ab, time, sizeof(time)));
}

static void show_progress(const struct ab *ab, unsigned int round, unsigned int setting)
{
	char time[48];

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[Kround %u of %u, %.40s, %s left ", round + 1,
		all_rounds(ab), ab->settings.settings[setting].name,
		time_left(ab, time, sizeof(time)));
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static int keep_guarded(struct ab *ab)
{
	int ret = guardian_check(&ab->guardian);

	if (ret > 0) {
		clear_progress();
		fprintf(stderr, "idletrace: its guardian was killed; there is another\n");
	}
	if (ret >= 0)
		return 0;
	snprintf(ab->err, sizeof(ab->err), "no guardian: %s", strerror(-ret));
	return -1;
}

/* One run with one setting. */
static enum runs_end take_turn(struct ab *ab, unsigned int round, unsigned int setting,
			       json_t **run)
{
	enum runs_end end;

	*run = NULL;
	show_progress(ab, round, setting);
	if (keep_guarded(ab) ||
	    ab_setting_apply(&ab->settings, setting, ab->err, sizeof(ab->err)))
		return RUNS_FAILED;
	if (!runs_sleep(ab->options.settle_ns))
		return RUNS_INTERRUPTED;
	end = runs_execute(ab->settings.settings[setting].argv, run, ab->err,
			   sizeof(ab->err));
	ab->turns++;
	ab->turn_ns = (now_ns() - ab->began_ns) / ab->turns;
	return end;
}

static void keep_round(struct ab *ab, const unsigned int *order, json_t **runs)
{
	json_t *row = json_array();

	for (unsigned int i = 0; i < ab->settings.nr; i++) {
		ab->lost |= run_lossy(runs[i]);
		json_array_append(ab->settings.settings[order[i]].runs, runs[i]);
		json_array_append_new(row, json_integer(order[i]));
	}
	json_array_append_new(ab->order, row);
	ab->complete++;
}

static enum runs_end run_round(struct ab *ab, unsigned int round)
{
	bool discard = ab->options.discard_first && !round;
	unsigned int order[AB_SETTINGS_MAX + 1], nr = ab->settings.nr, done;
	enum runs_end end = RUNS_DONE;
	json_t *runs[AB_SETTINGS_MAX + 1];

	ab_order(nr, discard ? 0 : round - ab->options.discard_first, order);
	for (done = 0; done < nr && end == RUNS_DONE; done++)
		end = take_turn(ab, round, order[done], &runs[done]);
	if (end == RUNS_DONE && !discard)
		keep_round(ab, order, runs);
	for (unsigned int i = 0; i < done; i++)
		json_decref(runs[i]);
	return end;
}

static int run_rounds(struct ab *ab)
{
	enum runs_end end = RUNS_DONE;
	int status = rehearse(ab);

	ab->began_ns = now_ns();
	for (unsigned int round = 0; !status && round < all_rounds(ab); round++) {
		end = run_round(ab, round);
		if (end != RUNS_DONE)
			break;
	}
	clear_progress();
	if (status)
		return fail(ab->err, status);
	if (end == RUNS_INTERRUPTED && ab->complete < least_rounds(ab))
		return fail(ab->options.calibrate
				    ? "interrupted before two rounds were complete"
				    : "interrupted before a round was complete",
			    EXIT_STATUS_FAILED);
	if (end == RUNS_INTERRUPTED || end == RUNS_DONE)
		return 0;
	return fail(ab->err,
		    end == RUNS_WRONG_USAGE ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED);
}

/* Without one there is still the guardian. Only root's settings outlive a process. */
static void begin_journal(struct ab *ab)
{
	static const struct knobs none;
	int err =
		journal_begin(&ab->journal, JOURNAL_DIR, geteuid() ? &none : &ab->knobs);

	if (err)
		fprintf(stderr, "idletrace: " JOURNAL_DIR ": no journal: %s\n",
			strerror(-err));
}

/* All that changes the machine, and its end. */
static int run_guarded(struct ab *ab)
{
	int err = runs_begin(), status;

	begin_journal(ab);
	if (!err)
		err = guardian_start(&ab->guardian, restore_after_it, ab);
	if (err) {
		snprintf(ab->err, sizeof(ab->err), "cannot begin: %s", strerror(-err));
		journal_end(&ab->journal);
		return fail(ab->err, EXIT_STATUS_FAILED);
	}
	status = run_rounds(ab);
	if (restore(ab) && !status)
		status = EXIT_STATUS_FAILED;
	guardian_end(&ab->guardian);
	runs_end();
	return status;
}

/* ---- what came out ---- */

static json_t *document(const struct ab *ab, const char *args)
{
	const struct ab_options *o = &ab->options;
	json_t *points = json_array(), *vary = json_array();

	for (unsigned int i = 0; i < ab->settings.nr; i++)
		json_array_append_new(points, ab_setting_json(&ab->settings, i));
	for (unsigned int i = 0; i < ab->knobs.nr; i++)
		json_array_append_new(vary, json_string(ab->knobs.uses[i].name));
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:i, s:i, s:b, s:I, s:O, s:o}",
			 "schema", "idletrace.ab/1", "tool", "version", IDLETRACE_VERSION,
			 "args", args, "vary", vary, "rounds", (int)ab->complete,
			 "rounds_asked", (int)o->rounds, "discard_first",
			 o->discard_first, "settle", (json_int_t)o->settle_ns, "order",
			 ab->order, "points", points);
}

static void say_rounds(const struct ab *ab)
{
	unsigned int period = ab_order_period(ab->settings.nr);

	if (ab->complete < ab->options.rounds)
		fprintf(stderr, "idletrace: ended early: %u of %u rounds are complete\n",
			ab->complete, ab->options.rounds);
	if (ab->complete % period)
		fprintf(stderr,
			"idletrace: %u round%s: the order of %u settings is balanced "
			"after every %u\n",
			ab->complete, ab->complete == 1 ? "" : "s", ab->settings.nr,
			period);
}

static int draw(struct plots *plots, const void *what)
{
	return plot_comparison(plots, ((const struct html_comparison *)what)->comparison);
}

static void print_comparison(const struct comparison *c, const struct ab_options *o,
			     const json_t *calibration)
{
	if (o->calibrate)
		comparison_print_head(c);
	else
		comparison_print(c, o->format);
	if (!calibration || o->format->bare)
		return;
	if (!o->calibrate)
		putchar('\n');
	calibration_print(calibration);
}

static int print_table(struct ab *ab, const json_t *doc, const char *args)
{
	const struct ab_options *o = &ab->options;
	char *err = ab->err;
	struct comparison c;
	struct html_comparison what = {.comparison = &c,
				       .format = o->format,
				       .args = args,
				       .calibration =
					       json_object_get(doc, "calibration")};
	struct pages pages = {.plot = o->plot,
			      .html = o->html,
			      .draw = draw,
			      .write = html_comparison,
			      .what = &what};
	int status = EXIT_STATUS_FAILED;

	comparison_init(&c);
	if (comparison_add_ab(&c, doc, err, sizeof(ab->err)) ||
	    (comparison_check(&c, err, sizeof(ab->err)) && !o->force) ||
	    comparison_finish(&c, NULL, err, sizeof(ab->err))) {
		fprintf(stderr, "idletrace: no table: %s\n", err);
	} else {
		status = EXIT_STATUS_DONE;
		if (!o->json || strcmp(o->json, "-"))
			print_comparison(&c, o, what.calibration);
		if (pages_make(&pages))
			status = EXIT_STATUS_FAILED;
	}
	comparison_free(&c);
	return status;
}

/* Of tracing against no tracing. */
static int add_calibration(struct ab *ab, json_t *doc)
{
	json_t *calibration = calibration_json(doc, ab->err, sizeof(ab->err));

	if (calibration)
		json_object_set_new(doc, "calibration", calibration);
	return *ab->err ? fail(ab->err, EXIT_STATUS_FAILED) : 0;
}

/* The runs are saved first: whatever comes then, they are there. */
static int show(struct ab *ab, const char *args)
{
	const char *json = ab->options.json;
	json_t *doc = document(ab, args);
	int status, shown;

	if (!doc)
		return fail("out of memory", EXIT_STATUS_FAILED);
	say_rounds(ab);
	status = add_calibration(ab, doc);
	if (json && json_save(doc, json)) {
		fprintf(stderr, "idletrace: --json %s: %s\n", json, strerror(errno));
		status = EXIT_STATUS_FAILED;
	}
	shown = print_table(ab, doc, args);
	json_decref(doc);
	return status ? status : shown;
}

static int compare(struct ab *ab, const char *args)
{
	const struct ab_options *o = &ab->options;
	struct report_files files = {.json = o->json, .plot = o->plot, .html = o->html};
	enum options_result result = prepare(ab);
	int status;

	if (result != OPTIONS_OK)
		return result == OPTIONS_DONE ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (report_files_check(&files))
		return EXIT_STATUS_FAILED;
	if (o->calibrate)
		say_plan(ab);
	ab->order = json_array();
	status = run_guarded(ab);
	if (ab->complete >= least_rounds(ab)) {
		int shown = show(ab, args);

		status = status ? status : shown;
	}
	return status ? status : ab->lost ? EXIT_STATUS_LOST : EXIT_STATUS_DONE;
}

/* What is parsed, as the result says. */
static int run_parsed(struct ab *ab, enum options_result result, const char *args)
{
	int status = result == OPTIONS_DONE ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;

	if (result == OPTIONS_OK) {
		knobs_init(&ab->knobs, ab->options.root);
		if (ab->options.knobs) {
			knobs_print(ab->options.root, stdout);
			status = EXIT_STATUS_DONE;
		} else {
			status = compare(ab, args);
		}
		ab_settings_free(&ab->settings);
		knobs_free(&ab->knobs);
		json_decref(ab->order);
	}
	ab_options_free(&ab->options);
	return status;
}

int ab_run(int argc, char **argv, const char *args)
{
	struct ab ab = {.guardian.fd = -1};

	return run_parsed(&ab, ab_options_parse(&ab.options, argc, argv), args);
}

int ab_calibrate(const struct options *o, int argc, char **argv, const char *args)
{
	struct ab ab = {.guardian.fd = -1};

	return run_parsed(&ab, ab_options_calibrate(&ab.options, o, argc, argv), args);
}
