// SPDX-License-Identifier: GPL-2.0
/*
 * idle: nothing. What is measured is the machine: its wakeups, idle states and, where
 * there is a counter, its power. One thread sleeps in a futex until it is over.
 */
#include "workers.h"

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	(void)config;
	if (run->duration_ns)
		return 0;
	snprintf(err, size, "--duration 0: needs a time, idle ends by nothing else");
	return -1;
}

static int setup(struct workload_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static int run(struct workload_ctx *ctx)
{
	workload_wait_end(ctx);
	return 0;
}

static void report(struct workload_ctx *ctx)
{
	uint64_t end = now_ns(), ns;
	char text[UNITS_TEXT_MAX];

	if (end > ctx->end_ns)
		end = ctx->end_ns;
	ns = end > ctx->start_ns ? end - ctx->start_ns : 0;
	result_text(ctx->result, "nothing ran for %s",
		    format_duration(ns, text, sizeof(text)));
	result_metric(ctx->result, "duration", (double)ns / (double)NSEC_PER_SEC, "s",
		      BETTER_NONE);
}

static void teardown(struct workload_ctx *ctx)
{
	(void)ctx;
}

const struct workload idle_workload = {
	.name = "idle",
	.summary = "nothing runs: wakeups and idle states of the machine itself",
	.check = check,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
