// SPDX-License-Identifier: GPL-2.0
/*
 * replay RECORDS TASKS [FILE]
 *
 * Feeds a stream of records, as a busy machine's rings give them, to the correlator and
 * prints "records per second" of this one thread. With FILE it writes them out as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "workers.h"

#define STREAM \
	65536 /* records, 4 MiB: a ring's worth, and more than the caches near by */

/* xorshift: any spread of tasks and latencies will do, but the same each time. */
static u32 draw(u32 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void fill_wakeup(struct wakeup_record *w, u32 *seed, u32 tasks, u64 time)
{
	w->type = RECORD_WAKEUP;
	w->class = draw(seed) % CLASSES;
	w->source = draw(seed) % SOURCES;
	w->pid = 1 + draw(seed) % tasks * 7;
	w->waker = 1 + draw(seed) % tasks * 7;
	w->time = time;
	w->latency = draw(seed) % 100000;
	snprintf(w->comm, sizeof(w->comm), "task%u", w->pid);
}

static void fill_period(struct period_record *p, u32 *seed, u64 time)
{
	p->type = RECORD_PERIOD;
	p->verdict = draw(seed) % VERDICTS;
	p->end = draw(seed) % ENDS;
	p->entry = time;
	p->awake = p->exit = time + draw(seed) % 1000000;
	p->residency = p->exit - p->entry;
}

/* In batches per CPU; two wakeups for an idle period, and now and then a timer. */
static union record *make_stream(u32 tasks)
{
	union record *stream = calloc(STREAM, sizeof(*stream));
	u32 seed = 1;

	for (u32 i = 0; stream && i < STREAM; i++) {
		u64 time = 1000000000ULL + i * 2000ULL;

		if (i % 3 == 2)
			fill_period(&stream[i].period, &seed, time);
		else if (i % 64)
			fill_wakeup(&stream[i].wakeup, &seed, tasks, time);
		else
			stream[i].timer = (struct timer_record){.type = RECORD_TIMER,
								.time = time,
								.expires = time - 500};
		stream[i].wakeup.cpu = i / STAGE_MAX % 256;
	}
	return stream;
}

int main(int argc, char **argv)
{
	u64 n = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, start, ns;
	u32 tasks = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	const char *path = argc > 3 ? argv[3] : NULL;
	union record *stream = tasks ? make_stream(tasks) : NULL;
	void (*add)(void *, const union record *) = records_add;
	struct results results = {.nr_tasks = 0};
	struct records records;
	char err[256];

	if (!n || !stream || records_open(&records, path, err, sizeof(err))) {
		fprintf(stderr, "usage: replay RECORDS TASKS [FILE]\n");
		return 2;
	}
	start = now_ns();
	for (u64 i = 0; i < n; i++)
		add(&records, &stream[i % STREAM]);
	if (records_finish(&records, &results, err, sizeof(err))) {
		fprintf(stderr, "replay: %s\n", err);
		return 1;
	}
	ns = now_ns() - start;
	printf("%.0f records per second, %u tasks\n", n * 1e9 / ns, results.nr_tasks);
	results_free(&results);
	records_close(&records);
	free(stream);
	return 0;
}
