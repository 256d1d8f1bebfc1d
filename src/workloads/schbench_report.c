// SPDX-License-Identifier: GPL-2.0
/* What schbench says: the original's tables, and what they leave out. */
#include "schbench.h"

#include <stdlib.h>
#include <string.h>

/* All workers together. */
struct sums {
	struct plat wakeup_usec, request_usec;
	uint64_t done, uncounted_wakeups, uncounted_requests;
	uint64_t spin_ns, spin_cpu_ns;
	struct hist *wakeup, *request, *enqueue_to_done;
};

static void sum_up(const struct schbench *s, struct sums *sums)
{
	struct workload_result *result = s->ctx->result;

	sums->wakeup = result_latency(result, "wakeup");
	if (!s->opt->pipe && s->opt->style == STYLE_NEW)
		sums->request = result_latency(result, "request");
	if (sums->request || s->paced)
		sums->enqueue_to_done = result_latency(result, "enqueue_to_done");
	for (size_t i = 0; i < s->nr_workers; i++) {
		const struct schbench_worker *worker = &s->workers[i];

		plat_merge(&sums->wakeup_usec, &worker->wakeup_usec);
		plat_merge(&sums->request_usec, &worker->request_usec);
		hist_merge(sums->wakeup, &worker->wakeup);
		if (sums->request)
			hist_merge(sums->request, &worker->request);
		if (sums->enqueue_to_done)
			hist_merge(sums->enqueue_to_done, &worker->enqueue_to_done);
		sums->done += worker->done;
		sums->uncounted_wakeups += worker->uncounted_wakeups;
		sums->uncounted_requests += worker->uncounted_requests;
		sums->spin_ns += worker->spin_ns;
		sums->spin_cpu_ns += worker->spin_cpu_ns;
	}
}

static double seconds(const struct schbench *s)
{
	if (s->stopped_ns <= s->ctx->start_ns)
		return 0;
	return (double)(s->stopped_ns - s->ctx->start_ns) / (double)NSEC_PER_SEC;
}

static double rate(const struct schbench *s, const struct sums *sums)
{
	double passed = seconds(s);

	return passed > 0 ? (double)sums->done / passed : 0;
}

/* ---- the original's output ---- */

static void table(const struct schbench *s, const struct plat *plat,
		  enum plat_table table)
{
	char text[1024];

	result_legacy(s->ctx->result, "%s",
		      plat_table(plat, table, (uint64_t)(seconds(s) + 0.5), text,
				 sizeof(text)));
}

static void plat_metric(const struct schbench *s, const char *name, const char *unit,
			const struct plat *plat, double percent,
			enum metric_better better)
{
	if (plat->count)
		result_metric(s->ctx->result, name,
			      (double)plat_percentile(plat, percent), unit, better);
}

/* Mean over threads from a to b of the time each waited for a CPU per run of it, us. */
static uint64_t sched_delay(const struct schbench *s, unsigned int a, unsigned int b)
{
	unsigned long long waited, runs;
	double sum = 0;
	char path[64];
	FILE *file;

	for (unsigned int i = a; i < b; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat",
			 s->pool.threads[i].tid);
		file = fopen(path, "re");
		if (!file)
			continue;
		/* Kernels that do not account print zeros. */
		if (fscanf(file, "%*u %llu %llu", &waited, &runs) == 2 && runs)
			sum += (double)waited / (double)runs;
		fclose(file);
	}
	return (uint64_t)(sum / (double)(b - a) / (double)NSEC_PER_USEC);
}

static void legacy_transfer(const struct schbench *s, const struct sums *sums)
{
	struct workload_result *result = s->ctx->result;
	double ops = rate(s, sums) / (double)s->nr_workers;
	char text[64];

	result_legacy(result, "avg worker transfer: %s",
		      schbench_transfer_text(ops, s->opt->pipe, text, sizeof(text)));
	result_metric(result, "transfers", ops, "ops/s", BETTER_HIGHER);
}

static void legacy_new(const struct schbench *s, const struct sums *sums)
{
	struct workload_result *result = s->ctx->result;
	unsigned int messages = (unsigned int)s->layout.messages;

	table(s, &sums->wakeup_usec, PLAT_WAKEUP);
	table(s, &sums->request_usec, PLAT_REQUEST);
	table(s, &s->rps, PLAT_RPS);
	if (s->opt->auto_rps > 0)
		result_legacy(result, "final rps goal was %llu",
			      (unsigned long long)(s->auto_goal * s->layout.messages));
	else
		result_legacy(result, "average rps: %.2f", rate(s, sums));
	result_legacy(result, "sched delay: message %llu (usec) worker %llu (usec)",
		      (unsigned long long)sched_delay(s, 0, messages),
		      (unsigned long long)sched_delay(s, messages, s->pool.nr));
	plat_metric(s, "legacy_wakeup_p99", "us", &sums->wakeup_usec, 99, BETTER_LOWER);
	plat_metric(s, "legacy_wakeup_p50", "us", &sums->wakeup_usec, 50, BETTER_LOWER);
	plat_metric(s, "legacy_request_p99", "us", &sums->request_usec, 99, BETTER_LOWER);
	plat_metric(s, "legacy_request_p50", "us", &sums->request_usec, 50, BETTER_LOWER);
	plat_metric(s, "legacy_rps_p50", "requests/s", &s->rps, 50, BETTER_HIGHER);
	result_metric(result, "rps", rate(s, sums), "requests/s", BETTER_HIGHER);
}

static void legacy_old_paced(const struct schbench *s, const struct sums *sums)
{
	struct workload_result *result = s->ctx->result;
	unsigned long long p95 = plat_percentile(&sums->wakeup_usec, 95);
	unsigned long long p99 = plat_percentile(&sums->wakeup_usec, 99);
	double work = (double)(s->opt->cputime_ns / NSEC_PER_USEC);
	char ratio[96] = "";

	if (work > 0)
		snprintf(ratio, sizeof(ratio), " p95/cputime %.2f%% p99/cputime %.2f%%",
			 100 * (double)p95 / work, 100 * (double)p99 / work);
	result_legacy(result, "rps: %.2f p95 (usec) %llu p99 (usec) %llu%s",
		      rate(s, sums), p95, p99, ratio);
	result_legacy(result, "final rps was %llu", (unsigned long long)s->opt->rps);
}

static void legacy(const struct schbench *s, const struct sums *sums)
{
	bool old = s->opt->style == STYLE_OLD;

	if (!old && !s->opt->pipe) {
		legacy_new(s, sums);
		return;
	}
	if (old && s->paced)
		legacy_old_paced(s, sums);
	table(s, &sums->wakeup_usec, old ? PLAT_OLD : PLAT_PIPE);
	plat_metric(s, "legacy_wakeup_p99", "us", &sums->wakeup_usec, 99, BETTER_LOWER);
	plat_metric(s, "legacy_wakeup_p50", "us", &sums->wakeup_usec, 50, BETTER_LOWER);
	if (s->opt->pipe)
		legacy_transfer(s, sums);
	else
		result_metric(s->ctx->result, old && !s->paced ? "loops_rate" : "rps",
			      rate(s, sums), old && !s->paced ? "loops/s" : "requests/s",
			      BETTER_HIGHER);
}

/* ---- beside it ---- */

static void describe_work(const struct schbench *s, char *buf, size_t size)
{
	char sleep[UNITS_TEXT_MAX], spin[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	const struct schbench_options *opt = s->opt;
	unsigned long long side = s->side;

	if (opt->pipe)
		snprintf(buf, size, "transfers of %s bytes",
			 format_size(opt->pipe, bytes, sizeof(bytes)));
	else if (opt->style == STYLE_OLD)
		snprintf(buf, size, "spin %s, message threads sleep %s",
			 format_duration_exact(opt->cputime_ns, spin, sizeof(spin)),
			 format_duration_exact(s->sleep_ns, sleep, sizeof(sleep)));
	else
		snprintf(buf, size, "sleep %s, %llu products of %llux%llu",
			 format_duration_exact(s->sleep_ns, sleep, sizeof(sleep)),
			 (unsigned long long)opt->operations, side, side);
}

static void describe(const struct schbench *s)
{
	const struct schbench_layout *layout = &s->layout;
	struct workload_result *result = s->ctx->result;
	char work[80], message[32], worker[32];

	describe_work(s, work, sizeof(work));
	result_text(result, "%llu x (1 + %llu) threads; %s",
		    (unsigned long long)layout->messages,
		    (unsigned long long)layout->workers, work);
	if (cpu_mask_count(&layout->message_cpus) || cpu_mask_count(&layout->worker_cpus))
		result_text(result, "message threads on CPU %s, workers on %s",
			    cpu_mask_count(&layout->message_cpus)
				    ? cpu_mask_format(&layout->message_cpus, message,
						      sizeof(message))
				    : "any",
			    cpu_mask_count(&layout->worker_cpus)
				    ? cpu_mask_format(&layout->worker_cpus, worker,
						      sizeof(worker))
				    : "any");
}

/* Every request that was due in the measurement is one of these. */
static void report_requests(const struct schbench *s, const struct sums *sums)
{
	char asked_text[UNITS_TEXT_MAX], dropped_text[UNITS_TEXT_MAX];
	char missed_text[UNITS_TEXT_MAX], left_text[UNITS_TEXT_MAX];
	uint64_t asked = 0, dropped = 0, missed = 0, out, left;
	struct workload_result *result = s->ctx->result;

	for (uint64_t i = 0; i < s->layout.messages; i++) {
		asked += s->messages[i].asked + s->messages[i].missed;
		dropped += s->messages[i].dropped;
		missed += s->messages[i].missed;
	}
	/* Some that were due before the measurement may have been done in it. */
	out = sums->done + dropped + missed;
	left = asked > out ? asked - out : 0;
	result_text(result, "%s requests due: %s dropped, %s never sent, %s not done",
		    format_count(asked, asked_text, sizeof(asked_text)),
		    format_count(dropped, dropped_text, sizeof(dropped_text)),
		    format_count(missed, missed_text, sizeof(missed_text)),
		    format_count(left, left_text, sizeof(left_text)));
	result_metric(result, "requests_due", (double)asked, "", BETTER_NONE);
	result_metric(result, "requests_dropped", (double)dropped, "", BETTER_LOWER);
	result_metric(result, "requests_never_sent", (double)missed, "", BETTER_LOWER);
	result_metric(result, "requests_not_done", (double)left, "", BETTER_LOWER);
}

static void report_uncounted(const struct schbench *s, const struct sums *sums)
{
	char wakeups[UNITS_TEXT_MAX], requests[UNITS_TEXT_MAX];

	if (!sums->uncounted_wakeups && !sums->uncounted_requests)
		return;
	result_text(s->ctx->result,
		    "%s wakeups and %s requests below 1 us are in no usec table",
		    format_count(sums->uncounted_wakeups, wakeups, sizeof(wakeups)),
		    format_count(sums->uncounted_requests, requests, sizeof(requests)));
}

static void report_work(const struct schbench *s, const struct sums *sums)
{
	double begin = s->ns_per_step_begin, end = s->ns_per_step_end, lost;
	struct workload_result *result = s->ctx->result;

	if (begin > 0 && end > 0) {
		result_text(result,
			    "%.3f ns per multiply-add, %.3f at the end (%+.1f %%)", begin,
			    end, 100 * (end / begin - 1));
		result_metric(result, "multiply_add_start", begin, "ns", BETTER_NONE);
		result_metric(result, "multiply_add_end", end, "ns", BETTER_NONE);
	}
	if (!sums->spin_ns)
		return;
	lost = 100 * (1 - (double)sums->spin_cpu_ns / (double)sums->spin_ns);
	result_text(result, "%.1f %% of the spinning was others' CPU time", lost);
	result_metric(result, "spin_preempted", lost, "%", BETTER_LOWER);
}

static void report_slack(const struct schbench *s)
{
	char text[UNITS_TEXT_MAX];
	uint64_t slack = timer_slack_get();

	result_text(s->ctx->result, "timer slack %s",
		    format_duration_exact(slack, text, sizeof(text)));
	result_metric(s->ctx->result, "timer_slack", (double)slack, "ns", BETTER_NONE);
}

void schbench_report(struct schbench *s)
{
	struct workload_result *result = s->ctx->result;
	struct sums *sums = calloc(1, sizeof(*sums));

	if (!sums) {
		result_text(result, "out of memory for the report");
		return;
	}
	sum_up(s, sums);
	legacy(s, sums);
	describe(s);
	result_latency_report(result, "wakeup", sums->wakeup);
	if (sums->request)
		result_latency_report(result, "request", sums->request);
	if (sums->enqueue_to_done)
		result_latency_report(result, "enqueue_to_done", sums->enqueue_to_done);
	if (s->paced)
		report_requests(s, sums);
	if (s->opt->auto_rps > 0 && !s->auto_settled)
		result_text(result, "--auto-rps did not settle: no RPS percentiles");
	report_uncounted(s, sums);
	report_work(s, sums);
	report_slack(s);
	free(sums);
}
