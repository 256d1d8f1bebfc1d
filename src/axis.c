// SPDX-License-Identifier: GPL-2.0
#include "axis.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 4
#define VALUE_MAX  256
#define SHOWN	   60

static const char range_forms[] =
	"needs values such as 1,2,5, or FROM:TO:lin:N, FROM:TO:log:N or FROM:TO:STEP";

/* What is read, for the messages. */
struct reader {
	struct axis *axis;
	struct workload_config *config; /* to try values in */
	const char *spec;
	char *err;
	size_t size;
};

struct ends {
	enum axis_kind kind;
	double from, to;
	bool whole; /* only whole numbers in between */
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *r, const char *fmt,
						      ...)
{
	va_list args;
	int n = snprintf(r->err, r->size, "--over %.*s: ", SHOWN, r->spec);

	va_start(args, fmt);
	if (n > 0 && (size_t)n < r->size)
		vsnprintf(r->err + n, r->size - (size_t)n, fmt, args);
	va_end(args);
	return -1;
}

/* ---- values ---- */

static bool read_u64(int (*parse)(const char *, uint64_t *), const char *text,
		     double *number)
{
	uint64_t value;

	if (parse(text, &value))
		return false;
	*number = (double)value;
	return true;
}

static bool read_time(const char *text, double *number)
{
	uint64_t ns;

	if (parse_duration(text, NULL, &ns))
		return false;
	*number = (double)ns;
	return true;
}

/* What is this text to the option? A plain 0 of an option that takes any text is both. */
static enum axis_kind read_value(const struct workload_option *option, const char *text,
				 double *number)
{
	*number = NAN;
	switch (option->type) {
	case OPTION_COUNT:
		return read_u64(parse_count, text, number) ? AXIS_NUMBER : AXIS_WORDS;
	case OPTION_SIZE:
		return read_u64(parse_size, text, number) ? AXIS_SIZE : AXIS_WORDS;
	case OPTION_DURATION: return read_time(text, number) ? AXIS_TIME : AXIS_WORDS;
	case OPTION_NUMBER: return !parse_number(text, number) ? AXIS_NUMBER : AXIS_WORDS;
	case OPTION_TEXT:
		if (!parse_number(text, number) || read_u64(parse_count, text, number))
			return AXIS_NUMBER;
		return read_time(text, number) ? AXIS_TIME : AXIS_WORDS;
	case OPTION_ENUM:
	case OPTION_BOOL:
	case OPTION_CPULIST: break;
	}
	return AXIS_WORDS;
}

char *axis_time(uint64_t ns, char *buf, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{NSEC_PER_SEC, "s"}, {NSEC_PER_MSEC, "ms"}, {NSEC_PER_USEC, "us"}};
	uint64_t unit = 1, part;
	const char *name = "ns";
	int digits = 3;

	for (size_t i = 0; i < 3; i++)
		if (ns >= units[i].ns && ns % (units[i].ns / 1000) == 0) {
			unit = units[i].ns;
			name = units[i].name;
			break;
		}
	part = unit > 1 ? ns % unit / (unit / 1000) : 0;
	for (; part && part % 10 == 0; part /= 10)
		digits--;
	if (part)
		snprintf(buf, size, "%llu.%0*llu%s", (unsigned long long)(ns / unit),
			 digits, (unsigned long long)part, name);
	else
		snprintf(buf, size, ns ? "%llu%s" : "%llu",
			 (unsigned long long)(ns / unit), name);
	return buf;
}

/* Without an exponent or zeroes at the end. */
static void number_text(double number, char *buf, size_t size)
{
	char *end;

	snprintf(buf, size, "%.6f", number);
	for (end = buf + strlen(buf) - 1; *end == '0'; end--)
		*end = '\0';
	if (*end == '.')
		*end = '\0';
}

static void value_text(enum axis_kind kind, double number, char *buf, size_t size)
{
	switch (kind) {
	case AXIS_TIME: axis_time((uint64_t)number, buf, size); break;
	case AXIS_SIZE: format_size((uint64_t)number, buf, size); break;
	case AXIS_NUMBER:
	case AXIS_WORDS: number_text(number, buf, size); break;
	}
}

int axis_add(struct axis *axis, const char *text, double number)
{
	struct axis_value *last = axis->nr ? &axis->values[axis->nr - 1] : NULL;
	struct axis_value *values;

	if (last && !strcmp(last->text, text))
		return 0;
	if (axis->nr == AXIS_VALUES)
		return -E2BIG;
	values = realloc(axis->values, (axis->nr + 1) * sizeof(*values));
	if (!values)
		return -ENOMEM;
	axis->values = values;
	values[axis->nr] = (struct axis_value){.text = strdup(text), .number = number};
	if (!values[axis->nr].text)
		return -ENOMEM;
	axis->nr++;
	return 0;
}

static int add(struct reader *r, const char *text, double number)
{
	char err[WORKLOAD_ERROR_MAX];

	if (workload_parse_option(r->config, r->axis->option->name, text, err,
				  sizeof(err)))
		return fail(r, "%s", err);
	switch (axis_add(r->axis, text, number)) {
	case 0: return 0;
	case -E2BIG: return fail(r, "at most %d values", AXIS_VALUES);
	default: return fail(r, "out of memory");
	}
}

/* ---- ranges ---- */

static int add_computed(struct reader *r, const struct ends *e, double number)
{
	char text[VALUE_MAX];

	if (e->whole)
		number = round(number);
	value_text(e->kind, number, text, sizeof(text));
	return add(r, text, number);
}

/* To so many digits, counted from the first of scale's. */
static double round_to(double number, double scale, int digits)
{
	double unit = pow(10, floor(log10(fabs(scale))) - digits + 1);

	/* A division by 10^n is exact where a multiplication by 10^-n is not. */
	return unit < 1 ? round(number * round(1 / unit)) / round(1 / unit)
			: round(number / unit) * unit;
}

static int add_lin(struct reader *r, const struct ends *e, unsigned int nr)
{
	double step = (e->to - e->from) / (nr - 1);

	for (unsigned int i = 0; i + 1 < nr; i++) {
		double number = i ? round_to(e->from + step * i, step, 3) : e->from;

		if (add_computed(r, e, number))
			return -1;
	}
	return add_computed(r, e, e->to);
}

static int add_log(struct reader *r, const struct ends *e, unsigned int nr)
{
	struct ends rest = *e;
	double ratio;

	r->axis->logarithmic = true;
	if (e->from == 0) {
		if (add_computed(r, e, 0))
			return -1;
		rest.from =
			e->kind == AXIS_TIME && e->to > NSEC_PER_USEC ? NSEC_PER_USEC : 1;
		nr--;
	}
	if (!(rest.to > 0) || (e->from == 0 && rest.to < rest.from))
		return fail(r, "a log range has 0 as its first value only");
	if (nr < 2)
		return add_computed(r, &rest, rest.to);
	ratio = log(rest.to / rest.from) / (nr - 1);
	if (add_computed(r, &rest, rest.from))
		return -1;
	for (unsigned int i = 1; i + 1 < nr; i++) {
		double number = rest.from * exp(ratio * i);

		if (add_computed(r, &rest, round_to(number, number, 3)))
			return -1;
	}
	return add_computed(r, &rest, rest.to);
}

static int add_steps(struct reader *r, const struct ends *e, double step)
{
	double sign = e->to < e->from ? -1 : 1, distance = fabs(e->to - e->from);

	if (!(step > 0))
		return fail(r, "the step must be more than 0");
	if (distance / step >= AXIS_VALUES)
		return fail(r, "at most %d values", AXIS_VALUES);
	/* What is a whole number of steps must not miss the end by a rounding error. */
	for (unsigned int i = 0; step * i <= distance + step * 1e-9; i++)
		if (add_computed(r, e, e->from + sign * step * i))
			return -1;
	return 0;
}

/* The kind of two numbers of a range; AXIS_WORDS: they do not go together. */
static enum axis_kind same_kind(const struct workload_option *option, const char *a,
				const char *b, double *x, double *y)
{
	enum axis_kind kind = read_value(option, a, x), other = read_value(option, b, y);

	if (kind == AXIS_NUMBER && other == AXIS_TIME && *x == 0)
		return AXIS_TIME;
	if (kind == AXIS_TIME && other == AXIS_NUMBER && *y == 0)
		return AXIS_TIME;
	return kind == other ? kind : AXIS_WORDS;
}

static bool is_whole(double number)
{
	return number == floor(number);
}

static int add_range(struct reader *r, char *const *fields, unsigned int nr)
{
	const struct workload_option *option = r->axis->option;
	struct ends e;
	double step = 0;
	uint64_t n = 0;

	e.kind = same_kind(option, fields[0], fields[1], &e.from, &e.to);
	if (e.kind == AXIS_WORDS)
		return fail(r, "%.40s and %.40s are no ends of a range", fields[0],
			    fields[1]);
	e.whole = option->type != OPTION_NUMBER && is_whole(e.from) && is_whole(e.to);
	if (nr == 3) {
		double ignored;

		if (same_kind(option, fields[1], fields[2], &ignored, &step) != e.kind)
			return fail(r, "%.40s: needs a step, or lin:N or log:N",
				    fields[2]);
		e.whole &= is_whole(step);
		return add_steps(r, &e, step);
	}
	if (parse_u64(fields[3], &n) || n < 2 || n > AXIS_VALUES)
		return fail(r, "%.40s values: needs 2 to %d", fields[3], AXIS_VALUES);
	if (!strcmp(fields[2], "lin"))
		return add_lin(r, &e, (unsigned int)n);
	if (!strcmp(fields[2], "log"))
		return add_log(r, &e, (unsigned int)n);
	return fail(r, "%.40s: needs lin or log", fields[2]);
}

/* ---- the text ---- */

/* Splits at a separator that has no backslash before it. Returns what follows or NULL. */
static char *split(char *text, char separator)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (*text == separator) {
			*text = '\0';
			return text + 1;
		}
	}
	return NULL;
}

/* Only those backslashes that hide a separator are ours. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && (text[1] == ',' || text[1] == ':'))
			text++;
		*to++ = *text;
	}
	*to = '\0';
}

static int read_item(struct reader *r, char *item)
{
	char *fields[FIELDS_MAX + 1];
	unsigned int nr = 0;
	double number;

	for (char *next; item && nr <= FIELDS_MAX; item = next) {
		next = split(item, ':');
		unescape(item);
		if (!*item)
			return fail(r, "%s", range_forms);
		fields[nr++] = item;
	}
	if (nr == 1) {
		read_value(r->axis->option, fields[0], &number);
		return add(r, fields[0], number);
	}
	if (nr < 3 || nr > FIELDS_MAX)
		return fail(r, "%s", range_forms);
	return add_range(r, fields, nr);
}

/* Takes ":updown" off the end. */
static bool take_updown(char *range)
{
	static const char word[] = ":updown";
	size_t len = strlen(range);

	if (len < sizeof(word) - 1 || strcmp(range + len - sizeof(word) + 1, word))
		return false;
	range[len - sizeof(word) + 1] = '\0';
	return true;
}

static int add_way_back(struct reader *r)
{
	struct axis *axis = r->axis;

	axis->updown = true;
	if (axis->nr < 2)
		return fail(r, "updown: needs two values or more");
	for (unsigned int i = axis->nr - 1; i-- > 0;) {
		if (axis_add(axis, axis->values[i].text, axis->values[i].number))
			return fail(r, "at most %d values", AXIS_VALUES);
		axis->values[axis->nr - 1].back = true;
	}
	return 0;
}

/* Of all values together. */
static enum axis_kind kind_of(const struct axis *axis)
{
	enum axis_kind kind = AXIS_WORDS;
	double number;

	for (unsigned int i = 0; i < axis->nr; i++) {
		enum axis_kind is =
			read_value(axis->option, axis->values[i].text, &number);

		if (is == AXIS_NUMBER && number == 0 && kind == AXIS_TIME)
			continue;
		if (i && is != kind &&
		    !(is == AXIS_TIME && axis->values[0].number == 0 && i == 1))
			return AXIS_WORDS;
		kind = is;
	}
	return kind;
}

static int read_range(struct reader *r, char *range)
{
	bool updown = take_updown(range);

	for (char *item = range, *next; item; item = next) {
		next = split(item, ',');
		if (read_item(r, item))
			return -1;
	}
	if (updown && add_way_back(r))
		return -1;
	r->axis->kind = kind_of(r->axis);
	return 0;
}

int axis_parse(struct axis *axis, const struct workload *workload, const char *spec,
	       char *err, size_t size)
{
	struct workload_config config;
	struct reader r = {axis, &config, spec, err, size};
	size_t len = strcspn(spec, "=");
	char name[64], *range;
	int ret;

	*axis = (struct axis){0};
	if (!len || !spec[len] || len >= sizeof(name))
		return fail(&r, "needs OPTION=RANGE such as work=0:1ms:log:20");
	snprintf(name, sizeof(name), "%.*s", (int)len, spec);
	axis->option = workload_find_option(workload, name);
	if (!axis->option)
		return fail(&r, "not an option of %s, see idletrace --workload %s --help",
			    workload->name, workload->name);
	range = strdup(spec + len + 1);
	if (!range || workload_config_init(&config, workload)) {
		free(range);
		return fail(&r, "out of memory");
	}
	ret = read_range(&r, range);
	workload_config_free(&config);
	free(range);
	return ret;
}

void axis_free(struct axis *axis)
{
	for (unsigned int i = 0; i < axis->nr; i++)
		free(axis->values[i].text);
	free(axis->values);
	*axis = (struct axis){0};
}
