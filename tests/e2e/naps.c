// SPDX-License-Identifier: GPL-2.0
/* naps COUNT US: sleeps so often for that long; 0: for ever */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[1]) : 1, us = argc > 2 ? atol(argv[2]) : 1000;
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	prctl(PR_SET_TIMERSLACK, 1UL);
	for (long i = 0; !count || i < count; i++)
		nanosleep(&time, NULL);
	return 0;
}
