/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work packets: a fixed number of units of pure computation.
 *
 * A unit is one step of a chain of dependent integer operations, about six cycles, with
 * no memory access: what it costs follows the CPU's clock and nothing else. It is what is
 * the same on two kernels; the time it takes is not, so that a packet given as a time is
 * turned into units once, by the calibration at the start, and the calibration at the end
 * says how far the CPU has drifted since.
 */
#ifndef IDLETRACE_WORK_H
#define IDLETRACE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workload_result;

#define WORK_ANYWHERE (-1) /* calibrate where the caller happens to run */

/* Upper limits of an amount. */
#define WORK_MAX_UNITS 1000000000000ULL
#define WORK_MAX_NS    (1000 * 1000000000ULL)

/* What is accepted, for help and errors. */
#define WORK_FORMS "a time such as 50us, or units such as 10000"

/* A packet as the user gives it. */
struct work_amount {
	uint64_t value; /* ns or units */
	bool is_time;
};

/* What units cost on one CPU. */
struct work_calibration {
	double start_ns; /* per unit, before the run */
	double end_ns;	 /* per unit, after it; 0: not calibrated again */
	unsigned int cpu;
};

/* Does that many units, and nothing else. */
void work_do(uint64_t units);

/*
 * "50us", "1.5ms" (a time), "10000", "10k" (units), "0". 0, -EINVAL or -ERANGE; leaves
 * amount alone unless it returns 0.
 */
int work_parse(const char *text, struct work_amount *amount);

/*
 * For .check: as work_parse(), of --OPTION TEXT. Returns 0 or -1 with one line in err.
 */
int work_check(const char *option, const char *text, char *err, size_t size);

/*
 * Takes about 20 ms of the CPU it is told (WORK_ANYWHERE: the current one), to which the
 * caller is pinned meanwhile. A CPU it may not run on is as WORK_ANYWHERE. Not to be
 * called while the workload runs: setup and report are the places.
 */
void work_calibrate(struct work_calibration *cal, int cpu);

/* The same again on the same CPU, for end_ns. */
void work_calibrate_end(struct work_calibration *cal);

/*
 * Units of the amount by the calibration at the start; at least 1 for a time above 0.
 * cal is not looked at for units.
 */
uint64_t work_units(const struct work_amount *amount, const struct work_calibration *cal);

/* Percent by which a unit costs more at the end (+) or less (-); 0 if unknown. */
double work_drift(const struct work_calibration *cal);

/*
 * Metrics work_units, work_unit_start, work_unit_end, work_drift and a line of text: what
 * the packet is and what became of the CPU's speed. Nothing for 0 units.
 */
void work_report(struct workload_result *result, uint64_t units,
		 const struct work_calibration *cal);

#endif
