/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deadline arithmetic: values in, TSC ticks out, no side effects.
 *
 * All values are TSC ticks.  The host's unit tests compile this file.
 */
#ifndef VMX_FASTPATH_DEADLINE_H
#define VMX_FASTPATH_DEADLINE_H

#include <linux/types.h>

/**
 * fastpath_remaining - ticks until a deadline
 * @deadline:	the deadline, in the clock of @now
 * @now:	current TSC
 *
 * Return: 0 for a deadline that is not in the future.
 */
static __always_inline u64 fastpath_remaining(u64 deadline, u64 now)
{
	return deadline > now ? deadline - now : 0;
}

/**
 * fastpath_timer_fits - can the preemption timer count that far?
 * @ticks:	TSC ticks
 * @shift:	the timer counts down every 2^@shift ticks; 0 to 31
 */
static __always_inline bool fastpath_timer_fits(u64 ticks, unsigned int shift)
{
	return !(ticks >> shift >> 32);
}

/**
 * fastpath_timer_value - value of the VMX-preemption timer field
 * @ticks:	TSC ticks; must fit, see fastpath_timer_fits()
 * @shift:	the timer counts down every 2^@shift ticks
 */
static __always_inline u32 fastpath_timer_value(u64 ticks, unsigned int shift)
{
	return ticks >> shift;
}

/**
 * fastpath_timer_slack - how much too early a sound preemption timer may be
 * @shift:	the timer counts down every 2^@shift ticks
 *
 * The field's value is rounded down to whole steps, and the first step ends
 * with the next change of TSC bit @shift rather than after 2^@shift ticks.
 *
 * Return: ticks; an exit earlier than that is not an expiry.
 */
static __always_inline u64 fastpath_timer_slack(unsigned int shift)
{
	return 2ULL << shift;
}

#endif /* VMX_FASTPATH_DEADLINE_H */
