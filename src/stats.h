/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of few samples. What is not defined for the samples at hand (a mean of none,
 * a deviation of one, a harmonic mean with a zero) is NAN. Nothing here changes its
 * input.
 */
#ifndef IDLETRACE_STATS_H
#define IDLETRACE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "workload.h"

#define STATS_ALPHA 0.05

double stats_mean(const double *values, size_t nr);
double stats_harmonic_mean(const double *values, size_t nr);
/* Of an even number the mean of the middle two. NAN without memory, too. */
double stats_median(const double *values, size_t nr);
/* Of the sample: divided by nr - 1. */
double stats_deviation(const double *values, size_t nr);
/* Coefficient of variation: 100 * deviation / mean, in %. */
double stats_cv(const double *values, size_t nr);

struct stats_test {
	double u; /* of the second: pairs in which it is the larger, a tie is a half */
	double p; /* two-sided */
	double least;  /* the least p that so many samples can have; about 0 if not exact
			*/
	int direction; /* 1: the second tends to be larger, -1: smaller, 0: neither */
	bool exact;
};

/*
 * Mann-Whitney: do two series of independent samples come from one distribution? Up to 25
 * samples each p is exact, and with ties as well: of all ways to deal the values out to
 * the two, those that are at least as uneven. Above it is the normal approximation, with
 * corrections for ties and continuity. False: a series is empty, or no memory.
 */
bool stats_mann_whitney(const double *a, size_t nr_a, const double *b, size_t nr_b,
			struct stats_test *test);

struct stats_ratio {
	double ratio;	  /* median of b / median of a */
	double low, high; /* its 95 % confidence interval; NAN if unknown */
};

/*
 * The interval is that of the percentile bootstrap with 10,000 resamples; it is the same
 * for the same samples at any time. False: medians that have no ratio.
 */
bool stats_ratio(const double *a, size_t nr_a, const double *b, size_t nr_b,
		 struct stats_ratio *ratio);

/*
 * Turns the p of many tests at once into the least rate of false discoveries at which
 * each would be called one (Benjamini and Hochberg). NANs are no tests and stay.
 */
void stats_adjust(double *p, size_t nr);

enum stats_verdict {
	STATS_TOO_FEW, /* no difference, however large, could be significant */
	STATS_SAME,    /* no difference that could be told from chance */
	STATS_BETTER,
	STATS_WORSE,
	STATS_DIFFERS, /* and neither is known to be good */
};

/*
 * Of b against a. p is test->p, or what stats_adjust() made of it; ratio may be NULL.
 * A difference counts if p is below STATS_ALPHA, the confidence interval is clear of 1,
 * and the ratio is farther from 1 than noise (0.02: 2 %; 0: none known).
 */
enum stats_verdict stats_decide(const struct stats_test *test, double p,
				const struct stats_ratio *ratio, double noise,
				enum metric_better better);

const char *stats_verdict_name(enum stats_verdict verdict);

#endif
