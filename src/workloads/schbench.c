// SPDX-License-Identifier: GPL-2.0
/*
 * schbench: message threads hand requests to workers, who sleep a little (as if for a
 * disk) and multiply matrices while they hold the lock of their CPU (--style new), or
 * spin for a fixed time between wakeups (--style old, the versions from 2016 to 2021).
 *
 * The original times a request from when its worker begins it, and loses what finds a
 * queue full without a word. Here latency is also taken from when the request was due,
 * and every request that was asked for is accounted for.
 */
#include "schbench.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "place.h"

#define MAX_THREADS 100000
#define MAX_RPS	    100000000
#define END_TIMEOUT (5 * NSEC_PER_SEC)
#define AUTO_RPS    10 /* of one message thread, to begin with */

static const char *const styles[] = {"new", "old", NULL};
static const char *const arrivals[] = {"burst", "even", NULL};

static const struct workload_option options[] = {
	{
		.name = "style",
		.help = "new: requests of matrix products (2023 on); old: spin, sleep "
			"and wake (2016 to 2021)",
		.type = OPTION_ENUM,
		.choices = styles,
		.def = "new",
		OPTION_FIELD(struct schbench_options, style),
	},
	{
		.name = "message-threads",
		.help = "threads that wake workers (schbench -m); auto: 1, old 2",
		.type = OPTION_COUNT,
		.word = "auto",
		.word_value = CHOSEN_BY_STYLE,
		.min = 1,
		.max = MAX_THREADS,
		.def = "auto",
		OPTION_FIELD(struct schbench_options, message_threads),
	},
	{
		.name = "threads",
		.help = "workers of each message thread (-t); auto: all CPUs together, "
			"old 16",
		.type = OPTION_COUNT,
		.word = "auto",
		.word_value = CHOSEN_BY_STYLE,
		.min = 1,
		.max = MAX_THREADS,
		.def = "auto",
		OPTION_FIELD(struct schbench_options, threads),
	},
	{
		.name = "cache-footprint",
		.help = "of a worker's three matrices (-F, there in KiB)",
		.type = OPTION_SIZE,
		.min = 24,
		.max = 16ULL << 30,
		.def = "256k",
		OPTION_FIELD(struct schbench_options, footprint),
	},
	{
		.name = "operations",
		.help = "products in a request (-n)",
		.type = OPTION_COUNT,
		.max = 1000000000,
		.def = "5",
		OPTION_FIELD(struct schbench_options, operations),
	},
	{
		.name = "sleep",
		.help = "at the start of a request (-s); old: of a message thread after "
			"it woke workers, and up to a quarter more; auto: 100us, old "
			"30ms",
		.type = OPTION_DURATION,
		.word = "auto",
		.word_value = CHOSEN_BY_STYLE,
		.max = 1000 * NSEC_PER_SEC,
		.def = "auto",
		OPTION_FIELD(struct schbench_options, sleep_ns),
	},
	{
		.name = "cputime",
		.help = "old: a worker spins so long before each wakeup (-c)",
		.type = OPTION_DURATION,
		.max = 1000 * NSEC_PER_SEC,
		.def = "30ms",
		OPTION_FIELD(struct schbench_options, cputime_ns),
	},
	{
		.name = "message-cputime",
		.help = "old: a message thread spins so long after it woke workers (-C)",
		.type = OPTION_DURATION,
		.max = 1000 * NSEC_PER_SEC,
		.def = "30ms",
		OPTION_FIELD(struct schbench_options, message_cputime_ns),
	},
	{
		.name = "rps",
		.help = "requests per second of all together (-R); 0: workers ask for "
			"the next when they are done",
		.type = OPTION_COUNT,
		.max = MAX_RPS,
		.def = "0",
		OPTION_FIELD(struct schbench_options, rps),
	},
	{
		.name = "auto-rps",
		.help = "look for the requests per second at which CPUs are so busy "
			"(-A); "
			"0: do not",
		.unit = "PERCENT",
		.type = OPTION_NUMBER,
		.max = 100,
		.def = "0",
		OPTION_FIELD(struct schbench_options, auto_rps),
	},
	{
		.name = "arrival",
		.help = "of --rps: burst: a second's requests at its start, as the "
			"original; even: one at a time",
		.type = OPTION_ENUM,
		.choices = arrivals,
		.def = "burst",
		OPTION_FIELD(struct schbench_options, arrival),
	},
	{
		.name = "pipe",
		.help = "no requests, but write so much memory on both sides of a wakeup "
			"(-p); 0: do not",
		.type = OPTION_SIZE,
		.max = 1 << 20,
		.def = "0",
		OPTION_FIELD(struct schbench_options, pipe),
	},
	{
		.name = "no-locking",
		.help = "multiply without the lock of the CPU (-L)",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct schbench_options, no_locking),
	},
	{
		.name = "products-only",
		.help = "time the products alone: no lock, no sleep (-C)",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct schbench_options, products_only),
	},
	{
		.name = "message-cpus",
		.help = "message threads, one CPU each in turn (-M); auto: the first "
			"CPUs",
		.unit = "any|auto|CPUS",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "any",
		OPTION_FIELD(struct schbench_options, message_cpus),
	},
	{
		.name = "worker-cpus",
		.help = "workers, all on these (-W); rest: CPUs without message thread "
			"(what the original's -M auto says, but any is what it does)",
		.unit = "any|rest|CPUS",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "any",
		OPTION_FIELD(struct schbench_options, worker_cpus),
	},
	{
		.name = "timer-slack",
		.help = "of all threads",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct schbench_options, timer_slack_ns),
	},
};

/* ---- checks ---- */

static int refused_cpus(const char *option, const char *text, const char *word, int err,
			const struct cpu_mask *allowed, char *line, size_t size)
{
	char cpus[64];

	if (err == -ERANGE)
		snprintf(line, size, "--%s %.40s: needs CPUs among %s", option, text,
			 cpu_mask_format(allowed, cpus, sizeof(cpus)));
	else
		snprintf(line, size,
			 "--%s %.40s: needs any, %s or a CPU list such as 0-3,8", option,
			 text, word);
	return -1;
}

/* The first nr CPUs of from. */
static void first_cpus(const struct cpu_mask *from, uint64_t nr, struct cpu_mask *to)
{
	unsigned int cpu;

	for_each_cpu (cpu, from) {
		if (!nr--)
			break;
		cpu_mask_set(to, cpu);
	}
}

static int layout_cpus(const struct schbench_options *opt, const struct cpu_mask *allowed,
		       struct schbench_layout *layout, char *err, size_t size)
{
	unsigned int cpu;
	bool by_word;
	int ret;

	ret = schbench_parse_cpus(opt->message_cpus, "auto", allowed,
				  &layout->message_cpus, &by_word);
	if (ret)
		return refused_cpus("message-cpus", opt->message_cpus, "auto", ret,
				    allowed, err, size);
	if (by_word)
		first_cpus(allowed, layout->messages, &layout->message_cpus);
	ret = schbench_parse_cpus(opt->worker_cpus, "rest", allowed, &layout->worker_cpus,
				  &by_word);
	if (ret)
		return refused_cpus("worker-cpus", opt->worker_cpus, "rest", ret, allowed,
				    err, size);
	if (!by_word)
		return 0;
	for_each_cpu (cpu, allowed) {
		if (!cpu_mask_test(&layout->message_cpus, cpu))
			cpu_mask_set(&layout->worker_cpus, cpu);
	}
	if (cpu_mask_count(&layout->message_cpus) && cpu_mask_count(&layout->worker_cpus))
		return 0;
	snprintf(err, size,
		 "--worker-cpus rest: needs --message-cpus that leave CPUs for workers");
	return -1;
}

int schbench_layout(const struct schbench_options *opt, const struct cpu_mask *allowed,
		    struct schbench_layout *layout, char *err, size_t size)
{
	uint64_t messages = opt->message_threads, workers = opt->threads;
	bool old = opt->style == STYLE_OLD;

	memset(layout, 0, sizeof(*layout));
	if (messages == CHOSEN_BY_STYLE)
		messages = old ? 2 : 1;
	if (workers == CHOSEN_BY_STYLE)
		workers = old ? 16 : (cpu_mask_count(allowed) + messages - 1) / messages;
	layout->messages = messages;
	layout->workers = workers;
	if (messages * (workers + 1) <= MAX_THREADS)
		return layout_cpus(opt, allowed, layout, err, size);
	snprintf(err, size,
		 "--threads %llu: needs at most %d threads in all, message threads "
		 "included",
		 (unsigned long long)workers, MAX_THREADS);
	return -1;
}

/* The first of those options that the user gave is refused with why. */
static int refuse_given(const struct workload_config *config, const char *const *names,
			const char *why, char *err, size_t size)
{
	char text[UNITS_TEXT_MAX + 32];

	for (; *names; names++) {
		const struct workload_option *option =
			workload_find_option(config->workload, *names);

		if (!workload_given(config, *names))
			continue;
		snprintf(err, size, "--%s %s: %s", *names,
			 workload_option_text(config, (unsigned int)(option - options),
					      text, sizeof(text)),
			 why);
		return -1;
	}
	return 0;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static int check_options(const struct workload_config *config, char *err, size_t size)
{
	const struct schbench_options *opt = config->values;
	bool paced = opt->rps || opt->auto_rps > 0;

	if (opt->style == STYLE_NEW &&
	    refuse_given(config, NAMES("cputime", "message-cputime"), "needs --style old",
			 err, size))
		return -1;
	if (opt->style == STYLE_OLD &&
	    refuse_given(config,
			 NAMES("cache-footprint", "operations", "no-locking",
			       "products-only", "auto-rps", "arrival"),
			 "needs --style new", err, size))
		return -1;
	if (opt->style == STYLE_OLD && paced &&
	    refuse_given(config, NAMES("sleep", "message-cputime"),
			 "needs --rps 0: the message threads keep its schedule", err,
			 size))
		return -1;
	if (opt->pipe &&
	    refuse_given(config,
			 NAMES("cache-footprint", "operations", "no-locking",
			       "products-only", "sleep", "cputime", "message-cputime",
			       "rps", "auto-rps"),
			 "needs --pipe 0: with it there are no requests", err, size))
		return -1;
	if (opt->rps && opt->auto_rps > 0)
		return refuse_given(config, NAMES("auto-rps"), "needs --rps 0", err,
				    size);
	if (!paced)
		return refuse_given(config, NAMES("arrival"), "needs --rps or --auto-rps",
				    err, size);
	return 0;
}

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	struct schbench_layout layout;
	struct cpu_mask allowed;

	if (check_options(config, err, size))
		return -1;
	place_allowed(run, &allowed);
	return schbench_layout(config->values, &allowed, &layout, err, size);
}

/* ---- setup ---- */

/* Zeroed memory that is taken as it is used. NULL if there is none. */
static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int prepare_worker(struct schbench *s, struct schbench_worker *worker)
{
	const struct schbench_options *opt = s->opt;

	if (opt->pipe)
		worker->page = malloc(opt->pipe);
	else if (opt->style == STYLE_NEW && opt->operations)
		worker->matrices = schbench_matrices(s->side);
	else
		return 0;
	return worker->page || worker->matrices ? 0 : -1;
}

static int prepare_threads(struct schbench *s)
{
	uint64_t messages = s->layout.messages, workers = s->layout.workers;

	s->nr_workers = messages * workers;
	s->messages = map(messages * sizeof(*s->messages));
	s->workers = map(s->nr_workers * sizeof(*s->workers));
	if (!s->messages || !s->workers)
		return workload_error(s->ctx, "out of memory for %llu workers",
				      (unsigned long long)s->nr_workers);
	for (uint64_t i = 0; i < messages; i++) {
		struct schbench_message *message = &s->messages[i];

		message->workers = s->workers + i * workers;
		message->nr_workers = (unsigned int)workers;
		message->seed = (unsigned int)i + 1;
		atomic_init(&message->rps,
			    s->opt->auto_rps > 0
				    ? s->auto_goal
				    : schbench_share(s->opt->rps, messages, i));
	}
	for (size_t i = 0; i < s->nr_workers; i++) {
		s->workers[i].message = &s->messages[i / workers];
		if (prepare_worker(s, &s->workers[i]))
			return workload_error(s->ctx,
					      "out of memory for the data of worker %zu",
					      i + 1);
	}
	return 0;
}

static void thread_main(struct worker *worker)
{
	struct schbench *s = worker->ctx->priv;

	if (worker->index < s->layout.messages)
		schbench_message_main(s, &s->messages[worker->index]);
	else
		schbench_worker_main(s, &s->workers[worker->index - s->layout.messages]);
}

static int pin(struct schbench *s, const struct worker *thread,
	       const struct cpu_mask *cpus)
{
	if (!cpu_mask_count(cpus) || !sched_setaffinity(thread->tid, sizeof(cpus->bits),
							(const cpu_set_t *)cpus->bits))
		return 0;
	return workload_error(s->ctx, "cannot pin thread %u: %s", thread->index + 1,
			      strerror(errno));
}

/* Message threads have one CPU each, in turn, and workers all of theirs. */
static int pin_threads(struct schbench *s)
{
	const struct cpu_mask *cpus = &s->layout.message_cpus;
	unsigned int cpu = cpu_mask_next(cpus, 0);
	struct cpu_mask one;

	for (unsigned int i = 0; i < s->pool.nr; i++) {
		cpu_mask_clear(&one);
		if (i >= s->layout.messages)
			one = s->layout.worker_cpus;
		else if (cpu < CPU_MASK_MAX)
			cpu_mask_set(&one, cpu);
		if (pin(s, &s->pool.threads[i], &one))
			return -1;
		if (cpu < CPU_MASK_MAX && cpu_mask_next(cpus, cpu + 1) < CPU_MASK_MAX)
			cpu = cpu_mask_next(cpus, cpu + 1);
		else
			cpu = cpu_mask_next(cpus, 0);
	}
	return 0;
}

static void apply_options(struct schbench *s)
{
	const struct schbench_options *opt = s->opt;

	s->sleep_ns = opt->sleep_ns;
	if (s->sleep_ns == CHOSEN_BY_STYLE)
		s->sleep_ns = (opt->style == STYLE_OLD ? 30000 : 100) * NSEC_PER_USEC;
	s->side = schbench_side(opt->footprint);
	s->paced = opt->rps || opt->auto_rps > 0;
	s->auto_goal = AUTO_RPS;
	timer_slack_set(opt->timer_slack_ns);
}

static int setup(struct workload_ctx *ctx)
{
	struct schbench *s = calloc(1, sizeof(*s));
	bool locking;

	if (!s)
		return workload_error(ctx, "out of memory");
	ctx->priv = s;
	s->ctx = ctx;
	s->opt = ctx->options;
	if (schbench_layout(s->opt, &ctx->result->cpus, &s->layout, ctx->shared->error,
			    sizeof(ctx->shared->error)))
		return -1;
	apply_options(s);
	locking = s->opt->style == STYLE_NEW && !s->opt->pipe && !s->opt->no_locking &&
		  !s->opt->products_only;
	if (locking) {
		s->locks = schbench_locks();
		if (!s->locks)
			return workload_error(ctx, "out of memory for locks");
	}
	if (prepare_threads(s))
		return -1;
	if (s->opt->style == STYLE_NEW && !s->opt->pipe)
		s->ns_per_step_begin = schbench_ns_per_step(s);
	if (workers_start(&s->pool, ctx,
			  (unsigned int)(s->layout.messages + s->nr_workers), thread_main,
			  NULL, 0))
		return -1;
	return pin_threads(s);
}

static void teardown(struct workload_ctx *ctx)
{
	struct schbench *s = ctx->priv;

	if (!s)
		return;
	workers_free(&s->pool);
	for (size_t i = 0; s->workers && i < s->nr_workers; i++) {
		free(s->workers[i].page);
		free(s->workers[i].matrices);
	}
	if (s->workers)
		munmap(s->workers, s->nr_workers * sizeof(*s->workers));
	if (s->messages)
		munmap(s->messages, s->layout.messages * sizeof(*s->messages));
	free(s->locks);
	free(s);
	ctx->priv = NULL;
}

static int run(struct workload_ctx *ctx)
{
	struct schbench *s = ctx->priv;

	s->origin_ns = ctx->start_ns - ctx->run.warmup_ns;
	workers_go(&s->pool);
	schbench_monitor(s);
	if (workers_wait(&s->pool, END_TIMEOUT))
		return workload_error(ctx, "threads did not end in 5 s");
	return 0;
}

static void report(struct workload_ctx *ctx)
{
	struct schbench *s = ctx->priv;

	if (s->ns_per_step_begin > 0)
		s->ns_per_step_end = schbench_ns_per_step(s);
	schbench_report(s);
}

const struct workload schbench_workload = {
	.name = "schbench",
	.summary = "message threads hand requests to workers; wakeups, requests, RPS",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct schbench_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
