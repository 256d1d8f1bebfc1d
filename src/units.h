/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as people write them: times with units, sizes, counts, CPU lists.
 *
 * Every parser takes the whole string or nothing: no blanks, signs, trailing text or
 * overflow. They return 0, -EINVAL (not of that form) or -ERANGE (of that form, but does
 * not fit), and leave the result alone unless they return 0. Every formatter fills
 * buf, always terminates it, and returns buf.
 */
#ifndef IDLETRACE_UNITS_H
#define IDLETRACE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC  1000000000ULL

/* Large enough for whatever the number formatters below produce. */
#define UNITS_TEXT_MAX 32

/* "42": decimal digits only. */
int parse_u64(const char *text, uint64_t *value);

/* "42", "10k", "3M", "1G": suffixes are powers of 1000. */
int parse_count(const char *text, uint64_t *value);

/* "4096", "64k", "1M", "2G": suffixes are powers of 1024, the result is bytes. */
int parse_size(const char *text, uint64_t *bytes);

/*
 * "10s", "250ms", "20us", "5ns", "1.5s", "2m", "1h" to nanoseconds. A fraction finer than
 * a nanosecond is refused. A bare number is taken in default_unit ("us", ...); with
 * default_unit NULL the unit is mandatory, but for a plain "0".
 */
int parse_duration(const char *text, const char *default_unit, uint64_t *ns);

/* "1.5", "20", "0.25": decimal, no exponent, not negative. */
int parse_number(const char *text, double *value);

/* Three significant digits for people: "870 ns", "3.33 us", "20.0 ms", "1.50 s". */
char *format_duration(uint64_t ns, char *buf, size_t size);

/* Exact and accepted by parse_duration(): "20us", "1500ms", "3331ns", "10s". */
char *format_duration_exact(uint64_t ns, char *buf, size_t size);

/* Exact and accepted by parse_size(): "256k", "100". */
char *format_size(uint64_t bytes, char *buf, size_t size);

/* With thousands separators: "3,100,412". */
char *format_count(uint64_t n, char *buf, size_t size);

/* A set of CPUs, as large as any kernel's NR_CPUS; needs no allocation. */
#define CPU_MASK_MAX  8192
#define CPU_MASK_LONG (8 * sizeof(unsigned long))

struct cpu_mask {
	unsigned long bits[CPU_MASK_MAX / (8 * sizeof(unsigned long))];
};

/* "0-3,8", "2", "0-10:2" is not accepted. -ERANGE: a CPU number >= CPU_MASK_MAX. */
int cpu_mask_parse(const char *text, struct cpu_mask *mask);

/* "0-3,8"; an empty set is "". Truncated with "..." when size is too small. */
char *cpu_mask_format(const struct cpu_mask *mask, char *buf, size_t size);

void cpu_mask_clear(struct cpu_mask *mask);
void cpu_mask_set(struct cpu_mask *mask, unsigned int cpu);
bool cpu_mask_test(const struct cpu_mask *mask, unsigned int cpu);
unsigned int cpu_mask_count(const struct cpu_mask *mask);

/* First member >= cpu, or CPU_MASK_MAX. */
unsigned int cpu_mask_next(const struct cpu_mask *mask, unsigned int cpu);

#define for_each_cpu(cpu, mask)                                      \
	for ((cpu) = cpu_mask_next((mask), 0); (cpu) < CPU_MASK_MAX; \
	     (cpu) = cpu_mask_next((mask), (cpu) + 1))

/* Affinity of the calling thread. Both return 0 or -errno. */
int cpu_mask_get_affinity(struct cpu_mask *mask);
int cpu_mask_set_affinity(const struct cpu_mask *mask);

#endif
