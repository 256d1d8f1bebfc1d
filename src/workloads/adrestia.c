// SPDX-License-Identifier: GPL-2.0
/*
 * adrestia: a thread wakes N others through pipes, waits for all their answers, and does
 * that again. What a wakeup costs is the time from just before the write to just after
 * the read that it ends.
 *
 * Rounds of the original are a closed loop: the next begins a sleep after the last is
 * over, so that a slow round delays all that follow and nothing counts the delay. With
 * --arrival absolute or poisson the rounds are due at times of their own, and latency
 * is also taken from when they were due.
 */
#include "adrestia.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workers.h"

#define DEFAULT_LOOPS  10000
#define MAX_THREADS    100000
#define MAX_KEPT       50000000 /* rounds whose values are kept, 8 bytes each */
#define ANSWER_TIMEOUT (5 * NSEC_PER_SEC)
#define MISSED_LIMIT   100000000 /* due times to go through after the end */

enum { TEST_PERIODIC, TEST_SINGLE };
enum { ARRIVAL_CLOSED, ARRIVAL_ABSOLUTE, ARRIVAL_POISSON };

struct adrestia_options {
	int test;
	int arrival;
	uint64_t threads;
	uint64_t arrival_ns;
	uint64_t loops;
	uint64_t timer_slack_ns;
	uint64_t seed;
};

static const char *const tests[] = {"periodic", "single", NULL};
static const char *const arrivals[] = {"closed", "absolute", "poisson", NULL};

static const struct workload_option options[] = {
	{
		.name = "test",
		.help = "periodic: sleep before each round; single: one thread, no sleep",
		.type = OPTION_ENUM,
		.choices = tests,
		.def = "periodic",
		OPTION_FIELD(struct adrestia_options, test),
	},
	{
		.name = "threads",
		.help = "threads to wake in each round",
		.type = OPTION_COUNT,
		.min = 1,
		.max = MAX_THREADS,
		.def = "1",
		OPTION_FIELD(struct adrestia_options, threads),
	},
	{
		.name = "arrival-time",
		.help = "sleep before each round, or time between rounds that are due",
		.type = OPTION_DURATION,
		.min = 1,
		.max = 1000 * NSEC_PER_SEC,
		.def = "10us",
		OPTION_FIELD(struct adrestia_options, arrival_ns),
	},
	{
		.name = "loops",
		.help = "rounds (single: rounds per thread); 0: until the duration is "
			"over, "
			"which is also meant by --duration without --loops",
		.type = OPTION_COUNT,
		.max = 1000000000,
		.def = "10000",
		OPTION_FIELD(struct adrestia_options, loops),
	},
	{
		.name = "arrival",
		.help = "closed: sleep after a round, as the original; absolute: rounds "
			"due at "
			"fixed times; poisson: at random times, exponential gaps",
		.type = OPTION_ENUM,
		.choices = arrivals,
		.def = "closed",
		OPTION_FIELD(struct adrestia_options, arrival),
	},
	{
		.name = "timer-slack",
		.help = "of the thread that sleeps",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct adrestia_options, timer_slack_ns),
	},
	{
		.name = "seed",
		.help = "of the gaps of --arrival poisson",
		.type = OPTION_COUNT,
		.def = "1",
		OPTION_FIELD(struct adrestia_options, seed),
	},
};

/* One thread to wake. Apart from its neighbours', for the stamps are part of the test. */
struct sleeper {
	int go_read, go_write;
	int done_read, done_write;
	uint64_t sent_ns;  /* by the waker, just before the write */
	uint64_t woken_ns; /* by the sleeper, just after the read */
	uint64_t delay_ns;
} __attribute__((aligned(64)));

struct adrestia {
	struct workload_ctx *ctx;
	const struct adrestia_options *opt;
	struct workers pool;
	struct sleeper *sleepers;
	unsigned int nr;
	uint64_t goal; /* rounds to measure; UINT64_MAX: until the end */
	uint64_t *rounds;
	size_t max_kept;
	uint64_t nr_rounds;
	uint64_t started_ns; /* the last round began */
	uint64_t due_ns;     /* it should have */
	uint64_t random;
	uint64_t late, missed;
	struct hist *wakeup, *round, *period, *due;
};

/* ---- without timing ---- */

uint64_t adrestia_round_value(uint64_t sum_ns, uint64_t threads)
{
	return sum_ns / threads;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t adrestia_cost(uint64_t *rounds, size_t nr)
{
	qsort(rounds, nr, sizeof(*rounds), compare);
	return rounds[nr * 9 / 10];
}

char *adrestia_line(const char *test, uint64_t arrival_ns, uint64_t cost_ns, int in_us,
		    char *buf, size_t size)
{
	char arrival[UNITS_TEXT_MAX], gap[UNITS_TEXT_MAX + 2] = "";

	if (strcmp(test, "single"))
		snprintf(gap, sizeof(gap), ", %s",
			 format_duration_exact(arrival_ns, arrival, sizeof(arrival)));
	snprintf(buf, size, "wakeup cost (%s%s): %llu%s", test, gap,
		 (unsigned long long)(in_us ? cost_ns / 1000 : cost_ns),
		 in_us ? "us" : "nSec");
	return buf;
}

double adrestia_random(uint64_t *state)
{
	/* splitmix64: every seed is a good one, 0 included */
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (double)((z >> 11) + 1) * 0x1p-53;
}

/* ---- checks and setup ---- */

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct adrestia_options *opt = config->values;
	bool single = opt->test == TEST_SINGLE;
	char text[UNITS_TEXT_MAX];

	if (single && opt->arrival != ARRIVAL_CLOSED)
		snprintf(err, size,
			 "--arrival %s: needs --test periodic; single has no arrivals",
			 arrivals[opt->arrival]);
	else if (single && workload_given(config, "arrival-time"))
		snprintf(err, size,
			 "--arrival-time %s: needs --test periodic; single never sleeps",
			 format_duration_exact(opt->arrival_ns, text, sizeof(text)));
	else if (opt->arrival != ARRIVAL_POISSON && workload_given(config, "seed"))
		snprintf(err, size, "--seed %llu: needs --arrival poisson",
			 (unsigned long long)opt->seed);
	else if (!opt->loops && !run->duration_ns)
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
	else
		return 0;
	return -1;
}

static uint64_t count_files(const struct workload_config *config)
{
	const struct adrestia_options *opt = config->values;

	return 4 * (opt->test == TEST_SINGLE ? 1 : opt->threads);
}

static void set_goal(struct adrestia *a)
{
	bool by_loops =
		!a->ctx->run.duration_ns || workload_given(a->ctx->config, "loops");

	a->goal = UINT64_MAX;
	if (by_loops && a->opt->loops)
		a->goal = a->opt->loops *
			  (a->opt->test == TEST_SINGLE ? a->opt->threads : 1);
	a->max_kept = a->goal < MAX_KEPT ? a->goal : MAX_KEPT;
	if (a->goal != UINT64_MAX)
		atomic_store(&a->ctx->shared->progress_goal, a->goal);
}

static int open_pipes(struct adrestia *a)
{
	a->sleepers = aligned_alloc(64, a->nr * sizeof(*a->sleepers));
	if (!a->sleepers)
		return workload_error(a->ctx, "out of memory for %u threads", a->nr);
	memset(a->sleepers, 0, a->nr * sizeof(*a->sleepers));
	for (unsigned int i = 0; i < a->nr; i++) {
		struct sleeper *s = &a->sleepers[i];
		int go[2], done[2];

		if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
			return workload_error(a->ctx,
					      "cannot open the pipes of thread %u: %s",
					      i + 1, strerror(errno));
		s->go_read = go[0];
		s->go_write = go[1];
		s->done_read = done[0];
		s->done_write = done[1];
	}
	return 0;
}

/* Address space for as many rounds as may come; memory is taken as they do. */
static int map_rounds(struct adrestia *a)
{
	void *p = mmap(NULL, a->max_kept * sizeof(*a->rounds), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return workload_error(a->ctx,
				      "out of memory for the values of %zu rounds",
				      a->max_kept);
	a->rounds = p;
	return 0;
}

/* ---- the threads that are woken ---- */

static void sleeper_main(struct worker *worker)
{
	struct sleeper *s = worker->arg;
	char byte;
	ssize_t n;

	for (;;) {
		n = read(s->go_read, &byte, 1);
		s->woken_ns = now_ns();
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			break;
		s->delay_ns = s->woken_ns - s->sent_ns;
		if (write(s->done_write, &byte, 1) != 1)
			break;
	}
}

static int setup(struct workload_ctx *ctx)
{
	struct adrestia *a = calloc(1, sizeof(*a));

	if (!a)
		return workload_error(ctx, "out of memory");
	ctx->priv = a;
	a->ctx = ctx;
	a->opt = ctx->options;
	a->nr = a->opt->test == TEST_SINGLE ? 1 : (unsigned int)a->opt->threads;
	a->random = a->opt->seed;
	a->wakeup = result_latency(ctx->result, "wakeup");
	a->round = result_latency(ctx->result, "round");
	a->period = result_latency(ctx->result, "period");
	if (a->opt->arrival != ARRIVAL_CLOSED)
		a->due = result_latency(ctx->result, "since_due");
	set_goal(a);
	timer_slack_set(a->opt->timer_slack_ns);
	if (open_pipes(a) || map_rounds(a))
		return -1;
	return workers_start(&a->pool, ctx, a->nr, sleeper_main, a->sleepers,
			     sizeof(*a->sleepers));
}

static void teardown(struct workload_ctx *ctx)
{
	struct adrestia *a = ctx->priv;

	if (!a)
		return;
	workers_free(&a->pool);
	if (a->rounds)
		munmap(a->rounds, a->max_kept * sizeof(*a->rounds));
	free(a->sleepers);
	free(a);
	ctx->priv = NULL;
}

/* ---- the thread that wakes ---- */

/* The plain read was cut short: from here on nothing is timed, but nothing may hang. */
static int await_answer(struct adrestia *a, unsigned int i)
{
	uint64_t deadline = now_ns() + ANSWER_TIMEOUT, now;
	struct pollfd p = {.fd = a->sleepers[i].done_read, .events = POLLIN};
	char byte;

	while ((now = now_ns()) < deadline) {
		if (poll(&p, 1, (int)((deadline - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		if (read(p.fd, &byte, 1) == 1)
			return 0;
		break;
	}
	return workload_error(a->ctx, "thread %u of %u did not answer", i + 1, a->nr);
}

/* Wakes all, in order, and takes their answers, in order. The sum of delays, in *sum. */
static int wake_all(struct adrestia *a, uint64_t *sum)
{
	char byte = 0;

	*sum = 0;
	for (unsigned int i = 0; i < a->nr; i++) {
		a->sleepers[i].sent_ns = now_ns();
		if (write(a->sleepers[i].go_write, &byte, 1) != 1)
			return workload_error(a->ctx, "cannot wake thread %u: %s", i + 1,
					      strerror(errno));
	}
	for (unsigned int i = 0; i < a->nr; i++) {
		if (read(a->sleepers[i].done_read, &byte, 1) != 1 && await_answer(a, i))
			return -1;
		*sum += a->sleepers[i].delay_ns;
	}
	return 0;
}

static void record(struct adrestia *a, uint64_t sum)
{
	uint64_t value = adrestia_round_value(sum, a->nr);

	if (a->nr_rounds < a->max_kept)
		a->rounds[a->nr_rounds] = value;
	a->nr_rounds++;
	hist_add(a->round, value);
	for (unsigned int i = 0; i < a->nr; i++)
		hist_add(a->wakeup, a->sleepers[i].delay_ns);
	for (unsigned int i = 0; a->due && i < a->nr; i++)
		hist_add(a->due, a->sleepers[i].woken_ns - a->due_ns);
	workload_progress(a->ctx, a->nr_rounds);
}

static uint64_t next_gap(struct adrestia *a)
{
	if (a->opt->arrival == ARRIVAL_ABSOLUTE)
		return a->opt->arrival_ns;
	return (uint64_t)(-log(adrestia_random(&a->random)) * (double)a->opt->arrival_ns);
}

/* Sleeps until the next round is to begin; false: it is time to stop. */
static bool await_arrival(struct adrestia *a, bool measured)
{
	if (a->opt->test == TEST_SINGLE)
		return !workload_stopping(a->ctx);
	if (a->opt->arrival == ARRIVAL_CLOSED)
		return workload_sleep(a->ctx, a->opt->arrival_ns);
	a->due_ns += next_gap(a);
	if (a->due_ns > now_ns())
		return workload_sleep_until(a->ctx, a->due_ns);
	a->late += measured;
	return !workload_stopping(a->ctx);
}

/* Rounds that were due before the end and never began. */
static void count_missed(struct adrestia *a)
{
	uint64_t end = now_ns();

	if (a->ctx->end_ns < end)
		end = a->ctx->end_ns;
	while (a->nr_rounds < a->goal && a->missed < MISSED_LIMIT) {
		a->due_ns += next_gap(a);
		if (a->due_ns >= end)
			break;
		a->missed++;
	}
}

static int run(struct workload_ctx *ctx)
{
	struct adrestia *a = ctx->priv;
	bool measured = false;
	uint64_t sum, last;

	workers_go(&a->pool);
	a->due_ns = now_ns();
	a->started_ns = a->due_ns;
	while (a->nr_rounds < a->goal && await_arrival(a, measured)) {
		last = a->started_ns;
		if (wake_all(a, &sum))
			return -1;
		a->started_ns = a->sleepers[0].sent_ns;
		if (a->started_ns >= ctx->end_ns)
			break;
		if (measured)
			hist_add(a->period, a->started_ns - last);
		measured = a->started_ns >= ctx->start_ns;
		if (measured)
			record(a, sum);
	}
	if (a->due)
		count_missed(a);
	workload_finish(ctx);
	for (unsigned int i = 0; i < a->nr; i++)
		close(a->sleepers[i].go_write);
	if (workers_wait(&a->pool, ANSWER_TIMEOUT))
		return workload_error(ctx, "threads did not end in 5 s");
	return 0;
}

/* ---- report ---- */

static void report_cost(struct workload_ctx *ctx, const struct adrestia *a)
{
	struct workload_result *result = ctx->result;
	const char *name = a->opt->arrival == ARRIVAL_CLOSED ? tests[a->opt->test]
							     : arrivals[a->opt->arrival];
	uint64_t arrival = a->opt->arrival_ns, cost;
	char line[96];

	if (a->nr_rounds > a->max_kept) {
		cost = hist_percentile(a->round, 90);
		result_text(result, "more than %zu rounds: the cost is to within 1.6 %%",
			    a->max_kept);
	} else {
		cost = adrestia_cost(a->rounds, a->nr_rounds);
	}
	result_legacy(result, "%s",
		      adrestia_line(name, arrival, cost, 0, line, sizeof(line)));
	result_legacy(result, "%s",
		      adrestia_line(name, arrival, cost, 1, line, sizeof(line)));
	result_metric(result, "wakeup_cost", (double)cost, "ns", BETTER_LOWER);
}

static void report_period(struct workload_ctx *ctx, const struct adrestia *a)
{
	uint64_t mean = hist_mean(a->period), median = hist_percentile(a->period, 50);
	struct workload_result *result = ctx->result;
	char text[UNITS_TEXT_MAX], text2[UNITS_TEXT_MAX];

	result_metric(result, "rounds", (double)a->nr_rounds, "", BETTER_NONE);
	if (!a->period->count)
		return;
	result_text(result, "a round every %s (median %s)",
		    format_duration(mean, text, sizeof(text)),
		    format_duration(median, text2, sizeof(text2)));
	result_metric(result, "period_mean", (double)mean, "ns", BETTER_NONE);
	result_metric(result, "period_p50", (double)median, "ns", BETTER_NONE);
}

static void report_slack(struct workload_ctx *ctx)
{
	uint64_t slack = timer_slack_get();
	char text[UNITS_TEXT_MAX];

	result_text(ctx->result, "timer slack %s",
		    format_duration_exact(slack, text, sizeof(text)));
	result_metric(ctx->result, "timer_slack", (double)slack, "ns", BETTER_NONE);
}

static void report_due(struct workload_ctx *ctx, const struct adrestia *a)
{
	struct workload_result *result = ctx->result;
	char late[UNITS_TEXT_MAX], missed[UNITS_TEXT_MAX];

	result_text(result, "%s rounds began late, %s%s due ones never",
		    format_count(a->late, late, sizeof(late)),
		    a->missed < MISSED_LIMIT ? "" : ">=",
		    format_count(a->missed, missed, sizeof(missed)));
	result_metric(result, "late_rounds", (double)a->late, "", BETTER_LOWER);
	result_metric(result, "missed_rounds", (double)a->missed, "", BETTER_LOWER);
	result_latency_report(result, "since_due", a->due);
}

static void report(struct workload_ctx *ctx)
{
	struct adrestia *a = ctx->priv;

	if (!a->nr_rounds) {
		result_text(ctx->result, "no round was completed");
		return;
	}
	report_cost(ctx, a);
	result_latency_report(ctx->result, "wakeup", a->wakeup);
	if (a->due)
		report_due(ctx, a);
	report_period(ctx, a);
	if (a->opt->test != TEST_SINGLE)
		report_slack(ctx);
}

const struct workload adrestia_workload = {
	.name = "adrestia",
	.summary = "wakes threads through pipes, measures what a wakeup costs",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct adrestia_options),
	.check = check,
	.need_files = count_files,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
