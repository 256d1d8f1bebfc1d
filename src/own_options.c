// SPDX-License-Identifier: GPL-2.0
#include "own_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 60

static const struct own_option *find(const struct own_option *own, const char *word)
{
	size_t len = strcspn(word, "=");

	for (; own->name; own++)
		if (strlen(own->name) == len && !memcmp(own->name, word, len))
			return own;
	return NULL;
}

static enum options_result wrong(const struct own_option *own, const char *value,
				 const char *needs, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s%.*s: %s%s", own->name, value ? " " : "", SHOWN,
		 !value	  ? ""
		 : *value ? value
			  : "''",
		 needs, what);
	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	fprintf(stderr, "idletrace: %s\n", line);
	return OPTIONS_WRONG;
}

enum options_result own_option_wrong(const struct own_option *own, const char *value)
{
	return wrong(own, value, "needs ", own->accepts);
}

enum options_result own_option_append(const struct own_option *own, const char *value,
				      const char **list, unsigned int *nr,
				      unsigned int max)
{
	if (*nr == max) {
		fprintf(stderr, "idletrace: %s: at most %u times\n", own->name, max);
		return OPTIONS_WRONG;
	}
	list[(*nr)++] = value;
	return OPTIONS_OK;
}

static enum options_result take(void *options, const struct own_option *own,
				const char *value)
{
	void *field = (char *)options + own->offset;

	if (own->accepts && (!value || !*value))
		return own_option_wrong(own, value);
	if (own->take)
		return own->take(options, own, value);
	if (own->accepts)
		*(const char **)field = value;
	else
		*(bool *)field = true;
	return OPTIONS_OK;
}

enum options_result own_options_parse(const struct own_option *table, void *options,
				      int argc, char **argv, char ***run, int *nr_run)
{
	enum options_result result = OPTIONS_OK;
	const struct own_option *own;
	char *value;
	int i;

	*nr_run = 0;
	*run = calloc((size_t)argc + 1, sizeof(**run));
	if (!*run) {
		fprintf(stderr, "idletrace: out of memory\n");
		return OPTIONS_WRONG;
	}
	for (i = 0; i < argc && strcmp(argv[i], "--") && result == OPTIONS_OK; i++) {
		own = find(table, argv[i]);
		if (!own) {
			(*run)[(*nr_run)++] = argv[i];
			continue;
		}
		value = strchr(argv[i], '=');
		if (value && !own->accepts)
			return wrong(own, value + 1, "", "takes no value");
		if (value)
			value++;
		else if (own->accepts && i + 1 < argc)
			value = argv[++i];
		result = take(options, own, value);
	}
	while (i < argc)
		(*run)[(*nr_run)++] = argv[i++];
	return result;
}
