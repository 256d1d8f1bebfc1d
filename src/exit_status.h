/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IDLETRACE_EXIT_STATUS_H
#define IDLETRACE_EXIT_STATUS_H

enum exit_status {
	EXIT_STATUS_DONE = 0,
	EXIT_STATUS_FAILED = 1,
	EXIT_STATUS_USAGE = 2, /* nothing was changed */
	EXIT_STATUS_LOST =
		3, /* done, but records were lost: the numbers are incomplete */
};

#endif
