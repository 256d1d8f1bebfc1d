/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subcommand's own options may stand anywhere among those of the run, which depend on
 * the workload. So they are picked out by name, and options_parse() sees the rest.
 */
#ifndef IDLETRACE_OWN_OPTIONS_H
#define IDLETRACE_OWN_OPTIONS_H

#include "options.h"

struct own_option;

/* Takes value, NULL for a flag, into options. OPTIONS_WRONG: has said why. */
typedef enum options_result own_option_fn(void *options, const struct own_option *own,
					  const char *value);

struct own_option {
	const char *name;
	const char *accepts; /* what its value may be, NULL: it takes none */
	size_t offset;	     /* of the text or flag among the options, without take */
	own_option_fn *take; /* NULL: the value is stored as it is */
};

/*
 * The words that are not in the table, which ends with a NULL name, and all from "--" on
 * go to *run (NULL at the end; to be freed in any case, the words belong to argv), their
 * number to *nr_run. An empty value is refused.
 */
enum options_result own_options_parse(const struct own_option *table, void *options,
				      int argc, char **argv, char ***run, int *nr_run);

/*
 * Adds value to a list of *nr, as it is. OPTIONS_WRONG, having said so: max are there.
 */
enum options_result own_option_append(const struct own_option *own, const char *value,
				      const char **list, unsigned int *nr,
				      unsigned int max);

/* Says in one line that the option's value, NULL: none, is not what it accepts. */
enum options_result own_option_wrong(const struct own_option *own, const char *value);

#endif
