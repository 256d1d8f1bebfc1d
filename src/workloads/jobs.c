// SPDX-License-Identifier: GPL-2.0
/*
 * jobs: one thread queues jobs, workers do them. Each load from the first to the last
 * makes a job longer; the time that a job takes from being queued to being done says when
 * workers cannot keep up, long before the number of jobs per second does.
 *
 * Of the original only the figures it prints are known. That throughput hardly depends
 * on the load while there are CPUs left means that the queuing thread limits it, by what
 * queuing a job costs: --queue-work.
 */
#include "jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_DWELL (60 * NSEC_PER_SEC) /* with no duration to be shared out */
#define MAX_WORKERS   4096
#define MAX_JOB_NS    NSEC_PER_SEC
#define MAX_JOB_UNITS 1000000000ULL
#define GRACE	      (10 * NSEC_PER_SEC)

enum { DISCIPLINE_FIFO, DISCIPLINE_LIFO };
enum { CLOCK_QUEUED, CLOCK_BEGUN };

static const char *const disciplines[] = {"fifo", "lifo", NULL};
static const char *const clocks[] = {"queued", "begun", NULL};

static const struct workload_option options[] = {
	{
		.name = "load",
		.help = "how much work a job is: one load, or the first and the last of "
			"up to 7",
		.unit = "N|FIRST:LAST",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "1:7",
		OPTION_FIELD(struct jobs_options, load),
	},
	{
		.name = "dwell",
		.help = "how long each load runs; auto: the duration shared out, 60s "
			"without one",
		.type = OPTION_DURATION,
		.word = "auto",
		.min = 10 * NSEC_PER_MSEC,
		.max = 24 * 3600 * NSEC_PER_SEC,
		.def = "auto",
		OPTION_FIELD(struct jobs_options, dwell_ns),
	},
	{
		.name = "workers",
		.help = "threads that do jobs; auto: one per CPU",
		.type = OPTION_COUNT,
		.word = "auto",
		.min = 1,
		.max = MAX_WORKERS,
		.def = "auto",
		OPTION_FIELD(struct jobs_options, workers),
	},
	{
		.name = "place",
		.help = "where workers are pinned",
		.unit = PLACE_UNIT,
		.type = OPTION_TEXT,
		.min = 1,
		.def = "any",
		OPTION_FIELD(struct jobs_options, place),
	},
	{
		.name = "base",
		.help = "work of a job at any load: " WORK_FORMS,
		.unit = "WORK",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "70us",
		OPTION_FIELD(struct jobs_options, base),
	},
	{
		.name = "work",
		.help = "more work of a job for each 1 of the load",
		.unit = "WORK",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "90us",
		OPTION_FIELD(struct jobs_options, work),
	},
	{
		.name = "queue-work",
		.help = "work of the queuing thread for each job",
		.unit = "WORK",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "50us",
		OPTION_FIELD(struct jobs_options, queue_work),
	},
	{
		.name = "rate",
		.help = "jobs per second, due at fixed times from which they are timed; "
			"max: as many as the queuing thread can",
		.type = OPTION_COUNT,
		.word = "max",
		.min = 1,
		.max = 10000000,
		.def = "max",
		OPTION_FIELD(struct jobs_options, rate),
	},
	{
		.name = "depth",
		.help = "jobs that wait at most; the queuing thread then waits too",
		.type = OPTION_COUNT,
		.min = 1,
		.max = 1000000,
		.def = "256",
		OPTION_FIELD(struct jobs_options, depth),
	},
	{
		.name = "discipline",
		.help = "which of the waiting jobs is next",
		.type = OPTION_ENUM,
		.choices = disciplines,
		.def = "fifo",
		OPTION_FIELD(struct jobs_options, discipline),
	},
	{
		.name = "clock",
		.help = "from when a job is timed: from when it was queued, or a worker "
			"began it",
		.type = OPTION_ENUM,
		.choices = clocks,
		.def = "queued",
		OPTION_FIELD(struct jobs_options, clock),
	},
	{
		.name = "timer-slack",
		.help = "of the queuing thread, which sleeps with --rate only",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct jobs_options, timer_slack_ns),
	},
};

/* ---- checks and setup ---- */

static int check_job(const struct jobs_options *opt, uint64_t load, char *err,
		     size_t size)
{
	struct work_amount base, work, queue;
	uint64_t ns = 0, units = 0;

	if (work_check("base", opt->base, err, size) ||
	    work_check("work", opt->work, err, size) ||
	    work_check("queue-work", opt->queue_work, err, size))
		return -1;
	work_parse(opt->base, &base);
	work_parse(opt->work, &work);
	work_parse(opt->queue_work, &queue);
	*(base.is_time ? &ns : &units) += base.value;
	*(work.is_time ? &ns : &units) += work.value * load;
	if (ns <= MAX_JOB_NS && units <= MAX_JOB_UNITS && ns + units &&
	    queue.value <= MAX_JOB_NS)
		return 0;
	if (!(ns + units))
		snprintf(err, size, "--work %.40s: needs more than 0, or --base above 0",
			 opt->work);
	else if (queue.value > MAX_JOB_NS)
		snprintf(err, size, "--queue-work %.40s: needs 1s or 1G units at most",
			 opt->queue_work);
	else
		snprintf(err, size,
			 "--work %.40s: with --base, a job of load %llu needs "
			 "1s or 1G units at most",
			 opt->work, (unsigned long long)load);
	return -1;
}

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct jobs_options *opt = config->values;
	uint64_t loads[JOBS_MAX_LOADS];
	size_t nr = jobs_parse_loads(opt->load, loads);
	char dwell[UNITS_TEXT_MAX], need[UNITS_TEXT_MAX];

	if (!nr) {
		snprintf(err, size,
			 "--load %.40s: needs a load from 1 to %d, or up to %d "
			 "of them such as 1:7",
			 opt->load, JOBS_MAX_LOAD, JOBS_MAX_LOADS);
		return -1;
	}
	if (!opt->rate && workload_given(config, "timer-slack")) {
		snprintf(err, size,
			 "--timer-slack: needs --rate; without it nothing "
			 "sleeps on a timer");
		return -1;
	}
	if (run->duration_ns && opt->dwell_ns > run->duration_ns / nr) {
		snprintf(err, size, "--dwell %s: %zu loads need --duration %s or longer",
			 format_duration_exact(opt->dwell_ns, dwell, sizeof(dwell)), nr,
			 format_duration_exact(opt->dwell_ns * nr, need, sizeof(need)));
		return -1;
	}
	if (check_job(opt, loads[nr - 1], err, size))
		return -1;
	return place_check(opt->place, 1, run, err, size);
}

static void set_loads(struct jobs *j)
{
	uint64_t loads[JOBS_MAX_LOADS], base_units, work;
	struct work_amount amount;

	work_parse(j->opt->base, &amount);
	base_units = work_units(&amount, &j->calibration);
	work_parse(j->opt->queue_work, &amount);
	j->queue_units = work_units(&amount, &j->calibration);
	work_parse(j->opt->work, &amount);
	work = amount.value;
	j->nr_loads = jobs_parse_loads(j->opt->load, loads);
	for (size_t i = 0; i < j->nr_loads; i++) {
		amount.value = work * loads[i];
		j->loads[i].load = loads[i];
		j->loads[i].units = base_units + work_units(&amount, &j->calibration);
	}
}

static int choose_place(struct jobs *j, unsigned int *nr)
{
	struct cpu_mask allowed;
	uint32_t first;

	place_allowed(&j->ctx->run, &allowed);
	if (place_choose(&j->place, j->opt->place, 1, &allowed, PLACE_SYSFS,
			 j->ctx->shared->error, sizeof(j->ctx->shared->error)))
		return -1;
	*nr = j->opt->workers ? (unsigned int)j->opt->workers : cpu_mask_count(&allowed);
	first = place_cpu(&j->place, 0, 0);
	work_calibrate(&j->calibration,
		       first == PLACE_NO_CPU ? WORK_ANYWHERE : (int)first);
	return 0;
}

static void init_locks(struct jobs *j)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->filled, &attr);
	pthread_cond_init(&j->room, &attr);
	pthread_cond_init(&j->idle, &attr);
	pthread_condattr_destroy(&attr);
}

static int pin(struct jobs *j)
{
	for (unsigned int i = 0; i < j->pool.nr; i++) {
		uint32_t cpu = place_cpu(&j->place, 0, i);
		int err = place_pin_thread(j->pool.threads[i].tid, cpu);

		if (err)
			return workload_error(j->ctx, "cannot pin a worker to CPU %u: %s",
					      cpu, strerror(-err));
	}
	return 0;
}

static void worker_main(struct worker *worker);

static int setup(struct workload_ctx *ctx)
{
	struct jobs *j = calloc(1, sizeof(*j));
	unsigned int nr;

	if (!j)
		return workload_error(ctx, "out of memory");
	ctx->priv = j;
	j->ctx = ctx;
	j->opt = ctx->options;
	init_locks(j);
	if (choose_place(j, &nr))
		return -1;
	set_loads(j);
	j->now = &j->loads[0];
	j->queue.lifo = j->opt->discipline == DISCIPLINE_LIFO;
	j->queue.depth = j->opt->depth;
	j->queue.due_ns = calloc(j->queue.depth, sizeof(*j->queue.due_ns));
	j->tallies = calloc(nr, sizeof(*j->tallies));
	if (!j->queue.due_ns || !j->tallies)
		return workload_error(ctx, "out of memory for %u workers", nr);
	timer_slack_set(j->opt->timer_slack_ns);
	if (workers_start(&j->pool, ctx, nr, worker_main, j->tallies,
			  sizeof(*j->tallies)))
		return -1;
	return pin(j);
}

static void teardown(struct workload_ctx *ctx)
{
	struct jobs *j = ctx->priv;

	if (!j)
		return;
	workers_free(&j->pool);
	place_free(&j->place);
	free(j->queue.due_ns);
	free(j->tallies);
	pthread_cond_destroy(&j->filled);
	pthread_cond_destroy(&j->room);
	pthread_cond_destroy(&j->idle);
	pthread_mutex_destroy(&j->lock);
	free(j);
	ctx->priv = NULL;
}

/* ---- the workers ---- */

/* The next job; false: all is over. at_work: the caller has just done another. */
static bool take(struct jobs *j, bool at_work, uint64_t *due)
{
	bool taken = false;

	pthread_mutex_lock(&j->lock);
	if (at_work && !--j->busy && !j->queue.count)
		pthread_cond_signal(&j->idle);
	while (!j->queue.count && !j->over)
		pthread_cond_wait(&j->filled, &j->lock);
	if (!j->over) {
		if (j->queue.count == j->queue.depth)
			pthread_cond_signal(&j->room);
		*due = jobs_queue_pop(&j->queue);
		j->busy++;
		taken = true;
	}
	pthread_mutex_unlock(&j->lock);
	return taken;
}

static void worker_main(struct worker *worker)
{
	struct jobs *j = worker->ctx->priv;
	struct jobs_tally *tally = worker->arg;
	uint64_t due, begun, done, ns;

	for (bool at_work = false; take(j, at_work, &due); at_work = true) {
		const struct jobs_load *load = j->now;

		begun = now_ns();
		work_do(load->units);
		done = now_ns();
		tally->after += done >= load->until_ns;
		if (done < load->from_ns || done >= load->until_ns)
			continue;
		ns = done - (j->opt->clock == CLOCK_BEGUN ? begun : due);
		jobs_bins_add(&tally->bins, ns);
		hist_add(&tally->job, ns);
		hist_add(&tally->wait, begun - due);
		hist_add(&tally->exec, done - begun);
	}
}

/* ---- the queuing thread ---- */

/* False: there was no room until the end of the load. */
static bool queue_job(struct jobs *j, uint64_t due)
{
	struct timespec until = {(time_t)(j->now->until_ns / NSEC_PER_SEC),
				 (long)(j->now->until_ns % NSEC_PER_SEC)};
	bool room;

	pthread_mutex_lock(&j->lock);
	while (j->queue.count == j->queue.depth &&
	       pthread_cond_timedwait(&j->room, &j->lock, &until) != ETIMEDOUT)
		;
	room = j->queue.count < j->queue.depth;
	if (room) {
		/* Queued is when it can be taken, and not when there was no room yet. */
		jobs_queue_push(&j->queue, due ? due : now_ns());
		pthread_cond_signal(&j->filled);
	}
	pthread_mutex_unlock(&j->lock);
	return room;
}

/* Sleeps until a job is due, if it is not late; false: stop, or the load is over. */
static bool await_due(struct jobs *j, uint64_t due)
{
	uint64_t now = now_ns();

	if (now >= j->now->until_ns || workload_stopping(j->ctx))
		return false;
	if (due <= now)
		return true;
	if (due >= j->now->until_ns) {
		workload_sleep_until(j->ctx, j->now->until_ns);
		return false;
	}
	return workload_sleep_until(j->ctx, due);
}

static uint64_t due_time(const struct jobs *j, uint64_t base, uint64_t nr)
{
	return j->opt->rate ? base + (uint64_t)((double)nr * (double)NSEC_PER_SEC /
						(double)j->opt->rate)
			    : 0;
}

/* Empties the queue and waits until no worker is at work. */
static uint64_t drain(struct jobs *j)
{
	uint64_t left;

	pthread_mutex_lock(&j->lock);
	left = j->queue.count;
	j->queue.count = 0;
	while (j->busy)
		pthread_cond_wait(&j->idle, &j->lock);
	pthread_mutex_unlock(&j->lock);
	return left;
}

/* Jobs that are due by now and not queued; nr is the first of them. */
static uint64_t count_late(const struct jobs *j, uint64_t base, uint64_t nr)
{
	uint64_t due = due_time(j, base, nr), now = now_ns();

	if (now > j->now->until_ns)
		now = j->now->until_ns;
	if (!j->opt->rate || due >= now)
		return 0;
	return (uint64_t)((double)(now - due - 1) * (double)j->opt->rate /
			  (double)NSEC_PER_SEC) +
	       1;
}

static void add_tally(struct jobs_tally *to, struct jobs_tally *from)
{
	jobs_bins_merge(&to->bins, &from->bins);
	hist_merge(&to->job, &from->job);
	hist_merge(&to->wait, &from->wait);
	hist_merge(&to->exec, &from->exec);
	to->after += from->after;
	memset(from, 0, sizeof(*from));
}

static uint64_t end_of_load(const struct jobs *j, const struct jobs_load *load)
{
	uint64_t end = j->ctx->end_ns;
	uint64_t remaining = end > load->from_ns ? end - load->from_ns : 0;
	uint64_t dwell = j->opt->dwell_ns ? j->opt->dwell_ns : DEFAULT_DWELL;

	/* Shared out anew each time, for emptying the queue takes some of it. */
	if (!j->opt->dwell_ns && end != UINT64_MAX)
		dwell = remaining / (uint64_t)(j->loads + j->nr_loads - load);
	return load->from_ns + (dwell < remaining ? dwell : remaining);
}

static void run_load(struct jobs *j, struct jobs_load *load)
{
	uint64_t base = now_ns(), nr = 0;

	load->from_ns = base > j->ctx->start_ns ? base : j->ctx->start_ns;
	load->until_ns = end_of_load(j, load);
	j->now = load; /* no worker is at work */
	while (await_due(j, due_time(j, base, nr))) {
		work_do(j->queue_units);
		if (!queue_job(j, due_time(j, base, nr)))
			break;
		nr++;
	}
	load->late = count_late(j, base, nr);
	load->left = drain(j);
	load->ended_ns = now_ns() < load->until_ns ? now_ns() : load->until_ns;
	for (unsigned int i = 0; i < j->pool.nr; i++)
		add_tally(&load->sum, &j->tallies[i]);
	load->left += load->sum.after;
}

static bool may_begin(const struct workload_ctx *ctx)
{
	return !workload_stopping(ctx) && now_ns() < ctx->end_ns;
}

static int run(struct workload_ctx *ctx)
{
	struct jobs *j = ctx->priv;

	atomic_store(&ctx->shared->progress_goal, j->nr_loads);
	workers_go(&j->pool);
	for (size_t i = 0; i < j->nr_loads && may_begin(ctx); i++) {
		run_load(j, &j->loads[i]);
		workload_progress(ctx, i + 1);
	}
	pthread_mutex_lock(&j->lock);
	j->over = true;
	pthread_cond_broadcast(&j->filled);
	pthread_mutex_unlock(&j->lock);
	workload_finish(ctx);
	if (workers_wait(&j->pool, GRACE))
		return workload_error(ctx, "workers did not end in 10 s");
	return 0;
}

const struct workload jobs_workload = {
	.name = "jobs",
	.summary =
		"a thread queues jobs, workers do them: jobs/s and their times by load",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct jobs_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = jobs_report,
	.teardown = teardown,
};
