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
	/* Posts give schbench's requests per second as a median, like its percentiles. */
	if (is_percentile(measure->name) || !strcmp(measure->name, "rps"))
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

char *format_narrow(double value, int decimals, size_t width, bool sign, char *buf,
		    size_t size)
{
	int len = snprintf(buf, size, sign ? "%+.*f" : "%.*f", decimals, value);

	if (len > (int)width)
		len = snprintf(buf, size, sign ? "%+.0f" : "%.0f", value);
	if (len > (int)width)
		snprintf(buf, size, sign ? "%+.0e" : "%.0e", value);
	return buf;
}

char *format_nayak_cell(double value, double base, double cv, enum metric_better better,
			char *buf, size_t size)
{
	double improvement = format_improvement(value, base, better);
	char norm[16], percent[16], spread[16] = "-";

	if (isnan(improvement)) {
		snprintf(buf, size, "%4s", "-");
		return buf;
	}
	if (!isnan(cv))
		format_narrow(cv, 2, 5, false, spread, sizeof(spread));
	snprintf(buf, size, "%4s [%6s](%5s)",
		 format_narrow(value / base, 2, 4, false, norm, sizeof(norm)),
		 format_narrow(improvement, 2, 6, false, percent, sizeof(percent)),
		 spread);
	return buf;
}

/* Length of the "KNOB=" of all names, 0 if there is none. */
static size_t common_knob(const struct comparison *c)
{
	const char *first = c->sides[0].name, *sign = strchr(first, '=');
	size_t len = sign ? (size_t)(sign + 1 - first) : 0;

	for (unsigned int s = 0; s < c->nr_sides; s++)
		if (strncmp(c->sides[s].name, first, len) ||
		    strchr(c->sides[s].name + len, '='))
			return 0;
	return len;
}

const char *format_side(const struct comparison *c, unsigned int side, size_t width)
{
	for (unsigned int s = 0; s < c->nr_sides; s++)
		if (strlen(c->sides[s].name) > width)
			return c->sides[side].name + common_knob(c);
	return c->sides[side].name;
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
