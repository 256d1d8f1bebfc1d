/* SPDX-License-Identifier: GPL-2.0 */
/* Files as the kernel would have them, below a directory of their own. */
#ifndef IDLETRACE_TEST_TREE_H
#define IDLETRACE_TEST_TREE_H

/* Setup and teardown of cmocka: tree_root is there, and empty. */
extern char tree_root[];
int tree_setup(void **state);
int tree_teardown(void **state);

/* The file below tree_root, with whatever directories it needs. */
void tree_put(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tree_remove(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Fails the test unless the file has exactly that text. */
void tree_expect(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
