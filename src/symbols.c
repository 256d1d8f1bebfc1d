// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void symbols_each(symbol_fn fn, void *ctx)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL, *name, *end;
	size_t size = 0;
	u64 address;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0) {
		/* "ffffffff81000000 T name", and "\t[module]" behind it */
		address = strtoull(line, &end, 16);
		if (end == line || strlen(end) < 4)
			continue;
		name = end + 3;
		name[strcspn(name, "\t\n")] = '\0';
		if (fn(ctx, address, name))
			break;
	}
	free(line);
	fclose(f);
}
