/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracing costs this machine and this workload: of the runs that `idletrace ab
 * --vary trace=off,on`, or --calibrate, has made.
 */
#ifndef IDLETRACE_CALIBRATION_H
#define IDLETRACE_CALIBRATION_H

#include <jansson.h>

/*
 * The part "calibration" of a document of schema idletrace.ab/1, a new reference. NULL if
 * it varies anything but tracing, or with a line in err, which is "" otherwise.
 */
json_t *calibration_json(const json_t *doc, char *err, size_t size);

/* The same as text, to stdout. */
void calibration_print(const json_t *calibration);

#endif
