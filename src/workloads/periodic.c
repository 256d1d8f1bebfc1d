// SPDX-License-Identifier: GPL-2.0
/*
 * periodic: a packet of work every 1/f, which must be done before the next is due. The
 * load goes up in steps and down again, and both ways are reported apart: a governor that
 * learns does not have to end up at the same choice from above as from below.
 *
 * A packet is an amount of work and not of time: where the CPU slows down, its load goes
 * up. Packets are due at absolute times, so that one that is late does not make the
 * following ones look punctual.
 */
#include "periodic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_HZ	      10000
#define DEFAULT_DWELL NSEC_PER_SEC /* with no duration to be shared out */
#define GRACE	      (5 * NSEC_PER_SEC)

enum { OVERRUN_CATCH_UP, OVERRUN_SKIP };
enum { PHASE_SPREAD, PHASE_TOGETHER };

static const char *const overruns[] = {"catch-up", "skip", NULL};
static const char *const phases[] = {"spread", "together", NULL};

static const struct workload_option options[] = {
	{
		.name = "frequency",
		.help = "packets per second; several (73,113,211,347,401) are run one "
			"after the other",
		.unit = "HZ[,HZ...]",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "347",
		OPTION_FIELD(struct periodic_options, frequency),
	},
	{
		.name = "load",
		.help = "work in % of the period: fixed (38.6), or from FROM up to TO "
			"and "
			"down again",
		.unit = "X|FROM:TO:STEP",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "0:100:10",
		OPTION_FIELD(struct periodic_options, load),
	},
	{
		.name = "dwell",
		.help = "how long each step takes; auto: the duration shared out, 1s "
			"without one",
		.type = OPTION_DURATION,
		.word = "auto",
		.min = NSEC_PER_MSEC,
		.max = 24 * 3600 * NSEC_PER_SEC,
		.def = "auto",
		OPTION_FIELD(struct periodic_options, dwell_ns),
	},
	{
		.name = "threads",
		.help = "that do this, each on its own",
		.type = OPTION_COUNT,
		.min = 1,
		.max = 4096,
		.def = "1",
		OPTION_FIELD(struct periodic_options, threads),
	},
	{
		.name = "place",
		.help = "where the threads are pinned",
		.unit = PLACE_UNIT,
		.type = OPTION_TEXT,
		.min = 1,
		.def = "any",
		OPTION_FIELD(struct periodic_options, place),
	},
	{
		.name = "overrun",
		.help = "after a packet that took longer than its period: begin the next "
			"at once, or leave out those that were due meanwhile",
		.type = OPTION_ENUM,
		.choices = overruns,
		.def = "catch-up",
		OPTION_FIELD(struct periodic_options, overrun),
	},
	{
		.name = "phase",
		.help = "of several threads: evenly over the period, or all at once",
		.type = OPTION_ENUM,
		.choices = phases,
		.def = "spread",
		OPTION_FIELD(struct periodic_options, phase),
	},
	{
		.name = "timer-slack",
		.help = "of the threads' sleeps",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct periodic_options, timer_slack_ns),
	},
};

/* ---- without timing ---- */

/* Numbers between separators, max of them at most; 0 if there is anything else. */
static size_t parse_numbers(const char *text, char separator, double *numbers, size_t max)
{
	char part[32];
	size_t nr = 0;

	for (;;) {
		size_t len = (size_t)(strchrnul(text, separator) - text);

		if (len >= sizeof(part) || nr == max)
			return 0;
		memcpy(part, text, len);
		part[len] = '\0';
		if (parse_number(part, &numbers[nr++]))
			return 0;
		if (!text[len])
			return nr;
		text += len + 1;
	}
}

size_t periodic_parse_loads(const char *text, double *loads, bool *sweep)
{
	double n[3], steps;
	size_t nr = parse_numbers(text, ':', n, 3), whole;

	*sweep = nr == 3;
	if (nr == 1 && n[0] <= 100) {
		loads[0] = n[0];
		return 1;
	}
	if (nr != 3 || n[0] >= n[1] || n[1] > 100 || n[2] <= 0)
		return 0;
	/* 0.3 is not three times 0.1 */
	steps = (n[1] - n[0]) / n[2] + 1e-9;
	if (steps >= PERIODIC_MAX_LOADS)
		return 0;
	whole = (size_t)steps;
	for (nr = 0; nr <= whole; nr++)
		loads[nr] = n[0] + (double)nr * n[2];
	if (loads[whole] < n[1] - 1e-9 * n[1])
		loads[nr++] = n[1];
	return nr <= PERIODIC_MAX_LOADS ? nr : 0;
}

size_t periodic_parse_frequencies(const char *text, double *hz)
{
	size_t nr = parse_numbers(text, ',', hz, PERIODIC_MAX_FREQUENCIES);

	for (size_t i = 0; i < nr; i++) {
		if (hz[i] < 1 || hz[i] > MAX_HZ)
			return 0;
	}
	return nr;
}

size_t periodic_load_at(size_t step, size_t nr_loads, bool *down)
{
	*down = step >= nr_loads;
	return *down ? 2 * nr_loads - 1 - step : step;
}

uint64_t periodic_next_due(uint64_t due_ns, uint64_t done_ns, uint64_t period_ns,
			   bool skip, uint64_t *missed)
{
	uint64_t over;

	due_ns += period_ns;
	if (!skip || done_ns <= due_ns)
		return due_ns;
	over = periodic_count_due(due_ns, done_ns, period_ns);
	*missed += over;
	return due_ns + over * period_ns;
}

uint64_t periodic_count_due(uint64_t due_ns, uint64_t until_ns, uint64_t period_ns)
{
	return due_ns < until_ns ? (until_ns - due_ns - 1) / period_ns + 1 : 0;
}

static uint64_t period_of(double hz)
{
	return (uint64_t)((double)NSEC_PER_SEC / hz + 0.5);
}

/* ---- checks and setup ---- */

static size_t count_steps(const struct periodic *p)
{
	return p->nr_hz * p->nr_loads * (p->sweep ? 2 : 1);
}

/* The lists of the options; false: err says what is wrong. */
static bool parse_lists(struct periodic *p, char *err, size_t size)
{
	const struct periodic_options *opt = p->opt;

	p->nr_hz = periodic_parse_frequencies(opt->frequency, p->hz);
	p->nr_loads = periodic_parse_loads(opt->load, p->loads, &p->sweep);
	if (!p->nr_hz)
		snprintf(err, size,
			 "--frequency %.40s: needs 1 to %d numbers such as "
			 "73,113, each from 1 to %d Hz",
			 opt->frequency, PERIODIC_MAX_FREQUENCIES, MAX_HZ);
	else if (!p->nr_loads)
		snprintf(err, size,
			 "--load %.40s: needs %% from 0 to 100, one (38.6) or "
			 "FROM:TO:STEP (0:100:10) of at most %d steps",
			 opt->load, PERIODIC_MAX_LOADS);
	else if (p->nr_hz * p->nr_loads > PERIODIC_MAX_ROWS)
		snprintf(err, size,
			 "--load %.40s: with %zu frequencies needs at most %zu "
			 "steps, not %zu",
			 opt->load, p->nr_hz, PERIODIC_MAX_ROWS / p->nr_hz, p->nr_loads);
	else
		return true;
	return false;
}

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	struct periodic p = {.opt = config->values};
	uint64_t dwell = p.opt->dwell_ns, steps;
	char text[UNITS_TEXT_MAX], need[UNITS_TEXT_MAX];

	if (!parse_lists(&p, err, size))
		return -1;
	if (workload_given(config, "phase") && p.opt->threads == 1) {
		snprintf(err, size, "--phase %s: needs --threads 2 or more",
			 phases[p.opt->phase]);
		return -1;
	}
	steps = count_steps(&p);
	if (run->duration_ns && !dwell && run->duration_ns / steps < NSEC_PER_MSEC) {
		snprintf(err, size,
			 "--load %.40s: %llu steps need --duration %llums or "
			 "longer",
			 p.opt->load, (unsigned long long)steps,
			 (unsigned long long)steps);
		return -1;
	}
	if (run->duration_ns && dwell > run->duration_ns / steps) {
		snprintf(err, size, "--dwell %s: %llu steps need --duration %s or longer",
			 format_duration_exact(dwell, text, sizeof(text)),
			 (unsigned long long)steps,
			 format_duration_exact(dwell * steps, need, sizeof(need)));
		return -1;
	}
	return place_check(p.opt->place, 1, run, err, size);
}

static int choose_place(struct periodic *p)
{
	struct cpu_mask allowed;
	uint32_t first;

	place_allowed(&p->ctx->run, &allowed);
	if (place_choose(&p->place, p->opt->place, 1, &allowed, PLACE_SYSFS,
			 p->ctx->shared->error, sizeof(p->ctx->shared->error)))
		return -1;
	first = place_cpu(&p->place, 0, 0);
	work_calibrate(&p->calibration,
		       first == PLACE_NO_CPU ? WORK_ANYWHERE : (int)first);
	return 0;
}

static int allocate(struct periodic *p)
{
	unsigned int nr = (unsigned int)p->opt->threads;

	p->tallies = calloc(p->nr_steps, sizeof(*p->tallies));
	p->copies = calloc(nr, sizeof(*p->copies));
	if (!p->tallies || !p->copies)
		return workload_error(p->ctx, "out of memory for %u threads", nr);
	for (unsigned int i = 0; i < nr; i++)
		p->copies[i].all = p;
	return 0;
}

static int pin(struct periodic *p)
{
	for (unsigned int i = 0; i < p->pool.nr; i++) {
		uint32_t cpu = place_cpu(&p->place, 0, i);
		int err = place_pin_thread(p->pool.threads[i].tid, cpu);

		if (err)
			return workload_error(p->ctx, "cannot pin a thread to CPU %u: %s",
					      cpu, strerror(-err));
	}
	return 0;
}

static void copy_main(struct worker *worker);

static int setup(struct workload_ctx *ctx)
{
	struct periodic *p = calloc(1, sizeof(*p));

	if (!p)
		return workload_error(ctx, "out of memory");
	ctx->priv = p;
	p->ctx = ctx;
	p->opt = ctx->options;
	pthread_mutex_init(&p->lock, NULL);
	if (!parse_lists(p, ctx->shared->error, sizeof(ctx->shared->error)))
		return -1;
	p->nr_steps = count_steps(p);
	p->dwell_ns = p->opt->dwell_ns	     ? p->opt->dwell_ns
		      : ctx->run.duration_ns ? ctx->run.duration_ns / p->nr_steps
					     : DEFAULT_DWELL;
	if (choose_place(p) || allocate(p))
		return -1;
	timer_slack_set(p->opt->timer_slack_ns);
	if (workers_start(&p->pool, ctx, (unsigned int)p->opt->threads, copy_main,
			  p->copies, sizeof(*p->copies)))
		return -1;
	return pin(p);
}

static void teardown(struct workload_ctx *ctx)
{
	struct periodic *p = ctx->priv;

	if (!p)
		return;
	workers_free(&p->pool);
	place_free(&p->place);
	free(p->copies);
	free(p->tallies);
	pthread_mutex_destroy(&p->lock);
	free(p);
	ctx->priv = NULL;
}

/* ---- the threads ---- */

struct periodic_step periodic_step(const struct periodic *p, size_t index)
{
	size_t per_hz = p->nr_steps / p->nr_hz;
	struct periodic_step step = {.from_ns = p->ctx->start_ns + index * p->dwell_ns};
	struct work_amount packet = {.is_time = true};
	bool down;

	step.until_ns = step.from_ns + p->dwell_ns;
	step.period_ns = period_of(p->hz[index / per_hz]);
	packet.value = (uint64_t)((double)step.period_ns / 100 *
				  p->loads[periodic_load_at(index % per_hz, p->nr_loads,
							    &down)]);
	step.units = work_units(&packet, &p->calibration);
	return step;
}

static uint64_t cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* When a thread's first packet of a step is due. */
static uint64_t first_due(const struct worker *worker, const struct periodic_step *step)
{
	const struct periodic *p = ((struct periodic_copy *)worker->arg)->all;

	if (p->opt->phase == PHASE_TOGETHER)
		return step->from_ns;
	return step->from_ns + step->period_ns * worker->index / p->opt->threads;
}

/* Sleeps until a packet is due, or goes on at once when it is late; false: stop. */
static bool await_due(struct workload_ctx *ctx, uint64_t due)
{
	return due > now_ns() ? workload_sleep_until(ctx, due) : !workload_stopping(ctx);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* All packets of a step. False: time to stop. */
static bool do_step(struct worker *worker, const struct periodic_step *step)
{
	struct periodic_copy *copy = worker->arg;
	bool skip = copy->all->opt->overrun == OVERRUN_SKIP, go_on = true;
	uint64_t due = first_due(worker, step), begun, done;

	while (due < step->until_ns) {
		go_on = await_due(worker->ctx, due);
		begun = now_ns();
		if (!go_on || begun >= step->until_ns)
			break;
		work_do(step->units);
		done = now_ns();
		hist_add(&copy->now.late, begun - due);
		if (done > due + step->period_ns)
			hist_add(&copy->now.over, done - due - step->period_ns);
		due = periodic_next_due(due, earlier(done, step->until_ns),
					step->period_ns, skip, &copy->now.missed);
	}
	copy->now.missed += periodic_count_due(due, earlier(now_ns(), step->until_ns),
					       step->period_ns);
	return go_on;
}

static void collect(struct periodic_copy *copy, size_t index, uint64_t cpu_ns,
		    uint64_t time_ns)
{
	struct periodic *p = copy->all;
	struct periodic_tally *to = &p->tallies[index];

	pthread_mutex_lock(&p->lock);
	hist_merge(&to->late, &copy->now.late);
	hist_merge(&to->over, &copy->now.over);
	to->missed += copy->now.missed;
	to->cpu_ns += cpu_ns;
	to->time_ns += time_ns;
	pthread_mutex_unlock(&p->lock);
	memset(&copy->now, 0, sizeof(copy->now));
}

/* The warm-up is the first step, not counted. */
static bool warm_up(struct worker *worker)
{
	struct periodic_copy *copy = worker->arg;
	struct periodic_step step = periodic_step(copy->all, 0);
	bool go_on;

	step.until_ns = step.from_ns;
	step.from_ns = now_ns();
	go_on = step.from_ns >= step.until_ns || do_step(worker, &step);
	memset(&copy->now, 0, sizeof(copy->now));
	return go_on;
}

static void copy_main(struct worker *worker)
{
	struct periodic_copy *copy = worker->arg;
	struct periodic *p = copy->all;
	bool go_on;

	go_on = warm_up(worker);
	for (size_t i = 0; go_on && i < p->nr_steps; i++) {
		struct periodic_step step = periodic_step(p, i);
		uint64_t cpu = cpu_time(), begun = now_ns();

		go_on = do_step(worker, &step);
		collect(copy, i, cpu_time() - cpu, now_ns() - begun);
		if (!worker->index)
			workload_progress(p->ctx, i + 1);
	}
	if (go_on)
		workload_sleep_until(p->ctx,
				     p->ctx->start_ns + p->nr_steps * p->dwell_ns);
}

static int run(struct workload_ctx *ctx)
{
	struct periodic *p = ctx->priv;

	atomic_store(&ctx->shared->progress_goal, p->nr_steps);
	if (workers_run(&p->pool, GRACE))
		return workload_error(ctx, "threads did not end in 5 s");
	return 0;
}

const struct workload periodic_workload = {
	.name = "periodic",
	.summary =
		"a packet of work every 1/f, load up and down again: overruns, lateness",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct periodic_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = periodic_report,
	.teardown = teardown,
};
