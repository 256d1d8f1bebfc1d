/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's symbol table. */
#ifndef IDLETRACE_SYMBOLS_H
#define IDLETRACE_SYMBOLS_H

#include "types.h"

/*
 * Calls fn for the symbols of /proc/kallsyms until it returns true. Addresses read as 0
 * without the privilege to see them. Does nothing where there is no such file.
 */
typedef bool (*symbol_fn)(void *ctx, u64 address, const char *name);
void symbols_each(symbol_fn fn, void *ctx);

#endif
