/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the JSON report. All return a new reference. */
#ifndef IDLETRACE_REPORT_JSON_H
#define IDLETRACE_REPORT_JSON_H

#include <jansson.h>

#include "report.h"

/* Adds a value and takes its reference; what is NULL for want of memory is left out. */
static inline void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* An unsigned number; a count beyond 2^63 does not happen. */
static inline json_t *json_u64(u64 value)
{
	return json_integer((json_int_t)value);
}

static inline json_t *json_known(bool known, u64 value)
{
	return known ? json_u64(value) : json_null();
}

/* Text that may come from a task: what is not UTF-8 has its bytes replaced by '?'. */
json_t *json_text(const char *text);

/* The same, but "" is null. */
json_t *json_text_or_null(const char *text);

/* The report as a document; NULL without memory. */
json_t *report_document(const struct results *r);

/*
 * Writes a document to a file ("-" is stdout): all of it, or the old file stays. Returns
 * 0, or -1 with errno set.
 */
int json_save(json_t *doc, const char *path);

json_t *json_latency(const struct hist *h);
json_t *json_wakeups(const struct results *r, const struct wakeups *w);
json_t *json_idle(const struct results *r);
json_t *json_timers(const struct results *r);
json_t *json_cost(const struct results *r);
json_t *json_slowest(const struct results *r);
json_t *json_tasks(const struct results *r);

#endif
