// SPDX-License-Identifier: GPL-2.0
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "html_page.h"
#include "pages.h"
#include "report_json.h"
#include "sweep_points.h"
#include "sweep_report.h"
#include "workers.h"

/* A run takes about this much longer than its window, before there is one to measure. */
#define RUN_OVERHEAD (2 * NSEC_PER_SEC)

struct sweep {
	struct sweep_options options;
	struct sweep_points points;
	struct sweep_state state;
	uint64_t run_ns; /* how long one takes, as it is known so far */
	uint64_t began_ns;
	unsigned int made; /* runs since then */
	char err[SWEEP_ERROR];
};

static int fail(const struct sweep *s, int status)
{
	fprintf(stderr, "idletrace: %s\n", s->err);
	return status;
}

/* ---- before anything runs ---- */

/* Parses a run's options as the run itself will. Free *run in any case. */
static enum options_result parse_run(struct options *run, char *const words[])
{
	static char name[] = "idletrace", command[] = "run";
	enum options_result result = OPTIONS_WRONG;
	char **argv;
	int argc = 0;

	*run = (struct options){0};
	while (words[argc])
		argc++;
	argv = calloc((size_t)argc + 3, sizeof(*argv));
	if (argv) {
		argv[0] = name;
		argv[1] = command;
		memcpy(argv + 2, words, (size_t)argc * sizeof(*argv));
		result = options_parse(run, argc + 2, argv);
	}
	free(argv);
	return result;
}

static int check_run(struct sweep *s, const struct options *run)
{
	const char *what = NULL;

	if (run->records)
		what = "--records: every run would overwrite it; not with sweep";
	else if (run->interval_ns)
		what = "--interval: every run would have its own; not with sweep";
	else if (run->histogram)
		what = "--histogram: a sweep shows none; not with sweep";
	else if (run->no_trace)
		what = "--no-trace: a sweep is about what is traced; not with sweep";
	else if (run->calibrate)
		what = "--calibrate: it is rounds of runs itself; not with sweep";
	s->run_ns = run->warmup_ns + run->duration_ns + RUN_OVERHEAD;
	if (what)
		snprintf(s->err, sizeof(s->err), "%s", what);
	return what ? -1 : 0;
}

/* Would every run take its options? Better told now than in the middle of the night. */
static enum options_result check_runs(struct sweep *s)
{
	enum options_result result = OPTIONS_OK;

	for (unsigned int i = 0; i < s->points.nr && result == OPTIONS_OK; i++) {
		char **argv = sweep_point_argv(&s->points, i);
		struct options run = {0};

		result = argv ? parse_run(&run, argv) : OPTIONS_WRONG;
		if (result == OPTIONS_OK && check_run(s, &run)) {
			fail(s, 0);
			result = OPTIONS_WRONG;
		}
		options_free(&run);
		sweep_point_argv_free(&s->points, argv);
	}
	return result;
}

/* gap=auto asks the run's other options; it must be able to do without that one. */
static int add_gap(struct sweep *s, struct axis *axis)
{
	struct options run;
	int err = -1;

	s->err[0] = '\0';
	if (parse_run(&run, s->options.run) == OPTIONS_OK) {
		struct workload_run where = {.cpus = run.cpus};

		err = axis_gap(axis, &run.config, &where, s->options.root, s->err,
			       sizeof(s->err));
	}
	options_free(&run);
	return err;
}

static bool is_given(const struct sweep_options *o, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < o->nr_run; i++)
		if (!strncmp(o->run[i], "--", 2) && !strncmp(o->run[i] + 2, name, len) &&
		    (!o->run[i][len + 2] || o->run[i][len + 2] == '='))
			return true;
	return false;
}

/* Each option once, and none that gap=auto has taken as given. */
static int check_axes(struct sweep *s, const struct workload *workload, bool gap)
{
	const struct sweep_points *p = &s->points;

	for (unsigned int a = 0; a < p->nr_axes; a++) {
		const char *name = p->axes[a].option->name, *what = NULL;

		if (gap && axis_gap_needs(workload, name))
			what = "not together with gap=auto";
		if (is_given(&s->options, name))
			what = "is given a value of its own, too";
		for (unsigned int b = 0; b < a; b++)
			if (p->axes[b].option == p->axes[a].option)
				what = "is swept already";
		if (!what)
			continue;
		snprintf(s->err, sizeof(s->err), "--over %.60s: %s %s",
			 s->options.over[a], name, what);
		return -1;
	}
	return 0;
}

static int add_axes(struct sweep *s)
{
	const struct workload *workload = workload_of_words(s->options.run);
	struct sweep_points *p = &s->points;
	bool gap = false;

	if (!workload) {
		snprintf(s->err, sizeof(s->err),
			 "sweep: needs --workload NAME, see idletrace list");
		return -1;
	}
	for (unsigned int i = 0; i < s->options.nr_over; i++) {
		const char *spec = s->options.over[i];
		struct axis *axis = &p->axes[p->nr_axes++];

		gap |= axis_is_gap(spec);
		if (axis_is_gap(spec)
			    ? add_gap(s, axis)
			    : axis_parse(axis, workload, spec, s->err, sizeof(s->err)))
			return -1;
	}
	return check_axes(s, workload, gap);
}

/* Where a sweep keeps what it has; NULL: nowhere, or no memory. */
static char *state_path(const struct sweep_options *o)
{
	char *path = NULL;

	if (o->json && strcmp(o->json, "-") && asprintf(&path, "%s.partial", o->json) < 0)
		return NULL;
	if (!path && o->plot && asprintf(&path, "%s/sweep.partial", o->plot) < 0)
		return NULL;
	return path;
}

static int open_state(struct sweep *s)
{
	char *path = state_path(&s->options);
	int runs;

	if (pages_check(s->options.plot, s->options.html)) {
		free(path);
		return EXIT_STATUS_FAILED;
	}
	if (!path)
		return 0;
	runs = sweep_state_open(&s->state, path, &s->points, s->err, sizeof(s->err));
	free(path);
	if (runs < 0)
		return fail(s, EXIT_STATUS_FAILED);
	if (runs)
		fprintf(stderr,
			"idletrace: continues the sweep in %s: %d of %u points are "
			"done\n",
			s->state.path, runs, s->points.nr);
	return 0;
}

static int prepare(struct sweep *s)
{
	if (add_axes(s) || sweep_points_init(&s->points, s->err, sizeof(s->err)))
		return *s->err ? fail(s, EXIT_STATUS_USAGE) : EXIT_STATUS_USAGE;
	switch (check_runs(s)) {
	case OPTIONS_OK: return open_state(s);
	case OPTIONS_DONE: return -1;
	case OPTIONS_WRONG: break;
	}
	return EXIT_STATUS_USAGE;
}

/* ---- the runs ---- */

static void show_progress(const struct sweep *s, unsigned int point)
{
	unsigned int done = sweep_points_done(&s->points);
	uint64_t left = (s->points.nr - done) * s->run_ns / NSEC_PER_SEC + 1;
	char name[256];

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%u of %u points done, %.36s, ", done, s->points.nr,
		sweep_point_name(&s->points, point, name, sizeof(name)));
	if (left < 90)
		fprintf(stderr, "%llu s left ", (unsigned long long)left);
	else if (left < 90 * 60)
		fprintf(stderr, "%llu min left ", (unsigned long long)(left + 30) / 60);
	else
		fprintf(stderr, "%llu h %llu min left ", (unsigned long long)left / 3600,
			(unsigned long long)left % 3600 / 60);
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static enum runs_end run_point(struct sweep *s, unsigned int point)
{
	struct sweep_point *p = &s->points.points[point];
	char **argv = sweep_point_argv(&s->points, point);
	enum runs_end end = RUNS_FAILED;
	int err;

	snprintf(s->err, sizeof(s->err), "out of memory");
	if (argv)
		end = runs_execute(argv, &p->run, s->err, sizeof(s->err));
	sweep_point_argv_free(&s->points, argv);
	s->made++;
	s->run_ns = (now_ns() - s->began_ns) / s->made;
	if (end == RUNS_INTERRUPTED)
		return end;
	if (end != RUNS_DONE) {
		p->error = strdup(s->err);
		return end;
	}
	err = sweep_state_add(&s->state, &s->points, point);
	if (!err)
		return end;
	clear_progress();
	fprintf(stderr, "idletrace: %s: %s; it will not be possible to continue\n",
		s->state.path, strerror(-err));
	sweep_state_close(&s->state, false);
	return end;
}

/* What fails before any run was done would fail at all points; later, one is left out. */
static enum runs_end run_points(struct sweep *s)
{
	enum runs_end end = RUNS_DONE;

	s->began_ns = now_ns();
	for (unsigned int i = 0; i < s->points.nr && end != RUNS_INTERRUPTED; i++) {
		if (s->points.points[i].run)
			continue;
		show_progress(s, i);
		end = run_point(s, i);
		if (end != RUNS_DONE && !sweep_points_done(&s->points))
			break;
	}
	clear_progress();
	return end;
}

/* ---- what came out ---- */

static int save(struct sweep *s, json_t *doc)
{
	const char *json = s->options.json;

	if (!json || !json_save(doc, json))
		return 0;
	snprintf(s->err, sizeof(s->err), "--json %s: %s", json, strerror(errno));
	return fail(s, EXIT_STATUS_FAILED);
}

static int draw(struct plots *plots, const void *doc)
{
	return plot_sweep(plots, doc, json_string_value(run_at(doc, "metric")));
}

static void say_what_is_missing(const struct sweep *s)
{
	unsigned int done = sweep_points_done(&s->points);

	if (done == s->points.nr)
		return;
	fprintf(stderr, "idletrace: %u of %u points are done; %s\n", done, s->points.nr,
		s->state.path ? "the same command continues"
			      : "with --json FILE it could be continued");
}

static bool is_lossy(const struct sweep *s)
{
	for (unsigned int i = 0; i < s->points.nr; i++)
		if (run_lossy(s->points.points[i].run))
			return true;
	return false;
}

static int show(struct sweep *s, const char *args)
{
	const char *name = s->options.metric;
	struct run_measure measure = {0}, *shown = NULL;
	json_t *doc = sweep_document(&s->points, args, NULL);
	struct pages pages = {.plot = s->options.plot,
			      .html = s->options.html,
			      .draw = draw,
			      .write = html_sweep,
			      .what = doc};
	int status = 0, err;

	if (sweep_metric(doc, name, &measure, s->err, sizeof(s->err)))
		shown = &measure;
	else if (name)
		status = fail(s, EXIT_STATUS_USAGE);
	if (shown)
		put(doc, "metric", json_string(shown->name));
	if (!s->options.json || strcmp(s->options.json, "-"))
		sweep_print(doc, shown);
	err = save(s, doc);
	if (!err)
		err = pages_make(&pages) ? EXIT_STATUS_FAILED : 0;
	json_decref(doc);
	say_what_is_missing(s);
	if (status || err)
		return status ? status : err;
	if (sweep_points_done(&s->points) < s->points.nr)
		return EXIT_STATUS_FAILED;
	return is_lossy(s) ? EXIT_STATUS_LOST : EXIT_STATUS_DONE;
}

static int sweep(struct sweep *s, const char *args)
{
	int status = prepare(s), err;
	enum runs_end end;

	if (status)
		return status < 0 ? EXIT_STATUS_DONE : status;
	err = runs_begin();
	if (err) {
		snprintf(s->err, sizeof(s->err), "cannot begin: %s", strerror(-err));
		return fail(s, EXIT_STATUS_FAILED);
	}
	end = run_points(s);
	runs_end();
	if (!sweep_points_done(&s->points))
		return fail(s, end == RUNS_WRONG_USAGE ? EXIT_STATUS_USAGE
						       : EXIT_STATUS_FAILED);
	status = show(s, args);
	/* Kept, too, if what was to be written could not be. */
	sweep_state_close(&s->state,
			  status == EXIT_STATUS_DONE || status == EXIT_STATUS_LOST);
	return status;
}

int sweep_run(int argc, char **argv, const char *args)
{
	struct sweep s = {.state.fd = -1};
	int status = EXIT_STATUS_USAGE;

	switch (sweep_options_parse(&s.options, argc, argv)) {
	case OPTIONS_WRONG: break;
	case OPTIONS_DONE: status = EXIT_STATUS_DONE; break;
	case OPTIONS_OK:
		s.points.words = s.options.run;
		s.points.nr_words = s.options.nr_run;
		status = sweep(&s, args);
		sweep_state_close(&s.state, false);
		sweep_points_free(&s.points);
		break;
	}
	sweep_options_free(&s.options);
	return status;
}
