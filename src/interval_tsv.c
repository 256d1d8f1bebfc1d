// SPDX-License-Identifier: GPL-2.0
#include "interval.h"

#include <ctype.h>
#include <string.h>

#include "report.h"

#define UNKNOWN "\t-"

/* A state's name as a part of a column's name. */
static const char *column_name(const struct machine *m, u32 state, char *buf, size_t size)
{
	machine_state_name(m, state, buf, size);
	for (char *c = buf; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("+-.", *c))
			*c = '_';
	return buf;
}

static bool is_printed(const struct loss_kind *kind)
{
	return kind->offset != offsetof(struct loss, wrapped);
}

void interval_print_header(FILE *f, const struct machine *m)
{
	char name[32];

	fputs("start_s\tlength_s\twakeups\twakeups_per_s\tp50_us\tp99_us", f);
	for (u32 i = 0; i < machine_traced_states(m); i++) {
		column_name(m, i, name, sizeof(name));
		fprintf(f, "\t%s_entered\t%s_residency_%%", name, name);
		fprintf(f, "\t%s_too_deep_%%\t%s_too_shallow_%%", name, name);
	}
	for (int d = 0; d < POWER_DOMAINS; d++)
		fprintf(f, "\t%s_W", power_domain_name(d));
	fputs("\tfrequency_MHz", f);
	for (int k = 0; k < LOSS_KINDS; k++)
		if (is_printed(&loss_kinds[k]))
			fprintf(f, "\tlost_%s", loss_kinds[k].name);
	fputc('\n', f);
}

static void print_percent(FILE *f, bool known, u64 part, u64 whole)
{
	if (known && whole)
		fprintf(f, "\t%.3f", 100 * (double)part / (double)whole);
	else
		fputs(UNKNOWN, f);
}

static void print_us(FILE *f, bool known, u64 ns)
{
	if (known)
		fprintf(f, "\t%.3f", (double)ns / NSEC_PER_USEC);
	else
		fputs(UNKNOWN, f);
}

static void print_state(FILE *f, const struct interval_state *s, u64 cpu_time,
			bool judged)
{
	fprintf(f, "\t%llu", (unsigned long long)s->entered);
	print_percent(f, true, s->residency, cpu_time);
	print_percent(f, judged, s->too_deep, s->entered);
	print_percent(f, judged, s->too_shallow, s->entered);
}

void interval_print(FILE *f, const struct machine *m, const struct interval *i)
{
	double length = (double)i->length / NSEC_PER_SEC;

	fprintf(f, "%.6f\t%.6f\t%llu", (double)i->start / NSEC_PER_SEC, length,
		(unsigned long long)i->wakeups);
	if (i->length)
		fprintf(f, "\t%.1f", (double)i->wakeups / length);
	else
		fputs(UNKNOWN, f);
	print_us(f, i->wakeups, i->p50);
	print_us(f, i->wakeups, i->p99);
	for (u32 k = 0; k < machine_traced_states(m); k++)
		print_state(f, &i->state[k], i->cpu_time, machine_has_driver(m));
	for (int d = 0; d < POWER_DOMAINS; d++) {
		if (i->power[d].known)
			fprintf(f, "\t%.3f", i->power[d].watts);
		else
			fputs(UNKNOWN, f);
	}
	if (i->khz)
		fprintf(f, "\t%.3f", (double)i->khz / 1000);
	else
		fputs(UNKNOWN, f);
	for (int k = 0; k < LOSS_KINDS; k++)
		if (is_printed(&loss_kinds[k]))
			fprintf(f, "\t%llu",
				(unsigned long long)loss_count(&i->loss, &loss_kinds[k]));
	fputc('\n', f);
}
