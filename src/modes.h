/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a series of measurements have one level or two? Systems with a governor or a
 * scheduler in the loop can be bi-stable: for a while fast, for a while slow. The mean of
 * such a run is a value that it never had.
 */
#ifndef IDLETRACE_MODES_H
#define IDLETRACE_MODES_H

#include <stdbool.h>
#include <stddef.h>

#define MODES_MIN_SAMPLES 20

struct mode_sample {
	double value;  /* > 0 */
	double weight; /* > 0: for how long, or how often */
};

struct modes {
	bool known;	 /* false: fewer than MODES_MIN_SAMPLES */
	bool two;	 /* bimodal; the rest is only set then */
	double low_mean; /* of the samples below the split */
	double high_mean;
	double low_share; /* of the weight, 0 to 1 */
};

/*
 * Sorts the samples by value. Two levels are found where each has at least a tenth of the
 * weight, the means differ by a tenth or more, and by four times what the values scatter
 * about them (Ashman's D of at least 4). The lowest and highest twentieth are outliers.
 */
void modes_find(struct mode_sample *samples, size_t nr, struct modes *modes);

#endif
