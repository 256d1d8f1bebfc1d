// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "frequency.h"
#include "workers.h"

static int wrong(char *err, size_t size, const char *option, const char *path, int error)
{
	snprintf(err, size, "%s %s: %s", option, path, strerror(error));
	return -1;
}

static int open_tsv(struct series *s, char *err, size_t size)
{
	s->tsv = fopen(s->path, "we");
	if (!s->tsv)
		return wrong(err, size, "--series", s->path, errno);
	interval_print_header(s->tsv, s->machine);
	return 0;
}

/* A row has the states that the machine has, not all that there could be. */
static int open_rows(struct series *s, const char *beside, char *err, size_t size)
{
	size_t row = offsetof(struct interval, state[machine_traced_states(s->machine)]);
	int error = spill_open(&s->rows, beside, row);

	if (error) {
		snprintf(err, size, "--interval: no place to keep the intervals: %s",
			 strerror(-error));
		return -1;
	}
	s->keeps = true;
	return 0;
}

int series_open(struct series *s, const struct options *o, const struct machine *m,
		char *err, size_t size)
{
	memset(s, 0, sizeof(*s));
	if (!o->interval_ns)
		return 0;
	s->every = o->interval_ns;
	s->machine = m;
	s->path = o->series;
	if (s->path && open_tsv(s, err, size))
		return -1;
	s->in_json = o->json;
	if (!o->json && !o->html && !o->plot)
		return 0;
	return open_rows(s, o->json ?: o->html ?: o->plot, err, size);
}

void series_close(struct series *s)
{
	if (s->tsv)
		fclose(s->tsv);
	if (s->keeps)
		spill_close(&s->rows);
	memset(s, 0, sizeof(*s));
}

/*
 * The next end of an interval: a multiple from the beginning, however late this one was
 * taken. Work ends a little after its time, and that little is no interval of its own.
 */
static u64 next_end(const struct series *s, u64 now)
{
	u64 next = s->began + ((now - s->began) / s->every + 1) * s->every;

	return next >= s->planned && next - s->planned < s->every ? next + s->every
								  : next;
}

void series_begin(struct series *s, const struct results *r, const struct cpu_mask *cpus,
		  struct power *power, const struct power_snapshot *before, u64 began,
		  u64 duration)
{
	if (!s->every)
		return;
	s->start = r->start;
	s->cpus = cpus;
	s->power = power;
	s->last.power = *before;
	s->began = began;
	s->planned = duration ? began + duration : UINT64_MAX;
	s->next = next_end(s, began);
}

u64 series_due(const struct series *s)
{
	return s->every ? s->next : UINT64_MAX;
}

/* One write() each, so that the file can be followed; what fails is told at the end. */
static void write_tsv(struct series *s, const struct interval *i)
{
	errno = 0;
	interval_print(s->tsv, s->machine, i);
	if ((fflush(s->tsv) || ferror(s->tsv)) && !s->tsv_error)
		s->tsv_error = errno ? errno : EIO;
}

/* The interval between the last sample and s->now. */
static void add(struct series *s)
{
	struct interval i;

	interval_between(&s->last, &s->now, s->power, &i);
	s->last = s->now;
	s->count++;
	if (s->tsv)
		write_tsv(s, &i);
	if (s->keeps)
		spill_add(&s->rows, &i);
}

/* The sum of the CPUs' windows, as far as they are. */
static u64 cpu_time(const struct results *r, u64 now)
{
	u64 sum = 0;

	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].in_window)
			sum += now - r->cpus[cpu].start;
	return sum;
}

void series_take(struct series *s, struct tracer *t, const struct results *r)
{
	bool read;

	memset(&s->now, 0, sizeof(s->now));
	power_read(s->power, &s->now.power);
	s->now.khz = frequency_khz(POWER_SYSFS, s->cpus);
	read = tracer_sample(t, s->cpus, &s->now);
	/* Whatever that took, the next end is still to come. */
	s->next = next_end(s, now_ns());
	if (!read)
		return;
	s->now.cpu_time = cpu_time(r, s->now.time);
	s->now.time -= s->start;
	add(s);
}

void series_stop(struct series *s, const struct power_snapshot *after)
{
	if (!s->every)
		return;
	memset(&s->now, 0, sizeof(s->now));
	s->now.power = *after;
	s->now.khz = frequency_khz(POWER_SYSFS, s->cpus);
}

int series_finish(struct series *s, const struct results *r, char *err, size_t size)
{
	if (!s->every)
		return 0;
	sample_of_results(r, &s->now);
	add(s);
	return s->tsv_error ? wrong(err, size, "--series", s->path, s->tsv_error) : 0;
}

bool series_kept(const struct series *s)
{
	return s->keeps && !s->rows.error;
}

int series_read(const struct series *s, u64 i, struct interval *interval)
{
	memset(interval, 0, sizeof(*interval));
	return spill_read(&s->rows, i, interval);
}
