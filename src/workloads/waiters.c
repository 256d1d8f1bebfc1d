// SPDX-License-Identifier: GPL-2.0
/*
 * waiters: many threads, each of which does a little work and sleeps, a fixed number of
 * times. How long all of them need in total says what late timers and slow wakeups cost.
 *
 * With --arrival closed the sleep begins where the work ended, as far as is known of the
 * original: delays add up to the total. With --arrival absolute the periods are due at
 * times of their own, and a delay is seen as lateness, but does not shift what follows.
 */
#include "waiters.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "work.h"
#include "workers.h"

#define MAX_THREADS 100000
#define WORK_CHUNK  10000000 /* units between two looks at the end, some 10 ms */
#define GRACE	    (8 * NSEC_PER_SEC)

enum { ARRIVAL_CLOSED, ARRIVAL_ABSOLUTE };
enum { START_SPREAD, START_TOGETHER };

struct waiters_options {
	uint64_t threads;
	uint64_t period_ns;
	uint64_t loops;
	uint64_t timer_slack_ns;
	char *work;
	char *place;
	int arrival;
	int start;
};

static const char *const arrivals[] = {"closed", "absolute", NULL};
static const char *const starts[] = {"spread", "together", NULL};

static const struct workload_option options[] = {
	{
		.name = "threads",
		.help = "threads that work and sleep",
		.type = OPTION_COUNT,
		.min = 1,
		.max = MAX_THREADS,
		.def = "500",
		OPTION_FIELD(struct waiters_options, threads),
	},
	{
		.name = "work",
		.help = "work before each sleep: " WORK_FORMS,
		.unit = "TIME|UNITS",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "1630us",
		OPTION_FIELD(struct waiters_options, work),
	},
	{
		.name = "period",
		.help = "sleep after the work, or time from one work to the next",
		.type = OPTION_DURATION,
		.min = 1,
		.max = 1000 * NSEC_PER_SEC,
		.def = "100ms",
		OPTION_FIELD(struct waiters_options, period_ns),
	},
	{
		.name = "loops",
		.help = "periods of each thread; 0: until the duration is over, which is "
			"also meant by --duration without --loops",
		.type = OPTION_COUNT,
		.max = 1000000000,
		.def = "100",
		OPTION_FIELD(struct waiters_options, loops),
	},
	{
		.name = "arrival",
		.help = "closed: sleep from the end of the work on; absolute: periods "
			"due "
			"at fixed times",
		.type = OPTION_ENUM,
		.choices = arrivals,
		.def = "closed",
		OPTION_FIELD(struct waiters_options, arrival),
	},
	{
		.name = "start",
		.help = "first periods spread evenly over one, or all together",
		.type = OPTION_ENUM,
		.choices = starts,
		.def = "spread",
		OPTION_FIELD(struct waiters_options, start),
	},
	{
		.name = "timer-slack",
		.help = "of the threads",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct waiters_options, timer_slack_ns),
	},
	{
		.name = "place",
		.help = "CPUs that the threads are pinned to in turn",
		.unit = PLACE_UNIT,
		.type = OPTION_TEXT,
		.min = 1,
		.def = "any",
		OPTION_FIELD(struct waiters_options, place),
	},
};

struct waiter {
	uint64_t periods; /* measured */
	uint64_t missed;  /* due before the end, never begun */
	uint64_t overruns;
	uint64_t end_ns; /* of its last period */
	struct hist lateness;
};

struct waiters {
	struct workload_ctx *ctx;
	const struct waiters_options *opt;
	struct workers pool;
	struct place place;
	struct work_calibration calibration;
	uint64_t units;
	uint64_t goal; /* periods of a thread to measure; UINT64_MAX: until the end */
	unsigned int nr;
	uint64_t begin_ns;
	struct waiter *waiters;
};

/* ---- without timing ---- */

uint64_t waiters_offset(uint64_t nr, uint64_t threads, uint64_t period_ns)
{
	return (uint64_t)((unsigned __int128)nr * period_ns / threads);
}

uint64_t waiters_missed(uint64_t due_ns, uint64_t end_ns, uint64_t period_ns,
			uint64_t max)
{
	uint64_t missed;

	if (due_ns >= end_ns)
		return 0;
	missed = (end_ns - due_ns - 1) / period_ns + 1;
	return missed < max ? missed : max;
}

/* ---- checks and setup ---- */

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct waiters_options *opt = config->values;

	if (!opt->loops && !run->duration_ns) {
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
		return -1;
	}
	if (work_check("work", opt->work, err, size))
		return -1;
	return place_check(opt->place, 1, run, err, size);
}

static int choose(struct waiters *w)
{
	struct workload_ctx *ctx = w->ctx;
	struct work_amount amount;
	struct cpu_mask allowed;
	uint32_t cpu;

	place_allowed(&ctx->run, &allowed);
	if (place_choose(&w->place, w->opt->place, 1, &allowed, PLACE_SYSFS,
			 ctx->shared->error, sizeof(ctx->shared->error)))
		return -1;
	if (work_parse(w->opt->work, &amount))
		return workload_error(ctx, "--work %.40s: not understood", w->opt->work);
	if (!amount.value)
		return 0;
	cpu = place_cpu(&w->place, 0, 0);
	work_calibrate(&w->calibration, cpu == PLACE_NO_CPU ? WORK_ANYWHERE : (int)cpu);
	w->units = work_units(&amount, &w->calibration);
	return 0;
}

static int pin(struct waiters *w)
{
	struct cpu_mask *used = &w->ctx->result->cpus;
	uint32_t cpu;
	int err;

	if (w->place.kind == PLACE_ANY)
		return 0;
	cpu_mask_clear(used);
	for (unsigned int i = 0; i < w->nr; i++) {
		cpu = place_cpu(&w->place, 0, i);
		cpu_mask_set(used, cpu);
		err = place_pin_thread(w->pool.threads[i].tid, cpu);
		if (err)
			return workload_error(w->ctx, "cannot pin a thread to CPU %u: %s",
					      cpu, strerror(-err));
	}
	return 0;
}

/* ---- the threads ---- */

/* False: it was cut short, for it is time to stop. */
static bool do_work(const struct workload_ctx *ctx, uint64_t units)
{
	for (; units > WORK_CHUNK; units -= WORK_CHUNK) {
		if (workload_stopping(ctx))
			return false;
		work_do(WORK_CHUNK);
	}
	work_do(units);
	return true;
}

static void one_period(struct waiters *w, struct waiter *me, uint64_t due, uint64_t begun)
{
	uint64_t end;

	if (!do_work(w->ctx, w->units))
		return;
	end = now_ns();
	/* What ends behind the end of the run was not done within it. */
	if (begun < w->ctx->start_ns || end > w->ctx->end_ns)
		return;
	hist_add(&me->lateness, begun > due ? begun - due : 0);
	me->end_ns = end;
	me->overruns += end - due > w->opt->period_ns;
	me->periods++;
	if (me == w->waiters)
		workload_progress(w->ctx, me->periods);
}

/*
 * The first period is due at a time of its own in both modes. A sleep of the closed one
 * is the relative sleep of the original, of which the time it should end is known, too.
 */
static void waiter_main(struct worker *worker)
{
	struct waiters *w = worker->ctx->priv;
	struct waiter *me = worker->arg;
	bool closed = w->opt->arrival == ARRIVAL_CLOSED, more;
	uint64_t period = w->opt->period_ns, due = w->begin_ns, end;

	if (w->opt->start == START_SPREAD)
		due += waiters_offset(worker->index, w->nr, period);
	more = workload_sleep_until(worker->ctx, due);
	while (more && me->periods < w->goal) {
		one_period(w, me, due, now_ns());
		due = closed ? now_ns() + period : due + period;
		if (me->periods == w->goal)
			break;
		if (closed)
			more = workload_sleep(worker->ctx, period);
		else if (due > now_ns())
			more = workload_sleep_until(worker->ctx, due);
		else
			more = !workload_stopping(worker->ctx);
	}
	end = now_ns();
	if (!closed)
		me->missed =
			waiters_missed(due, end < w->ctx->end_ns ? end : w->ctx->end_ns,
				       period, w->goal - me->periods);
}

static int setup(struct workload_ctx *ctx)
{
	struct waiters *w = calloc(1, sizeof(*w));
	bool by_loops = !ctx->run.duration_ns || workload_given(ctx->config, "loops");

	if (!w)
		return workload_error(ctx, "out of memory");
	ctx->priv = w;
	w->ctx = ctx;
	w->opt = ctx->options;
	w->nr = (unsigned int)w->opt->threads;
	w->goal = by_loops && w->opt->loops ? w->opt->loops : UINT64_MAX;
	if (w->goal != UINT64_MAX)
		atomic_store(&ctx->shared->progress_goal, w->goal);
	w->waiters = calloc(w->nr, sizeof(*w->waiters));
	if (!w->waiters)
		return workload_error(ctx, "out of memory for %u threads", w->nr);
	if (choose(w))
		return -1;
	timer_slack_set(w->opt->timer_slack_ns);
	if (workers_start(&w->pool, ctx, w->nr, waiter_main, w->waiters,
			  sizeof(*w->waiters)))
		return -1;
	return pin(w);
}

static int run(struct workload_ctx *ctx)
{
	struct waiters *w = ctx->priv;
	unsigned int left;

	w->begin_ns = now_ns();
	left = workers_run(&w->pool, GRACE);
	return left ? workload_error(ctx, "%u threads did not end in 8 s", left) : 0;
}

static void teardown(struct workload_ctx *ctx)
{
	struct waiters *w = ctx->priv;

	if (!w)
		return;
	workers_free(&w->pool);
	place_free(&w->place);
	free(w->waiters);
	free(w);
	ctx->priv = NULL;
}

/* ---- report ---- */

/* Of all threads, into lateness; returns how many made all of their loops. */
static unsigned int add_up(const struct waiters *w, struct waiter *all)
{
	unsigned int complete = 0;

	for (unsigned int i = 0; i < w->nr; i++) {
		const struct waiter *one = &w->waiters[i];

		all->periods += one->periods;
		all->missed += one->missed;
		all->overruns += one->overruns;
		if (one->end_ns > all->end_ns)
			all->end_ns = one->end_ns;
		hist_merge(&all->lateness, &one->lateness);
		complete += one->periods == w->goal;
	}
	return complete;
}

/* How much of the CPUs the work alone would take. */
static void report_load(const struct waiters *w)
{
	double period = (double)w->opt->period_ns, work, load;
	unsigned int cpus = cpu_mask_count(&w->ctx->result->cpus);

	work = (double)w->units * w->calibration.start_ns;
	if (w->opt->arrival == ARRIVAL_CLOSED)
		period += work;
	load = w->nr * work / period;
	result_metric(w->ctx->result, "load", load, "CPUs", BETTER_NONE);
	result_text(w->ctx->result, "load %.2f of %u CPUs%s", load, cpus,
		    load > cpus ? ": overloaded, this is about queueing" : "");
}

static void report_periods(const struct waiters *w, const struct waiter *all,
			   double seconds)
{
	struct workload_result *result = w->ctx->result;
	double rate = (double)all->periods / seconds;
	char text[3][UNITS_TEXT_MAX];

	result_text(result, "%u threads, %s periods, %.1f per second", w->nr,
		    format_count(all->periods, text[0], sizeof(text[0])), rate);
	result_metric(result, "periods", (double)all->periods, "", BETTER_NONE);
	result_metric(result, "period_rate", rate, "1/s", BETTER_HIGHER);
	result_latency_report(result, "lateness", &all->lateness);
	if (w->opt->arrival == ARRIVAL_CLOSED)
		return;
	result_text(result, "%s periods overran, %s due ones never began",
		    format_count(all->overruns, text[1], sizeof(text[1])),
		    format_count(all->missed, text[2], sizeof(text[2])));
	result_metric(result, "overruns", (double)all->overruns, "", BETTER_LOWER);
	result_metric(result, "missed_periods", (double)all->missed, "", BETTER_LOWER);
}

static void report(struct workload_ctx *ctx)
{
	struct waiters *w = ctx->priv;
	struct workload_result *result = ctx->result;
	uint64_t begin = w->begin_ns > ctx->start_ns ? w->begin_ns : ctx->start_ns;
	struct waiter *all = calloc(1, sizeof(*all));
	char text[80], slack[UNITS_TEXT_MAX];
	unsigned int complete, cpus;
	struct hist *hist;
	double seconds;

	if (!all)
		return;
	complete = add_up(w, all);
	if (!all->periods) {
		result_text(result, "no period was completed");
		free(all);
		return;
	}
	seconds = (double)(all->end_ns - begin) / (double)NSEC_PER_SEC;
	/* A total is one only if all the work is in it. */
	if (complete == w->nr) {
		result_legacy(result, "total elapsed: %.4f seconds", seconds);
		result_metric(result, "elapsed", seconds, "s", BETTER_LOWER);
	}
	hist = result_latency(result, "lateness");
	if (hist)
		*hist = all->lateness;
	report_periods(w, all, seconds);
	free(all);
	cpus = place_size(&w->place, 0);
	result_text(result, "%s, timer slack %s",
		    place_format(&w->place, 0, w->nr < cpus ? w->nr : cpus, text, 48),
		    format_duration_exact(timer_slack_get(), slack, sizeof(slack)));
	if (!w->units)
		return;
	report_load(w);
	work_calibrate_end(&w->calibration);
	work_report(result, w->units, &w->calibration);
}

const struct workload waiters_workload = {
	.name = "waiters",
	.summary = "many threads work a little and sleep; how long all of it takes",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct waiters_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
