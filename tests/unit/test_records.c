// SPDX-License-Identifier: GPL-2.0
/* Records to rows per task, and to a file of tab-separated values. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "records.h"

static void add_wakeup(struct records *r, u32 pid, const char *comm, u64 latency)
{
	union record record = {.wakeup = {.type = RECORD_WAKEUP,
					  .pid = pid,
					  .class = CLASS_RUNNING,
					  .latency = latency}};

	memcpy(record.wakeup.comm, comm, strnlen(comm, COMM_LEN));
	records_add(r, &record);
}

static void test_rows(void **state)
{
	struct results results = {.nr_tasks = 0};
	const struct task_row *row;
	struct records r;
	char err[100];

	(void)state;
	assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
	add_wakeup(&r, 7, "old name", 100);
	add_wakeup(&r, 1031, "other", 5); /* 7 and 1031 differ by the table's size */
	add_wakeup(&r, 7, "worker", 300);
	add_wakeup(&r, 7, "worker", 200);
	add_wakeup(&r, 3, "third", 0);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	assert_int_equal(results.records, 5);
	assert_int_equal(results.nr_tasks, 3);
	/* Most wakeups first, then by pid. */
	row = results.tasks;
	assert_int_equal(row[0].pid, 7);
	assert_string_equal(row[0].comm, "worker");
	assert_int_equal(row[0].wakeups, 3);
	assert_int_equal(row[0].sum, 600);
	assert_int_equal(row[0].max, 300);
	assert_int_equal(row[1].pid, 3);
	assert_int_equal(row[1].max, 0);
	assert_int_equal(row[2].pid, 1031);
	assert_string_equal(row[2].comm, "other");
	assert_int_equal(row[2].sum, 5);
	free(results.tasks);
	records_close(&r);
}

static void test_scope(void **state)
{
	union record record = {
		.wakeup = {.type = RECORD_WAKEUP, .pid = 9, .scope = SCOPE_OTHER}};
	struct results results = {.nr_tasks = 0};
	struct records r;
	char err[100];

	(void)state;
	assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
	add_wakeup(&r, 8, "subject", 1);
	add_wakeup(&r, 8, "subject", 1);
	records_add(&r, &record);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	assert_int_equal(results.tasks[0].scope, SCOPE_SUBJECT);
	assert_int_equal(results.tasks[1].scope, SCOPE_OTHER);
	free(results.tasks);
	records_close(&r);
}

/* Two tasks that may fall into the same place, for each place of the first table. */
static void test_collisions(void **state)
{
	(void)state;
	for (u32 pid = 1; pid <= 1024; pid++) {
		struct results results = {.nr_tasks = 0};
		struct records r;
		char err[100];

		assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
		add_wakeup(&r, pid, "a", 1);
		add_wakeup(&r, pid + 1024, "b", 2);
		add_wakeup(&r, pid, "a", 3);
		assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
		assert_int_equal(results.nr_tasks, 2);
		assert_int_equal(results.tasks[0].pid, pid);
		assert_int_equal(results.tasks[0].sum, 4);
		assert_int_equal(results.tasks[1].pid, pid + 1024);
		free(results.tasks);
		records_close(&r);
	}
}

/* Pids in an order that is not theirs, and far more than the table begins with. */
static void test_growth(void **state)
{
	const u32 nr = 10007, step = 4099;
	struct results results = {.nr_tasks = 0};
	struct records r;
	char err[100], *seen;

	(void)state;
	assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
	for (u32 round = 0; round < 2; round++)
		for (u32 i = 0; i < nr; i++)
			add_wakeup(&r, 1 + (1023 + (u64)i * step) % nr, "task", i + 1);
	for (u32 pid = 1; pid <= 5; pid++)
		add_wakeup(&r, pid, "busy", 1);
	assert_int_equal(r.left_out, 0);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	assert_int_equal(results.nr_tasks, nr);
	assert_int_equal(results.records, 2 * nr + 5);
	seen = calloc(nr + 1, 1);
	assert_non_null(seen);
	for (u32 i = 0; i < nr; i++) {
		const struct task_row *row = &results.tasks[i];

		assert_in_range(row->pid, 1, nr);
		assert_int_equal(seen[row->pid]++, 0);
		assert_int_equal(row->wakeups, i < 5 ? 3 : 2);
		assert_int_equal(row->pid, i + 1);
		assert_string_equal(row->comm, i < 5 ? "busy" : "task");
		assert_int_equal(row->sum, 2 * row->max + (i < 5));
	}
	free(seen);
	free(results.tasks);
	records_close(&r);
}

/* In a run of hours tasks come and go, and memory has an end. */
static void test_too_many(void **state)
{
	struct results results = {.nr_tasks = 0};
	struct records r;
	char err[100];

	(void)state;
	assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
	for (u32 pid = 1; pid <= RECORDS_TASKS_MAX + 10; pid++)
		add_wakeup(&r, pid, "task", 1);
	add_wakeup(&r, 1, "task", 1);
	assert_in_range(r.tasks_size, 1, 2 * RECORDS_TASKS_MAX);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	assert_int_equal(results.nr_tasks, RECORDS_TASKS_MAX);
	assert_int_equal(results.tasks_left_out, 10);
	assert_int_equal(results.tasks[0].wakeups, 2);
	free(results.tasks);
	records_close(&r);
}

/* Not all are wakeups, and some may be of a kind that this version does not know. */
static void test_counts(void **state)
{
	struct results results = {.nr_tasks = 0};
	union record record = {.type = RECORD_PERIOD};
	struct records r;
	char err[100];

	(void)state;
	assert_int_equal(records_open(&r, NULL, err, sizeof(err)), 0);
	add_wakeup(&r, 1, "a", 1);
	records_add(&r, &record);
	records_add(&r, &record);
	record.type = RECORD_TIMER;
	records_add(&r, &record);
	record.type = 99;
	records_add(&r, &record);
	assert_int_equal(r.wakeups, 1);
	assert_int_equal(r.periods, 2);
	assert_int_equal(r.timers, 1);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	assert_int_equal(results.records, 5);
	assert_int_equal(results.nr_tasks, 1);
	free(results.tasks);
	records_close(&r);
}

/* ---- the file ---- */

static const union record of_each_type[] = {
	{.wakeup = {.type = RECORD_WAKEUP,
		    .class = CLASS_IDLE,
		    .state = 2,
		    .verdict = VERDICT_TOO_DEEP,
		    .source = SOURCE_TIMER,
		    .cpu = 3,
		    .pid = 4711,
		    .waker = 12,
		    .time = 1500,
		    .latency = 80,
		    .exit = 60,
		    .late = 9,
		    .waker_cpu = 1,
		    .comm = "sixteen chars ok"}},
	/* Before the window's start, by a CPU whose window opened earlier. */
	{.wakeup = {.type = RECORD_WAKEUP,
		    .class = CLASS_QUEUED,
		    .source = SOURCE_REMOTE,
		    .time = 900,
		    .pid = 1,
		    .latency = 5000000000,
		    .comm = "init"}},
	{.period = {.type = RECORD_PERIOD,
		    .requested = 3,
		    .entered = 1,
		    .verdict = VERDICT_TOO_SHALLOW,
		    .right = 2,
		    .end = END_TICK,
		    .cpu = 1,
		    .entry = 2000,
		    .awake = 2990,
		    .exit = 3000,
		    .residency = 995,
		    .next_timer = 123456,
		    .flags = PERIOD_KERNEL | PERIOD_RULE_WRONG,
		    .disabled = 0x18}},
	{.timer = {.type = RECORD_TIMER,
		   .state = 2,
		   .idle = 1,
		   .cpu = 7,
		   .time = 4040,
		   .expires = 4000,
		   .late = 40,
		   .function = 0xffffffff81234560}},
};

static const char *const lines[] = {
	"wakeup\t500\t3\t4711\tsixteen chars ok\tidle\t2\ttoo "
	"deep\ttimer\t12\t1\t80\t60\t9",
	"wakeup\t-100\t0\t1\tinit\tqueued\t0\tunknown\tremote\t0\t0\t5000000000\t0\t0",
	"period\t1000\t1\t3\t1\ttoo shallow\t2\ttick\t1990\t2000\t995\t123456\t0x18\t6",
	"timer\t3040\t7\t1\t2\t3000\t40\t0xffffffff81234560",
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static unsigned int columns(const char *line)
{
	unsigned int n = 1;

	for (; *line; line++)
		n += *line == '\t';
	return n;
}

/* The file's lines, newlines cut; returns how many. */
static size_t read_back(const char *path, char line[][200], size_t max)
{
	FILE *in = fopen(path, "r");
	size_t n = 0;

	assert_non_null(in);
	while (n < max && fgets(line[n], 200, in)) {
		assert_non_null(strchr(line[n], '\n'));
		*strchr(line[n++], '\n') = '\0';
	}
	assert_int_equal(fgetc(in), EOF);
	fclose(in);
	return n;
}

/* Writes the records to a file that is only in memory, and reads its lines back. */
static size_t write_and_read(const union record *records, size_t nr, char line[][200],
			     size_t max)
{
	struct results results = {.nr_tasks = 0};
	int fd = memfd_create("records", MFD_CLOEXEC);
	char err[100], path[40];
	struct records r;
	size_t n;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(records_open(&r, path, err, sizeof(err)), 0);
	r.start = 1000;
	for (size_t i = 0; i < nr; i++)
		records_add(&r, &records[i]);
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), 0);
	free(results.tasks);
	records_close(&r);
	n = read_back(path, line, max);
	close(fd);
	return n;
}

static void test_file(void **state)
{
	char line[NR_LINES + 4][200];
	size_t n;

	(void)state;
	n = write_and_read(of_each_type, NR_LINES, line, NR_LINES + 4);
	assert_int_equal(n, 3 + NR_LINES);
	for (size_t i = 0; i < NR_LINES; i++)
		assert_string_equal(line[3 + i], lines[i]);
	/* Each kind has a header, and as many columns as that. */
	assert_int_equal(strncmp(line[0], "#wakeup\ttime\t", 13), 0);
	assert_int_equal(strncmp(line[1], "#period\tentry\t", 14), 0);
	assert_int_equal(strncmp(line[2], "#timer\ttime\t", 12), 0);
	assert_int_equal(columns(line[0]), columns(lines[0]));
	assert_int_equal(columns(line[1]), columns(lines[2]));
	assert_int_equal(columns(line[2]), columns(lines[3]));
}

/* A task may choose its name: it must not make up lines or columns. */
static void test_hostile_name(void **state)
{
	union record record = {
		.wakeup = {.type = RECORD_WAKEUP, .comm = "a\tb\nwakeup\t1"}};
	char line[8][200];
	size_t n;

	(void)state;
	n = write_and_read(&record, 1, line, 8);
	assert_int_equal(n, 4);
	assert_int_equal(columns(line[3]), columns(line[0]));
}

static void test_cannot_open(void **state)
{
	struct records r;
	char err[100];

	(void)state;
	assert_int_equal(records_open(&r, "/nonexistent/file", err, sizeof(err)), -1);
	assert_string_equal(err,
			    "--records /nonexistent/file: No such file or directory");
	records_close(&r);
}

/* The device takes nothing; nr decides whether that shows before the end. */
static void check_full(u32 nr)
{
	struct results results = {.nr_tasks = 0};
	struct records r;
	char err[100] = "";

	assert_int_equal(records_open(&r, "/dev/full", err, sizeof(err)), 0);
	for (u32 i = 0; i < nr; i++)
		add_wakeup(&r, 1, "task", i);
	errno = 0;
	assert_int_equal(records_finish(&r, &results, err, sizeof(err)), -1);
	assert_string_equal(err, "--records /dev/full: No space left on device");
	/* What needs no file is there all the same. */
	assert_int_equal(results.nr_tasks, 1);
	assert_int_equal(results.tasks[0].wakeups, nr);
	free(results.tasks);
	records_close(&r);
}

static void test_disk_full(void **state)
{
	(void)state;
	check_full(1);
	check_full(50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	    cmocka_unit_test(test_scope),
		cmocka_unit_test(test_collisions),  cmocka_unit_test(test_growth),
		cmocka_unit_test(test_too_many),    cmocka_unit_test(test_counts),
		cmocka_unit_test(test_file),	    cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_cannot_open), cmocka_unit_test(test_disk_full),
	};

	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
