// SPDX-License-Identifier: GPL-2.0
/* Once a second: requests per second, and what --auto-rps makes of it. */
#include "schbench.h"

#include <stdio.h>

#define SAMPLE_NS NSEC_PER_SEC

struct cpu_time {
	unsigned long long idle, total;
};

/* Of the whole machine; waiting for I/O is busy here, as in the original. */
static bool read_cpu_time(struct cpu_time *time)
{
	unsigned long long t[10] = {0};
	FILE *file = fopen("/proc/stat", "re");
	int n;

	if (!file)
		return false;
	/* The last two are in the first two already. */
	n = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1],
		   &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
	fclose(file);
	if (n < 4)
		return false;
	time->idle = t[3];
	time->total = t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7];
	return true;
}

static uint64_t all_loops(const struct schbench *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr_workers; i++)
		sum += atomic_load_explicit(&s->workers[i].loops, memory_order_relaxed);
	return sum;
}

struct sample {
	uint64_t ns, loops;
};

static void sample_rps(struct schbench *s, struct sample *last)
{
	struct sample now = {.ns = now_ns(), .loops = all_loops(s)};
	double seconds = (double)(now.ns - last->ns) / (double)NSEC_PER_SEC;

	/* An interval with warm-up in it, or a search for the goal, is no sample. */
	if (last->ns >= s->ctx->start_ns && (!s->opt->auto_rps || s->auto_settled))
		plat_add(&s->rps,
			 (uint64_t)((double)(now.loops - last->loops) / seconds));
	*last = now;
	workload_progress(s->ctx, now.loops);
}

static void adjust(struct schbench *s, struct cpu_time *last)
{
	struct cpu_time now;
	double busy;

	if (!s->opt->auto_rps || !read_cpu_time(&now) || now.total <= last->total)
		return;
	busy = 100 -
	       100 * (double)(now.idle - last->idle) / (double)(now.total - last->total);
	s->auto_goal = schbench_auto_step(s->auto_goal, busy, s->opt->auto_rps,
					  &s->auto_settled);
	for (uint64_t i = 0; i < s->layout.messages; i++)
		atomic_store(&s->messages[i].rps, s->auto_goal);
	*last = now;
}

void schbench_monitor(struct schbench *s)
{
	/* Whole seconds before the measurement, so that one begins with it. */
	uint64_t next = s->ctx->start_ns - s->ctx->run.warmup_ns / SAMPLE_NS * SAMPLE_NS;
	struct sample last = {.ns = s->origin_ns};
	struct cpu_time time = {0, 0};
	uint64_t left;

	if (next <= s->origin_ns)
		next += SAMPLE_NS;
	if (s->opt->auto_rps)
		read_cpu_time(&time);
	for (; workload_sleep_until(s->ctx, next); next += SAMPLE_NS) {
		sample_rps(s, &last);
		adjust(s, &time);
	}
	s->stopped_ns = now_ns();
	left = s->stopped_ns - last.ns;
	if (left >= SAMPLE_NS * 9 / 10 || (!s->rps.count && left > SAMPLE_NS / 100))
		sample_rps(s, &last);
	workload_finish(s->ctx);
}
