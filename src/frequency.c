// SPDX-License-Identifier: GPL-2.0
#include "frequency.h"

#include <stdio.h>

#include "machine.h"

u64 frequency_khz(const char *root, const struct cpu_mask *cpus)
{
	char path[512], text[32];
	u64 sum = 0, nr = 0;
	unsigned int cpu;
	uint64_t khz;

	for_each_cpu (cpu, cpus) {
		snprintf(path, sizeof(path),
			 "%s/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", root,
			 cpu);
		/* Where the driver cannot tell, there is a word or a 0. */
		if (!read_line(path, text, sizeof(text)) || parse_u64(text, &khz) || !khz)
			continue;
		sum += khz;
		nr++;
	}
	return nr ? sum / nr : 0;
}
