/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own account of an idle period: what changed in this CPU's
 * cpuidle_device.states_usage between its beginning and its end.
 */
#ifndef IDLETRACE_ACCOUNT_BPF_H
#define IDLETRACE_ACCOUNT_BPF_H

#include "maps.bpf.h"

#define USAGE_OFFSET(field) bpf_core_field_offset(struct cpuidle_state_usage, field)

static __always_inline struct usage_scratch *usage_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&usages, &zero);
}

/*
 * The per-CPU pointer cpuidle_devices often has no symbol that BPF could use. But an
 * expiring hrtimer leads to this CPU's hrtimer_bases, another per-CPU variable, and BTF
 * tells how far apart the two are.
 */
static __always_inline void account_find(struct cpu_ctx *c, struct hrtimer *timer)
{
	u64 variable = (u64)timer->base->cpu_base + cfg.device_delta;
	struct cpuidle_device *dev = 0;

	if (bpf_probe_read_kernel(&dev, sizeof(dev), (void *)variable) || !dev)
		return;
	if (BPF_CORE_READ(dev, cpu) == c->cpu)
		c->dev = (u64)dev;
}

static __always_inline bool usage_read(const struct cpu_ctx *c, u8 *to)
{
	u32 bytes = cfg.states * bpf_core_type_size(struct cpuidle_state_usage);

	if (bytes > USAGE_BYTES)
		return false;
	return !bpf_probe_read_kernel(
		to, bytes,
		(void *)(c->dev +
			 bpf_core_field_offset(struct cpuidle_device, states_usage)));
}

static __always_inline u64 usage_field(const u8 *usage, u32 state, u32 offset)
{
	u32 at = state * bpf_core_type_size(struct cpuidle_state_usage) + offset;

	return at <= USAGE_BYTES - sizeof(u64) ? *(const u64 *)(usage + at) : 0;
}

static __always_inline u64 usage_delta(const struct usage_scratch *u, u32 state,
				       u32 offset)
{
	return usage_field(u->after, state, offset) -
	       usage_field(u->before, state, offset);
}

static __always_inline bool usage_rejected(const struct usage_scratch *u, u32 state)
{
	return bpf_core_field_exists(struct cpuidle_state_usage, rejected) &&
	       usage_delta(u, state, USAGE_OFFSET(rejected));
}

/* At cpu_idle entry: nothing but this CPU's own periods changes its account. */
static __always_inline void account_enter(struct cpu_ctx *c)
{
	struct usage_scratch *u = usage_scratch();
	s64 next = 0;

	if (!u || !usage_read(c, u->before))
		c->dev = 0;
	bpf_probe_read_kernel(
		&next, sizeof(next),
		(void *)(c->dev +
			 bpf_core_field_offset(struct cpuidle_device, next_hrtimer)));
	c->next_timer = next;
}

static __always_inline void account_state(struct accounted *a,
					  const struct usage_scratch *u, u32 i)
{
	u64 entered = usage_delta(u, i, USAGE_OFFSET(usage));

	if (usage_field(u->after, i, USAGE_OFFSET(disable)))
		a->disabled |= 1U << i;
	if (usage_rejected(u, i)) {
		a->counted++;
		a->entered = i;
		a->verdict = VERDICT_REJECTED;
	} else if (entered) {
		a->counted += entered;
		a->entered = i;
		a->residency = usage_delta(u, i, USAGE_OFFSET(time_ns));
		a->verdict = usage_delta(u, i, USAGE_OFFSET(above)) ? VERDICT_TOO_DEEP
			     : usage_delta(u, i, USAGE_OFFSET(below))
				     ? VERDICT_TOO_SHALLOW
				     : VERDICT_HIT;
	}
}

/* After the period: which state was entered, for how long, and what the kernel made of
 * it. */
static __always_inline void account_exit(struct cpu_ctx *c, struct accounted *a)
{
	struct usage_scratch *u = usage_scratch();

	__builtin_memset(a, 0, sizeof(*a));
	if (!c->dev || !u || !usage_read(c, u->after))
		return;
	a->known = true;
	for (u32 i = 0; i < STATES_MAX; i++) {
		if (i >= cfg.states)
			break;
		account_state(a, u, i);
		verifier_forget();
	}
}

#endif
