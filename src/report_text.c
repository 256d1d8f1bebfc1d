// SPDX-License-Identifier: GPL-2.0
/* The text report: one screen that can be pasted into a mail. */
#include "report.h"
#include "series.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

#define LOSS_KIND(field_, one_, many_, meaning_)                                  \
	{                                                                         \
		.name = #field_, .one = one_, .many = many_, .meaning = meaning_, \
		.offset = offsetof(struct loss, field_)                           \
	}

const struct loss_kind loss_kinds[LOSS_KINDS] = {
	LOSS_KIND(ring, "record", "records",
		  "refused by a full ring: gaps in lists, none in tables"),
	LOSS_KIND(orphans, "waking", "wakings",
		  "without a run: the task died, or its run was missed"),
	LOSS_KIND(unmatched, "run", "runs",
		  "after a sleep whose waking was not seen, or a signal ended it"),
	LOSS_KIND(unseen, "switch", "switches", "that this kernel did not trace ..."),
	LOSS_KIND(unseen_runs, "...", "...", "of them to a task that had been woken"),
	LOSS_KIND(map_full, "time", "times", "no memory for a task"),
	LOSS_KIND(negative, "run", "runs", "before the waking, by the clock"),
	LOSS_KIND(recursion, "event", "events",
		  "that BPF skipped: it was already running there"),
	LOSS_KIND(unpaired, "idle entry", "idle entries",
		  "without an exit, or the reverse"),
	LOSS_KIND(wrapped, "wakeup", "wakeups", "that no histogram has"),
};

const char *report_state(const struct results *r, u32 state, char *buf, size_t size)
{
	return machine_state_name(r->machine, state, buf, size);
}

unsigned int report_cpus(const struct results *r)
{
	unsigned int n = 0;

	for (u32 i = 0; i < r->nr_cpus; i++)
		n += r->cpus[i].in_window;
	return n;
}

unsigned int report_kernel_cpus(const struct results *r)
{
	unsigned int n = 0;

	for (u32 i = 0; i < r->nr_cpus; i++)
		n += r->cpus[i].in_window && r->cpus[i].has_kernel;
	return n;
}

/* The workload's options that the user gave, as he would write them. */
static void add_options(struct line *l, const struct workload_config *config)
{
	const struct workload *w = config->workload;
	char text[256];

	for (unsigned int i = 0; i < w->nr_options; i++) {
		if (!(config->given >> i & 1))
			continue;
		workload_option_text(config, i, text, sizeof(text));
		line_add(l, " --%s", w->options[i].name);
		if (w->options[i].type != OPTION_BOOL || strcmp(text, "yes"))
			line_add(l, " %s", text);
	}
}

static void add_subject(struct line *l, const struct results *r)
{
	if (r->config) {
		line_add(l, "%s", r->config->workload->name);
		add_options(l, r->config);
		if (r->workload && r->workload->nr_threads)
			line_add(l, ", %u threads", r->workload->nr_threads);
	} else if (r->argv) {
		for (char **arg = r->argv; *arg; arg++)
			line_add(l, "%s%s", arg == r->argv ? "" : " ", *arg);
		line_add(l, ", exit status %d", r->exit_status);
	} else {
		line_add(l, "profile of %s", r->filter[0] ? r->filter : "all tasks");
	}
	if (r->filter[0] && (r->config || r->argv))
		line_add(l, ", %s", r->filter);
}

static void add_duration(struct line *l, const struct results *r)
{
	const struct workload_result *w = r->workload;
	u64 duration = r->duration;
	char text[UNITS_TEXT_MAX];

	if (!r->traced)
		duration = w && w->end_ns > w->start_ns ? w->end_ns - w->start_ns : 0;
	if (duration)
		line_add(l, ", %s", format_duration(duration, text, sizeof(text)));
	if (r->interrupted || (w && w->stopped))
		line_add(l, ", ended early");
	if (!r->traced)
		line_add(l, ", not traced");
}

static void add_cpus(struct line *l, const struct results *r)
{
	unsigned int online = cpu_mask_count(&r->machine->online),
		     observed = report_cpus(r);

	if (r->traced && observed != online)
		line_add(l, ", %u of %u CPUs", observed, online);
	else
		line_add(l, ", %u CPU%s", online, online == 1 ? "" : "s");
}

static void print_machine(const struct machine *m)
{
	struct line l = {.indent = 2};

	line_add(&l, "kernel %s %s", m->kernel, m->arch);
	if (m->hz)
		line_add(&l, ", HZ %u", m->hz);
	if (m->cpufreq_governor[0])
		line_add(&l, ", cpufreq %s", m->cpufreq_governor);
	if (machine_has_driver(m))
		line_add(&l, ", cpuidle %s/%s", m->driver, m->governor);
	else
		line_add(&l, ", no cpuidle driver");
	line_end(&l);
	if (!machine_has_driver(m))
		return;
	l.used = 0;
	line_add(&l, "states with target residency in us:");
	for (unsigned int i = 0; i < m->nr_states; i++)
		line_add(&l, "%s %s %llu%s", i ? "," : "", m->states[i].name,
			 (unsigned long long)m->states[i].residency_us,
			 m->states[i].disabled ? " (disabled)" : "");
	line_end(&l);
}

static void print_change(const char *what, const char *before, const char *after)
{
	if (strcmp(before, after))
		report_line(2, "CHANGED in the window: %s %s to %s", what,
			    *before ? before : "none", *after ? after : "none");
}

/* A run during which the machine changed says so: it is two runs in one. */
static void print_changes(const struct machine *before, const struct machine *after)
{
	char was[32], is[32];

	print_change("cpuidle driver", before->driver, after->driver);
	print_change("cpuidle governor", before->governor, after->governor);
	print_change("cpufreq governor", before->cpufreq_governor,
		     after->cpufreq_governor);
	print_change("online CPUs", cpu_mask_format(&before->online, was, sizeof(was)),
		     cpu_mask_format(&after->online, is, sizeof(is)));
	for (unsigned int i = 0; i < before->nr_states && i < after->nr_states; i++) {
		snprintf(was, sizeof(was), "state %s", before->states[i].name);
		print_change(was, before->states[i].disabled ? "disabled" : "enabled",
			     after->states[i].disabled ? "disabled" : "enabled");
	}
}

static void print_header(const struct results *r)
{
	struct line l = {.indent = 2};

	line_add(&l, "idletrace %s: ", IDLETRACE_VERSION);
	add_subject(&l, r);
	add_duration(&l, r);
	add_cpus(&l, r);
	line_end(&l);
	print_machine(r->machine);
	if (r->traced)
		print_changes(r->machine, &r->after);
}

/* Lines of their own, each ended by a newline. */
static void print_lines(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		report_line(4, "%.*s", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void print_workload(const struct workload_result *w)
{
	if (!w->legacy[0] && !w->text[0])
		return;
	putchar('\n');
	/* As the original prints it, tabs and all. */
	fputs(w->legacy, stdout);
	print_lines(w->text);
}

static void print_sources(const struct results *r)
{
	char share[UNITS_TEXT_MAX];
	struct line l;
	bool any = false;

	line_begin(&l, "WOKEN BY");
	for (int i = SOURCE_UNKNOWN + 1; i <= SOURCES; i++) {
		enum wake_source s = i % SOURCES; /* unknown ones last */

		if (!r->wakeups.sources[s].count)
			continue;
		line_add(&l, "%s%s %s", any ? "  " : "", source_name(s),
			 format_share(r->wakeups.sources[s].count,
				      r->wakeups.latency.count, share, sizeof(share)));
		any = true;
	}
	if (!any)
		line_add(&l, "-: no wakeups");
	line_end(&l);
}

static void print_ends(const struct results *r)
{
	char timer[UNITS_TEXT_MAX], tick[UNITS_TEXT_MAX], early[UNITS_TEXT_MAX];
	u64 end[ENDS] = {0}, whole = 0;
	struct line l;

	for (u32 state = 0; state < r->nr_states; state++)
		for (int i = 0; i < ENDS; i++)
			end[i] += r->idle[state].end[i];
	for (int i = 0; i < ENDS; i++)
		whole += end[i];
	line_begin(&l, "IDLE ENDS");
	if (whole && !r->caps->tick_function)
		line_add(&l, "timer or tick %s  intercepted %s",
			 format_share(end[END_TIMER] + end[END_TICK], whole, timer,
				      sizeof(timer)),
			 format_share(end[END_INTERCEPTED], whole, early, sizeof(early)));
	else if (whole)
		line_add(&l, "timer %s  tick %s  intercepted %s",
			 format_share(end[END_TIMER], whole, timer, sizeof(timer)),
			 format_share(end[END_TICK], whole, tick, sizeof(tick)),
			 format_share(end[END_INTERCEPTED], whole, early, sizeof(early)));
	else
		line_add(&l, "-: no idle periods");
	line_add(&l, whole ? " of %s periods" : "",
		 format_count(whole, timer, sizeof(timer)));
	line_end(&l);
}

static void print_timers(const struct results *r)
{
	char name[32], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX];
	struct unit unit = unit_for(0);
	struct line l;
	bool any = false;

	line_begin(&l, "TIMERS");
	for (u32 i = 0; i <= r->nr_states; i++)
		if (r->timers[i].late.count &&
		    hist_percentile(&r->timers[i].late, 99) >= 10 * NSEC_PER_SEC)
			unit = unit_for(r->timers[i].late.max);
	for (u32 i = 0; i <= r->nr_states; i++) {
		const struct hist *late = &r->timers[i].late;

		if (!late->count)
			continue;
		if (!any)
			line_add(&l, "late p50/p99 %s:", unit.name);
		any = true;
		if (i < r->nr_states)
			report_state(r, i, name, sizeof(name));
		line_add(&l, "  %s %s/%s", i < r->nr_states ? name : "running",
			 format_percentile(late, 50, unit, p50, sizeof(p50)),
			 format_percentile(late, 99, unit, p99, sizeof(p99)));
	}
	if (!any)
		line_add(&l, "-: %s",
			 r->caps->hrtimer ? "none expired"
					  : "this kernel's timers cannot be read");
	if (r->timers_other_clock)
		line_add(&l, "; %s of other clocks",
			 format_count(r->timers_other_clock, p50, sizeof(p50)));
	line_end(&l);
}

static void print_deep_cost(const struct results *r, struct line *l)
{
	u64 wakeups = 0, unknown = 0;
	char text[UNITS_TEXT_MAX], each[UNITS_TEXT_MAX];
	s64 time = 0;

	for (u32 i = 0; i < r->nr_states; i++) {
		if (!r->deep[i].known) {
			unknown += r->deep[i].wakeups;
			continue;
		}
		wakeups += r->deep[i].wakeups;
		time += r->deep[i].time;
	}
	line_add(l, "too deep: ");
	if (wakeups) {
		double ns = time < 0 ? -(double)time : (double)time;

		line_add(l, "%s wakeups waited ",
			 format_count(wakeups, text, sizeof(text)));
		line_add(l, "%s %s, %s in all",
			 format_duration((u64)(ns / (double)wakeups), each, sizeof(each)),
			 time < 0 ? "less" : "longer",
			 format_duration((u64)ns, text, sizeof(text)));
	} else if (!unknown) {
		line_add(l, "no wakeups");
	}
	if (unknown)
		line_add(l, "%sunknown for %s: no hits in the right state",
			 wakeups ? "; " : "", format_count(unknown, text, sizeof(text)));
	line_end(l);
}

static void print_shallow_cost(const struct results *r, struct line *l)
{
	char time[UNITS_TEXT_MAX], entered[32], right[32];
	bool any = false;

	line_add(l, "too shallow: ");
	for (u32 i = 0; i < r->nr_states; i++)
		for (u32 j = 0; j < r->nr_states; j++) {
			if (!r->shallow_cost[i][j])
				continue;
			line_add(l, "%s%s in %s instead of %s", any ? ", " : "",
				 format_duration(r->shallow_cost[i][j], time,
						 sizeof(time)),
				 report_state(r, i, entered, sizeof(entered)),
				 report_state(r, j, right, sizeof(right)));
			any = true;
		}
	if (!any)
		line_add(l, "no time");
	line_end(l);
}

static void print_cost(const struct results *r)
{
	struct line l;

	line_begin(&l, "COST");
	if (!machine_has_driver(r->machine)) {
		line_add(&l, "unknown: without a cpuidle driver there are no verdicts");
		line_end(&l);
		return;
	}
	print_deep_cost(r, &l);
	line_begin(&l, "");
	print_shallow_cost(r, &l);
}

static void print_checks(const struct results *r)
{
	char text[UNITS_TEXT_MAX], kernel[UNITS_TEXT_MAX];
	struct line l;

	line_begin(&l, "CHECKS");
	line_add(&l, "switches: %s traced, ",
		 format_count(r->switches, text, sizeof(text)));
	line_add(&l, "%s by the kernel",
		 r->kernel_switches_known
			 ? format_count(r->kernel_switches, kernel, sizeof(kernel))
			 : "-");
	if (r->rule_checked) {
		line_add(&l, "; verdict rule wrong in %s",
			 format_count(r->rule_wrong, text, sizeof(text)));
		line_add(&l, " of %s", format_count(r->rule_checked, text, sizeof(text)));
	}
	if (r->unslept)
		line_add(&l, "; %s wakings of tasks not asleep",
			 format_count(r->unslept, text, sizeof(text)));
	line_end(&l);
}

static void print_power(const struct results *r)
{
	struct line l;
	bool any = false;

	if (!r->has_power)
		return;
	line_begin(&l, "POWER");
	for (int d = 0; d < POWER_DOMAINS; d++) {
		if (!r->power[d].known)
			continue;
		line_add(&l, "%s%s %.2f W, %.1f J", any ? "; " : "", power_domain_name(d),
			 r->power[d].watts, (double)r->power[d].energy_uj / 1e6);
		any = true;
	}
	if (!any)
		line_add(&l, "-: %s", r->power[POWER_PACKAGE].reason);
	line_end(&l);
}

/* Rings fill up while the loader is away. */
static void print_late(const struct results *r)
{
	char text[UNITS_TEXT_MAX];
	struct line l;

	line_begin(&l, "");
	line_add(&l,
		 "the loader woke up to %s later than it had wanted to; "
		 "--ring-size makes rings larger",
		 format_duration(r->observer.late_ns, text, sizeof(text)));
	line_end(&l);
}

static void print_loss(const struct results *r)
{
	char text[UNITS_TEXT_MAX];
	struct line l;
	bool any = false;

	for (int i = 0; i < LOSS_KINDS; i++) {
		u64 n = loss_count(&r->loss, &loss_kinds[i]);

		if (!n)
			continue;
		line_begin(&l, any ? "" : "LOSS");
		line_add(&l, "%s %s %s", format_count(n, text, sizeof(text)),
			 n == 1 ? loss_kinds[i].one : loss_kinds[i].many,
			 loss_kinds[i].meaning);
		line_end(&l);
		any = true;
	}
	if (r->loss.ring)
		print_late(r);
	if (any)
		return;
	line_begin(&l, "LOSS");
	line_add(&l, "nothing lost; %s record%s",
		 format_count(r->records, text, sizeof(text)),
		 r->records == 1 ? "" : "s");
	line_end(&l);
}

static char *known_ns(bool known, double ns, char *buf, size_t size)
{
	snprintf(buf, size, known ? "%.0f" : "-", ns);
	return buf;
}

static const char *known_mib(u64 bytes, char *buf, size_t size)
{
	snprintf(buf, size, bytes ? "%.1f" : "-", (double)bytes / (1 << 20));
	return buf;
}

static void print_observer(const struct results *r)
{
	const struct observer *o = &r->observer;
	double seconds = (double)r->duration / NSEC_PER_SEC;
	char share[UNITS_TEXT_MAX], text[UNITS_TEXT_MAX], total[UNITS_TEXT_MAX];
	struct line l;

	line_begin(&l, "OBSERVER");
	if (o->wakeup_known)
		line_add(&l, "BPF %s ns per wakeup (%.0f, and %s per idle period); ",
			 known_ns(o->estimated, o->bpf_ns_per_wakeup, total,
				  sizeof(total)),
			 o->bpf_ns_wakeup,
			 known_ns(o->period_known, o->bpf_ns_period, text, sizeof(text)));
	else
		line_add(&l, "BPF - (not measured); ");
	line_add(&l, "loader %s of CPU %u, ",
		 format_share(o->cpu_ns, r->duration, share, sizeof(share)),
		 o->housekeeping);
	line_add(&l, "%s wakeups", format_count(o->wakeups, text, sizeof(text)));
	if (r->duration)
		line_add(&l, " (%.1f/s)", (double)o->wakeups / seconds);
	line_end(&l);
	line_begin(&l, "");
	line_add(&l, "start %.2f s, finish %.2f s; memory %s MiB, ",
		 (double)o->start_ns / NSEC_PER_SEC, (double)o->finish_ns / NSEC_PER_SEC,
		 known_mib(o->memory, text, sizeof(text)));
	line_add(&l, "%s MiB in the kernel",
		 known_mib(o->bpf_memory, text, sizeof(text)));
	line_end(&l);
}

static void print_series(const struct results *r)
{
	const struct series *s = r->series;
	char every[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];
	struct line l;

	if (!s)
		return;
	line_begin(&l, "INTERVALS");
	line_add(&l, "%s of %s", format_count(s->count, count, sizeof(count)),
		 format_duration_exact(s->every, every, sizeof(every)));
	if (s->path)
		line_add(&l, ", in %s", s->path);
	if (s->in_json)
		line_add(&l, ", in the JSON");
	line_end(&l);
}

void report_text(const struct results *r, bool histogram)
{
	print_header(r);
	if (r->workload)
		print_workload(r->workload);
	if (r->metrics)
		report_metrics(r->metrics);
	if (!r->traced)
		return;
	report_wakeups(r);
	report_idle(r);
	putchar('\n');
	print_sources(r);
	print_ends(r);
	print_timers(r);
	print_cost(r);
	print_power(r);
	print_checks(r);
	print_loss(r);
	print_observer(r);
	print_series(r);
	report_timer_users(r);
	report_slowest(r);
	if (histogram)
		report_histogram(r);
}
