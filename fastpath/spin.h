/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wait out the last ticks before a deadline.
 */
#ifndef VMX_FASTPATH_SPIN_H
#define VMX_FASTPATH_SPIN_H

#include <linux/processor.h>

#include <asm/msr.h>

#include "stats.h"

/*
 * The interrupt is pending and the guest takes it with the next VM-Entry, which
 * must not come before @until, a host TSC.  The time waited is bounded by the
 * advance plus the preemption timer's slack, because only a deadline that close
 * counts as due.  RDTSC may run ahead of older instructions, which makes the
 * wait longer, never shorter; VM-Entry itself is serializing.
 *
 * Account first: what follows the loop makes the interrupt late.
 */
static __always_inline void fastpath_spin(struct fastpath_stats *stats,
					  u64 until)
{
	u64 now = rdtsc();

	if (now >= until)
		return;

	stats->spins++;
	stats->spin_cycles += until - now;
	while (rdtsc() < until)
		cpu_relax();
}

#endif /* VMX_FASTPATH_SPIN_H */
