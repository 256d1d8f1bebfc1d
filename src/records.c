// SPDX-License-Identifier: GPL-2.0
#include "records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_FIRST 1024 /* power of two */

int records_open(struct records *r, const char *path, char *err, size_t size)
{
	memset(r, 0, sizeof(*r));
	r->tasks = calloc(TASKS_FIRST, sizeof(*r->tasks));
	r->tasks_size = TASKS_FIRST;
	if (!r->tasks) {
		snprintf(err, size, "out of memory");
		return -1;
	}
	if (!path)
		return 0;
	r->path = path;
	r->out = fopen(path, "we");
	if (!r->out) {
		snprintf(err, size, "--records %s: %s", path, strerror(errno));
		return -1;
	}
	/* One large buffer, so that the consumer seldom enters the kernel. */
	setvbuf(r->out, NULL, _IOFBF, 1 << 20);
	fputs("#wakeup\ttime\tcpu\tpid\tcomm\tclass\tstate\tverdict\tsource\twaker\twaker"
	      "_cpu\t"
	      "latency\texit\tlate\n"
	      "#period\tentry\tcpu\trequested\tentered\tverdict\tright\tend\tawake\texit"
	      "\t"
	      "residency\tnext_timer\tdisabled\tflags\n"
	      "#timer\ttime\tcpu\tidle\tstate\texpires\tlate\tfunction\n",
	      r->out);
	return 0;
}

/* The task's place: its row, or the empty one where it belongs. */
static struct task_row *task_place(struct task_row *tasks, u32 size, u32 pid)
{
	u32 i = pid * 2654435761U & (size - 1);

	while (tasks[i].wakeups && tasks[i].pid != pid)
		i = (i + 1) & (size - 1);
	return &tasks[i];
}

static void grow(struct records *r)
{
	u32 size = r->tasks_size * 2;
	struct task_row *tasks = calloc(size, sizeof(*tasks));

	if (!tasks)
		return;
	for (u32 i = 0; i < r->tasks_size; i++)
		if (r->tasks[i].wakeups)
			*task_place(tasks, size, r->tasks[i].pid) = r->tasks[i];
	free(r->tasks);
	r->tasks = tasks;
	r->tasks_size = size;
}

static void add_wakeup(struct records *r, const struct wakeup_record *w)
{
	struct task_row *task;

	if (r->nr_tasks * 2 >= r->tasks_size && r->nr_tasks < RECORDS_TASKS_MAX)
		grow(r);
	task = task_place(r->tasks, r->tasks_size, w->pid);
	if (!task->wakeups) {
		if (r->nr_tasks == RECORDS_TASKS_MAX ||
		    r->nr_tasks + 1 >= r->tasks_size) {
			r->left_out++;
			return;
		}
		r->nr_tasks++;
		task->pid = w->pid;
		task->scope = w->scope;
	}
	memcpy(task->comm, w->comm, sizeof(task->comm));
	task->wakeups++;
	task->sum += w->latency;
	if (w->latency > task->max)
		task->max = w->latency;
}

static const char *plain_name(const char *comm, char *buf)
{
	for (u32 i = 0; i < COMM_LEN; i++)
		buf[i] = comm[i] > 0 && comm[i] < ' ' ? '?' : comm[i];
	return buf;
}

static void print_wakeup(const struct records *r, const struct wakeup_record *w)
{
	fprintf(r->out,
		"wakeup\t%lld\t%u\t%u\t%.16s\t%s\t%u\t%s\t%s\t%u\t%u\t%llu\t%llu\t%u\n",
		(long long)(w->time - r->start), w->cpu, w->pid,
		plain_name(w->comm, (char[COMM_LEN]){0}), class_name(w->class), w->state,
		verdict_name(w->verdict), source_name(w->source), w->waker, w->waker_cpu,
		(unsigned long long)w->latency, (unsigned long long)w->exit, w->late);
}

/* A moment of the window; "-" where it was not seen. */
static void print_time(const struct records *r, u64 time)
{
	if (time)
		fprintf(r->out, "\t%lld", (long long)(time - r->start));
	else
		fputs("\t-", r->out);
}

static void print_period(const struct records *r, const struct period_record *p)
{
	static const char *const ends[ENDS] = {"timer", "tick", "intercepted"};

	fputs("period", r->out);
	print_time(r, p->entry);
	fprintf(r->out, "\t%u\t%u\t%u\t%s\t%u\t%s", p->cpu, p->requested, p->entered,
		verdict_name(p->verdict), p->right,
		p->end < ENDS ? ends[p->end] : "unknown");
	print_time(r, p->awake);
	print_time(r, p->exit);
	fprintf(r->out, "\t%llu\t%lld\t%#x\t%u\n", (unsigned long long)p->residency,
		(long long)p->next_timer, p->disabled, p->flags);
}

static void print_timer(const struct records *r, const struct timer_record *t)
{
	fprintf(r->out, "timer\t%lld\t%u\t%u\t%u\t%lld\t%llu\t%#llx\n",
		(long long)(t->time - r->start), t->cpu, t->idle, t->state,
		(long long)(t->expires - r->start), (unsigned long long)t->late,
		(unsigned long long)t->function);
}

void records_add(void *ctx, const union record *record)
{
	struct records *r = ctx;

	r->count++;
	switch (record->type) {
	case RECORD_WAKEUP:
		r->wakeups++;
		add_wakeup(r, &record->wakeup);
		if (r->out)
			print_wakeup(r, &record->wakeup);
		break;
	case RECORD_PERIOD:
		r->periods++;
		if (r->out)
			print_period(r, &record->period);
		break;
	case RECORD_TIMER:
		r->timers++;
		if (r->out)
			print_timer(r, &record->timer);
		break;
	}
}

static int more_wakeups(const void *a, const void *b)
{
	const struct task_row *x = a, *y = b;

	if (x->wakeups != y->wakeups)
		return x->wakeups < y->wakeups ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

int records_finish(struct records *r, struct results *results, char *err, size_t size)
{
	qsort(r->tasks, r->tasks_size, sizeof(*r->tasks), more_wakeups);
	results->tasks = r->tasks;
	results->nr_tasks = r->nr_tasks;
	results->tasks_left_out = r->left_out;
	results->records = r->count;
	r->tasks = NULL;
	if (!r->out || (!fflush(r->out) && !ferror(r->out)))
		return 0;
	snprintf(err, size, "--records %s: %s", r->path, strerror(errno));
	return -1;
}

void records_close(struct records *r)
{
	if (r->out)
		fclose(r->out);
	free(r->tasks);
	memset(r, 0, sizeof(*r));
}
