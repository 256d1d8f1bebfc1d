// SPDX-License-Identifier: GPL-2.0
/*
 * spawn: a task is started, its end awaited, and then the next one: there is never more
 * than one to run, but it is a new one each time, for which the scheduler chooses a CPU
 * that may have been idle. A shell script does that, or the test-suite of git.
 *
 * A new task does its work, if any, and then executes a program that does nothing, or
 * ends without. --reference pins the same to one CPU, before the run and not traced.
 *
 * Latencies: start is from the call that makes a task to that task's first instruction,
 * task is until its end has been awaited.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"
#include "workers.h"

#define MAX_WORK_NS    NSEC_PER_SEC
#define MAX_WORK_UNITS 1000000000ULL
#define NO_REFERENCE   UINT64_MAX
#define KICK_PERIOD    (10 * NSEC_PER_MSEC)

enum { METHOD_FORK_EXEC, METHOD_VFORK_EXEC, METHOD_FORK, METHOD_VFORK };

struct spawn_options {
	uint64_t loops;
	uint64_t reference; /* a CPU */
	uint64_t reference_ns;
	char *work;
	char *program;
	int method;
};

static const char *const methods[] = {"fork-exec", "vfork-exec", "fork", "vfork", NULL};

static const struct workload_option options[] = {
	{
		.name = "work",
		.help = "of each task, before it executes the program; a time up to 1s "
			"or units",
		.unit = "TIME|UNITS",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "0",
		OPTION_FIELD(struct spawn_options, work),
	},
	{
		.name = "method",
		.help = "fork and vfork execute nothing, the task just ends",
		.type = OPTION_ENUM,
		.choices = methods,
		.def = "fork-exec",
		OPTION_FIELD(struct spawn_options, method),
	},
	{
		.name = "program",
		.help = "executed by each task, without arguments; its output is dropped",
		.unit = "PATH",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "/bin/true",
		OPTION_FIELD(struct spawn_options, program),
	},
	{
		.name = "loops",
		.help = "tasks, one after the other; 0: until the duration is over",
		.type = OPTION_COUNT,
		.def = "0",
		OPTION_FIELD(struct spawn_options, loops),
	},
	{
		.name = "reference",
		.help = "CPU to which the same is pinned before the run, to compare; "
			"it is not traced",
		.unit = "CPU",
		.type = OPTION_COUNT,
		.word = "none",
		.word_value = NO_REFERENCE,
		.max = CPU_MASK_MAX - 1,
		.def = "none",
		OPTION_FIELD(struct spawn_options, reference),
	},
	{
		.name = "reference-time",
		.help = "for how long",
		.type = OPTION_DURATION,
		.min = 10 * NSEC_PER_MSEC,
		.max = 30 * NSEC_PER_SEC,
		.def = "2s",
		OPTION_FIELD(struct spawn_options, reference_ns),
	},
};

/* Written by the tasks. */
struct notes {
	uint64_t begun_ns;
	int exec_errno;
};

/* A series of tasks. */
struct series {
	uint64_t start_ns, end_ns; /* those between count */
	uint64_t goal;		   /* ends after so many */
	uint64_t pids, failed;
	uint64_t first_ns, last_ns; /* beginning of the first, end of the last */
	struct hist *start, *task;  /* may be NULL */
};

struct spawn {
	struct workload_ctx *ctx;
	const struct spawn_options *opt;
	struct notes *notes; /* mapped */
	pid_t pid;	     /* our own */
	bool has_timer;
	timer_t timer;
	uint64_t units;
	struct work_calibration calibration;
	struct series run, reference;
};

/* ---- without timing ---- */

double spawn_rate(uint64_t pids, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)pids * (double)NSEC_PER_SEC / (double)elapsed_ns : 0;
}

double spawn_ratio(double reference, double rate)
{
	return rate > 0 ? reference / rate : 0;
}

char *spawn_line(double rate, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f PIDs/s", rate);
	return buf;
}

static bool executes(const struct spawn_options *opt)
{
	return opt->method == METHOD_FORK_EXEC || opt->method == METHOD_VFORK_EXEC;
}

static bool vforks(const struct spawn_options *opt)
{
	return opt->method == METHOD_VFORK_EXEC || opt->method == METHOD_VFORK;
}

/* ---- checks ---- */

static bool is_program(const char *path)
{
	struct stat st;

	return strchr(path, '/') && !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !access(path, X_OK);
}

static int check_work(const char *text, char *err, size_t size)
{
	struct work_amount work;

	if (work_check("work", text, err, size) || work_parse(text, &work))
		return -1;
	if (work.value <= (work.is_time ? MAX_WORK_NS : MAX_WORK_UNITS))
		return 0;
	snprintf(err, size, "--work %.40s: needs at most 1s, or 1G units", text);
	return -1;
}

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct spawn_options *opt = config->values;

	if (check_work(opt->work, err, size))
		return -1;
	if (!executes(opt) && workload_given(config, "program"))
		snprintf(err, size,
			 "--program %.80s: needs --method fork-exec or vfork-exec",
			 opt->program);
	else if (executes(opt) && !is_program(opt->program))
		snprintf(err, size,
			 "--program %.80s: needs the path of an executable file",
			 opt->program);
	else if (opt->reference == NO_REFERENCE &&
		 workload_given(config, "reference-time"))
		snprintf(err, size, "--reference-time: needs --reference CPU");
	else if (!opt->loops && !run->duration_ns)
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
	else
		return 0;
	return -1;
}

/* ---- one task ---- */

/* Not to outlive us, also when it was not made by workload_fork(). */
static void die_with_parent(const struct spawn *s)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->pid)
		_exit(1);
}

_Noreturn static void task_main(struct spawn *s)
{
	char *argv[] = {s->opt->program, NULL};

	s->notes->begun_ns = now_ns();
	if (vforks(s->opt))
		die_with_parent(s);
	if (s->units)
		work_do(s->units);
	if (executes(s->opt)) {
		execv(argv[0], argv);
		s->notes->exec_errno = errno;
		_exit(127);
	}
	_exit(0);
}

static pid_t start_task(struct spawn *s)
{
	pid_t pid = vforks(s->opt) ? vfork() : workload_fork();

	if (!pid)
		task_main(s);
	return pid;
}

static bool is_over(const struct spawn *s, const struct series *series)
{
	return workload_stopping(s->ctx) || series->pids >= series->goal ||
	       now_ns() >= series->end_ns;
}

/* Kills it if the end comes first. Returns its status, or -1. */
static int await_task(const struct spawn *s, const struct series *series, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid) {
		if (errno != EINTR)
			return -1;
		if (is_over(s, series))
			kill(pid, SIGKILL);
	}
	return status;
}

static void record(struct spawn *s, struct series *series, uint64_t begin_ns,
		   uint64_t end_ns, int status)
{
	if (!series->pids)
		series->first_ns = begin_ns;
	series->last_ns = end_ns;
	series->pids++;
	series->failed += status != 0;
	if (!series->start)
		return;
	/* Who was killed at once has not said when it began. */
	if (s->notes->begun_ns >= begin_ns)
		hist_add(series->start, s->notes->begun_ns - begin_ns);
	hist_add(series->task, end_ns - begin_ns);
	workload_progress(s->ctx, series->pids);
}

static int spawn_one(struct spawn *s, struct series *series)
{
	uint64_t begin = now_ns(), end;
	pid_t pid = start_task(s);
	int status;

	if (pid < 0)
		return workload_error(s->ctx,
				      "cannot start a task: %s; see ulimit -u, pids.max",
				      strerror(errno));
	status = await_task(s, series, pid);
	end = now_ns();
	if (s->notes->exec_errno)
		return workload_error(s->ctx, "cannot execute %.100s: %s",
				      s->opt->program, strerror(s->notes->exec_errno));
	if (begin >= series->start_ns && end <= series->end_ns &&
	    !(workload_stopping(s->ctx) && status))
		record(s, series, begin, end, status);
	return 0;
}

/* ---- a series ---- */

/* A program that does not end by itself is not to last beyond the series. */
static void set_timer(struct spawn *s, uint64_t end_ns)
{
	struct itimerspec when = {
		.it_value = {(time_t)(end_ns / NSEC_PER_SEC),
			     (long)(end_ns % NSEC_PER_SEC)},
		.it_interval = {0, KICK_PERIOD},
	};

	if (end_ns == UINT64_MAX)
		when = (struct itimerspec){0};
	timer_settime(s->timer, TIMER_ABSTIME, &when, NULL);
}

static int spawn_series(struct spawn *s, struct series *series)
{
	int ret = 0;

	set_timer(s, series->end_ns);
	while (!ret && !is_over(s, series))
		ret = spawn_one(s, series);
	set_timer(s, UINT64_MAX);
	return ret;
}

/* The same, pinned. */
static int run_reference(struct spawn *s)
{
	uint64_t now = now_ns();
	struct cpu_mask pinned = {0}, all;
	int err;

	if (s->opt->reference == NO_REFERENCE)
		return 0;
	cpu_mask_get_affinity(&all);
	cpu_mask_set(&pinned, (unsigned int)s->opt->reference);
	err = cpu_mask_set_affinity(&pinned);
	if (err)
		return workload_error(s->ctx, "--reference %llu: cannot run there: %s",
				      (unsigned long long)s->opt->reference,
				      strerror(-err));
	s->reference = (struct series){.goal = UINT64_MAX,
				       .start_ns = now,
				       .end_ns = now + s->opt->reference_ns};
	err = spawn_series(s, &s->reference);
	cpu_mask_set_affinity(&all);
	return err;
}

/* ---- setup and run ---- */

/* What is executed must neither read from nor write to our terminal. */
static int drop_output(struct spawn *s)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return workload_error(s->ctx, "/dev/null: %s", strerror(errno));
	if (fd > STDOUT_FILENO)
		close(fd);
	return 0;
}

static int allocate(struct spawn *s)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = WORKLOAD_SIGNAL};
	void *p = mmap(NULL, sizeof(*s->notes), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	s->notes = p == MAP_FAILED ? NULL : p;
	if (!s->notes)
		return workload_error(s->ctx, "out of memory");
	s->has_timer = !timer_create(CLOCK_MONOTONIC, &event, &s->timer);
	if (!s->has_timer)
		return workload_error(s->ctx, "cannot create a timer: %s",
				      strerror(errno));
	return 0;
}

static void prepare_work(struct spawn *s)
{
	struct work_amount work = {0};

	work_parse(s->opt->work, &work);
	if (!work.value)
		return;
	work_calibrate(&s->calibration, WORK_ANYWHERE);
	s->units = work_units(&work, &s->calibration);
}

static int setup(struct workload_ctx *ctx)
{
	struct spawn *s = calloc(1, sizeof(*s));

	if (!s)
		return workload_error(ctx, "out of memory");
	ctx->priv = s;
	s->ctx = ctx;
	s->opt = ctx->options;
	s->pid = getpid();
	s->run.goal = s->opt->loops ? s->opt->loops : UINT64_MAX;
	if (s->opt->loops)
		atomic_store(&ctx->shared->progress_goal, s->opt->loops);
	s->run.start = result_latency(ctx->result, "start");
	s->run.task = result_latency(ctx->result, "task");
	if (allocate(s) || (executes(s->opt) && drop_output(s)))
		return -1;
	prepare_work(s);
	return run_reference(s);
}

static void teardown(struct workload_ctx *ctx)
{
	struct spawn *s = ctx->priv;

	if (!s)
		return;
	if (s->has_timer)
		timer_delete(s->timer);
	if (s->notes)
		munmap(s->notes, sizeof(*s->notes));
	free(s);
	ctx->priv = NULL;
}

static int run(struct workload_ctx *ctx)
{
	struct spawn *s = ctx->priv;
	int ret;

	s->run.start_ns = ctx->start_ns;
	s->run.end_ns = ctx->end_ns;
	ret = spawn_series(s, &s->run);
	workload_finish(ctx);
	return ret;
}

/* ---- report ---- */

static double rate_of(const struct series *series)
{
	return spawn_rate(series->pids, series->last_ns - series->first_ns);
}

static void report_reference(struct workload_ctx *ctx, const struct spawn *s)
{
	double reference = rate_of(&s->reference);
	double ratio = spawn_ratio(reference, rate_of(&s->run));
	char text[UNITS_TEXT_MAX];

	if (s->opt->reference == NO_REFERENCE)
		return;
	if (s->reference.pids < 2) {
		result_text(
			ctx->result, "--reference-time %s was too short for a reference",
			format_duration_exact(s->opt->reference_ns, text, sizeof(text)));
		return;
	}
	result_text(ctx->result, "%.1f PIDs/s pinned to CPU %llu, %s before the window",
		    reference, (unsigned long long)s->opt->reference,
		    format_duration_exact(s->opt->reference_ns, text, sizeof(text)));
	result_text(ctx->result, "ratio %.3f: that over the run, above 1 is worse",
		    ratio);
	result_metric(ctx->result, "reference_pids_per_s", reference, "PIDs/s",
		      BETTER_NONE);
	result_metric(ctx->result, "ratio", ratio, "", BETTER_LOWER);
}

static void report_failed(struct workload_ctx *ctx, const struct spawn *s)
{
	if (!s->run.failed)
		return;
	result_text(ctx->result, "%llu of %llu tasks did not exit with 0",
		    (unsigned long long)s->run.failed, (unsigned long long)s->run.pids);
	result_metric(ctx->result, "failed", (double)s->run.failed, "", BETTER_LOWER);
}

static void report(struct workload_ctx *ctx)
{
	struct spawn *s = ctx->priv;
	struct workload_result *result = ctx->result;
	uint64_t elapsed = s->run.last_ns - s->run.first_ns;
	double rate = rate_of(&s->run);
	char line[64];

	if (!s->run.pids) {
		result_text(result, "no task was completed");
		return;
	}
	result_legacy(result, "%s", spawn_line(rate, line, sizeof(line)));
	result_text(result, "%.1f PIDs/s: %llu in %llu ns, %s%s%.40s", rate,
		    (unsigned long long)s->run.pids, (unsigned long long)elapsed,
		    methods[s->opt->method], executes(s->opt) ? " of " : "",
		    executes(s->opt) ? s->opt->program : "");
	result_metric(result, "pids_per_s", rate, "PIDs/s", BETTER_HIGHER);
	result_metric(result, "pids", (double)s->run.pids, "", BETTER_NONE);
	result_metric(result, "elapsed", (double)elapsed, "ns", BETTER_NONE);
	report_failed(ctx, s);
	report_reference(ctx, s);
	result_latency_report(result, "start", s->run.start);
	result_latency_report(result, "task", s->run.task);
	if (s->units) {
		work_calibrate_end(&s->calibration);
		work_report(result, s->units, &s->calibration);
	}
}

const struct workload spawn_workload = {
	.name = "spawn",
	.summary = "starts tasks one after the other, as a shell script; PIDs/s",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct spawn_options),
	.check = check,
	.setup = setup,
	.run = run,
	.report = report,
	.teardown = teardown,
};
