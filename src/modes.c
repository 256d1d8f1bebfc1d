// SPDX-License-Identifier: GPL-2.0
#include "modes.h"

#include <math.h>
#include <stdlib.h>

#define OUTLIERS  0.05 /* of the weight, on each side */
#define MIN_SHARE 0.10 /* of the weight that is left */
#define MIN_RATIO 1.10
#define MIN_D	  4.0 /* a flat distribution cut in half has 3.5 */

/* Weighted sums of logarithms: levels differ by factors, not by amounts. */
struct sums {
	double weight, log, log2, value;
};

static int compare(const void *a, const void *b)
{
	const struct mode_sample *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void add(struct sums *sums, const struct mode_sample *s, double sign)
{
	double l = log(s->value);

	sums->weight += sign * s->weight;
	sums->log += sign * s->weight * l;
	sums->log2 += sign * s->weight * l * l;
	sums->value += sign * s->weight * s->value;
}

static double variance(const struct sums *s)
{
	double mean = s->log / s->weight, v = s->log2 / s->weight - mean * mean;

	return v > 0 ? v : 0;
}

/* Narrows [*first, *end) to what is no outlier. */
static void trim(const struct mode_sample *samples, size_t *first, size_t *end)
{
	double all = 0, below = 0, above = 0;

	for (size_t i = *first; i < *end; i++)
		all += samples[i].weight;
	while (below + samples[*first].weight <= OUTLIERS * all)
		below += samples[(*first)++].weight;
	while (above + samples[*end - 1].weight <= OUTLIERS * all)
		above += samples[--*end].weight;
}

/* Is a cut between the two a gap between two levels? */
static bool apart(const struct sums *low, const struct sums *high)
{
	double gap = high->log / high->weight - low->log / low->weight;
	double scatter = sqrt(variance(low) + variance(high));

	return gap >= log(MIN_RATIO) && sqrt(2) * gap >= MIN_D * scatter;
}

void modes_find(struct mode_sample *samples, size_t nr, struct modes *modes)
{
	struct sums low = {0}, high = {0};
	size_t first = 0, end = nr;
	double all, least = INFINITY, within;

	*modes = (struct modes){.known = nr >= MODES_MIN_SAMPLES};
	if (!modes->known)
		return;
	qsort(samples, nr, sizeof(*samples), compare);
	trim(samples, &first, &end);
	for (size_t i = first; i < end; i++)
		add(&high, &samples[i], 1);
	all = high.weight;
	/* Of all cuts the one that leaves the least variance within the two parts. */
	for (size_t i = first; i + 1 < end; i++) {
		add(&low, &samples[i], 1);
		add(&high, &samples[i], -1);
		if (low.weight < MIN_SHARE * all || high.weight < MIN_SHARE * all)
			continue;
		within = low.weight * variance(&low) + high.weight * variance(&high);
		if (within >= least)
			continue;
		least = within;
		modes->two = apart(&low, &high);
		modes->low_mean = low.value / low.weight;
		modes->high_mean = high.value / high.weight;
		modes->low_share = low.weight / all;
	}
	if (!modes->two)
		*modes = (struct modes){.known = true};
}
