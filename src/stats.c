// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 25 /* samples each: counts up to C(50, 25) are exact in a double */
#define RESAMPLES 10000

double stats_mean(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return nr ? sum / (double)nr : NAN;
}

double stats_harmonic_mean(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!(values[i] > 0))
			return NAN;
		sum += 1 / values[i];
	}
	return nr ? (double)nr / sum : NAN;
}

double stats_deviation(const double *values, size_t nr)
{
	double mean = stats_mean(values, nr), sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return nr > 1 ? sqrt(sum / (double)(nr - 1)) : NAN;
}

double stats_cv(const double *values, size_t nr)
{
	double mean = stats_mean(values, nr);

	return mean > 0 ? 100 * stats_deviation(values, nr) / mean : NAN;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of_sorted(const double *sorted, size_t nr)
{
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
}

double stats_median(const double *values, size_t nr)
{
	double *sorted = nr ? malloc(nr * sizeof(*sorted)) : NULL;
	double median;

	if (!sorted)
		return NAN;
	memcpy(sorted, values, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), ascending);
	median = median_of_sorted(sorted, nr);
	free(sorted);
	return median;
}

/* ---- Mann-Whitney ---- */

struct ranked {
	double value;
	size_t twice_rank; /* ties share the mean of their ranks, which may end in 1/2 */
	bool second;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Sorts; returns the sum of t^3 - t over the groups of t equal values. */
static double rank(struct ranked *all, size_t nr)
{
	double ties = 0;
	size_t end;

	qsort(all, nr, sizeof(*all), by_value);
	for (size_t i = 0; i < nr; i = end) {
		double t;

		for (end = i + 1; end < nr && all[end].value == all[i].value; end++)
			;
		for (size_t j = i; j < end; j++)
			all[j].twice_rank = i + 1 + end;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * In how many ways nr_b of the ranks give each sum: ways[k * width + s] for k of them and
 * twice the sum s. False without memory.
 */
static bool count_ways(const struct ranked *all, size_t nr, size_t nr_b, double **ways,
		       size_t *width)
{
	*width = 2 * nr * nr_b + 1;
	*ways = calloc((nr_b + 1) * *width, sizeof(**ways));
	if (!*ways)
		return false;
	(*ways)[0] = 1;
	for (size_t i = 0; i < nr; i++) {
		size_t r = all[i].twice_rank;

		for (size_t k = nr_b; k > 0; k--)
			for (size_t s = *width - 1; s >= r; s--)
				(*ways)[k * *width + s] +=
					(*ways)[(k - 1) * *width + s - r];
	}
	return true;
}

/* How likely it is to be as far from the mean, by chance, as the sum of b's ranks is. */
static bool exact_p(const struct ranked *all, size_t nr, size_t nr_b, size_t twice_sum,
		    struct stats_test *test)
{
	double mean = (double)(nr_b * (nr + 1)), far = fabs((double)twice_sum - mean);
	double *ways, total = 0, extreme = 0;
	size_t width;

	if (!count_ways(all, nr, nr_b, &ways, &width))
		return false;
	for (size_t s = 0; s < width; s++) {
		double n = ways[nr_b * width + s];

		total += n;
		if (fabs((double)s - mean) >= far)
			extreme += n;
	}
	test->p = extreme / total;
	test->least = fmin(1, 2 / total);
	free(ways);
	return true;
}

static double normal_p(double nr_a, double nr_b, double u, double ties)
{
	double nr = nr_a + nr_b;
	double variance = nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	double off = fabs(u - nr_a * nr_b / 2) - 0.5;

	return variance > 0 && off > 0 ? erfc(off / sqrt(2 * variance)) : 1;
}

static bool test_ranked(struct ranked *all, size_t nr_a, size_t nr_b,
			struct stats_test *test)
{
	size_t nr = nr_a + nr_b, twice_sum = 0;
	double ties = rank(all, nr), half = (double)nr_a * (double)nr_b / 2;

	for (size_t i = 0; i < nr; i++)
		if (all[i].second)
			twice_sum += all[i].twice_rank;
	test->u = ((double)twice_sum - (double)nr_b * (double)(nr_b + 1)) / 2;
	test->direction = (test->u > half) - (test->u < half);
	test->exact = nr_a <= EXACT_MAX && nr_b <= EXACT_MAX;
	if (test->exact)
		return exact_p(all, nr, nr_b, twice_sum, test);
	test->p = normal_p((double)nr_a, (double)nr_b, test->u, ties);
	test->least = 0;
	return true;
}

bool stats_mann_whitney(const double *a, size_t nr_a, const double *b, size_t nr_b,
			struct stats_test *test)
{
	struct ranked *all;
	bool done;

	if (!nr_a || !nr_b)
		return false;
	all = calloc(nr_a + nr_b, sizeof(*all));
	if (!all)
		return false;
	for (size_t i = 0; i < nr_a; i++)
		all[i].value = a[i];
	for (size_t i = 0; i < nr_b; i++)
		all[nr_a + i] = (struct ranked){.value = b[i], .second = true};
	done = test_ranked(all, nr_a, nr_b, test);
	free(all);
	return done;
}

/* ---- bootstrap ---- */

/* SplitMix64: its constants are those of its definition. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double resampled_median(const double *values, size_t nr, double *scratch,
			       uint64_t *state)
{
	for (size_t i = 0; i < nr; i++)
		scratch[i] = values[next_random(state) % nr];
	qsort(scratch, nr, sizeof(*scratch), ascending);
	return median_of_sorted(scratch, nr);
}

static void bootstrap(const double *a, size_t nr_a, const double *b, size_t nr_b,
		      double *ratios, struct stats_ratio *ratio)
{
	double *scratch = ratios + RESAMPLES;
	uint64_t state = 1;

	for (size_t i = 0; i < RESAMPLES; i++) {
		double from = resampled_median(a, nr_a, scratch, &state);

		if (!(from > 0))
			return;
		ratios[i] = resampled_median(b, nr_b, scratch, &state) / from;
	}
	qsort(ratios, RESAMPLES, sizeof(*ratios), ascending);
	ratio->low = ratios[RESAMPLES / 40];
	ratio->high = ratios[RESAMPLES - 1 - RESAMPLES / 40];
}

bool stats_ratio(const double *a, size_t nr_a, const double *b, size_t nr_b,
		 struct stats_ratio *ratio)
{
	double from = stats_median(a, nr_a), to = stats_median(b, nr_b), *ratios;

	if (!(from > 0) || !(to >= 0))
		return false;
	*ratio = (struct stats_ratio){to / from, NAN, NAN};
	if (nr_a < 2 || nr_b < 2)
		return true;
	ratios = malloc((RESAMPLES + (nr_a > nr_b ? nr_a : nr_b)) * sizeof(*ratios));
	if (!ratios)
		return true;
	bootstrap(a, nr_a, b, nr_b, ratios, ratio);
	free(ratios);
	return true;
}

/* ---- judgement ---- */

struct numbered {
	double p;
	size_t place;
};

static int by_p(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void stats_adjust(double *p, size_t nr)
{
	struct numbered *tests = nr ? calloc(nr, sizeof(*tests)) : NULL;
	double least = 1;
	size_t count = 0;

	if (!tests)
		return;
	for (size_t i = 0; i < nr; i++)
		if (!isnan(p[i]))
			tests[count++] = (struct numbered){p[i], i};
	qsort(tests, count, sizeof(*tests), by_p);
	/* None may be adjusted beyond one that was larger. */
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, tests[i].p * (double)count / (double)(i + 1));
		p[tests[i].place] = least;
	}
	free(tests);
}

enum stats_verdict stats_decide(const struct stats_test *test, double p,
				const struct stats_ratio *ratio, double noise,
				enum metric_better better)
{
	if (!(test->least < STATS_ALPHA))
		return STATS_TOO_FEW;
	if (!(p < STATS_ALPHA) || !test->direction)
		return STATS_SAME;
	if (ratio && ratio->low <= 1 && ratio->high >= 1)
		return STATS_SAME;
	if (ratio && fabs(ratio->ratio - 1) <= noise)
		return STATS_SAME;
	if (better == BETTER_NONE)
		return STATS_DIFFERS;
	return (test->direction > 0) == (better == BETTER_HIGHER) ? STATS_BETTER
								  : STATS_WORSE;
}

const char *stats_verdict_name(enum stats_verdict verdict)
{
	static const char *const names[] = {
		[STATS_TOO_FEW] = "too few", [STATS_SAME] = "same",
		[STATS_BETTER] = "better",   [STATS_WORSE] = "worse",
		[STATS_DIFFERS] = "differs",
	};

	return names[verdict];
}
