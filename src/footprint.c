// SPDX-License-Identifier: GPL-2.0
#include "footprint.h"

#include <dirent.h>
#include <stdio.h>

/* The number of the line that begins with that format; 0 if there is none. */
static u64 number_in(const char *path, const char *format)
{
	unsigned long long n = 0;
	FILE *f = fopen(path, "re");
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, format, &n) == 1)
			break;
	fclose(f);
	return n;
}

u64 footprint_resident(const char *status)
{
	return number_in(status, "VmHWM: %llu") * 1024;
}

u64 footprint_bpf(const char *fdinfo)
{
	const struct dirent *entry;
	char path[512];
	u64 bytes = 0;
	DIR *dir = opendir(fdinfo);

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", fdinfo, entry->d_name);
		if (entry->d_name[0] != '.')
			bytes += number_in(path, "memlock: %llu");
	}
	closedir(dir);
	return bytes;
}
