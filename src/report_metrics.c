// SPDX-License-Identifier: GPL-2.0
/* The numbers that a command printed. */
#include "report.h"

#include <math.h>

static void print_metric(const struct workload_metric *m)
{
	struct line l = {.indent = 4};

	line_add(&l, "%-15s ", m->name);
	/* As many digits as it was printed with. */
	if (isnan(m->value))
		line_add(&l, "-");
	else
		line_add(&l, "%.10g%s%s", m->value, m->unit[0] ? " " : "", m->unit);
	if (!isnan(m->value) && m->better != BETTER_NONE)
		line_add(&l, ", %s is better",
			 m->better == BETTER_LOWER ? "lower" : "higher");
	line_end(&l);
}

void report_metrics(const struct metric_scan *scan)
{
	const char *warning;

	putchar('\n');
	for (unsigned int i = 0; i < scan->rules->nr_metrics; i++)
		print_metric(&scan->metrics[i]);
	for (unsigned int i = 0; (warning = metric_scan_warning(scan, i)); i++)
		report_line(4, "WARNING: %s", warning);
}
