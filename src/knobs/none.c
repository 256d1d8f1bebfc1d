// SPDX-License-Identifier: GPL-2.0
/* Nothing: what two settings differ by then is noise. */
#include "knobs/all.h"

static int open_none(struct knob_use *use)
{
	(void)use;
	return 0;
}

static int set(struct knob_use *use, const char *value)
{
	(void)use;
	(void)value;
	return 0;
}

const struct knob knob_none = {
	.name = "none",
	.example = "none=a,b",
	.summary = "nothing, to see what noise looks like",
	.open = open_none,
	.set = set,
};
