/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own account of an idle period: what changed in this CPU's
 * cpuidle_device.states_usage between its beginning and its end. The kernel has just
 * written it, so it is in the cache.
 */
#ifndef IDLETRACE_ACCOUNT_BPF_H
#define IDLETRACE_ACCOUNT_BPF_H

#include "maps.bpf.h"

/* Since v6.2, a35b9af4ec2c: reads like those of a pointer that a tracepoint passes. */
extern void *bpf_rdonly_cast(const void *obj, u32 btf_id) __ksym __weak;

#define account_read(type, address, field)                                         \
	({                                                                         \
		type *in_ = (void *)(address);                                     \
		typeof(in_->field) value_ = 0;                                     \
		if (cfg.has_cast) {                                                \
			in_ = bpf_rdonly_cast(in_, bpf_core_type_id_kernel(type)); \
			value_ = in_->field;                                       \
		} else {                                                           \
			bpf_core_read(&value_, sizeof(value_), &in_->field);       \
		}                                                                  \
		value_;                                                            \
	})

static __always_inline u64 usage_address(const struct cpu_ctx *c, u32 state)
{
	return c->dev + bpf_core_field_offset(struct cpuidle_device, states_usage) +
	       state * bpf_core_type_size(struct cpuidle_state_usage);
}

#define usage_read(c, state, field) \
	account_read(struct cpuidle_state_usage, usage_address(c, state), field)

static __always_inline void usage_update(struct cpu_ctx *c, u32 state)
{
	struct usage *u = &c->usage[STATE(state)];

	u->usage = usage_read(c, state, usage);
	u->time = usage_read(c, state, time_ns);
	u->above = usage_read(c, state, above);
	u->below = usage_read(c, state, below);
	if (bpf_core_field_exists(struct cpuidle_state_usage, rejected))
		u->rejected = usage_read(c, state, rejected);
}

/* Which states are disabled: whenever records are counted, for it hardly ever changes. */
static __always_inline void account_disabled(struct cpu_ctx *c)
{
	u32 disabled = 0;

	if (!c->dev)
		return;
	for (u32 i = 0; i < STATES_MAX; i++) {
		if (i >= cfg.states)
			break;
		if (usage_read(c, i, disable))
			disabled |= 1U << i;
	}
	c->disabled_before = c->disabled;
	c->disabled = disabled;
}

static __always_inline void account_begin(struct cpu_ctx *c)
{
	for (u32 i = 0; i < STATES_MAX; i++) {
		if (i >= cfg.states)
			break;
		usage_update(c, i);
	}
	account_disabled(c);
	c->disabled_before = c->disabled;
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
	if (BPF_CORE_READ(dev, cpu) != c->cpu)
		return;
	c->dev = (u64)dev;
	account_begin(c);
}

/* At cpu_idle entry. */
static __always_inline void account_enter(struct cpu_ctx *c)
{
	c->next_timer = 0;
	if (bpf_core_field_exists(struct cpuidle_device, next_hrtimer))
		c->next_timer = account_read(struct cpuidle_device, c->dev, next_hrtimer);
}

/* What was accounted to one state since it was last read. */
static __always_inline void account_state(struct cpu_ctx *c, struct accounted *a,
					  u32 state)
{
	struct usage *u = &c->usage[STATE(state)];
	u64 usage = u->usage, time = u->time, above = u->above, below = u->below;
	u64 rejected = u->rejected;

	usage_update(c, state);
	if (u->rejected != rejected) {
		a->counted++;
		a->entered = state;
		a->verdict = VERDICT_REJECTED;
	} else if (u->usage != usage) {
		a->counted += u->usage - usage;
		a->entered = state;
		a->residency = u->time - time;
		a->verdict = u->above != above	 ? VERDICT_TOO_DEEP
			     : u->below != below ? VERDICT_TOO_SHALLOW
						 : VERDICT_HIT;
	}
}

/*
 * After the period: which state was entered, for how long, and what the kernel made of
 * it. Mostly the requested one; else the driver took another.
 */
static __always_inline void account_exit(struct cpu_ctx *c, struct accounted *a)
{
	u32 requested = c->requested;

	__builtin_memset(a, 0, sizeof(*a));
	if (!c->dev)
		return;
	a->known = true;
	if (requested < STATES_MAX)
		account_state(c, a, requested);
	if (a->counted)
		return;
	for (u32 i = 0; i < STATES_MAX; i++) {
		if (i >= cfg.states)
			break;
		if (i != requested)
			account_state(c, a, i);
		verifier_forget();
	}
}

#endif
