// SPDX-License-Identifier: GPL-2.0
/*
 * pingpong: a token goes round a ring of tasks. Each blocks until it has the token, does
 * a packet of work and passes it on, so that one CPU of the ring is busy and the others
 * idle for as long as it takes: with the work grows the idle period that a governor has
 * to predict. No timer takes part.
 */
#include "pingpong.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFAULT_LOOPS "100000"
#define MAX_TASKS     1024     /* of a ring */
#define MAX_THREADS   20000    /* of all rings */
#define WORK_CHUNK    10000000 /* units between two looks at the end, some 10 ms */
#define GRACE	      (5 * NSEC_PER_SEC)

const char *const pingpong_tokens[] = {"pipe", "fifo", "futex", NULL};

static const struct workload_option options[] = {
	{
		.name = "tasks",
		.help = "tasks of a ring, each on a CPU of its own unless --place says "
			"otherwise",
		.type = OPTION_COUNT,
		.min = 2,
		.max = MAX_TASKS,
		.def = "2",
		OPTION_FIELD(struct pingpong_options, tasks),
	},
	{
		.name = "rings",
		.help = "rings that run at the same time (pairs, with 2 tasks)",
		.type = OPTION_COUNT,
		.min = 1,
		.max = MAX_THREADS / 2,
		.def = "1",
		OPTION_FIELD(struct pingpong_options, rings),
	},
	{
		.name = "work",
		.help = "work at each stop: " WORK_FORMS,
		.unit = "TIME|UNITS",
		.type = OPTION_TEXT,
		.min = 1,
		.def = "0",
		OPTION_FIELD(struct pingpong_options, work),
	},
	{
		.name = "loops",
		.help = "round trips of each token; 0: until the duration is over, which "
			"is also meant by --duration without --loops",
		.type = OPTION_COUNT,
		.max = 1000000000000,
		.def = DEFAULT_LOOPS,
		OPTION_FIELD(struct pingpong_options, loops),
	},
	{
		.name = "token",
		.help = "what carries it: a byte in a pipe, in a named pipe, or a futex",
		.type = OPTION_ENUM,
		.choices = pingpong_tokens,
		.def = "pipe",
		OPTION_FIELD(struct pingpong_options, token),
	},
	{
		.name = "place",
		.help = "CPUs of a ring: different cores, siblings of one core, sharers "
			"of "
			"a cache, not pinned, or a list (0,0: both on one CPU)",
		.unit = PLACE_UNIT,
		.type = OPTION_TEXT,
		.min = 1,
		.def = "cores",
		OPTION_FIELD(struct pingpong_options, place),
	},
};

/* ---- checks and setup ---- */

static int check(const struct workload_config *config, const struct workload_run *run,
		 char *err, size_t size)
{
	const struct pingpong_options *opt = config->values;

	if (opt->tasks * opt->rings > MAX_THREADS) {
		snprintf(err, size, "--rings %llu: needs at most %llu with --tasks %llu",
			 (unsigned long long)opt->rings,
			 (unsigned long long)(MAX_THREADS / opt->tasks),
			 (unsigned long long)opt->tasks);
		return -1;
	}
	if (!opt->loops && !run->duration_ns) {
		snprintf(err, size, "--loops 0: needs --duration, or 1 or more");
		return -1;
	}
	if (work_check("work", opt->work, err, size))
		return -1;
	return place_check(opt->place, (unsigned int)opt->tasks, run, err, size);
}

static uint64_t count_files(const struct workload_config *config)
{
	const struct pingpong_options *opt = config->values;

	return opt->token == TOKEN_FUTEX ? 0 : 2 * opt->tasks * opt->rings;
}

/*
 * A named pipe, whose name is gone when this returns. Opening it for reading first, and
 * without blocking, is what lets one thread open both ends.
 */
static int open_fifo(int fds[2])
{
	const char *top = getenv("TMPDIR");
	char dir[PATH_MAX - 8], path[PATH_MAX];
	int err = 0;

	fds[0] = fds[1] = -1;
	snprintf(dir, sizeof(dir), "%s/idletrace-XXXXXX", top && *top ? top : "/tmp");
	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/token", dir);
	if (!mkfifo(path, 0600)) {
		fds[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fds[0] >= 0)
			fds[1] = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (fds[1] < 0 || fcntl(fds[0], F_SETFL, 0))
		err = -errno;
	unlink(path);
	rmdir(dir);
	return err;
}

static int open_token(struct pingpong *p, struct task *task, struct task *before)
{
	int fds[2], err = 0;

	if (p->opt->token == TOKEN_FUTEX)
		return 0;
	if (p->opt->token == TOKEN_FIFO)
		err = open_fifo(fds);
	else if (pipe2(fds, O_CLOEXEC))
		err = -errno;
	if (err)
		return workload_error(p->ctx, "cannot open a %s: %s",
				      pingpong_tokens[p->opt->token], strerror(-err));
	task->read_fd = fds[0];
	before->write_fd = fds[1];
	return 0;
}

static int make_rings(struct pingpong *p)
{
	unsigned int all = p->nr_tasks * p->nr_rings;

	p->rings = calloc(p->nr_rings, sizeof(*p->rings));
	p->tasks = aligned_alloc(64, all * sizeof(*p->tasks));
	if (!p->rings || !p->tasks)
		return workload_error(p->ctx, "out of memory for %u tasks", all);
	memset(p->tasks, 0, all * sizeof(*p->tasks));
	for (unsigned int i = 0; i < all; i++) {
		unsigned int ring = i / p->nr_tasks, nr = i % p->nr_tasks;
		struct task *first = &p->tasks[ring * p->nr_tasks];
		struct task *before = &first[(nr + p->nr_tasks - 1) % p->nr_tasks];

		p->rings[ring].first = first;
		p->rings[ring].series.min_ns = NSEC_PER_MSEC;
		p->tasks[i].ring = &p->rings[ring];
		before->next = &p->tasks[i];
		if (open_token(p, &p->tasks[i], before))
			return -1;
	}
	return 0;
}

/* Rings take turns over the groups of CPUs, and within one they go on where one ended. */
static uint32_t cpu_of(const struct pingpong *p, unsigned int ring, unsigned int nr)
{
	unsigned int turn = p->place.nr_groups ? ring / p->place.nr_groups : 0;

	return place_cpu(&p->place, ring, turn * p->nr_tasks + nr);
}

static int pin(struct pingpong *p)
{
	struct cpu_mask *used = &p->ctx->result->cpus;
	uint32_t cpu;
	int err;

	if (p->place.kind == PLACE_ANY)
		return 0;
	cpu_mask_clear(used);
	for (unsigned int i = 0; i < p->nr_tasks * p->nr_rings; i++) {
		cpu = cpu_of(p, i / p->nr_tasks, i % p->nr_tasks);
		cpu_mask_set(used, cpu);
		err = place_pin_thread(p->pool.threads[i].tid, cpu);
		if (err)
			return workload_error(p->ctx, "cannot pin a task to CPU %u: %s",
					      cpu, strerror(-err));
	}
	return 0;
}

static int choose(struct pingpong *p)
{
	struct workload_ctx *ctx = p->ctx;
	struct work_amount amount;
	struct cpu_mask allowed;
	uint32_t cpu;

	place_allowed(&ctx->run, &allowed);
	if (place_choose(&p->place, p->opt->place, p->nr_tasks, &allowed, PLACE_SYSFS,
			 ctx->shared->error, sizeof(ctx->shared->error)))
		return -1;
	if (work_parse(p->opt->work, &amount))
		return workload_error(ctx, "--work %.40s: not understood", p->opt->work);
	if (!amount.value)
		return 0;
	cpu = cpu_of(p, 0, 0);
	work_calibrate(&p->calibration, cpu == PLACE_NO_CPU ? WORK_ANYWHERE : (int)cpu);
	p->units = work_units(&amount, &p->calibration);
	return 0;
}

static void set_goal(struct pingpong *p)
{
	bool by_loops =
		!p->ctx->run.duration_ns || workload_given(p->ctx->config, "loops");

	p->goal = by_loops && p->opt->loops ? p->opt->loops : UINT64_MAX;
	if (p->goal != UINT64_MAX)
		atomic_store(&p->ctx->shared->progress_goal, p->goal);
}

/* ---- the ring ---- */

static bool receive(struct task *task, int token)
{
	char byte;
	ssize_t n;

	if (token != TOKEN_FUTEX) {
		do {
			n = read(task->read_fd, &byte, 1);
		} while (n < 0 && errno == EINTR);
		return n == 1;
	}
	while (!atomic_load_explicit(&task->token, memory_order_acquire))
		syscall(SYS_futex, &task->token, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_store_explicit(&task->token, 0, memory_order_relaxed);
	return true;
}

static bool pass(struct task *task, int token)
{
	char byte = 0;

	if (token != TOKEN_FUTEX)
		return write(task->write_fd, &byte, 1) == 1;
	atomic_store_explicit(&task->next->token, 1, memory_order_release);
	syscall(SYS_futex, &task->next->token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return true;
}

/* Packets that take long are cut short when it is time to stop. */
static void do_work(const struct workload_ctx *ctx, uint64_t units)
{
	while (units > WORK_CHUNK && !workload_stopping(ctx)) {
		work_do(WORK_CHUNK);
		units -= WORK_CHUNK;
	}
	if (units <= WORK_CHUNK)
		work_do(units);
}

/* Work, then on with the token. got_ns: when it came. */
static bool stop_at(struct pingpong *p, struct task *task, uint64_t got_ns, bool measured)
{
	if (p->units) {
		do_work(p->ctx, p->units);
		got_ns = now_ns();
	}
	task->next->measured = measured;
	task->next->sent_ns = got_ns;
	return pass(task, p->opt->token);
}

/* The token is back after a loop. Returns false when it was the last. */
static bool count_loop(struct pingpong *p, struct ring *ring, uint64_t now,
		       bool *measured)
{
	if (workload_stopping(p->ctx) || now >= p->ctx->end_ns)
		return false;
	if (!*measured) {
		*measured = now >= p->ctx->start_ns;
		ring->begin_ns = now;
		return true;
	}
	ring->loops++;
	if (pingpong_series_add(&ring->series, now - ring->end_ns) && ring == p->rings)
		workload_progress(p->ctx, ring->loops);
	return ring->loops < p->goal;
}

/* The first task of a ring brings the token into it and says when it is over. */
static void lead(struct pingpong *p, struct task *task)
{
	struct ring *ring = task->ring;
	bool measured = !p->ctx->run.warmup_ns, more = true;
	uint64_t now = now_ns();

	ring->begin_ns = ring->end_ns = now;
	while (more && stop_at(p, task, now, measured) && receive(task, p->opt->token)) {
		now = now_ns();
		if (task->measured)
			hist_add(&task->hop, now - task->sent_ns);
		more = count_loop(p, ring, now, &measured);
		if (more || ring->loops == p->goal)
			ring->end_ns = now;
	}
	task->next->last = true;
	pass(task, p->opt->token);
}

static void follow(struct pingpong *p, struct task *task)
{
	uint64_t now;

	while (receive(task, p->opt->token)) {
		now = now_ns();
		if (task->last)
			break;
		if (task->measured)
			hist_add(&task->hop, now - task->sent_ns);
		if (!stop_at(p, task, now, task->measured))
			return;
	}
	if (task->next == task->ring->first)
		return;
	task->next->last = true;
	pass(task, p->opt->token);
}

static void task_main(struct worker *worker)
{
	struct pingpong *p = worker->ctx->priv;
	struct task *task = worker->arg;

	if (task == task->ring->first)
		lead(p, task);
	else
		follow(p, task);
}

static int setup(struct workload_ctx *ctx)
{
	struct pingpong *p = calloc(1, sizeof(*p));

	if (!p)
		return workload_error(ctx, "out of memory");
	ctx->priv = p;
	p->ctx = ctx;
	p->opt = ctx->options;
	p->nr_tasks = (unsigned int)p->opt->tasks;
	p->nr_rings = (unsigned int)p->opt->rings;
	set_goal(p);
	if (choose(p) || make_rings(p))
		return -1;
	if (workers_start(&p->pool, ctx, p->nr_tasks * p->nr_rings, task_main, p->tasks,
			  sizeof(*p->tasks)))
		return -1;
	return pin(p);
}

static int run(struct workload_ctx *ctx)
{
	struct pingpong *p = ctx->priv;
	unsigned int left = workers_run(&p->pool, GRACE);

	return left ? workload_error(ctx, "%u tasks did not end in 5 s", left) : 0;
}

static void teardown(struct workload_ctx *ctx)
{
	struct pingpong *p = ctx->priv;

	if (!p)
		return;
	workers_free(&p->pool);
	place_free(&p->place);
	free(p->tasks);
	free(p->rings);
	free(p);
	ctx->priv = NULL;
}

const struct workload pingpong_workload = {
	.name = "pingpong",
	.summary = "a token goes round a ring of CPUs, with work at each stop",
	.options = options,
	.nr_options = sizeof(options) / sizeof(options[0]),
	.options_size = sizeof(struct pingpong_options),
	.check = check,
	.need_files = count_files,
	.setup = setup,
	.run = run,
	.report = pingpong_report,
	.teardown = teardown,
};
