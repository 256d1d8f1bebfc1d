// SPDX-License-Identifier: GPL-2.0
/*
 * ebizzy: threads that copy a random chunk of memory, look for a random record in the
 * copy, and, in the sleeping variant, sleep after every so many of these.
 *
 * The original allocates each copy, and then what it measures is the allocator. Here
 * every thread has a buffer of its own, unless --allocate says otherwise.
 */
#include "ebizzy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "workers.h"

#define THREADS_PER_CPU 2
#define END_TIMEOUT	(5 * NSEC_PER_SEC)

enum { ALLOCATE_PREALLOC, ALLOCATE_MALLOC, ALLOCATE_MMAP };
enum { COPY_MEMCPY, COPY_LOOP, COPY_TOUCH };
enum { SEEDS_EQUAL, SEEDS_DISTINCT };

struct ebizzy_options {
	uint64_t threads; /* 0: by the number of CPUs */
	uint64_t sleep_ns;
	uint64_t sleep_every;
	uint64_t chunks;
	uint64_t chunk_size;
	uint64_t loops;
	uint64_t seed;
	uint64_t timer_slack_ns;
	int allocate;
	int copy;
	int seeds;
	bool random_size;
	bool linear;
};

static const char *const allocations[] = {"prealloc", "malloc", "mmap", NULL};
static const char *const copies[] = {"memcpy", "loop", "touch", NULL};
static const char *const seed_kinds[] = {"equal", "distinct", NULL};

static const struct workload_option options[] = {
	{
		.name = "threads",
		.help = "auto: two for each CPU it may run on",
		.type = OPTION_COUNT,
		.word = "auto",
		.min = 1,
		.max = 100000,
		.def = "auto",
		OPTION_FIELD(struct ebizzy_options, threads),
	},
	{
		.name = "sleep",
		.help = "each sleep (-i)",
		.type = OPTION_DURATION,
		.min = 1,
		.max = 1000 * NSEC_PER_SEC,
		.def = "1ms",
		OPTION_FIELD(struct ebizzy_options, sleep_ns),
	},
	{
		.name = "sleep-every",
		.help = "records between two sleeps of a thread (-a); 0: it never "
			"sleeps, as the original without -a",
		.type = OPTION_COUNT,
		.def = "1",
		OPTION_FIELD(struct ebizzy_options, sleep_every),
	},
	{
		.name = "loops",
		.help = "records of each thread; 0: until the duration is over",
		.type = OPTION_COUNT,
		.def = "0",
		OPTION_FIELD(struct ebizzy_options, loops),
	},
	{
		.name = "chunks",
		.help = "that are copied from (-n)",
		.type = OPTION_COUNT,
		.min = 1,
		.max = 65536,
		.def = "10",
		OPTION_FIELD(struct ebizzy_options, chunks),
	},
	{
		.name = "chunk-size",
		.help = "of 8-byte records (-s)",
		.type = OPTION_SIZE,
		.min = 8,
		.max = 1ULL << 30,
		.def = "512k",
		OPTION_FIELD(struct ebizzy_options, chunk_size),
	},
	{
		.name = "allocate",
		.help = "the copy: once and for all, or each time by malloc() as the "
			"original does, or by mmap() (-m)",
		.type = OPTION_ENUM,
		.choices = allocations,
		.def = "prealloc",
		OPTION_FIELD(struct ebizzy_options, allocate),
	},
	{
		.name = "copy",
		.help = "loop: byte by byte (-l); touch: only a byte of each page of the "
			"copy is written, nothing is looked for (-T)",
		.type = OPTION_ENUM,
		.choices = copies,
		.def = "memcpy",
		OPTION_FIELD(struct ebizzy_options, copy),
	},
	{
		.name = "random-size",
		.help = "copy a random part of the chunk (-R)",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct ebizzy_options, random_size),
	},
	{
		.name = "linear",
		.help = "look at one record after the other instead of a binary search "
			"(-z)",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct ebizzy_options, linear),
	},
	{
		.name = "seeds",
		.help = "equal: all threads take the same chunks and records in turn, as "
			"in the original",
		.type = OPTION_ENUM,
		.choices = seed_kinds,
		.def = "equal",
		OPTION_FIELD(struct ebizzy_options, seeds),
	},
	{
		.name = "seed",
		.help = "of the first thread",
		.type = OPTION_COUNT,
		.max = UINT32_MAX,
		.def = "1",
		OPTION_FIELD(struct ebizzy_options, seed),
	},
	{
		.name = "timer-slack",
		.help = "of the threads",
		.type = OPTION_DURATION,
		.word = "kernel",
		.min = 1,
		.max = 10 * NSEC_PER_SEC,
		.def = "kernel",
		OPTION_FIELD(struct ebizzy_options, timer_slack_ns),
	},
};

/* Apart from its neighbours', for all threads count at the same time. */
struct copier {
	struct ebizzy *e;
	atomic_ullong records; /* since the warm-up */
	uint64_t *copy;	       /* --allocate prealloc */
	uint32_t random;
} __attribute__((aligned(64)));

struct usage {
	uint64_t user_ns, sys_ns;
};

struct ebizzy {
	struct workload_ctx *ctx;
	const struct ebizzy_options *opt;
	struct workers pool;
	struct copier *copiers;
	uint64_t **chunks;
	uint64_t *counts; /* of the threads, at the end */
	size_t records;	  /* of a chunk */
	size_t page;
	unsigned int nr;
	atomic_uint running;
	atomic_bool measuring;
	uint64_t elapsed_ns;
	struct usage usage; /* during that time */
};

/* ---- without timing ---- */

uint32_t ebizzy_random(uint32_t *state, uint32_t max)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % max;
}

bool ebizzy_sleeps(uint64_t i, uint64_t every)
{
	return every && i % every == 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool ebizzy_find(const uint64_t *records, size_t nr, uint64_t key, bool linear)
{
	if (!linear)
		return bsearch(&key, records, nr, sizeof(*records), compare);
	for (size_t i = 0; i < nr; i++) {
		if (records[i] == key)
			return true;
	}
	return false;
}

uint64_t ebizzy_seconds(uint64_t elapsed_ns)
{
	return (elapsed_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC;
}

void ebizzy_spread(uint64_t *counts, size_t nr, struct ebizzy_spread *spread)
{
	double sum = 0, squares = 0, mean;

	qsort(counts, nr, sizeof(*counts), compare);
	for (size_t i = 0; i < nr; i++)
		sum += (double)counts[i];
	mean = sum / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += ((double)counts[i] - mean) * ((double)counts[i] - mean);
	*spread = (struct ebizzy_spread){
		.min = counts[0],
		.median = counts[(nr - 1) / 2],
		.max = counts[nr - 1],
		.stddev = mean > 0 ? 100 * sqrt(squares / (double)nr) / mean : 0,
	};
}

/* ---- checks and setup ---- */

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct ebizzy_options *opt = config->values;
	bool touch = opt->copy == COPY_TOUCH;
	char text[UNITS_TEXT_MAX];

	if (opt->chunk_size % sizeof(uint64_t))
		snprintf(err, size, "--chunk-size %s: needs a multiple of 8",
			 format_size(opt->chunk_size, text, sizeof(text)));
	else if (!opt->sleep_every && workload_given(config, "sleep"))
		snprintf(err, size, "--sleep %s: needs --sleep-every 1 or more",
			 format_duration_exact(opt->sleep_ns, text, sizeof(text)));
	else if (!opt->sleep_every && workload_given(config, "timer-slack"))
		snprintf(err, size, "--timer-slack: needs --sleep-every 1 or more");
	else if (touch && opt->linear)
		snprintf(err, size, "--linear: needs --copy memcpy or loop");
	else if (!opt->loops && !run->duration_ns)
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
	else
		return 0;
	return -1;
}

static int fill_chunks(struct ebizzy *e)
{
	e->chunks = calloc(e->opt->chunks, sizeof(*e->chunks));
	for (uint64_t i = 0; e->chunks && i < e->opt->chunks; i++) {
		e->chunks[i] = malloc(e->opt->chunk_size);
		if (!e->chunks[i])
			return -1;
		for (size_t j = 0; j < e->records; j++)
			e->chunks[i][j] = j;
	}
	return e->chunks ? 0 : -1;
}

static int make_copiers(struct ebizzy *e)
{
	uint32_t step = e->opt->seeds == SEEDS_DISTINCT ? 0x9e3779b9 : 0;

	e->copiers = aligned_alloc(64, e->nr * sizeof(*e->copiers));
	if (!e->copiers)
		return -1;
	memset(e->copiers, 0, e->nr * sizeof(*e->copiers));
	for (unsigned int i = 0; i < e->nr; i++) {
		struct copier *c = &e->copiers[i];

		c->e = e;
		c->random = (uint32_t)e->opt->seed + i * step;
		if (e->opt->allocate != ALLOCATE_PREALLOC)
			continue;
		c->copy = malloc(e->opt->chunk_size);
		if (!c->copy)
			return -1;
	}
	e->counts = calloc(e->nr, sizeof(*e->counts));
	return e->counts ? 0 : -1;
}

/* ---- the threads ---- */

static void copy_bytes(volatile char *to, const volatile char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

static void touch_pages(volatile char *to, size_t size, size_t page)
{
	for (size_t i = 0; i < size; i += page)
		to[i] = 1;
}

static uint64_t *allocate(const struct ebizzy *e, const struct copier *c, size_t size)
{
	void *copy;

	if (e->opt->allocate == ALLOCATE_PREALLOC)
		return c->copy;
	if (e->opt->allocate == ALLOCATE_MALLOC)
		return malloc(size);
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	return copy == MAP_FAILED ? NULL : copy;
}

static void release(const struct ebizzy *e, uint64_t *copy, size_t size)
{
	if (e->opt->allocate == ALLOCATE_MALLOC)
		free(copy);
	else if (e->opt->allocate == ALLOCATE_MMAP)
		munmap(copy, size);
}

static bool copy_and_find(const struct ebizzy *e, struct copier *c, uint64_t *to,
			  const uint64_t *chunk, size_t nr)
{
	size_t size = nr * sizeof(*to);

	if (e->opt->copy == COPY_TOUCH) {
		touch_pages((char *)to, size, e->page);
		return true;
	}
	if (e->opt->copy == COPY_LOOP)
		copy_bytes((char *)to, (const char *)chunk, size);
	else
		memcpy(to, chunk, size);
	return ebizzy_find(to, nr, ebizzy_random(&c->random, (uint32_t)nr),
			   e->opt->linear);
}

static int one_record(struct ebizzy *e, struct copier *c)
{
	const uint64_t *chunk =
		e->chunks[ebizzy_random(&c->random, (uint32_t)e->opt->chunks)];
	size_t nr = e->records;
	uint64_t *copy;
	bool found;

	if (e->opt->random_size)
		nr = 1 + ebizzy_random(&c->random, (uint32_t)nr);
	copy = allocate(e, c, nr * sizeof(*copy));
	if (!copy)
		return workload_error(e->ctx, "out of memory for a copy of %zu bytes",
				      nr * sizeof(*copy));
	found = copy_and_find(e, c, copy, chunk, nr);
	release(e, copy, nr * sizeof(*copy));
	if (!found)
		return workload_error(e->ctx, "a record was not found in its copy");
	return 0;
}

static void copier_main(struct worker *worker)
{
	struct copier *c = worker->arg;
	struct ebizzy *e = c->e;
	uint64_t records = 0;

	/* By the thread itself, so that the memory is near to its CPU. */
	if (c->copy)
		memset(c->copy, 0, e->opt->chunk_size);
	for (uint64_t i = 0; !workload_stopping(e->ctx); i++) {
		if (one_record(e, c)) {
			workload_finish(e->ctx);
			return;
		}
		if (atomic_load_explicit(&e->measuring, memory_order_relaxed))
			atomic_store_explicit(&c->records, ++records,
					      memory_order_relaxed);
		if (!worker->index && e->opt->loops)
			workload_progress(e->ctx, records * e->nr);
		if (e->opt->loops && records >= e->opt->loops)
			break;
		if (ebizzy_sleeps(i, e->opt->sleep_every) &&
		    !workload_sleep(e->ctx, e->opt->sleep_ns))
			break;
	}
	if (atomic_fetch_sub(&e->running, 1) == 1)
		workload_finish(e->ctx);
}

static int setup(struct workload_ctx *ctx)
{
	struct ebizzy *e = calloc(1, sizeof(*e));

	if (!e)
		return workload_error(ctx, "out of memory");
	ctx->priv = e;
	e->ctx = ctx;
	e->opt = ctx->options;
	e->nr = (unsigned int)e->opt->threads;
	if (!e->nr)
		e->nr = THREADS_PER_CPU * cpu_mask_count(&ctx->result->cpus);
	e->records = e->opt->chunk_size / sizeof(uint64_t);
	e->page = (size_t)sysconf(_SC_PAGESIZE);
	atomic_store(&e->running, e->nr);
	if (e->opt->loops)
		atomic_store(&ctx->shared->progress_goal, e->opt->loops * e->nr);
	if (fill_chunks(e) || make_copiers(e))
		return workload_error(ctx, "out of memory for %u threads", e->nr);
	timer_slack_set(e->opt->timer_slack_ns);
	return workers_start(&e->pool, ctx, e->nr, copier_main, e->copiers,
			     sizeof(*e->copiers));
}

static void teardown(struct workload_ctx *ctx)
{
	struct ebizzy *e = ctx->priv;

	if (!e)
		return;
	workers_free(&e->pool);
	for (unsigned int i = 0; e->copiers && i < e->nr; i++)
		free(e->copiers[i].copy);
	for (uint64_t i = 0; e->chunks && i < e->opt->chunks; i++)
		free(e->chunks[i]);
	free(e->copiers);
	free(e->chunks);
	free(e->counts);
	free(e);
	ctx->priv = NULL;
}

/* ---- run and report ---- */

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

static struct usage usage_now(void)
{
	struct rusage r = {0};

	getrusage(RUSAGE_SELF, &r);
	return (struct usage){timeval_ns(&r.ru_utime), timeval_ns(&r.ru_stime)};
}

static int run(struct workload_ctx *ctx)
{
	struct ebizzy *e = ctx->priv;
	struct usage before, after;
	uint64_t start;

	/* With a warm-up the threads count from its end on. */
	atomic_store(&e->measuring, !ctx->run.warmup_ns);
	start = now_ns();
	before = usage_now();
	workers_go(&e->pool);
	if (ctx->run.warmup_ns && workload_sleep_until(ctx, ctx->start_ns)) {
		start = now_ns();
		before = usage_now();
		atomic_store(&e->measuring, true);
	}
	workload_wait_end(ctx);
	e->elapsed_ns = now_ns() - start;
	for (unsigned int i = 0; i < e->nr; i++)
		e->counts[i] = atomic_load(&e->copiers[i].records);
	after = usage_now();
	e->usage = (struct usage){after.user_ns - before.user_ns,
				  after.sys_ns - before.sys_ns};
	if (workers_wait(&e->pool, END_TIMEOUT))
		return workload_error(ctx, "threads did not end in 5 s");
	return ctx->shared->error[0] ? -1 : 0;
}

static void report_spread(struct workload_ctx *ctx, const struct ebizzy *e)
{
	struct workload_result *result = ctx->result;
	struct ebizzy_spread spread;

	ebizzy_spread(e->counts, e->nr, &spread);
	result_text(
		result,
		"of %u threads: min %llu, median %llu, max %llu records, stddev %.2f %%",
		e->nr, (unsigned long long)spread.min, (unsigned long long)spread.median,
		(unsigned long long)spread.max, spread.stddev);
	result_metric(result, "threads", (double)e->nr, "", BETTER_NONE);
	result_metric(result, "thread_min", (double)spread.min, "records", BETTER_HIGHER);
	result_metric(result, "thread_median", (double)spread.median, "records",
		      BETTER_NONE);
	result_metric(result, "thread_max", (double)spread.max, "records", BETTER_NONE);
	result_metric(result, "thread_stddev", spread.stddev, "%", BETTER_LOWER);
}

/* What there could be if records took no time and sleeps were exact. */
static void report_ideal(struct workload_ctx *ctx, const struct ebizzy *e, double rate)
{
	double ideal = (double)e->nr * (double)e->opt->sleep_every *
		       (double)NSEC_PER_SEC / (double)e->opt->sleep_ns;
	uint64_t slack = timer_slack_get();
	char text[UNITS_TEXT_MAX];

	result_text(ctx->result,
		    "%.1f %% of what sleeps alone would allow, timer slack %s",
		    100 * rate / ideal, format_duration_exact(slack, text, sizeof(text)));
	result_metric(ctx->result, "of_ideal", 100 * rate / ideal, "%", BETTER_HIGHER);
	result_metric(ctx->result, "timer_slack", (double)slack, "ns", BETTER_NONE);
}

static void report_legacy(struct workload_ctx *ctx, const struct ebizzy *e,
			  uint64_t total)
{
	uint64_t seconds = ebizzy_seconds(e->elapsed_ns);

	if (!seconds)
		return;
	result_legacy(ctx->result, "%llu records/s",
		      (unsigned long long)(total / seconds));
	result_legacy(ctx->result, "real %5.2f s", (double)seconds);
	result_legacy(ctx->result, "user %5.2f s",
		      (double)e->usage.user_ns / (double)NSEC_PER_SEC);
	result_legacy(ctx->result, "sys  %5.2f s",
		      (double)e->usage.sys_ns / (double)NSEC_PER_SEC);
}

static void report(struct workload_ctx *ctx)
{
	const struct ebizzy *e = ctx->priv;
	struct workload_result *result = ctx->result;
	uint64_t total = 0;
	double rate;

	for (unsigned int i = 0; i < e->nr; i++)
		total += e->counts[i];
	if (!total) {
		result_text(result, "no record was completed");
		return;
	}
	rate = (double)total * (double)NSEC_PER_SEC / (double)e->elapsed_ns;
	report_legacy(ctx, e, total);
	result_text(result, "%.1f records/s: %llu in %llu ns", rate,
		    (unsigned long long)total, (unsigned long long)e->elapsed_ns);
	result_metric(result, "records_per_s", rate, "records/s", BETTER_HIGHER);
	result_metric(result, "records", (double)total, "", BETTER_NONE);
	result_metric(result, "elapsed", (double)e->elapsed_ns, "ns", BETTER_NONE);
	result_metric(result, "user", (double)e->usage.user_ns, "ns", BETTER_NONE);
	result_metric(result, "sys", (double)e->usage.sys_ns, "ns", BETTER_NONE);
	report_spread(ctx, e);
	if (e->opt->sleep_every)
		report_ideal(ctx, e, rate);
}

const struct workload ebizzy_workload = {
	.name = "ebizzy",
	.summary = "threads copy and search memory and sleep; records/s",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct ebizzy_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
