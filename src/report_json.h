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

/*
 * The same for a document with a list that would be too large for memory: it stands in
 * doc as an empty one, and its members are made one by one as they are written.
 */
struct json_stream {
	const char *key; /* member of doc */
	u64 count;
	json_t *(*member)(const void *ctx, u64 i); /* a new reference, or NULL */
	const void *ctx;
	bool failed; /* a member was NULL */
};

int json_save_stream(json_t *doc, const char *path, struct json_stream *stream);

/* Of the power of a domain; adds its members to o. */
void put_power(json_t *o, enum power_domain domain, bool known, double watts,
	       u64 energy_uj);

/* Those kinds of loss that there were; all of them if all is true. */
json_t *json_loss(const struct loss *loss, bool all);

/* A member of the stream of intervals; ctx is the struct results. */
json_t *json_interval(const void *ctx, u64 i);

json_t *json_latency(const struct hist *h);
json_t *json_wakeups(const struct results *r, const struct wakeups *w);
json_t *json_idle(const struct results *r);
json_t *json_timers(const struct results *r);
json_t *json_cost(const struct results *r);
json_t *json_slowest(const struct results *r);
json_t *json_tasks(const struct results *r);

#endif
