// SPDX-License-Identifier: GPL-2.0
#include "units.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suffix {
	const char *name;
	uint64_t factor;
};

static const struct suffix count_suffixes[] = {
	{"", 1}, {"k", 1000}, {"M", 1000 * 1000}, {"G", 1000 * 1000 * 1000}, {NULL, 0},
};

static const struct suffix size_suffixes[] = {
	{"", 1}, {"k", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}, {NULL, 0},
};

static const struct suffix duration_suffixes[] = {
	{"ns", 1},	     {"us", NSEC_PER_USEC},    {"ms", NSEC_PER_MSEC},
	{"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC}, {"h", 3600 * NSEC_PER_SEC},
	{NULL, 0},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at *text; moves *text behind them. */
static int parse_digits(const char **text, uint64_t *value)
{
	const char *p = *text;
	uint64_t v = 0;
	int err = 0;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(v, 10ULL, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			err = -ERANGE;
	}
	*text = p;
	*value = v;
	return err;
}

static uint64_t find_factor(const struct suffix *suffixes, const char *name)
{
	for (; suffixes->name; suffixes++) {
		if (!strcmp(suffixes->name, name))
			return suffixes->factor;
	}
	return 0;
}

static int parse_suffixed(const char *text, const struct suffix *suffixes,
			  uint64_t *value)
{
	uint64_t v, factor;
	int err = parse_digits(&text, &v);

	if (err == -EINVAL)
		return err;
	factor = find_factor(suffixes, text);
	if (!factor)
		return -EINVAL;
	if (err || __builtin_mul_overflow(v, factor, &v))
		return -ERANGE;
	*value = v;
	return 0;
}

int parse_u64(const char *text, uint64_t *value)
{
	return parse_suffixed(text, (const struct suffix[]){{"", 1}, {NULL, 0}}, value);
}

int parse_count(const char *text, uint64_t *value)
{
	return parse_suffixed(text, count_suffixes, value);
}

int parse_size(const char *text, uint64_t *bytes)
{
	return parse_suffixed(text, size_suffixes, bytes);
}

/* The digits after a decimal point, times unit; only if that is a whole number. */
static int parse_fraction(const char **text, uint64_t *digits, uint64_t *scale)
{
	const char *p = *text, *end;

	if (!is_digit(*p))
		return -EINVAL;
	for (end = p; is_digit(*end); end++)
		;
	*text = end;
	while (end > p && end[-1] == '0')
		end--;
	if (end - p > 13) /* an hour has 3.6e12 ns: nothing finer can be whole */
		return -EINVAL;
	for (*digits = 0, *scale = 1; p < end; p++) {
		*digits = *digits * 10 + (uint64_t)(*p - '0');
		*scale *= 10;
	}
	return 0;
}

int parse_duration(const char *text, const char *default_unit, uint64_t *ns)
{
	uint64_t whole, digits = 0, scale = 1, factor;
	unsigned __int128 part;
	int err = parse_digits(&text, &whole);

	if (err == -EINVAL)
		return err;
	if (*text == '.') {
		text++;
		if (parse_fraction(&text, &digits, &scale))
			return -EINVAL;
	}
	if (*text)
		factor = find_factor(duration_suffixes, text);
	else if (default_unit)
		factor = find_factor(duration_suffixes, default_unit);
	else
		factor = !err && !whole && !digits;
	if (!factor)
		return -EINVAL;
	part = (unsigned __int128)digits * factor;
	if (part % scale)
		return -EINVAL;
	if (err || __builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, (uint64_t)(part / scale), &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

int parse_number(const char *text, double *value)
{
	size_t digits = strspn(text, "0123456789"), fraction;
	double v;

	if (!digits)
		return -EINVAL;
	if (text[digits] == '.') {
		fraction = strspn(text + digits + 1, "0123456789");
		if (!fraction)
			return -EINVAL;
		digits += 1 + fraction;
	}
	if (text[digits])
		return -EINVAL;
	v = strtod(text, NULL);
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

char *format_duration(uint64_t ns, char *buf, size_t size)
{
	static const char *const units[] = {"us", "ms", "s"};
	double value = (double)ns;
	unsigned int i = 0;

	if (ns < 1000) {
		snprintf(buf, size, "%u ns", (unsigned int)ns);
		return buf;
	}
	/* The next unit already where rounding to three digits would need a fourth. */
	for (value /= 1000; value >= 999.5 && i < 2; i++)
		value /= 1000;
	snprintf(buf, size, "%.*f %s",
		 value < 9.995	 ? 2
		 : value < 99.95 ? 1
				 : 0,
		 value, units[i]);
	return buf;
}

char *format_duration_exact(uint64_t ns, char *buf, size_t size)
{
	unsigned int i;

	/* No minutes and hours: 90s is easier to read than 1.5m. */
	for (i = 3; i > 0 && (!ns || ns % duration_suffixes[i].factor); i--)
		;
	snprintf(buf, size, "%llu%s",
		 (unsigned long long)(ns / duration_suffixes[i].factor),
		 duration_suffixes[i].name);
	return buf;
}

char *format_size(uint64_t bytes, char *buf, size_t size)
{
	unsigned int i;

	for (i = 3; i > 0 && (!bytes || bytes % size_suffixes[i].factor); i--)
		;
	snprintf(buf, size, "%llu%s",
		 (unsigned long long)(bytes / size_suffixes[i].factor),
		 size_suffixes[i].name);
	return buf;
}

char *format_count(uint64_t n, char *buf, size_t size)
{
	char text[UNITS_TEXT_MAX];
	size_t pos = sizeof(text) - 1;
	unsigned int digits = 0;

	text[pos] = '\0';
	do {
		if (digits && digits % 3 == 0)
			text[--pos] = ',';
		text[--pos] = (char)('0' + n % 10);
		n /= 10;
		digits++;
	} while (n);
	snprintf(buf, size, "%s", text + pos);
	return buf;
}

void cpu_mask_clear(struct cpu_mask *mask)
{
	memset(mask, 0, sizeof(*mask));
}

void cpu_mask_set(struct cpu_mask *mask, unsigned int cpu)
{
	if (cpu < CPU_MASK_MAX)
		mask->bits[cpu / CPU_MASK_LONG] |= 1UL << cpu % CPU_MASK_LONG;
}

bool cpu_mask_test(const struct cpu_mask *mask, unsigned int cpu)
{
	return cpu < CPU_MASK_MAX &&
	       mask->bits[cpu / CPU_MASK_LONG] >> cpu % CPU_MASK_LONG & 1;
}

unsigned int cpu_mask_count(const struct cpu_mask *mask)
{
	unsigned int count = 0;

	for (size_t i = 0; i < CPU_MASK_MAX / CPU_MASK_LONG; i++)
		count += (unsigned int)__builtin_popcountl(mask->bits[i]);
	return count;
}

unsigned int cpu_mask_next(const struct cpu_mask *mask, unsigned int cpu)
{
	while (cpu < CPU_MASK_MAX) {
		unsigned long rest =
			mask->bits[cpu / CPU_MASK_LONG] >> cpu % CPU_MASK_LONG;

		if (rest)
			return cpu + (unsigned int)__builtin_ctzl(rest);
		cpu = (unsigned int)((cpu / CPU_MASK_LONG + 1) * CPU_MASK_LONG);
	}
	return CPU_MASK_MAX;
}

int cpu_mask_parse(const char *text, struct cpu_mask *mask)
{
	struct cpu_mask found = {0};

	for (;;) {
		uint64_t first, last;
		int err = parse_digits(&text, &first);

		if (err)
			return err;
		last = first;
		if (*text == '-') {
			text++;
			err = parse_digits(&text, &last);
			if (err)
				return err;
		}
		if (last < first)
			return -EINVAL;
		if (last >= CPU_MASK_MAX)
			return -ERANGE;
		for (; first <= last; first++)
			cpu_mask_set(&found, (unsigned int)first);
		if (!*text)
			break;
		if (*text++ != ',')
			return -EINVAL;
	}
	*mask = found;
	return 0;
}

char *cpu_mask_format(const struct cpu_mask *mask, char *buf, size_t size)
{
	unsigned int first, last;
	size_t used = 0;
	char range[UNITS_TEXT_MAX];

	buf[0] = '\0';
	for_each_cpu (first, mask) {
		for (last = first; cpu_mask_test(mask, last + 1); last++)
			;
		if (last > first)
			snprintf(range, sizeof(range), "%s%u-%u", used ? "," : "", first,
				 last);
		else
			snprintf(range, sizeof(range), "%s%u", used ? "," : "", first);
		/* Room for this range, and for what says that more were left out. */
		if (used + strlen(range) + sizeof(",...") > size) {
			snprintf(buf + used, size - used, "%s...", used ? "," : "");
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s", range);
		first = last;
	}
	return buf;
}

int cpu_mask_get_affinity(struct cpu_mask *mask)
{
	cpu_mask_clear(mask);
	return sched_getaffinity(0, sizeof(mask->bits), (cpu_set_t *)mask->bits) ? -errno
										 : 0;
}

int cpu_mask_set_affinity(const struct cpu_mask *mask)
{
	return sched_setaffinity(0, sizeof(mask->bits), (const cpu_set_t *)mask->bits)
		       ? -errno
		       : 0;
}
