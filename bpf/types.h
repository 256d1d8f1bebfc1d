/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short integer names, for code that is built for BPF and for user space. */
#ifndef IDLETRACE_TYPES_H
#define IDLETRACE_TYPES_H

#ifndef __VMLINUX_H__
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#endif

#endif
