/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deadline arithmetic: values in, TSC ticks out, no side effects.
 *
 * All values are TSC ticks.  The host's unit tests compile this file.
 */
#ifndef VMX_FASTPATH_DEADLINE_H
#define VMX_FASTPATH_DEADLINE_H

#include <linux/compiler.h>
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
 * fastpath_ago - what the TSC was some time ago
 * @now:	current TSC, not 0
 * @ticks:	how long ago; more than the TSC has counted if another clock says so
 *
 * Return: the TSC of then, 1 if that was before it began to count.
 */
static __always_inline u64 fastpath_ago(u64 now, u64 ticks)
{
	return ticks < now ? now - ticks : 1;
}

/* VMX's TSC multiplier is a fixed-point number with that many fraction bits. */
#define FASTPATH_TSC_FRAC_BITS 48

/**
 * fastpath_scale_tsc - ticks of a scaled TSC for ticks of the host's
 * @ticks:	host TSC ticks
 * @ratio:	the TSC multiplier
 */
static __always_inline u64 fastpath_scale_tsc(u64 ticks, u64 ratio)
{
	return (__uint128_t)ticks * ratio >> FASTPATH_TSC_FRAC_BITS;
}

/**
 * fastpath_unscale_tsc - host TSC ticks that take a scaled TSC that far
 * @ticks:	ticks of the scaled TSC
 * @ratio:	the TSC multiplier, not 0
 *
 * Rounded up: a wait for that long is never too short.  The compiler would call
 * a library for a division of 128 bits.
 *
 * Return: ticks, U64_MAX if that or more.
 */
static __always_inline u64 fastpath_unscale_tsc(u64 ticks, u64 ratio)
{
	__uint128_t n = ((__uint128_t)ticks << FASTPATH_TSC_FRAC_BITS) + (ratio - 1);
	u64 high = n >> 64, low = n;

	if (high >= ratio)
		return ~0ULL;

	asm("divq %[ratio]" : "+a"(low), "+d"(high) : [ratio] "r"(ratio) : "cc");
	return low;
}

/**
 * fastpath_guest_tsc - what a guest's TSC reads
 * @tsc:	what the host's reads at that time
 * @ratio:	the guest's TSC multiplier, 0 if its TSC is not scaled
 * @offset:	the guest's TSC offset
 */
static __always_inline u64 fastpath_guest_tsc(u64 tsc, u64 ratio, u64 offset)
{
	return (ratio ? fastpath_scale_tsc(tsc, ratio) : tsc) + offset;
}

/**
 * fastpath_host_ticks - how long the host's TSC takes, rounded up
 * @ticks:	ticks of the guest's TSC
 * @ratio:	its TSC multiplier, 0 if it is not scaled
 */
static __always_inline u64 fastpath_host_ticks(u64 ticks, u64 ratio)
{
	return ratio ? fastpath_unscale_tsc(ticks, ratio) : ticks;
}

/**
 * fastpath_host_deadline - a guest's deadline by the host's TSC
 * @deadline:	the deadline, in the clock of @guest_tsc, which may be set to any value
 * @guest_tsc:	the guest's TSC while the host's is @tsc
 * @tsc:	the host's TSC, not 0
 * @ratio:	the guest's TSC multiplier, 0 if it is not scaled
 *
 * Return: host TSC; 1 for a deadline before it began to count, U64_MAX for one that it
 * never counts to.
 */
static __always_inline u64 fastpath_host_deadline(u64 deadline, u64 guest_tsc, u64 tsc,
						  u64 ratio)
{
	u64 host;

	if (unlikely(deadline <= guest_tsc))
		return fastpath_ago(tsc, fastpath_host_ticks(guest_tsc - deadline, ratio));

	host = tsc + fastpath_host_ticks(deadline - guest_tsc, ratio);
	return likely(host >= tsc) ? host : ~0ULL;
}

/* More ticks than that are not converted to ns, see fastpath_ticks_to_ns(). */
#define FASTPATH_MAX_NS_TICKS (~0ULL / 1000000)

/**
 * fastpath_ticks_to_ns - nanoseconds, rounded down as KVM does
 * @ticks:	TSC ticks, at most FASTPATH_MAX_NS_TICKS
 * @khz:	the TSC's frequency, not 0
 */
static __always_inline u64 fastpath_ticks_to_ns(u64 ticks, u32 khz)
{
	return ticks * 1000000 / khz;
}

/**
 * fastpath_ns_to_ticks - TSC ticks, rounded up: some time is never none
 * @ns:		nanoseconds
 * @khz:	the TSC's frequency
 */
static __always_inline u64 fastpath_ns_to_ticks(u32 ns, u32 khz)
{
	return ((u64)ns * khz + 999999) / 1000000;
}

/**
 * fastpath_timer_range - the first number of ticks that the preemption timer cannot count
 * @shift:	the timer counts down every 2^@shift ticks; 0 to 31
 */
static __always_inline u64 fastpath_timer_range(unsigned int shift)
{
	return 1ULL << 32 << shift;
}

/**
 * fastpath_timer_value - value of the VMX-preemption timer field
 * @ticks:	TSC ticks, less than fastpath_timer_range()
 * @shift:	the timer counts down every 2^@shift ticks
 */
static __always_inline u64 fastpath_timer_value(u64 ticks, unsigned int shift)
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
