// SPDX-License-Identifier: GPL-2.0
/* The table of formats, and what they share. */
#include "formats.h"

#include <math.h>
#include <string.h>

const struct comparison_format *const comparison_formats[] = {
	&format_native, &format_nayak,	     &format_smythies,
	&format_loehle, &format_percentiles, &format_mmtests,
	NULL,
};

const struct comparison_format *comparison_find_format(const char *name)
{
	for (size_t i = 0; comparison_formats[i]; i++)
		if (!strcmp(comparison_formats[i]->name, name))
			return comparison_formats[i];
	return NULL;
}

const char *comparison_format_names(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; comparison_formats[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? ", " : "", comparison_formats[i]->name);
	return buf;
}

/* "wakeup.p99", "hop_p99_9", "request_p50", ... */
static bool is_percentile(const char *name)
{
	for (const char *p = name; (p = strpbrk(p, "._")); p++)
		if (p[1] == 'p' && p[2] >= '0' && p[2] <= '9')
			return true;
	return strstr(name, "median");
}

enum format_statistic format_statistic(const struct run_measure *measure)
{
	if (is_percentile(measure->name))
		return STATISTIC_MEDIAN;
	return measure->better == BETTER_HIGHER ? STATISTIC_HMEAN : STATISTIC_AMEAN;
}

const char *format_statistic_name(enum format_statistic statistic)
{
	static const char *const names[] = {
		[STATISTIC_AMEAN] = "AMean",
		[STATISTIC_HMEAN] = "HMean",
		[STATISTIC_MEDIAN] = "Median",
	};

	return names[statistic];
}

double format_cell_statistic(const struct comparison_cell *cell,
			     enum format_statistic statistic)
{
	return statistic == STATISTIC_AMEAN   ? cell->mean
	       : statistic == STATISTIC_HMEAN ? cell->harmonic_mean
					      : cell->median;
}

double format_change(double value, double reference)
{
	return reference > 0 ? 100 * (value / reference - 1) : NAN;
}

double format_improvement(double value, double base, enum metric_better better)
{
	double change = base > 0 ? 100 * (value - base) / base : NAN;

	return better == BETTER_HIGHER ? change : -change;
}

char *format_nayak_cell(double value, double base, double cv, enum metric_better better,
			char *buf, size_t size)
{
	double improvement = format_improvement(value, base, better);
	char spread[16];

	if (isnan(improvement)) {
		snprintf(buf, size, "%4s", "-");
		return buf;
	}
	if (isnan(cv))
		snprintf(spread, sizeof(spread), "-");
	else
		snprintf(spread, sizeof(spread), "%.*f", cv < 99.995 ? 2 : 0, cv);
	snprintf(buf, size, "%4.2f [%6.*f](%5s)", value / base,
		 fabs(improvement) < 999.95 ? 2 : 0, improvement, spread);
	return buf;
}

char *format_fit(const char *text, size_t width, char *buf, size_t size)
{
	size_t len = strlen(text), tail = width / 2;

	if (width >= size)
		width = size - 1;
	if (len <= width)
		snprintf(buf, size, "%s", text);
	else
		snprintf(buf, size, "%.*s~%s", (int)(width - tail - 1), text,
			 text + len - tail);
	return buf;
}
