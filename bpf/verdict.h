/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's judgement of an idle period, as one pure function: used by the BPF
 * programs, and by the unit tests on synthetic periods.
 */
#ifndef IDLETRACE_VERDICT_H
#define IDLETRACE_VERDICT_H

#include "types.h"

/* CPUIDLE_STATE_MAX, unchanged since v3.11. */
#define STATES_MAX 10
/*
 * Arrays that are indexed by state have this size, a power of two: the verifier believes
 * a mask, which the asm keeps the compiler from optimising away.
 */
#define STATES_ARRAY 16
#define STATE(i)                                  \
	({                                        \
		u32 masked_ = (i);                \
		asm volatile("" : "+r"(masked_)); \
		masked_ &(STATES_ARRAY - 1);      \
	})

enum verdict {
	VERDICT_UNKNOWN, /* nobody judged it: no cpuidle driver */
	VERDICT_HIT,
	VERDICT_TOO_DEEP,    /* sysfs "above" */
	VERDICT_TOO_SHALLOW, /* sysfs "below" */
	VERDICT_REJECTED,    /* the driver returned without entering; sysfs "rejected" */
	VERDICTS
};

struct state_param {
	u64 residency_ns; /* target residency */
	u64 latency_ns;	  /* exit latency */
};

struct judgement {
	u8 verdict;
	u8 right; /* the state that would have been right; the entered one for a hit */
};

/*
 * Judges a period of residency ns in the entered state. disabled has bit i set when
 * state i is disabled, by the user or by the driver; param has STATES_ARRAY elements.
 *
 * The rule is cpuidle_enter_state()'s (drivers/cpuidle/cpuidle.c, the same from v5.8 to
 * v7.3): too deep if shorter than the target residency while any shallower state is
 * enabled; too shallow if, less the exit latency, it covers the target residency of the
 * next enabled deeper state, and only of that one.
 */
static inline __attribute__((always_inline)) struct judgement
judge(const struct state_param *param, u32 states, u32 disabled, u32 entered,
      u64 residency)
{
	struct judgement j = {VERDICT_HIT, entered};
	bool shallower = false;
	u64 slept;

	if (entered >= states || entered >= STATES_MAX) {
		j.verdict = VERDICT_UNKNOWN;
		return j;
	}
	if (residency < param[STATE(entered)].residency_ns) {
		for (u32 i = 0; i < STATES_MAX; i++) {
			if (i >= entered)
				break;
			if (disabled & (1U << i))
				continue;
			if (!shallower || param[i].residency_ns <= residency)
				j.right = i;
			shallower = true;
		}
		if (shallower)
			j.verdict = VERDICT_TOO_DEEP;
		return j;
	}
	if (residency <= param[STATE(entered)].latency_ns)
		return j;
	slept = residency - param[STATE(entered)].latency_ns;
	for (u32 i = 0; i < STATES_MAX; i++) {
		if (i <= entered || (disabled & (1U << i)))
			continue;
		if (i >= states)
			break;
		if (slept >= param[i].residency_ns) {
			j.verdict = VERDICT_TOO_SHALLOW;
			j.right = i;
		}
		break;
	}
	return j;
}

#endif
