// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "exit_status.h"
#include "footprint.h"
#include "observer.h"
#include "records.h"
#include "results.h"
#include "runner.h"
#include "series.h"
#include "subject.h"
#include "symbols.h"
#include "tracer.h"
#include "window.h"
#include "workers.h"

#define DRAIN_MAX_NS   (100 * NSEC_PER_MSEC) /* or more, where a ring has room */
#define DRAIN_MIN_NS   (5 * NSEC_PER_MSEC)
#define DRAIN_FIRST_NS (10 * NSEC_PER_MSEC)
#define RECORDS_RATE   180000ULL /* per second and CPU, all at once after silence */
#define PROGRESS_NS    NSEC_PER_SEC
#define RING_MAX_BYTES (4ULL << 20)
#define RING_MIN_BYTES (256ULL << 10)
#define RINGS_BYTES    (64ULL << 20)
#define ERROR_MAX      512

struct session {
	const struct options *options;
	struct machine machine;
	struct caps caps;
	struct settings settings;
	struct cpu_mask cpus;
	int home; /* CPU of this thread */
	int signal_fd;
	bool has_runner;
	struct capture capture;
	struct metric_scan metrics;
	struct runner runner;
	struct tracer *tracer; /* NULL: --no-trace */
	struct window window;
	struct records records;
	struct series series;
	struct results results;
	struct report_files files;
	bool command_knows; /* the terminal sent its Ctrl-C to the command as well */
	struct power power;
	struct power_snapshot power_before, power_after;
	u64 power_ns;	/* last look at its counters */
	u64 started_ns; /* when this program did, CLOCK_MONOTONIC as the next */
	u64 began_ns;	/* when the work began, CLOCK_MONOTONIC */
	u64 cpu_ns;	/* our CPU time at that moment */
	u64 drain_ns;	/* between two looks into the rings */
	char err[ERROR_MAX];
};

static int fail(const struct session *s, int status)
{
	fprintf(stderr, "idletrace: %s\n", s->err);
	return status;
}

static int fail_runner(const struct session *s)
{
	fprintf(stderr, "idletrace: %s\n", s->runner.error);
	return EXIT_STATUS_FAILED;
}

/* From here on Ctrl-C and SIGTERM end the window, not the process. */
static int catch_signals(struct session *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signal_fd < 0 ? -1 : 0;
}

static bool signalled(struct session *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		s->command_knows = !s->results.interrupted && info.ssi_signo == SIGINT &&
				   info.ssi_code == SI_KERNEL;
		s->results.interrupted = true;
	}
	return s->results.interrupted;
}

static int check(struct session *s)
{
	const struct options *o = s->options;

	if (report_files_check(&s->files))
		return EXIT_STATUS_FAILED;
	machine_read(&s->machine);
	subject_cpus(o, &s->machine, &s->cpus);
	if (!o->no_trace &&
	    subject_settings(o, &s->machine, &s->settings, s->err, sizeof(s->err)))
		return fail(s, EXIT_STATUS_USAGE);
	s->home = subject_housekeeping(o, &s->machine, s->err, sizeof(s->err));
	if (s->home < 0)
		return fail(s, EXIT_STATUS_USAGE);
	if (o->interval_ns && !o->series && !o->json && !o->plot && !o->html) {
		snprintf(s->err, sizeof(s->err),
			 "--interval: needs --series, --json, --plot or --html to go to");
		return fail(s, EXIT_STATUS_USAGE);
	}
	if (!o->no_trace && caps_probe(&s->caps, o->btf, s->err, sizeof(s->err)))
		return fail(s, EXIT_STATUS_FAILED);
	return 0;
}

/* The child is forked early, while this process is still small. */
static int start_runner(struct session *s)
{
	const struct options *o = s->options;
	struct runner_options how = {.drop_user = !o->keep_root};
	struct workload_run run = {.duration_ns = o->duration_ns,
				   .warmup_ns = o->warmup_ns};
	int err;

	if (!o->workload && !o->argv)
		return 0;
	if (o->metrics.nr_rules) {
		metric_scan_init(&s->metrics, &o->metrics);
		err = capture_open(&s->capture);
		if (err) {
			snprintf(s->err, sizeof(s->err),
				 "cannot keep the command's output: %s", strerror(-err));
			return fail(s, EXIT_STATUS_FAILED);
		}
		how.out = s->capture.out;
		how.err = s->capture.err;
	}
	if (o->cpus_given)
		run.cpus = o->cpus;
	err = o->workload ? runner_start(&s->runner, &o->config, &run, &how)
			  : runner_start_command(&s->runner, o->argv, &how);
	s->has_runner = true;
	if (err)
		return fail_runner(s);
	s->settings.target_tgid = s->runner.pid;
	return 0;
}

/* All rings together stay below RINGS_BYTES, where the user does not say otherwise. */
static u64 ring_bytes(const struct session *s)
{
	u64 bytes = RING_MAX_BYTES;

	if (s->options->ring_bytes)
		return s->options->ring_bytes;
	while (bytes > RING_MIN_BYTES &&
	       bytes * cpu_mask_count(&s->machine.online) > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static int start_tracer(struct session *s)
{
	const struct options *o = s->options;
	struct tracer_config config = {
		.caps = &s->caps,
		.machine = &s->machine,
		.btf = o->btf,
		.ring_bytes = ring_bytes(s),
	};

	s->settings.own_tgid = getpid();
	s->settings.slowest = o->slowest;
	s->settings.events = o->events;
	s->settings.slow_ns = o->slow_ns;
	s->settings.timers = o->timers;
	config.settings = s->settings;
	pin_to_cpu(s->home);
	/* The rings must be emptied in time on a busy CPU, too. */
	if (o->events != EVENTS_NONE)
		setpriority(PRIO_PROCESS, 0, -20);
	if (records_open(&s->records, o->records, s->err, sizeof(s->err)))
		return fail(s, EXIT_STATUS_FAILED);
	if (series_open(&s->series, o, &s->machine, s->err, sizeof(s->err)))
		return fail(s, EXIT_STATUS_FAILED);
	s->tracer = tracer_open(&config, s->err, sizeof(s->err));
	return s->tracer ? 0 : fail(s, EXIT_STATUS_FAILED);
}

/* Or until a signal comes. */
static void sleep_until(const struct session *s, u64 end)
{
	struct pollfd pfd = {.fd = s->signal_fd, .events = POLLIN};
	u64 now = now_ns(), ns = end > now ? end - now : 0;
	struct timespec time = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};

	ppoll(&pfd, 1, &time, NULL);
}

/* Attaching patches code on every CPU: let that pass, and see that it has. */
static int settle(struct session *s)
{
	const struct options *o = s->options;
	u64 attached = now_ns();

	poke_cpus(&s->machine.online, s->home);
	if (!tracer_sees_switches(s->tracer, &s->machine.online)) {
		tracer_attach_again(s->tracer);
		poke_cpus(&s->machine.online, s->home);
	}
	if (!tracer_sees_switches(s->tracer, &s->machine.online)) {
		snprintf(s->err, sizeof(s->err),
			 "the kernel does not pass its sched_switch events on");
		return fail(s, EXIT_STATUS_FAILED);
	}
	if (!o->no_observer_cost)
		observer_measure(&s->results.observer, s->tracer, &s->machine);
	sleep_until(s, attached + o->settle_ns);
	poke_cpus(&s->machine.online, s->home);
	return 0;
}

static int let_go(struct session *s)
{
	return s->has_runner && runner_go(&s->runner) ? fail_runner(s) : 0;
}

/* The end of the workload cuts it short: the window then finds out. */
static int warm_up(struct session *s)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = runner_fd(&s->runner), .events = POLLIN},
	};
	u64 ns = s->options->warmup_ns;
	struct timespec time = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
	int err = let_go(s);

	if (!err)
		ppoll(fds, 2, &time, NULL);
	return err;
}

/* Of a window that never was there is nothing to report. */
static int may_open(struct session *s)
{
	if (!signalled(s))
		return 0;
	snprintf(s->err, sizeof(s->err), "interrupted before the window was open");
	return fail(s, EXIT_STATUS_FAILED);
}

static int open_window(struct session *s)
{
	struct results *r = &s->results;
	struct observer observer = r->observer;

	if (results_init(r, machine_traced_states(&s->machine),
			 s->machine.possible_cpus) ||
	    window_init(&s->window, &s->machine, &s->cpus)) {
		snprintf(s->err, sizeof(s->err), "out of memory");
		return fail(s, EXIT_STATUS_FAILED);
	}
	r->observer = observer;
	r->date = time(NULL);
	if (s->tracer) {
		s->records.start = r->start = now_ns();
		tracer_rebase(s->tracer);
	}
	window_open(&s->window, s->tracer, s->home, r);
	power_open(&s->power, POWER_SYSFS);
	power_read(&s->power, &s->power_before);
	s->power_ns = now_ns();
	s->cpu_ns = observer_cpu_ns();
	s->began_ns = now_ns();
	series_begin(&s->series, r, &s->window.opened, &s->power, &s->power_before,
		     s->began_ns, s->options->duration_ns);
	r->observer.start_ns = s->began_ns - s->started_ns;
	return s->options->warmup_ns ? 0 : let_go(s);
}

/*
 * The longest time in which no ring fills up, even if work begins out of nothing. With a
 * workload it will, and wakeups of our own matter less than on a machine left alone.
 */
static u64 drain_max_ns(const struct session *s)
{
	u64 ns = ring_bytes(s) / sizeof(union record) * NSEC_PER_SEC / RECORDS_RATE;

	return ns > DRAIN_MAX_NS && !s->has_runner ? ns : DRAIN_MAX_NS;
}

static void drain(struct session *s)
{
	u64 longer = s->drain_ns * 2;
	unsigned int percent = tracer_drain(s->tracer, records_add, &s->records);

	/* Before they are half full, without being a steady source of wakeups. */
	if (percent > 25 && s->drain_ns > DRAIN_MIN_NS)
		s->drain_ns /= 2;
	else if (percent < 5 && s->drain_ns < drain_max_ns(s))
		s->drain_ns = longer < drain_max_ns(s) ? longer : drain_max_ns(s);
}

static void show_progress(const struct session *s, u64 now)
{
	u64 total = s->options->duration_ns, passed = now - s->began_ns;

	if (total)
		fprintf(stderr, "\r%llu of %llu s ",
			(unsigned long long)(passed / NSEC_PER_SEC),
			(unsigned long long)(total / NSEC_PER_SEC));
	else
		fprintf(stderr, "\r%llu s, Ctrl-C ends it ",
			(unsigned long long)(passed / NSEC_PER_SEC));
}

static void clear_progress(void)
{
	fputs("\r                                \r", stderr);
}

/* 1: the work is over, 0: not yet, -1: it failed. */
static int work_is_over(struct session *s, u64 now, bool *stopped)
{
	const struct options *o = s->options;
	u64 end = o->duration_ns ? s->began_ns + o->duration_ns : UINT64_MAX;

	if (!s->has_runner)
		return signalled(s) || now >= end;
	/* A workload ends by itself; a command finishes in its own way after a Ctrl-C. */
	if (!*stopped && signalled(s) && !(o->argv && s->command_knows)) {
		runner_stop(&s->runner);
		*stopped = true;
	}
	return runner_wait(&s->runner, 0) ?: o->argv && now >= end;
}

/* A command whose time is over is ended when the window is closed, not inside it. */
static int end_command(struct session *s)
{
	int over = runner_wait(&s->runner, 0);

	if (!over)
		runner_stop(&s->runner);
	while (!over)
		over = runner_wait(&s->runner, NSEC_PER_SEC);
	runner_end_descendants(&s->runner);
	return over < 0 ? fail_runner(s) : 0;
}

static u64 next_look(const struct session *s, u64 now, bool progress)
{
	const struct options *o = s->options;
	u64 end = o->duration_ns ? s->began_ns + o->duration_ns : UINT64_MAX;
	u64 next = now + (s->has_runner ? NSEC_PER_SEC : POWER_READ_PERIOD);
	u64 due = series_due(&s->series);

	if (s->tracer && o->events != EVENTS_NONE)
		next = now + s->drain_ns;
	else if (progress)
		next = now + PROGRESS_NS;
	if (due < next)
		next = due > now ? due : now;
	return (!s->has_runner || o->argv) && end > now && end < next ? end : next;
}

/* The counters of energy wrap: now and then somebody must look at them. */
static void follow_power(struct session *s, u64 now)
{
	struct power_snapshot unused;

	if (now - s->power_ns < POWER_READ_PERIOD)
		return;
	power_read(&s->power, &unused);
	s->power_ns = now;
}

/* The window is open: as few wakeups of our own as possible. */
static int run_window(struct session *s)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = s->has_runner ? runner_fd(&s->runner) : -1, .events = POLLIN},
	};
	bool progress = isatty(STDERR_FILENO) && !s->options->argv, stopped = false;
	u64 now = now_ns(), next, shown = now;
	struct timespec wait;
	int over;

	s->drain_ns = DRAIN_FIRST_NS;
	while (!(over = work_is_over(s, now, &stopped))) {
		next = next_look(s, now, progress);
		wait.tv_sec = (next - now) / NSEC_PER_SEC;
		wait.tv_nsec = (next - now) % NSEC_PER_SEC;
		ppoll(fds, 2, &wait, NULL);
		now = now_ns();
		if (now > next && now - next > s->results.observer.late_ns)
			s->results.observer.late_ns = now - next;
		if (s->tracer && s->options->events != EVENTS_NONE)
			drain(s);
		if (now >= series_due(&s->series))
			series_take(&s->series, s->tracer, &s->results);
		follow_power(s, now);
		if (progress && now - shown >= PROGRESS_NS) {
			show_progress(s, now);
			shown = now;
		}
	}
	if (progress)
		clear_progress();
	return over < 0 ? fail_runner(s) : 0;
}

static void name_wakers(struct results *r)
{
	char path[64];

	for (u32 i = 0; i < r->nr_slowest; i++) {
		snprintf(path, sizeof(path), "/proc/%u/comm", r->slowest[i].record.waker);
		if (r->slowest[i].record.waker)
			read_line(path, r->slowest[i].waker, sizeof(r->slowest[i].waker));
	}
}

static bool name_function(void *ctx, u64 address, const char *name)
{
	struct results *r = ctx;

	for (u32 i = 0; i < r->nr_timer_users; i++)
		if (r->timer_users[i].owner.function == address)
			snprintf(r->timer_users[i].function,
				 sizeof(r->timer_users[i].function), "%s", name);
	return false;
}

static void read_power(struct session *s)
{
	power_read(&s->power, &s->power_after);
	for (int d = 0; d < POWER_DOMAINS; d++) {
		s->results.has_power |= power_has(&s->power, d);
		power_used(&s->power, &s->power_before, &s->power_after, d,
			   &s->results.power[d]);
	}
}

static void close_window(struct session *s)
{
	struct results *r = &s->results;
	u64 over = now_ns();

	read_power(s);
	series_stop(&s->series, &s->power_after);
	r->observer.cpu_ns = observer_cpu_ns() - s->cpu_ns;
	if (!s->tracer)
		r->duration = now_ns() - s->began_ns;
	window_close(&s->window, s->tracer, s->home, r);
	if (!s->tracer)
		return;
	if (s->options->workload)
		r->workload = runner_result(&s->runner);
	if (r->workload)
		results_take_part(r, &r->workload->cpus);
	tracer_drain(s->tracer, records_add, &s->records);
	tracer_read(s->tracer, r, records_add, &s->records);
	name_wakers(r);
	if (r->nr_timer_users)
		symbols_each(name_function, r);
	r->observer.finish_ns = now_ns() - over;
}

static int pass_output(struct session *s)
{
	int err = capture_finish(&s->capture, &s->metrics);

	if (!err)
		return 0;
	snprintf(s->err, sizeof(s->err), "standard output: %s", strerror(-err));
	return fail(s, EXIT_STATUS_FAILED);
}

static int report(struct session *s, const char *args)
{
	const struct options *o = s->options;
	struct results *r = &s->results;
	int err = pass_output(s);

	r->machine = &s->machine;
	r->caps = &s->caps;
	machine_read(&r->after);
	r->args = args;
	r->traced = s->tracer;
	r->has_others = s->tracer && s->settings.others;
	r->argv = o->argv;
	r->config = o->workload ? &o->config : NULL;
	r->exit_status = s->runner.exit_status;
	r->metrics = o->metrics.nr_rules ? &s->metrics : NULL;
	r->observer.housekeeping = s->home;
	r->series = o->interval_ns ? &s->series : NULL;
	r->observer.memory = footprint_resident("/proc/self/status");
	r->observer.bpf_memory = footprint_bpf("/proc/self/fdinfo");
	subject_text(o, r->filter, sizeof(r->filter));
	if (o->workload && !r->workload)
		r->workload = runner_result(&s->runner);
	if (o->workload && !r->workload)
		return fail_runner(s);
	if (s->tracer) {
		if (records_finish(&s->records, r, s->err, sizeof(s->err)))
			err = fail(s, EXIT_STATUS_FAILED);
		results_finish(r);
		observer_estimate(&r->observer,
				  r->wakeups.latency.count + r->others.latency.count,
				  results_periods(r));
		if (series_finish(&s->series, r, s->err, sizeof(s->err)))
			err = fail(s, EXIT_STATUS_FAILED);
	}
	if (!o->json || strcmp(o->json, "-"))
		report_text(r, o->histogram);
	if (report_files(r, &s->files))
		err = EXIT_STATUS_FAILED;
	return err ? err : results_lossy(r) ? EXIT_STATUS_LOST : 0;
}

static int run(struct session *s, const char *args)
{
	int err = check(s);

	if (err)
		return err;
	if (catch_signals(s)) {
		snprintf(s->err, sizeof(s->err), "signalfd: out of descriptors");
		return fail(s, EXIT_STATUS_FAILED);
	}
	err = start_runner(s);
	if (!err && !s->options->no_trace)
		err = start_tracer(s);
	if (!err && s->tracer)
		err = settle(s);
	if (!err && s->options->warmup_ns)
		err = warm_up(s);
	if (!err)
		err = may_open(s);
	if (!err)
		err = open_window(s);
	if (!err)
		err = run_window(s);
	if (err)
		return err;
	close_window(s);
	if (s->options->argv)
		err = end_command(s);
	if (err)
		return err;
	return report(s, args);
}

int session_run(const struct options *o, const char *args)
{
	struct session *s = calloc(1, sizeof(*s));
	int status;

	if (!s) {
		fprintf(stderr, "idletrace: out of memory\n");
		return EXIT_STATUS_FAILED;
	}
	s->options = o;
	s->files =
		(struct report_files){.json = o->json, .plot = o->plot, .html = o->html};
	s->started_ns = now_ns();
	s->signal_fd = -1;
	status = run(s, args);
	if (s->has_runner)
		runner_destroy(&s->runner);
	pass_output(s);
	tracer_close(s->tracer);
	window_free(&s->window);
	records_close(&s->records);
	series_close(&s->series);
	results_free(&s->results);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	free(s);
	return status;
}
