// SPDX-License-Identifier: GPL-2.0
/* What the workload periodic prints: a table of steps, both ways side by side. */
#include "periodic.h"

#include <string.h>

static const struct periodic_tally *tally_of(const struct periodic *p, size_t hz,
					     size_t load, bool down)
{
	size_t per_hz = p->nr_steps / p->nr_hz;

	return &p->tallies[hz * per_hz + (down ? per_hz - 1 - load : load)];
}

/* us in seven columns. */
static char *us_text(uint64_t ns, char *buf, size_t size)
{
	double us = (double)ns / NSEC_PER_USEC;

	snprintf(buf, size, "%7.*f", us < 99999.95 ? 1 : 0, us);
	return buf;
}

/* Busy, overruns and lateness of a step on one way, in 28 columns. */
static char *half_row(const struct periodic_tally *t, char *buf, size_t size)
{
	char p50[16], p99[16];

	if (!t->late.count)
		snprintf(buf, size, "%5s %6s %7s %7s", "-", "-", "-", "-");
	else
		snprintf(buf, size, "%5.1f %6llu %s %s",
			 100 * (double)t->cpu_ns / (double)t->time_ns,
			 (unsigned long long)t->over.count,
			 us_text(hist_percentile(&t->late, 50), p50, sizeof(p50)),
			 us_text(hist_percentile(&t->late, 99), p99, sizeof(p99)));
	return buf;
}

static void report_table(struct workload_result *result, const struct periodic *p)
{
	static const char columns[] = "busy% overs   late50  late99";
	char up[64], down[64] = "";

	if (p->sweep)
		result_text(result, "%12s%-29s%s", "", "upwards", "downwards");
	result_text(result, "   Hz load%% %s%s%s", columns, p->sweep ? " " : "",
		    p->sweep ? columns : "");
	for (size_t f = 0; f < p->nr_hz; f++) {
		for (size_t i = 0; i < p->nr_loads; i++) {
			half_row(tally_of(p, f, i, false), up, sizeof(up));
			if (p->sweep)
				half_row(tally_of(p, f, i, true), down, sizeof(down));
			result_text(result, "%5.4g %5.4g %s%s%s", p->hz[f], p->loads[i],
				    up, p->sweep ? " " : "", down);
		}
	}
}

static void add_tally(struct periodic_tally *to, const struct periodic_tally *from)
{
	hist_merge(&to->late, &from->late);
	hist_merge(&to->over, &from->over);
	to->missed += from->missed;
}

static void put(struct workload_result *result, const char *prefix, const char *name,
		double value, const char *unit, enum metric_better better)
{
	char full[RESULT_NAME];

	snprintf(full, sizeof(full), "%.20s%s", prefix, name);
	result_metric(result, full, value, unit, better);
}

static void put_late(struct workload_result *result, const char *prefix,
		     const struct periodic_tally *t)
{
	put(result, prefix, "overruns", (double)t->over.count, "", BETTER_LOWER);
	if (!t->late.count)
		return;
	put(result, prefix, "late_p50", (double)hist_percentile(&t->late, 50), "ns",
	    BETTER_LOWER);
	put(result, prefix, "late_p99", (double)hist_percentile(&t->late, 99), "ns",
	    BETTER_LOWER);
}

/* All steps on one way: of one frequency, or with hz == nr_hz of all. */
static void sum_way(const struct periodic *p, size_t hz, bool down,
		    struct periodic_tally *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t f = 0; f < p->nr_hz; f++) {
		for (size_t i = 0; (f == hz || hz == p->nr_hz) && i < p->nr_loads; i++)
			add_tally(sum, tally_of(p, f, i, down));
	}
}

static void report_way(struct workload_result *result, const struct periodic *p,
		       bool down)
{
	const char *way = !p->sweep ? "" : down ? "_down" : "_up";
	char late[RESULT_NAME], over[RESULT_NAME], prefix[RESULT_NAME];
	char packets[UNITS_TEXT_MAX], overs[UNITS_TEXT_MAX], missed[UNITS_TEXT_MAX];
	struct hist *hist;
	struct periodic_tally sum;

	sum_way(p, p->nr_hz, down, &sum);
	snprintf(late, sizeof(late), "late%s", way);
	snprintf(over, sizeof(over), "overrun%s", way);
	hist = result_latency(result, late);
	hist_merge(hist, &sum.late);
	hist = result_latency(result, over);
	hist_merge(hist, &sum.over);
	result_text(result, "%s%s packets, %s overruns, %s never begun",
		    !p->sweep ? ""
		    : down    ? "downwards "
			      : "upwards ",
		    format_count(sum.late.count, packets, sizeof(packets)),
		    format_count(sum.over.count, overs, sizeof(overs)),
		    format_count(sum.missed, missed, sizeof(missed)));
	snprintf(prefix, sizeof(prefix), "%s%s", *way ? way + 1 : "", *way ? "_" : "");
	put(result, prefix, "packets", (double)sum.late.count, "", BETTER_NONE);
	put(result, prefix, "overruns", (double)sum.over.count, "", BETTER_LOWER);
	put(result, prefix, "missed", (double)sum.missed, "", BETTER_LOWER);
	result_latency_report(result, late, &sum.late);
	for (size_t f = 0; p->nr_hz > 1 && f < p->nr_hz; f++) {
		sum_way(p, f, down, &sum);
		snprintf(prefix, sizeof(prefix), "f%.6g%s_", p->hz[f], way);
		put_late(result, prefix, &sum);
	}
}

/* Each step as metrics, where there is room for all of them. */
static void report_steps(struct workload_result *result, const struct periodic *p)
{
	char prefix[RESULT_NAME];

	if (result->nr_metrics + 4 * p->nr_steps > RESULT_METRICS)
		return;
	for (size_t i = 0; i < p->nr_steps; i++) {
		size_t per_hz = p->nr_steps / p->nr_hz;
		const struct periodic_tally *t = &p->tallies[i];
		bool down;
		double load = p->loads[periodic_load_at(i % per_hz, p->nr_loads, &down)];

		snprintf(prefix, sizeof(prefix), "f%.5g_l%.4g%s_", p->hz[i / per_hz],
			 load,
			 !p->sweep ? ""
			 : down	   ? "_down"
				   : "_up");
		put_late(result, prefix, t);
		if (t->time_ns)
			put(result, prefix, "busy",
			    100 * (double)t->cpu_ns / (double)t->time_ns, "%",
			    BETTER_NONE);
	}
}

void periodic_report(struct workload_ctx *ctx)
{
	struct workload_result *result = ctx->result;
	struct periodic *p = ctx->priv;
	char text[UNITS_TEXT_MAX], slack[UNITS_TEXT_MAX], place[64];
	uint64_t done = atomic_load(&ctx->shared->progress);

	report_table(result, p);
	report_way(result, p, false);
	if (p->sweep)
		report_way(result, p, true);
	result_text(result, "late times in us; %llu of %zu steps of %s, timer slack %s",
		    (unsigned long long)done, p->nr_steps,
		    format_duration(p->dwell_ns, text, sizeof(text)),
		    format_duration_exact(timer_slack_get(), slack, sizeof(slack)));
	result_metric(result, "timer_slack", (double)timer_slack_get(), "ns",
		      BETTER_NONE);
	result_text(result, "threads %u, place %s", p->pool.nr,
		    place_format(&p->place, 0, p->pool.nr, place, sizeof(place)));
	work_calibrate_end(&p->calibration);
	work_report(result, periodic_step(p, p->nr_loads - 1).units, &p->calibration);
	report_steps(result, p);
}
