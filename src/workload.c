// SPDX-License-Identifier: GPL-2.0
/* The table of workloads, their options, and what they hand back. */
#include "workload.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const struct workload adrestia_workload;
extern const struct workload jobs_workload;
extern const struct workload ebizzy_workload;
extern const struct workload messaging_workload;
extern const struct workload spawn_workload;
extern const struct workload idle_workload;
extern const struct workload periodic_workload;
extern const struct workload pingpong_workload;
extern const struct workload schbench_workload;
extern const struct workload waiters_workload;

const struct workload *const workloads[] = {
	&adrestia_workload,
	&jobs_workload,
	&ebizzy_workload,
	&messaging_workload,
	&spawn_workload,
	&idle_workload,
	&periodic_workload,
	&pingpong_workload,
	&schbench_workload,
	&waiters_workload,
	NULL,
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *const *w = workloads; *w; w++) {
		if (!strcmp((*w)->name, name))
			return *w;
	}
	return NULL;
}

const struct workload_option *workload_find_option(const struct workload *w,
						   const char *name)
{
	for (unsigned int i = 0; i < w->nr_options; i++) {
		if (!strcmp(w->options[i].name, name))
			return &w->options[i];
	}
	return NULL;
}

bool workload_option_takes_value(const struct workload_option *option)
{
	return option->type != OPTION_BOOL;
}

static void *option_field(const struct workload_config *config,
			  const struct workload_option *option)
{
	return (char *)config->values + option->offset;
}

/* A number in the way in which the option is written. */
static char *number_text(enum option_type type, uint64_t value, char *buf, size_t size)
{
	if (type == OPTION_DURATION)
		return format_duration_exact(value, buf, size);
	if (type == OPTION_SIZE)
		return format_size(value, buf, size);
	snprintf(buf, size, "%llu", (unsigned long long)value);
	return buf;
}

static void choices_text(const struct workload_option *option, const char *between,
			 const char *before_last, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (const char *const *c = option->choices; *c && used < size; c++) {
		const char *gap = c == option->choices ? ""
				  : c[1]	       ? between
						       : before_last;

		used += (size_t)snprintf(buf + used, size - used, "%s%s", gap, *c);
	}
}

/* "1 to 1000", "1 or more", or nothing. */
static void range_text(const struct workload_option *option, char *buf, size_t size)
{
	char min[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];

	number_text(option->type, option->min, min, sizeof(min));
	number_text(option->type, option->max, max, sizeof(max));
	if (option->max)
		snprintf(buf, size, "%s to %s", min, max);
	else if (option->min)
		snprintf(buf, size, "%s or more", min);
	else
		buf[0] = '\0';
}

/* What the option accepts, as the end of "needs ...". */
static void accepted_text(const struct workload_option *option, char *buf, size_t size)
{
	char range[2 * UNITS_TEXT_MAX + 8];
	size_t used = 0;

	if (option->word)
		used = (size_t)snprintf(buf, size, "%s or ", option->word);
	buf += used;
	size -= used;
	range_text(option, range, sizeof(range));
	switch (option->type) {
	case OPTION_COUNT:
	case OPTION_NUMBER: snprintf(buf, size, "%s", *range ? range : "a number"); break;
	case OPTION_DURATION:
		snprintf(buf, size, "a time with a unit, %s",
			 *range ? range : "such as 20us or 10s");
		break;
	case OPTION_SIZE:
		snprintf(buf, size, "a size, %s", *range ? range : "such as 4096 or 64k");
		break;
	case OPTION_ENUM: choices_text(option, ", ", " or ", buf, size); break;
	case OPTION_BOOL: snprintf(buf, size, "yes or no"); break;
	case OPTION_CPULIST: snprintf(buf, size, "a CPU list such as 0-3,8"); break;
	case OPTION_TEXT: snprintf(buf, size, "some text"); break;
	}
}

static int parse_integer(const struct workload_option *option, const char *text,
			 uint64_t *value)
{
	uint64_t v = 0;
	int err;

	if (option->type == OPTION_DURATION)
		err = parse_duration(text, NULL, &v);
	else if (option->type == OPTION_SIZE)
		err = parse_size(text, &v);
	else
		err = parse_count(text, &v);
	if (err)
		return err;
	if (v < option->min || (option->max && v > option->max))
		return -ERANGE;
	*value = v;
	return 0;
}

static int parse_double(const struct workload_option *option, const char *text,
			double *value)
{
	double v = 0;
	int err = parse_number(text, &v);

	if (err)
		return err;
	if (v < (double)option->min || (option->max && v > (double)option->max))
		return -ERANGE;
	*value = v;
	return 0;
}

static int parse_choice(const struct workload_option *option, const char *text,
			int *value)
{
	for (int i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], text)) {
			*value = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_bool(const char *text, bool *value)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		return -EINVAL;
	*value = text[0] == 'y';
	return 0;
}

static int parse_text(const struct workload_option *option, const char *text,
		      char **value)
{
	char *copy;

	if (strlen(text) < option->min)
		return -EINVAL;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(*value);
	*value = copy;
	return 0;
}

static int parse_word(const struct workload_option *option, void *field)
{
	switch (option->type) {
	case OPTION_CPULIST: cpu_mask_clear(field); return 0;
	case OPTION_NUMBER: *(double *)field = (double)option->word_value; return 0;
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_SIZE: *(uint64_t *)field = option->word_value; return 0;
	default: return -EINVAL;
	}
}

static int parse_value(const struct workload_option *option, const char *text,
		       void *field)
{
	if (option->word && !strcmp(option->word, text))
		return parse_word(option, field);
	switch (option->type) {
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_SIZE: return parse_integer(option, text, field);
	case OPTION_NUMBER: return parse_double(option, text, field);
	case OPTION_ENUM: return parse_choice(option, text, field);
	case OPTION_BOOL: return parse_bool(text, field);
	case OPTION_CPULIST: return cpu_mask_parse(text, field);
	case OPTION_TEXT: return parse_text(option, text, field);
	}
	return -EINVAL;
}

int workload_config_init(struct workload_config *config, const struct workload *w)
{
	*config = (struct workload_config){.workload = w};
	config->values = calloc(1, w->options_size ? w->options_size : 1);
	if (!config->values)
		return -ENOMEM;
	for (unsigned int i = 0; i < w->nr_options; i++) {
		const struct workload_option *option = &w->options[i];
		int err = parse_value(option, option->def, option_field(config, option));

		if (err) {
			workload_config_free(config);
			return err;
		}
	}
	return 0;
}

void workload_config_free(struct workload_config *config)
{
	if (!config->values)
		return;
	for (unsigned int i = 0; i < config->workload->nr_options; i++) {
		if (config->workload->options[i].type == OPTION_TEXT)
			free(*(char **)option_field(config,
						    &config->workload->options[i]));
	}
	free(config->values);
	config->values = NULL;
}

int workload_parse_option(struct workload_config *config, const char *name,
			  const char *value, char *err, size_t size)
{
	const struct workload *w = config->workload;
	const struct workload_option *option = workload_find_option(w, name);
	char accepted[160];
	int ret;

	if (!option) {
		snprintf(err, size,
			 "--%.40s: not an option of %s (see --workload %s --help)", name,
			 w->name, w->name);
		return -ENOENT;
	}
	accepted_text(option, accepted, sizeof(accepted));
	if (!value && !workload_option_takes_value(option))
		value = "yes";
	if (!value) {
		snprintf(err, size, "--%s: needs %s", name, accepted);
		return -EINVAL;
	}
	ret = parse_value(option, value, option_field(config, option));
	if (ret == -ENOMEM) {
		snprintf(err, size, "--%s: out of memory", name);
		return ret;
	}
	if (ret) {
		snprintf(err, size, "--%s %.40s: needs %s", name, value, accepted);
		return -EINVAL;
	}
	config->given |= 1ULL << (option - w->options);
	return 0;
}

int workload_check(const struct workload_config *config, const struct workload_run *run,
		   char *err, size_t size)
{
	const struct workload *w = config->workload;

	return w->check && w->check(config, run, err, size) ? -EINVAL : 0;
}

bool workload_given(const struct workload_config *config, const char *name)
{
	const struct workload *w = config->workload;
	const struct workload_option *option = workload_find_option(w, name);

	return option && config->given >> (option - w->options) & 1;
}

/* Does the field hold what the option's word stands for? */
static bool is_word(const struct workload_option *option, const void *field)
{
	if (!option->word)
		return false;
	if (option->type == OPTION_CPULIST)
		return !cpu_mask_count(field);
	if (option->type == OPTION_NUMBER)
		return *(const double *)field == (double)option->word_value;
	return *(const uint64_t *)field == option->word_value;
}

char *workload_option_text(const struct workload_config *config, unsigned int i,
			   char *buf, size_t size)
{
	const struct workload_option *option = &config->workload->options[i];
	const void *field = option_field(config, option);

	if (is_word(option, field)) {
		snprintf(buf, size, "%s", option->word);
		return buf;
	}
	switch (option->type) {
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_SIZE:
		return number_text(option->type, *(const uint64_t *)field, buf, size);
	case OPTION_NUMBER: snprintf(buf, size, "%.10g", *(const double *)field); break;
	case OPTION_ENUM:
		snprintf(buf, size, "%s", option->choices[*(const int *)field]);
		break;
	case OPTION_BOOL:
		snprintf(buf, size, "%s", *(const bool *)field ? "yes" : "no");
		break;
	case OPTION_CPULIST: return cpu_mask_format(field, buf, size);
	case OPTION_TEXT: snprintf(buf, size, "%s", *(char *const *)field); break;
	}
	return buf;
}

#define HELP_COLUMN 28
#define HELP_WIDTH  80

/* Prints text from column HELP_COLUMN on, broken at blanks; col is where we are. */
static void print_wrapped(FILE *out, const char *text, size_t col)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (col > HELP_COLUMN && col + 1 + len > HELP_WIDTH) {
			fputc('\n', out);
			col = 0;
		}
		if (col > HELP_COLUMN)
			col += (size_t)fprintf(out, " ");
		else
			col += (size_t)fprintf(out, "%*s", (int)(HELP_COLUMN - col), "");
		col += fwrite(text, 1, len, out);
		text += len + strspn(text + len, " ");
	}
	fputc('\n', out);
}

static void print_option_help(const struct workload_option *option, FILE *out)
{
	static const char *const units[] = {
		[OPTION_COUNT] = "N",  [OPTION_DURATION] = "TIME", [OPTION_SIZE] = "SIZE",
		[OPTION_NUMBER] = "X", [OPTION_CPULIST] = "CPUS",  [OPTION_TEXT] = "TEXT",
	};
	char range[2 * UNITS_TEXT_MAX + 8] = "", unit[80], line[512];
	const char *word = option->word ? option->word : "";
	size_t col;

	if (option->unit)
		snprintf(unit, sizeof(unit), "%s", option->unit);
	else if (option->type == OPTION_ENUM)
		choices_text(option, "|", "|", unit, sizeof(unit));
	else
		snprintf(unit, sizeof(unit), "%s",
			 units[option->type] ? units[option->type] : "");
	if (option->type != OPTION_TEXT)
		range_text(option, range, sizeof(range));
	snprintf(line, sizeof(line), "%s%s%s%s%s [%s]", option->help,
		 *range || *word ? "; " : "", word, *range && *word ? " or " : "", range,
		 *option->def ? option->def : "none");
	col = (size_t)fprintf(out, "  --%s %s", option->name, unit);
	if (col >= HELP_COLUMN - 1) {
		fputc('\n', out);
		col = 0;
	}
	print_wrapped(out, line, col);
}

void workload_print_help(const struct workload *w, FILE *out)
{
	fprintf(out, "%s: %s\n", w->name, w->summary);
	if (!w->nr_options)
		return;
	fprintf(out, "\nOptions, [default]:\n");
	for (unsigned int i = 0; i < w->nr_options; i++)
		print_option_help(&w->options[i], out);
}

int workload_error(struct workload_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ctx->shared->error, sizeof(ctx->shared->error), fmt, args);
	va_end(args);
	return -1;
}

void result_metric(struct workload_result *result, const char *name, double value,
		   const char *unit, enum metric_better better)
{
	struct workload_metric *metric;

	if (result->nr_metrics >= RESULT_METRICS)
		return;
	metric = &result->metrics[result->nr_metrics++];
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
	metric->value = value;
	metric->better = better;
}

/* Appends one line, if it fits whole. */
static void append_line(char *buf, const char *fmt, va_list args)
{
	size_t used = strnlen(buf, RESULT_TEXT - 1);
	int len = vsnprintf(buf + used, RESULT_TEXT - used, fmt, args);

	if (len <= 0 || used + (size_t)len + 1 >= RESULT_TEXT)
		buf[used] = '\0';
	else if (buf[used + (size_t)len - 1] != '\n')
		strcpy(buf + used + len, "\n");
}

void result_legacy(struct workload_result *result, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append_line(result->legacy, fmt, args);
	va_end(args);
}

void result_text(struct workload_result *result, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append_line(result->text, fmt, args);
	va_end(args);
}

struct hist *result_latency(struct workload_result *result, const char *name)
{
	struct workload_latency *latency;

	if (result->nr_latencies >= RESULT_LATENCIES)
		return NULL;
	latency = &result->latencies[result->nr_latencies++];
	memset(latency, 0, sizeof(*latency));
	snprintf(latency->name, sizeof(latency->name), "%s", name);
	return &latency->hist;
}

void result_latency_report(struct workload_result *result, const char *name,
			   const struct hist *hist)
{
	static const char *const labels[] = {"p50", "p90", "p99", "p99_9", "max"};
	static const double percents[] = {50, 90, 99, 99.9, 100};
	double scale = 1, value;
	char metric[RESULT_NAME], line[128];
	const char *unit = "ns";
	size_t used;

	if (!hist->count)
		return;
	value = (double)hist_percentile(hist, 50);
	if (value >= (double)NSEC_PER_MSEC) {
		unit = "ms";
		scale = (double)NSEC_PER_MSEC;
	} else if (value >= (double)NSEC_PER_USEC) {
		unit = "us";
		scale = (double)NSEC_PER_USEC;
	}
	used = (size_t)snprintf(line, sizeof(line), "%.24s, %s:", name, unit);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		value = (double)hist_percentile(hist, percents[i]);
		snprintf(metric, sizeof(metric), "%.20s_%s", name, labels[i]);
		result_metric(result, metric, value, "ns", BETTER_LOWER);
		used += (size_t)snprintf(line + used, sizeof(line) - used, " %s %.*f",
					 i == 3 ? "p99.9" : labels[i], scale > 1 ? 2 : 0,
					 value / scale);
	}
	result_text(result, "%s", line);
}
