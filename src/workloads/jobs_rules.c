// SPDX-License-Identifier: GPL-2.0
/* The workload jobs without any timing: its loads, its queue, the original's figures. */
#include "jobs.h"

#include <math.h>
#include <string.h>

size_t jobs_parse_loads(const char *text, uint64_t *loads)
{
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	uint64_t first, last;
	char part[16];

	if (len >= sizeof(part))
		return 0;
	memcpy(part, text, len);
	part[len] = '\0';
	if (parse_u64(part, &first))
		return 0;
	last = first;
	if (colon && (parse_u64(colon + 1, &last) || last <= first))
		return 0;
	if (first < 1 || last > JOBS_MAX_LOAD || last - first >= JOBS_MAX_LOADS)
		return 0;
	for (uint64_t load = first; load <= last; load++)
		loads[load - first] = load;
	return (size_t)(last - first + 1);
}

void jobs_bins_add(struct jobs_bins *bins, uint64_t ns)
{
	uint64_t bin = ns / (JOBS_BIN_US * NSEC_PER_USEC);

	bins->bin[bin < JOBS_BINS ? bin : JOBS_BINS - 1]++;
	bins->count++;
}

void jobs_bins_merge(struct jobs_bins *to, const struct jobs_bins *from)
{
	for (size_t i = 0; i < JOBS_BINS; i++)
		to->bin[i] += from->bin[i];
	to->count += from->count;
}

uint64_t jobs_bins_us(const struct jobs_bins *bins, double percent)
{
	uint64_t rank = (uint64_t)ceil(percent / 100 * (double)bins->count), seen = 0;

	for (uint64_t i = 0; i < JOBS_BINS; i++) {
		seen += bins->bin[i];
		if (seen && seen >= rank)
			return i * JOBS_BIN_US;
	}
	return 0;
}

char *jobs_us_text(uint64_t us, char *buf, size_t size)
{
	bool clamped = us >= (JOBS_BINS - 1) * JOBS_BIN_US;

	snprintf(buf, size, "%s%llu", clamped ? ">=" : "", (unsigned long long)us);
	return buf;
}

char *jobs_row(uint64_t load, uint64_t ns, const struct jobs_bins *bins, char *buf,
	       size_t size)
{
	static const double percents[] = {0, 50, 90, 95, 99, 100};
	double seconds = (double)ns / (double)NSEC_PER_SEC;
	bool whole = fabs(seconds - round(seconds)) < 0.05;
	char us[16];
	size_t used;

	used = (size_t)snprintf(buf, size, "%4llu %7.*f %8llu %6.0f",
				(unsigned long long)load, whole ? 0 : 1, seconds,
				(unsigned long long)bins->count,
				ns ? (double)bins->count / seconds : 0);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]) && used < size; i++)
		used += (size_t)snprintf(
			buf + used, size - used, " %*s", i ? 8 : 5,
			jobs_us_text(jobs_bins_us(bins, percents[i]), us, sizeof(us)));
	return buf;
}

void jobs_queue_push(struct jobs_queue *queue, uint64_t due_ns)
{
	queue->due_ns[(queue->head + queue->count++) % queue->depth] = due_ns;
}

uint64_t jobs_queue_pop(struct jobs_queue *queue)
{
	size_t index = queue->head;

	if (queue->lifo)
		index = (queue->head + queue->count - 1) % queue->depth;
	else
		queue->head = (queue->head + 1) % queue->depth;
	queue->count--;
	return queue->due_ns[index];
}
