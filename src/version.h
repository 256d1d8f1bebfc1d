/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IDLETRACE_VERSION_H
#define IDLETRACE_VERSION_H

#define IDLETRACE_VERSION "0.1"

#endif
