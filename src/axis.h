/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `idletrace sweep --over OPTION=RANGE` goes through: the values of one option of a
 * workload.
 *
 *	RANGE	ITEM[,ITEM...][:updown]		updown: there and back again
 *	ITEM	VALUE
 *		FROM:TO:lin:N			N values at equal distances
 *		FROM:TO:log:N			N values at equal ratios, of three digits
 *		FROM:TO:STEP			FROM, FROM + STEP, ... up to TO
 *
 * FROM may be more than TO. A log range from 0 has 0 as its first value; the others begin
 * at 1 us for times and at 1 for numbers. Values that come out equal to the one before
 * are left out. "\," and "\:" are a comma and a colon within a value.
 *
 * Values are written as the option takes them. Where it takes any text, the ends of a
 * range say whether its values are times or numbers; between whole numbers they are
 *whole.
 */
#ifndef IDLETRACE_AXIS_H
#define IDLETRACE_AXIS_H

#include "workload.h"

#define AXIS_VALUES 10000 /* of one axis */

enum axis_kind {
	AXIS_WORDS,  /* no numbers, or not all of one kind */
	AXIS_TIME,   /* ns */
	AXIS_SIZE,   /* bytes */
	AXIS_NUMBER, /* of whatever it is */
};

struct axis_value {
	char *text;    /* as the option takes it; owned */
	double number; /* NAN: it is none */
	bool back;     /* on the way back of :updown */
};

struct axis {
	const struct workload_option *option;
	enum axis_kind kind;
	bool logarithmic; /* to be shown so */
	bool updown;
	unsigned int nr;
	struct axis_value *values;
};

/*
 * From "OPTION=RANGE". Returns 0, or -1 with one line in err. axis_free() is due in any
 * case.
 */
int axis_parse(struct axis *axis, const struct workload *workload, const char *spec,
	       char *err, size_t size);

/*
 * From "gap=auto": values of the option that makes the workload's idle gaps, so that they
 * are 0.5, 1 and 2 times each idle state's target residency. root is what stands before
 * /sys ("", but in tests). config and run are those of the sweep, which must be such that
 * one CPU has one gap at a time. Returns as axis_parse().
 *
 *	adrestia	arrival-time	the sleep between rounds
 *	ebizzy		sleep		the sleep of a thread; a thread per CPU at most
 *	pingpong	work		of one ring; a CPU waits for the others' work
 *	schbench	sleep		before a request; a worker per CPU at most
 *	waiters		period		the sleep of a thread; a thread per CPU at most
 */
int axis_gap(struct axis *axis, const struct workload_config *config,
	     const struct workload_run *run, const char *root, char *err, size_t size);

/* Does axis_gap() look at that option? Then it cannot be swept as well. */
bool axis_gap_needs(const struct workload *workload, const char *option);

/* Is the spec for axis_gap()? False, too, for "gap=" of anything but auto. */
bool axis_is_gap(const char *spec);

void axis_free(struct axis *axis);

/* One more value: 0, -ENOMEM, or -E2BIG beyond AXIS_VALUES. Equal to the last: nothing.
 */
int axis_add(struct axis *axis, const char *text, double number);

/* "870ns", "3.331us", "1.5ms": exact, and parse_duration() takes it. Returns buf. */
char *axis_time(uint64_t ns, char *buf, size_t size);

#endif
