// SPDX-License-Identifier: GPL-2.0
#include "report_fixtures.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct fixture_options {
	uint64_t threads;
	uint64_t arrival;
	double load;
	bool pin;
	int mode;
	struct cpu_mask where;
};

static const char *const modes[] = {"periodic", "single", NULL};

static const struct workload_option options[] = {
	{.name = "threads",
	 .def = "1",
	 .type = OPTION_COUNT,
	 OPTION_FIELD(struct fixture_options, threads)},
	{.name = "arrival",
	 .def = "20us",
	 .type = OPTION_DURATION,
	 .word = "auto",
	 .word_value = 0,
	 OPTION_FIELD(struct fixture_options, arrival)},
	{.name = "load",
	 .def = "12.5",
	 .type = OPTION_NUMBER,
	 OPTION_FIELD(struct fixture_options, load)},
	{.name = "pin",
	 .def = "no",
	 .type = OPTION_BOOL,
	 OPTION_FIELD(struct fixture_options, pin)},
	{.name = "mode",
	 .def = "periodic",
	 .type = OPTION_ENUM,
	 .choices = modes,
	 OPTION_FIELD(struct fixture_options, mode)},
	{.name = "where",
	 .def = "auto",
	 .type = OPTION_CPULIST,
	 .word = "auto",
	 OPTION_FIELD(struct fixture_options, where)},
};

/* count values that spread from low to 16 * low. */
static void fill(struct hist *h, u64 count, u64 low)
{
	for (u64 i = 0; i < count; i++)
		hist_add(h, low + low * (i * i % 251) / 250 * (i % 16));
}

/* A row, its phases, and a part in the sources. */
static void add_wakeups(struct wakeups *w, u32 slot, u64 count, u64 low,
			enum wake_source source)
{
	struct wakeup_row *row = &w->rows[slot];

	fill(&row->latency, count, low);
	hist_merge(&w->sources[source], &row->latency);
	if (row->class == CLASS_IDLE || row->class == CLASS_QUEUED) {
		fill(&row->exit, count, low / 2 + 1);
		fill(&row->queue, count, low / 3 + 1);
	}
}

static void init_machine(struct machine *m, unsigned int cpus, const char *driver)
{
	memset(m, 0, sizeof(*m));
	strcpy(m->kernel, "6.14.0-rc1");
	strcpy(m->arch, "x86_64");
	strcpy(m->driver, driver);
	strcpy(m->governor, "menu");
	m->possible_cpus = cpus;
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		cpu_mask_set(&m->online, cpu);
}

static void init(struct fixture *f, unsigned int cpus, u32 states)
{
	struct results *r = &f->results;

	assert_int_equal(results_init(r, states, cpus), 0);
	r->machine = &f->machine;
	r->caps = &f->caps;
	r->after = f->machine;
	r->args = "idletrace --workload fixture --threads 500";
	r->date = 1738368000;
	r->traced = true;
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		r->cpus[cpu].in_window = true;
		r->cpus[cpu].start = 1000000000ULL + cpu * 1000;
		r->cpus[cpu].end = r->cpus[cpu].start + 30000000000ULL;
		r->cpus[cpu].switches = 100 + cpu;
	}
}

static void init_workload(struct fixture *f)
{
	char err[256];
	struct workload_result *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	f->workload =
		(struct workload){.name = "fixture",
				  .options = options,
				  .nr_options = sizeof(options) / sizeof(options[0]),
				  .options_size = sizeof(struct fixture_options)};
	assert_int_equal(workload_config_init(&f->config, &f->workload), 0);
	assert_int_equal(
		workload_parse_option(&f->config, "threads", "500", err, sizeof(err)), 0);
	assert_int_equal(workload_parse_option(&f->config, "pin", NULL, err, sizeof(err)),
			 0);
	w->start_ns = 1000000000;
	w->end_ns = 31000000000;
	w->nr_threads = 3;
	for (int i = 0; i < 3; i++)
		w->threads[i] = (struct workload_thread){4711 + i, true, 1234567 + i};
	strcpy(w->legacy, "wakeup cost (periodic, 20us): 3331nSec\n");
	strcpy(w->text,
	       "every wakeup: p50 2.91 us, p99 12.4 us\n  achieved period 1.71 ms\n");
	result_metric(w, "cost_p90", 3331, "ns", BETTER_LOWER);
	result_metric(w, "load", 0.0 / 0.0, "", BETTER_NONE);
	fill(result_latency(w, "wakeup"), 100, 2000);
	f->result = w;
	f->results.config = &f->config;
	f->results.workload = w;
}

static void init_states(struct machine *m)
{
	static const struct idle_state states[] = {
		{"POLL", "CPUIDLE CORE POLL IDLE", 0, 0, false},
		{"C1_ACPI", "ACPI FFH MWAIT 0x0", 1, 1, false},
		{"C2_ACPI", "ACPI FFH MWAIT 0x30", 120, 360, true},
		{"C3_ACPI", "ACPI FFH MWAIT 0x60", 1034, 3102, false},
	};

	m->nr_states = 4;
	memcpy(m->states, states, sizeof(states));
}

/* Periods of all verdicts in one state on one CPU, and what the kernel counted of them.
 */
static void add_periods(struct cpu_row *cpu, u32 state, u64 hit, u64 deep, u64 shallow)
{
	struct idle_row *row = &cpu->state[state];

	row->requested = hit + deep + shallow + state;
	row->entered = hit + deep + shallow;
	row->verdict[VERDICT_HIT] = hit;
	row->verdict[VERDICT_TOO_DEEP] = deep;
	row->verdict[VERDICT_TOO_SHALLOW] = shallow;
	row->verdict[VERDICT_REJECTED] = state;
	row->end[END_TIMER] = hit;
	row->end[END_TICK] = deep;
	row->end[END_INTERCEPTED] = shallow;
	row->time = 1000000000ULL * (state + 1);
	row->kernel = (struct state_usage){.usage = row->entered,
					   .time_us = row->time / 1000,
					   .above = deep,
					   .below = shallow,
					   .rejected = state};
	if (state + 1 < STATES_MAX)
		row->shallow_time[state + 1] = shallow * 10000;
	if (state)
		row->deep_wakeups[state - 1] = deep;
	if (state)
		row->deep_exit[state - 1] = deep * 9000;
}

static void add_slowest(struct results *r, u32 n)
{
	static const enum wake_source sources[] = {SOURCE_TIMER, SOURCE_REMOTE,
						   SOURCE_IRQ, SOURCE_LOCAL};

	for (u32 i = 0; i < n; i++) {
		struct slow_wakeup *slow = &r->slowest[i];
		struct wakeup_record *w = &slow->record;

		w->class = i % CLASSES;
		w->state = i % r->nr_states;
		w->verdict = i % VERDICTS;
		w->source = sources[i % 4];
		w->cpu = i;
		w->pid = 4000000 + i;
		w->waker = i % 3 ? 100 + i : 0;
		w->time = 1000000000ULL + 412345678ULL * i;
		w->latency = 913000 - 1000 * i;
		w->exit = i % 2 ? 350000 : 0;
		w->late = 3100;
		memcpy(w->comm, "fixture-worker-", 15);
		if (i % 3 == 1)
			strcpy(slow->waker, "ksoftirqd/\xff\x01");
	}
	r->nr_slowest = n;
}

static void lose(struct loss *loss, u64 n)
{
	u64 *kind = (u64 *)loss;

	for (size_t i = 0; i < sizeof(*loss) / sizeof(*kind); i++)
		kind[i] = n;
}

static void add_tasks(struct results *r, u32 n)
{
	r->tasks = calloc(n, sizeof(*r->tasks));
	assert_non_null(r->tasks);
	r->nr_tasks = n;
	for (u32 i = 0; i < n; i++)
		r->tasks[i] =
			(struct task_row){100 + i, "task", i, i * 1000, 1000, i % SCOPES};
}

void fixture_driver(struct fixture *f)
{
	struct results *r = &f->results;

	memset(f, 0, sizeof(*f));
	init_machine(&f->machine, 12, "intel_idle");
	strcpy(f->machine.cpufreq_governor, "performance");
	f->machine.hz = 1000;
	init_states(&f->machine);
	f->caps.rejected = f->caps.hrtimer = true;
	f->caps.tick_function = 1;
	init(f, 12, 4);
	init_workload(f);
	add_wakeups(&r->wakeups, CLASS_RUNNING, 31004, 4100, SOURCE_LOCAL);
	add_wakeups(&r->wakeups, CLASS_QUEUED, 19613, 3300, SOURCE_REMOTE);
	for (u32 state = 0; state < 4; state++) {
		add_wakeups(&r->wakeups, IDLE_SLOT(state, VERDICT_HIT),
			    14120 - state * 1000, 1020 * (state + 1), SOURCE_TIMER);
		if (state > 1)
			add_wakeups(&r->wakeups, IDLE_SLOT(state, VERDICT_TOO_DEEP), 1022,
				    2300 * state, SOURCE_IRQ);
		if (state < 3)
			add_wakeups(&r->wakeups, IDLE_SLOT(state, VERDICT_TOO_SHALLOW), 1,
				    5000, SOURCE_UNKNOWN);
		fill(&r->residency[state], 14000, 900 << 3 * state);
		fill(&r->timers[state].late, 10, 1200 << state);
		r->timers[state].expired = 10;
		r->timers[state].tick = 3;
	}
	for (u32 cpu = 0; cpu < 12; cpu++) {
		r->cpus[cpu].has_kernel = true;
		for (u32 state = 0; state < 4; state++)
			add_periods(&r->cpus[cpu], state, 10000 + cpu, state * 500,
				    (3 - state) * 400);
	}
	fill(&r->others.rows[CLASS_RUNNING].latency, 777, 5000);
	r->has_others = true;
	r->switches = 987654;
	r->kernel_switches = 987655;
	r->unslept = 4321;
	r->rule_checked = 123456;
	r->has_power = true;
	r->power[POWER_PACKAGE] = (struct power_use){true, 31.25, 937500000, 2, ""};
	r->records = 65432;
	lose(&r->loss, 12);
	r->observer = (struct observer){.wakeup_known = true,
					.period_known = true,
					.bpf_ns_wakeup = 184.5,
					.bpf_ns_period = 1200.25,
					.cpu_idle_ns = 99.75,
					.measured_wakeups = 20000,
					.estimated = true,
					.bpf_ns_per_wakeup = 284.25,
					.cpu_ns = 120000000,
					.wakeups = 118,
					.late_ns = 61250000,
					.housekeeping = 11,
					.start_ns = 412345678,
					.finish_ns = 23456789,
					.memory = 15 << 20,
					.bpf_memory = 7 << 19};
	add_slowest(r, 5);
	add_tasks(r, 3);
	results_finish(r);
}

void fixture_no_driver(struct fixture *f)
{
	struct results *r = &f->results;

	memset(f, 0, sizeof(*f));
	init_machine(&f->machine, 2, "none");
	init(f, 2, 2);
	strcpy(r->filter, "--comm foo*");
	add_wakeups(&r->wakeups, CLASS_RUNNING, 2001, 4100, SOURCE_LOCAL);
	add_wakeups(&r->wakeups, CLASS_ABORTED, 31, 2100, SOURCE_LOCAL);
	add_wakeups(&r->wakeups, IDLE_SLOT(1, VERDICT_UNKNOWN), 9001, 31700,
		    SOURCE_REMOTE);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		struct idle_row *row = &r->cpus[cpu].state[1];

		row->requested = row->entered = row->verdict[VERDICT_UNKNOWN] = 4800;
		row->end[END_INTERCEPTED] = 4800;
		row->time = 28000000000ULL;
	}
	fill(&r->residency[1], 9600, 400000);
	add_slowest(r, 2);
	r->switches = 22000;
	r->records = 12;
	results_finish(r);
}

void fixture_large(struct fixture *f)
{
	struct results *r = &f->results;
	const u64 huge = 123456789012ULL;

	memset(f, 0, sizeof(*f));
	init_machine(&f->machine, CPUS_MAX, "a_driver_of_31_characters_xxxxx");
	f->machine.nr_states = STATES_MAX;
	for (int i = 0; i < STATES_MAX; i++) {
		memcpy(f->machine.states[i].name, "cpu-retention-0", 16);
		f->machine.states[i].name[14] = (char)('0' + i);
		f->machine.states[i].residency_us = 100000000;
	}
	f->caps.rejected = f->caps.hrtimer = true;
	init(f, CPUS_MAX, STATES_MAX);
	strcpy(r->after.governor, "teo");
	r->after.online.bits[0] = 0x5555555555555555UL;
	r->after.states[3].disabled = true;
	for (u32 slot = 0; slot < r->wakeups.nr_rows; slot++) {
		struct wakeup_row *row = &r->wakeups.rows[slot];

		add_wakeups(&r->wakeups, slot, 100, 20000000000ULL, SOURCE_TIMER);
		row->latency.count += huge;
		row->latency.bucket[HIST_BUCKETS - 1] += huge;
		row->latency.max = 100000 * NSEC_PER_SEC;
		r->wakeups.sources[SOURCE_TIMER].count += huge;
	}
	for (u32 cpu = 0; cpu < CPUS_MAX; cpu++) {
		r->cpus[cpu].has_kernel = cpu % 2;
		for (u32 state = 0; state < STATES_MAX; state++)
			add_periods(&r->cpus[cpu], state, 99999999 + cpu, 7, 7);
	}
	r->cpus[1].state[2].kernel.above += 3;
	r->cpus[1].state[2].kernel.usage -= 1;
	lose(&r->loss, huge);
	add_slowest(r, SLOWEST_MAX);
	results_finish(r);
}

void fixture_empty(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	init_machine(&f->machine, 1, "");
	f->machine.governor[0] = '\0';
	init(f, 1, 2);
	results_finish(&f->results);
}

void fixture_free(struct fixture *f)
{
	if (f->config.values)
		workload_config_free(&f->config);
	free(f->result);
	results_free(&f->results);
}

void (*const report_fixtures[FIXTURES])(struct fixture *f) = {
	fixture_driver, fixture_no_driver, fixture_large, fixture_empty};
