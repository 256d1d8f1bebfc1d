// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

char tree_root[64];

int tree_setup(void **state)
{
	(void)state;
	strcpy(tree_root, "/tmp/idletrace-tree-XXXXXX");
	return mkdtemp(tree_root) ? 0 : -1;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int tree_teardown(void **state)
{
	(void)state;
	return nftw(tree_root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static char *below(const char *fmt, va_list args)
{
	static char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s", tree_root);

	vsnprintf(path + len, sizeof(path) - (size_t)len, fmt, args);
	return path;
}

void tree_put(const char *text, const char *fmt, ...)
{
	va_list args;
	char *path;
	FILE *f;

	va_start(args, fmt);
	path = below(fmt, args);
	va_end(args);
	for (char *c = path + strlen(tree_root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(path, 0755);
		*c = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

void tree_remove(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	assert_int_equal(remove(below(fmt, args)), 0);
	va_end(args);
}

void tree_expect(const char *text, const char *fmt, ...)
{
	char got[4096];
	va_list args;
	size_t len;
	FILE *f;

	va_start(args, fmt);
	f = fopen(below(fmt, args), "r");
	va_end(args);
	assert_non_null(f);
	len = fread(got, 1, sizeof(got) - 1, f);
	fclose(f);
	got[len] = '\0';
	assert_string_equal(got, text);
}
