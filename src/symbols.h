/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's symbol table. */
#ifndef IDLETRACE_SYMBOLS_H
#define IDLETRACE_SYMBOLS_H

#include "types.h"

/*
 * Calls fn for every symbol of /proc/kallsyms. Addresses read as 0 without the privilege
 * to see them. Does nothing where there is no such file.
 */
typedef void (*symbol_fn)(void *ctx, u64 address, const char *name);
void symbols_each(symbol_fn fn, void *ctx);

#endif
