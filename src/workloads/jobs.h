/* SPDX-License-Identifier: GPL-2.0 */
/* Rules of the workload jobs, apart from any timing, and what its files share. */
#ifndef IDLETRACE_JOBS_H
#define IDLETRACE_JOBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "work.h"
#include "workers.h"

#define JOBS_MAX_LOADS 7
#define JOBS_MAX_LOAD  1000
#define JOBS_BIN_US    10
#define JOBS_BINS      20000 /* the last holds whatever is longer */

/* Times of jobs as the original keeps them. */
struct jobs_bins {
	uint64_t count;
	uint32_t bin[JOBS_BINS];
};

/* Queued jobs: a ring, taken from either end. */
struct jobs_queue {
	uint64_t *due_ns;	   /* of each job; owned */
	size_t depth, head, count; /* head: the oldest */
	bool lifo;
};

/* "4" or "1:7", each from 1 to JOBS_MAX_LOAD. How many loads; 0 if it is not that. */
size_t jobs_parse_loads(const char *text, uint64_t *loads);

void jobs_bins_add(struct jobs_bins *bins, uint64_t ns);
void jobs_bins_merge(struct jobs_bins *to, const struct jobs_bins *from);

/*
 * The lower end, in us, of the bin that holds the ceil(percent / 100 * count)-th smallest
 * value; percent 0 is the smallest. 0 when empty.
 */
uint64_t jobs_bins_us(const struct jobs_bins *bins, double percent);

/* "1510"; ">=199990" for what the last bin holds. */
char *jobs_us_text(uint64_t us, char *buf, size_t size);

/* The row of the original's table. */
char *jobs_row(uint64_t load, uint64_t ns, const struct jobs_bins *bins, char *buf,
	       size_t size);

/* The caller makes sure that there is room, or a job. */
void jobs_queue_push(struct jobs_queue *queue, uint64_t due_ns);
uint64_t jobs_queue_pop(struct jobs_queue *queue);

/* ---- between jobs.c and jobs_report.c ---- */

struct jobs_options {
	char *load;
	uint64_t dwell_ns;
	uint64_t workers;
	char *place;
	char *base;
	char *work;
	char *queue_work;
	uint64_t rate;
	uint64_t depth;
	int discipline;
	int clock;
	uint64_t timer_slack_ns;
};

/* What is counted at one load: by one worker, and in the end by all. */
struct jobs_tally {
	struct jobs_bins bins;
	struct hist job;  /* from queued to done, or from begun to done: --clock */
	struct hist wait; /* from queued to begun */
	struct hist exec; /* from begun to done */
	uint64_t after;	  /* jobs done after the end, counted nowhere else */
};

struct jobs_load {
	uint64_t load;
	uint64_t units;
	uint64_t from_ns, until_ns; /* of what is counted */
	uint64_t ended_ns;	    /* until_ns, or when it was stopped; 0: did not run */
	uint64_t left;		    /* jobs queued and not done by the end */
	uint64_t late;		    /* due before the end and never queued */
	struct jobs_tally sum;
};

struct jobs {
	struct workload_ctx *ctx;
	const struct jobs_options *opt;
	struct jobs_load loads[JOBS_MAX_LOADS];
	size_t nr_loads;
	uint64_t queue_units;
	struct place place;
	struct work_calibration calibration;
	struct workers pool;
	struct jobs_tally *tallies; /* of each worker */

	pthread_mutex_t lock;
	pthread_cond_t filled; /* a job was queued, or all is over */
	pthread_cond_t room;   /* a job was taken out of a full queue */
	pthread_cond_t idle;   /* no worker is at work */
	struct jobs_queue queue;
	const struct jobs_load *now;
	unsigned int busy; /* workers at work */
	bool over;
};

void jobs_report(struct workload_ctx *ctx);

#endif
