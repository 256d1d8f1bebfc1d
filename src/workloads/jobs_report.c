// SPDX-License-Identifier: GPL-2.0
/* What the workload jobs prints: the original's table, and the same without its limits.
 */
#include "jobs.h"

static void put(struct workload_result *result, const struct jobs *j,
		const struct jobs_load *load, const char *name, double value,
		const char *unit, enum metric_better better)
{
	char full[RESULT_NAME];

	if (j->nr_loads == 1)
		snprintf(full, sizeof(full), "%s", name);
	else
		snprintf(full, sizeof(full), "load%u_%s", (unsigned int)load->load, name);
	result_metric(result, full, value, unit, better);
}

static void put_percentile(struct workload_result *result, const struct jobs *j,
			   const struct jobs_load *load, const char *name, double percent)
{
	put(result, j, load, name, (double)hist_percentile(&load->sum.job, percent), "ns",
	    BETTER_LOWER);
}

static void put_load(struct workload_result *result, const struct jobs *j,
		     const struct jobs_load *load)
{
	double seconds = (double)(load->ended_ns - load->from_ns) / (double)NSEC_PER_SEC;

	put(result, j, load, "jobs", (double)load->sum.bins.count, "", BETTER_HIGHER);
	put(result, j, load, "jps", (double)load->sum.bins.count / seconds, "jobs/s",
	    BETTER_HIGHER);
	put_percentile(result, j, load, "p50", 50);
	put_percentile(result, j, load, "p95", 95);
	put_percentile(result, j, load, "p99", 99);
	put_percentile(result, j, load, "max", 100);
	if (j->nr_loads > 1)
		return;
	put(result, j, load, "min", (double)load->sum.job.min, "ns", BETTER_LOWER);
	put_percentile(result, j, load, "p90", 90);
	put_percentile(result, j, load, "p99_9", 99.9);
	put(result, j, load, "left", (double)load->left, "", BETTER_NONE);
	put(result, j, load, "late", (double)load->late, "", BETTER_LOWER);
}

static void keep(struct workload_result *result, const char *name, const struct hist *h)
{
	struct hist *kept = result_latency(result, name);

	if (kept)
		hist_merge(kept, h);
}

static void keep_histograms(struct workload_result *result, const struct jobs *j)
{
	char name[RESULT_NAME];

	if (j->nr_loads == 1) {
		keep(result, "job", &j->loads[0].sum.job);
		keep(result, "wait", &j->loads[0].sum.wait);
		keep(result, "exec", &j->loads[0].sum.exec);
		return;
	}
	for (size_t i = 0; i < j->nr_loads; i++) {
		snprintf(name, sizeof(name), "load%u", (unsigned int)j->loads[i].load);
		keep(result, name, &j->loads[i].sum.job);
	}
}

static void report_legacy(struct workload_result *result, const struct jobs *j)
{
	char row[160];

	result_legacy(result, "%4s %7s %8s %6s %5s %8s %8s %8s %8s %8s", "load",
		      "seconds", "total", "jps", "min", "50th", "90th", "95th", "99th",
		      "max");
	for (size_t i = 0; i < j->nr_loads; i++) {
		const struct jobs_load *load = &j->loads[i];

		if (load->sum.bins.count)
			result_legacy(result, "%s",
				      jobs_row(load->load, load->ended_ns - load->from_ns,
					       &load->sum.bins, row, sizeof(row)));
	}
}

static const char *percentile(const struct hist *h, double percent, char *buf)
{
	return format_duration(hist_percentile(h, percent), buf, UNITS_TEXT_MAX);
}

static void report_unclamped(struct workload_result *result, const struct jobs *j)
{
	char p95[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], p999[UNITS_TEXT_MAX],
		max[UNITS_TEXT_MAX], wait[UNITS_TEXT_MAX], exec[UNITS_TEXT_MAX];

	result_text(result, "%4s %9s %9s %9s %9s %9s %9s %6s %6s", "load", "p95", "p99",
		    "p99.9", "max", "wait p50", "exec p50", "left", "late");
	for (size_t i = 0; i < j->nr_loads; i++) {
		const struct jobs_load *load = &j->loads[i];
		const struct jobs_tally *t = &load->sum;

		if (!t->bins.count) {
			result_text(result, "%4u  no job was done",
				    (unsigned int)load->load);
			continue;
		}
		result_text(result, "%4u %9s %9s %9s %9s %9s %9s %6llu %6llu",
			    (unsigned int)load->load, percentile(&t->job, 95, p95),
			    percentile(&t->job, 99, p99), percentile(&t->job, 99.9, p999),
			    percentile(&t->job, 100, max), percentile(&t->wait, 50, wait),
			    percentile(&t->exec, 50, exec),
			    (unsigned long long)load->left,
			    (unsigned long long)load->late);
		put_load(result, j, load);
	}
}

void jobs_report(struct workload_ctx *ctx)
{
	struct workload_result *result = ctx->result;
	struct jobs *j = ctx->priv;
	char place[64], queue[UNITS_TEXT_MAX], rate[64] = "", text[UNITS_TEXT_MAX];

	report_legacy(result, j);
	report_unclamped(result, j);
	keep_histograms(result, j);
	format_duration((uint64_t)((double)j->queue_units * j->calibration.start_ns),
			queue, sizeof(queue));
	if (j->opt->rate)
		snprintf(rate, sizeof(rate), ", %llu jobs/s, timer slack %s",
			 (unsigned long long)j->opt->rate,
			 format_duration_exact(timer_slack_get(), text, sizeof(text)));
	result_text(result, "%s of at most %llu jobs, %s to queue one%s",
		    j->queue.lifo ? "lifo" : "fifo", (unsigned long long)j->opt->depth,
		    queue, rate);
	result_text(result, "workers %u, place %s", j->pool.nr,
		    place_format(&j->place, 0, j->pool.nr, place, sizeof(place)));
	work_calibrate_end(&j->calibration);
	work_report(result, j->loads[j->nr_loads - 1].units, &j->calibration);
}
