// SPDX-License-Identifier: GPL-2.0
#include "metrics.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64

/* ---- rules ---- */

static int find_metric(const struct metric_rules *rules, const char *name)
{
	for (unsigned int i = 0; i < rules->nr_metrics; i++)
		if (!strcmp(rules->metrics[i].name, name))
			return (int)i;
	return -1;
}

static int compile(regex_t *regex, const char *text, char *err, size_t size)
{
	char why[80];
	int ret = regcomp(regex, text, REG_EXTENDED);

	if (ret) {
		regerror(ret, regex, why, sizeof(why));
		snprintf(err, size, "needs a POSIX extended regex: %s", why);
		return -EINVAL;
	}
	if (regex->re_nsub == 1)
		return 0;
	snprintf(err, size, "needs one group ( ), the number, and has %zu",
		 regex->re_nsub);
	regfree(regex);
	return -EINVAL;
}

/* One more pattern; of a metric that is there, or of a new one at the end. */
static int add_rule(struct metric_rules *rules, const struct preset_metric *from,
		    char *err, size_t size)
{
	int metric = find_metric(rules, from->name);
	struct metric_rule rule = {
		.metric = metric < 0 ? rules->nr_metrics : (unsigned int)metric,
		.fold = from->fold,
		.scale = from->scale ? from->scale : 1,
		.section = from->section,
		.that_line = from->that_line,
	};
	struct workload_metric *m;

	if (rule.metric == METRICS_MAX || rules->nr_rules == METRIC_RULES_MAX) {
		snprintf(err, size, "needs to be one of at most %d metrics", METRICS_MAX);
		return -EINVAL;
	}
	if (compile(&rule.regex, from->regex, err, size))
		return -EINVAL;
	rules->rules[rules->nr_rules++] = rule;
	if (metric >= 0)
		return 0;
	m = &rules->metrics[rules->nr_metrics++];
	snprintf(m->name, sizeof(m->name), "%s", from->name);
	snprintf(m->unit, sizeof(m->unit), "%s", from->unit);
	m->better = from->better;
	m->value = NAN;
	return 0;
}

static bool is_name(const char *text, size_t len)
{
	if (!len || len >= RESULT_NAME || !isalpha((unsigned char)*text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
			return false;
	return true;
}

/* Takes a direction off the end of the regex. */
static enum metric_better take_better(char *regex)
{
	static const struct {
		const char *end;
		enum metric_better better;
	} ends[] = {{":lower", BETTER_LOWER},
		    {":higher", BETTER_HIGHER},
		    {":none", BETTER_NONE}};
	size_t len = strlen(regex);

	for (int i = 0; i < 3; i++) {
		size_t end = strlen(ends[i].end);

		if (len > end && !strcmp(regex + len - end, ends[i].end)) {
			regex[len - end] = '\0';
			return ends[i].better;
		}
	}
	return BETTER_NONE;
}

int metric_rules_add(struct metric_rules *rules, const char *text, char *err, size_t size)
{
	size_t len = strcspn(text, "=");
	struct preset_metric metric = {.unit = ""};
	char name[RESULT_NAME], *regex;
	int ret;

	if (!is_name(text, len) || !text[len] || !text[len + 1]) {
		snprintf(err, size, "needs NAME=REGEX[:lower|:higher|:none]");
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	if (find_metric(rules, name) >= 0) {
		snprintf(err, size, "needs another name, that one is there");
		return -EINVAL;
	}
	regex = strdup(text + len + 1);
	if (!regex) {
		snprintf(err, size, "out of memory");
		return -EINVAL;
	}
	metric.name = name;
	metric.better = take_better(regex);
	metric.regex = regex;
	ret = add_rule(rules, &metric, err, size);
	free(regex);
	return ret;
}

static const struct preset *find_preset(const char *name)
{
	for (const struct preset *p = presets; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

int metric_rules_add_preset(struct metric_rules *rules, const char *name, char *err,
			    size_t size)
{
	const struct preset *preset = find_preset(name);

	if (!preset) {
		snprintf(err, size, "needs the name of a preset, see --help");
		return -EINVAL;
	}
	for (const struct preset_metric *m = preset->metrics; m->name; m++) {
		if (find_metric(rules, m->name) < 0)
			continue;
		snprintf(err, size, "has a metric %s, which is there", m->name);
		return -EINVAL;
	}
	for (const struct preset_metric *m = preset->metrics; m->name; m++)
		if (add_rule(rules, m, err, size))
			return -EINVAL;
	rules->presets[rules->nr_presets++] = preset;
	return 0;
}

void metric_rules_free(struct metric_rules *rules)
{
	for (unsigned int i = 0; i < rules->nr_rules; i++)
		regfree(&rules->rules[i].regex);
	rules->nr_rules = rules->nr_metrics = rules->nr_presets = 0;
}

/* ---- numbers ---- */

/* Copies the digits of a number before its point, without the commas of thousands. */
static const char *take_thousands(const char *text, const char *end, char **to)
{
	const char *start = text;
	bool commas = false;

	while (text < end && isdigit((unsigned char)*text))
		*(*to)++ = *text++;
	if (text == start || text - start > 3)
		return text;
	while (end - text >= 4 && *text == ',' && isdigit((unsigned char)text[1]) &&
	       isdigit((unsigned char)text[2]) && isdigit((unsigned char)text[3])) {
		memcpy(*to, text + 1, 3);
		*to += 3;
		text += 4;
		commas = true;
	}
	/* Of "1,2345" nothing is a number. */
	return commas && text < end && isdigit((unsigned char)*text) ? NULL : text;
}

bool metric_number(const char *text, size_t len, double *value)
{
	const char *end = text + len;
	char copy[NUMBER_MAX], *to = copy, *stop;

	while (text < end && isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (text == end || end - text >= NUMBER_MAX)
		return false;
	if (*text == '-' || *text == '+')
		*to++ = *text++;
	text = take_thousands(text, end, &to);
	if (!text)
		return false;
	/* strtod() knows words and hexadecimal numbers as well; these are none here. */
	for (; text < end; text++) {
		if (!isdigit((unsigned char)*text) && !strchr(".eE+-", *text))
			return false;
		*to++ = *text;
	}
	*to = '\0';
	*value = strtod(copy, &stop);
	return stop == to && to != copy && isfinite(*value);
}

/* ---- the scan ---- */

void metric_scan_init(struct metric_scan *scan, const struct metric_rules *rules)
{
	memset(scan, 0, sizeof(*scan));
	scan->rules = rules;
	memcpy(scan->metrics, rules->metrics, sizeof(scan->metrics));
	for (unsigned int i = 0; i < rules->nr_rules; i++)
		scan->open[i] = !rules->rules[i].section;
}

static double fold(enum metric_fold how, double old, double value)
{
	if (isnan(old) || how == FOLD_LAST)
		return value;
	switch (how) {
	case FOLD_MIN: return fmin(old, value);
	case FOLD_MAX: return fmax(old, value);
	default: return old + value;
	}
}

/* A last match without a number makes the metric unknown, not the one before it. */
static void take_match(double *metric, const struct metric_rule *rule, const char *text,
		       size_t len)
{
	double value;

	if (metric_number(text, len, &value))
		*metric = fold(rule->fold, *metric, value * rule->scale);
	else if (rule->fold == FOLD_LAST)
		*metric = NAN;
}

static void match_line(struct metric_scan *scan, const struct metric_rule *rule)
{
	const char *text = scan->line;
	double *value = &scan->metrics[rule->metric].value;
	regmatch_t match[2];
	int flags = 0;

	while (!regexec(&rule->regex, text, 2, match, flags)) {
		if (match[1].rm_so >= 0)
			take_match(value, rule, text + match[1].rm_so,
				   (size_t)(match[1].rm_eo - match[1].rm_so));
		if (match[0].rm_eo == match[0].rm_so && !text[match[0].rm_eo])
			break;
		text += match[0].rm_eo + (match[0].rm_eo == match[0].rm_so);
		flags = REG_NOTBOL;
	}
}

/* The header of a section closes all others. */
static void open_sections(struct metric_scan *scan)
{
	const struct metric_rules *r = scan->rules;
	bool header = false;

	for (unsigned int i = 0; i < r->nr_rules && !header; i++)
		header = r->rules[i].section && strstr(scan->line, r->rules[i].section);
	for (unsigned int i = 0; i < r->nr_rules && header; i++)
		if (r->rules[i].section)
			scan->open[i] = strstr(scan->line, r->rules[i].section);
}

static void take_line(struct metric_scan *scan)
{
	const struct metric_rules *r = scan->rules;

	scan->line[scan->used] = '\0';
	scan->used = 0;
	if (!scan->line[0])
		return;
	open_sections(scan);
	for (unsigned int i = 0; i < r->nr_presets; i++)
		if (r->presets[i]->trap && strstr(scan->line, r->presets[i]->trap))
			scan->warned[i] = true;
	for (unsigned int i = 0; i < r->nr_rules; i++) {
		if (scan->open[i])
			match_line(scan, &r->rules[i]);
		scan->open[i] &= !r->rules[i].that_line;
	}
}

void metric_scan_feed(struct metric_scan *scan, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n' || data[i] == '\r')
			take_line(scan);
		else if (data[i] && scan->used < METRIC_LINE - 1)
			scan->line[scan->used++] = data[i];
	}
}

void metric_scan_end(struct metric_scan *scan)
{
	take_line(scan);
	for (unsigned int i = 0; i < scan->rules->nr_rules; i++)
		scan->open[i] = !scan->rules->rules[i].section;
}

const char *metric_scan_warning(const struct metric_scan *scan, unsigned int i)
{
	for (unsigned int p = 0; p < scan->rules->nr_presets; p++)
		if (scan->warned[p] && !i--)
			return scan->rules->presets[p]->warning;
	return NULL;
}
