// SPDX-License-Identifier: GPL-2.0
/*
 * messaging: groups of senders and receivers, as in hackbench and perf bench sched
 * messaging. Every sender of a group writes to every receiver of it in turn, and does
 * that again; a receiver reads what comes through its one socket or pipe.
 *
 * Time is taken as in the originals: from the byte that opens the start gate until all
 * tasks are gone, what it costs them to exit included. Messages per second end with the
 * last message instead.
 *
 * Processes are forked after the runner's gate, because the tracer follows forks.
 */
#include "messaging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "messaging_private.h"

#define PERF_FDS    20
#define PERF_SIZE   100
#define MAX_TASKS   100000
#define USUAL_LOOPS 100 /* of the originals */

enum { STYLE_HACKBENCH, STYLE_PERF };

static const char *const styles[] = {"hackbench", "perf", NULL};

static const struct workload_option options[] = {
	{
		.name = "groups",
		.help = "of senders and receivers",
		.type = OPTION_COUNT,
		.min = 1,
		.max = MAX_TASKS / 2,
		.def = "10",
		OPTION_FIELD(struct messaging_options, groups),
	},
	{
		.name = "fds",
		.help = "senders of a group, and receivers",
		.type = OPTION_COUNT,
		.min = 1,
		.max = 10000,
		.def = "20",
		OPTION_FIELD(struct messaging_options, fds),
	},
	{
		.name = "loops",
		.help = "messages of each sender to each receiver; 0: until the duration "
			"is over, which is also meant by --duration without --loops",
		.type = OPTION_COUNT,
		.max = 1000000000,
		.def = "100",
		OPTION_FIELD(struct messaging_options, loops),
	},
	{
		.name = "datasize",
		.help = "of a message",
		.type = OPTION_SIZE,
		.min = 1,
		.max = 16 << 20,
		.def = "100",
		OPTION_FIELD(struct messaging_options, size),
	},
	{
		.name = "pipe",
		.help = "pipes instead of stream sockets",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct messaging_options, pipe),
	},
	{
		.name = "threads",
		.help = "threads instead of processes",
		.type = OPTION_BOOL,
		.def = "no",
		OPTION_FIELD(struct messaging_options, threads),
	},
	{
		.name = "style",
		.help = "whose lines to print; perf always has 20 fds and 100 bytes",
		.type = OPTION_ENUM,
		.choices = styles,
		.def = "hackbench",
		OPTION_FIELD(struct messaging_options, style),
	},
};

/* ---- without timing ---- */

uint64_t messaging_total(uint64_t groups, uint64_t fds, uint64_t loops)
{
	return groups * fds * fds * loops;
}

void messaging_hackbench(struct workload_result *result, uint64_t elapsed_ns)
{
	uint64_t ms = elapsed_ns / NSEC_PER_MSEC;

	result_legacy(result, "Time: %llu.%03llu", (unsigned long long)(ms / 1000),
		      (unsigned long long)(ms % 1000));
}

void messaging_perf(struct workload_result *result, uint64_t groups, uint64_t fds,
		    bool threads, uint64_t elapsed_ns)
{
	const char *what = threads ? "threads" : "processes";
	uint64_t ms = elapsed_ns / NSEC_PER_MSEC;

	result_legacy(result, "# %llu sender and receiver %s per group",
		      (unsigned long long)fds, what);
	result_legacy(result, "# %llu groups == %llu %s run\n\n",
		      (unsigned long long)groups, (unsigned long long)(2 * fds * groups),
		      what);
	result_legacy(result, "     Total time: %llu.%03llu [sec]",
		      (unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000));
}

/* ---- checks and setup ---- */

static bool by_loops(const struct workload_config *config, const struct workload_run *run)
{
	const struct messaging_options *opt = config->values;

	return opt->loops && (!run->duration_ns || workload_given(config, "loops"));
}

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct messaging_options *opt = config->values;
	uint64_t per_group = 2 * opt->fds;
	char text[UNITS_TEXT_MAX];

	if (opt->style == STYLE_PERF && opt->fds != PERF_FDS)
		snprintf(err, size, "--fds %llu: needs --style hackbench; perf has %d",
			 (unsigned long long)opt->fds, PERF_FDS);
	else if (opt->style == STYLE_PERF && opt->size != PERF_SIZE)
		snprintf(err, size, "--datasize %s: needs --style hackbench; perf has %d",
			 format_size(opt->size, text, sizeof(text)), PERF_SIZE);
	else if (opt->groups * per_group > MAX_TASKS)
		snprintf(err, size, "--groups %llu: with %llu fds needs at most %llu",
			 (unsigned long long)opt->groups, (unsigned long long)opt->fds,
			 (unsigned long long)(MAX_TASKS / per_group));
	else if (!opt->loops && !run->duration_ns)
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
	else if (run->warmup_ns && by_loops(config, run))
		snprintf(err, size, "--warmup %s: needs --loops 0; else all is timed",
			 format_duration_exact(run->warmup_ns, text, sizeof(text)));
	else
		return 0;
	return -1;
}

static uint64_t count_files(const struct workload_config *config)
{
	const struct messaging_options *opt = config->values;

	/* Processes inherit one group's. */
	return 2 * opt->fds * (opt->threads ? opt->groups : 1) + 4;
}

static size_t parties_size(const struct messaging *m)
{
	return m->nr * sizeof(*m->parties);
}

static int allocate(struct messaging *m)
{
	size_t channels = m->opt->groups * m->opt->fds;
	void *p = mmap(NULL, parties_size(m), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	m->parties = p == MAP_FAILED ? NULL : p;
	m->in = calloc(channels, sizeof(*m->in));
	m->out = calloc(channels, sizeof(*m->out));
	m->pids = calloc(m->nr, sizeof(*m->pids));
	m->sending = calloc(m->opt->groups, sizeof(*m->sending));
	if (!m->parties || !m->in || !m->out || !m->pids || !m->sending)
		return workload_error(m->ctx, "out of memory for %u tasks", m->nr);
	return 0;
}

static void describe_parties(struct messaging *m)
{
	unsigned int per_group = 2 * (unsigned int)m->opt->fds;

	for (unsigned int i = 0; i < m->nr; i++) {
		unsigned int nr = i % per_group;

		m->parties[i].m = m;
		m->parties[i].group = i / per_group;
		m->parties[i].sends = nr >= m->opt->fds;
		m->parties[i].index = nr % (unsigned int)m->opt->fds;
	}
	for (uint64_t g = 0; g < m->opt->groups; g++)
		atomic_store(&m->sending[g], (unsigned int)m->opt->fds);
}

static int setup(struct workload_ctx *ctx)
{
	struct messaging *m = calloc(1, sizeof(*m));

	if (!m)
		return workload_error(ctx, "out of memory");
	ctx->priv = m;
	m->ctx = ctx;
	m->opt = ctx->options;
	m->nr = 2 * (unsigned int)(m->opt->groups * m->opt->fds);
	m->loops = by_loops(ctx->config, &ctx->run) ? m->opt->loops : UINT64_MAX;
	if (m->loops != UINT64_MAX)
		atomic_store(&ctx->shared->progress_goal,
			     messaging_total(m->opt->groups, m->opt->fds, m->loops));
	if (pipe2(m->ready, O_CLOEXEC) || pipe2(m->wake, O_CLOEXEC))
		return workload_error(ctx, "cannot open a pipe: %s", strerror(errno));
	if (allocate(m))
		return -1;
	describe_parties(m);
	return m->opt->threads ? messaging_start_threads(m) : 0;
}

static void teardown(struct workload_ctx *ctx)
{
	struct messaging *m = ctx->priv;

	if (!m)
		return;
	messaging_end_threads(m);
	if (m->parties)
		munmap(m->parties, parties_size(m));
	free(m->in);
	free(m->out);
	free(m->pids);
	free(m->sending);
	free(m);
	ctx->priv = NULL;
}

static int run(struct workload_ctx *ctx)
{
	return messaging_run(ctx->priv);
}

/* ---- report ---- */

static uint64_t last_message_ns(const struct messaging *m)
{
	uint64_t last = m->count_ns;

	for (unsigned int i = 0; i < m->nr; i++) {
		if (m->parties[i].last_ns > last)
			last = m->parties[i].last_ns;
	}
	return last;
}

/*
 * The line of the original. Who was stopped before its loops were done, or has none, has
 * the time that so many take at the rate there was.
 */
static void report_time(struct workload_ctx *ctx, const struct messaging *m, double rate)
{
	const struct messaging_options *opt = m->opt;
	uint64_t loops = opt->loops ? opt->loops : USUAL_LOOPS;
	uint64_t all = messaging_total(opt->groups, opt->fds, loops);
	uint64_t time = m->end_ns - m->start_ns;
	struct workload_result *result = ctx->result;
	bool whole = m->loops != UINT64_MAX && messaging_received(m) == all;

	if (!whole)
		time = (uint64_t)((double)all / rate * (double)NSEC_PER_SEC);
	if (opt->style == STYLE_PERF)
		messaging_perf(result, opt->groups, opt->fds, opt->threads, time);
	else
		messaging_hackbench(result, time);
	result_metric(result, "time", (double)time, "ns", BETTER_LOWER);
	if (!whole)
		result_text(result,
			    "the time is that of %llu loops at the rate there was",
			    (unsigned long long)loops);
}

static void report(struct workload_ctx *ctx)
{
	const struct messaging *m = ctx->priv;
	const struct messaging_options *opt = m->opt;
	struct workload_result *result = ctx->result;
	uint64_t total = messaging_received(m) - m->warm;
	uint64_t elapsed = last_message_ns(m) - m->count_ns;
	char text[UNITS_TEXT_MAX];
	double rate;

	if (!total || !elapsed) {
		result_text(result, "no message was received");
		return;
	}
	rate = (double)total * (double)NSEC_PER_SEC / (double)elapsed;
	report_time(ctx, m, rate);
	result_text(result, "%llu groups of %llu + %llu %s, %s of %s bytes",
		    (unsigned long long)opt->groups, (unsigned long long)opt->fds,
		    (unsigned long long)opt->fds, opt->threads ? "threads" : "processes",
		    opt->pipe ? "pipes, messages" : "sockets, messages",
		    format_size(opt->size, text, sizeof(text)));
	result_text(result, "%.0f messages/s: %llu in %llu ns", rate,
		    (unsigned long long)total, (unsigned long long)elapsed);
	result_metric(result, "messages_per_s", rate, "messages/s", BETTER_HIGHER);
	result_metric(result, "messages", (double)total, "", BETTER_NONE);
	result_metric(result, "elapsed", (double)elapsed, "ns", BETTER_NONE);
}

const struct workload messaging_workload = {
	.name = "messaging",
	.summary = "groups of senders and receivers, as hackbench; Time and messages/s",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct messaging_options),
	.check = check,
	.need_files = count_files,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
