// SPDX-License-Identifier: GPL-2.0
/* What is said about a run of pingpong. */
#include "pingpong.h"

#include <math.h>
#include <stdlib.h>

char *pingpong_line(double loop_ns, char *buf, size_t size)
{
	snprintf(buf, size, "%.4f usecs/loop. (less is better)", loop_ns / 1000);
	return buf;
}

static void halve(struct pingpong_series *series)
{
	struct pingpong_slice *s = series->slice;

	for (unsigned int i = 0; i < PINGPONG_SLICES / 2; i++)
		s[i] = (struct pingpong_slice){s[2 * i].loops + s[2 * i + 1].loops,
					       s[2 * i].ns + s[2 * i + 1].ns};
	series->nr = PINGPONG_SLICES / 2;
	series->min_ns *= 2;
}

int pingpong_series_add(struct pingpong_series *series, uint64_t loop_ns)
{
	series->open.loops++;
	series->open.ns += loop_ns;
	if (series->open.ns < series->min_ns)
		return 0;
	if (series->nr == PINGPONG_SLICES)
		halve(series);
	series->slice[series->nr++] = series->open;
	series->open = (struct pingpong_slice){0};
	return 1;
}

size_t pingpong_series_samples(const struct pingpong_series *series,
			       struct mode_sample *samples)
{
	for (unsigned int i = 0; i < series->nr; i++) {
		const struct pingpong_slice *s = &series->slice[i];

		samples[i] = (struct mode_sample){(double)s->ns / (double)s->loops,
						  (double)s->ns};
	}
	return series->nr;
}

static double loop_ns(const struct ring *ring)
{
	return (double)(ring->end_ns - ring->begin_ns) / (double)ring->loops;
}

/*
 * As the original does it: from the first begin to the last end, by the loops of one
 * ring. Rings that ended by time have made different numbers of loops: their mean.
 */
static double all_loop_ns(const struct pingpong *p, uint64_t *loops)
{
	uint64_t begin = UINT64_MAX, end = 0;

	*loops = 0;
	for (unsigned int i = 0; i < p->nr_rings; i++) {
		const struct ring *ring = &p->rings[i];

		if (!ring->loops)
			continue;
		begin = ring->begin_ns < begin ? ring->begin_ns : begin;
		end = ring->end_ns > end ? ring->end_ns : end;
		*loops += ring->loops;
	}
	return *loops ? (double)(end - begin) * p->nr_rings / (double)*loops : 0;
}

static void report_place(const struct pingpong *p)
{
	struct workload_result *result = p->ctx->result;
	char where[40], cpus[32];

	if (p->nr_rings == 1 || p->place.kind == PLACE_ANY)
		place_format(&p->place, 0, p->nr_tasks, where, sizeof(where));
	else
		snprintf(where, sizeof(where), "%.12s: CPU %s", p->opt->place,
			 cpu_mask_format(&result->cpus, cpus, sizeof(cpus) - 8));
	result_text(result, "%u ring%s of %u tasks, token by %s, %s", p->nr_rings,
		    p->nr_rings > 1 ? "s" : "", p->nr_tasks,
		    pingpong_tokens[p->opt->token], where);
}

static void report_loops(const struct pingpong *p, uint64_t loops, double ns)
{
	struct workload_result *result = p->ctx->result;
	double min = INFINITY, max = 0, stop = ns / p->nr_tasks;
	char line[64], text[2][UNITS_TEXT_MAX];

	result_legacy(result, "%s", pingpong_line(ns, line, sizeof(line)));
	result_metric(result, "usecs_per_loop", ns / 1000, "us", BETTER_LOWER);
	result_metric(result, "stop_time", stop, "ns", BETTER_LOWER);
	result_metric(result, "loops", (double)loops, "", BETTER_NONE);
	result_text(result, "%s loops, %s per stop",
		    format_count(loops, text[0], sizeof(text[0])),
		    format_duration((uint64_t)stop, text[1], sizeof(text[1])));
	if (p->nr_rings == 1)
		return;
	for (unsigned int i = 0; i < p->nr_rings; i++) {
		double ring = p->rings[i].loops ? loop_ns(&p->rings[i]) : INFINITY;

		min = ring < min ? ring : min;
		max = ring > max ? ring : max;
	}
	result_metric(result, "ring_fastest", min / 1000, "us", BETTER_NONE);
	if (!isfinite(max)) {
		result_text(result, "some rings did not complete a loop");
		return;
	}
	result_metric(result, "ring_slowest", max / 1000, "us", BETTER_LOWER);
	result_text(result, "us per loop: fastest ring %.4f, slowest %.4f", min / 1000,
		    max / 1000);
}

static void report_hops(const struct pingpong *p)
{
	struct hist *hop = result_latency(p->ctx->result, "hop");

	if (!hop)
		return;
	for (unsigned int i = 0; i < p->nr_tasks * p->nr_rings; i++)
		hist_merge(hop, &p->tasks[i].hop);
	result_metric(p->ctx->result, "hop_mean", (double)hist_mean(hop), "ns",
		      BETTER_LOWER);
	result_latency_report(p->ctx->result, "hop", hop);
}

static void report_modes(const struct pingpong *p)
{
	struct workload_result *result = p->ctx->result;
	struct mode_sample *samples =
		calloc((size_t)p->nr_rings * PINGPONG_SLICES, sizeof(*samples));
	struct modes modes;
	size_t nr = 0;

	if (!samples)
		return;
	for (unsigned int i = 0; i < p->nr_rings; i++)
		nr += pingpong_series_samples(&p->rings[i].series, samples + nr);
	modes_find(samples, nr, &modes);
	free(samples);
	if (!modes.known) {
		result_text(result, "too short a run to tell one speed from two");
		return;
	}
	result_metric(result, "bimodal", modes.two, "", BETTER_NONE);
	if (!modes.two)
		return;
	result_text(result, "bimodal: %.0f %% of the time %.4f, %.0f %% %.4f us per loop",
		    100 * modes.low_share, modes.low_mean / 1000,
		    100 * (1 - modes.low_share), modes.high_mean / 1000);
	result_metric(result, "fast_mode", modes.low_mean / 1000, "us", BETTER_LOWER);
	result_metric(result, "slow_mode", modes.high_mean / 1000, "us", BETTER_LOWER);
	result_metric(result, "fast_share", modes.low_share, "", BETTER_NONE);
}

void pingpong_report(struct workload_ctx *ctx)
{
	struct pingpong *p = ctx->priv;
	uint64_t loops;
	double ns = all_loop_ns(p, &loops);

	report_place(p);
	if (!loops) {
		result_text(ctx->result, "no loop was completed");
		return;
	}
	report_loops(p, loops, ns);
	report_hops(p);
	report_modes(p);
	if (!p->units)
		return;
	work_calibrate_end(&p->calibration);
	work_report(ctx->result, p->units, &p->calibration);
}
