/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of an expiry: wait for the deadline, enter the guest, and learn from how
 * long it took to get there.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_EXPIRY_H
#define VMX_FASTPATH_EXPIRY_H

#include <linux/processor.h>

#include <asm/msr.h>

#include "../vmx/vmx.h"

#include "advance.h"
#include "emit.h"
#include "entry.h"
#include "stats.h"

/**
 * struct fastpath_arrival - what is known of an expiry right before VM-Entry
 * @ready:	host TSC when nothing but the deadline was left to wait for
 * @end:	host TSC at the last look, not before the deadline
 */
struct fastpath_arrival {
	u64 ready;
	u64 end;
};

/*
 * The interrupt is pending and the guest takes it with the next VM-Entry, which must
 * not come before the deadline.  The time waited is bounded by the advance plus the
 * preemption timer's slack, because only a deadline that close counts as due.  RDTSC
 * may run ahead of older instructions, which makes the wait longer, never shorter;
 * VM-Entry itself is serializing.
 */
static __always_inline struct fastpath_arrival
fastpath_await_deadline(const struct fastpath_expiry *expiry)
{
	u64 tsc = rdtsc();
	struct fastpath_arrival arrival = { .ready = tsc };

	while (tsc < expiry->deadline) {
		cpu_relax();
		tsc = rdtsc();
	}
	arrival.end = tsc;
	return arrival;
}

/* After the guest has run: before, it would make the interrupt late. */
static __always_inline void
fastpath_account_expiry(struct vcpu_vmx *vmx, const struct fastpath_expiry *expiry,
			const struct fastpath_arrival *arrival, const bool traced)
{
	struct fastpath_stats *stats = &vmx->fastpath.stats;
	struct fastpath_tuner *tuner = &vmx->fastpath.advance.tuner;
	u64 cost;
	u32 old;

	fastpath_count_ticks(stats->lateness, arrival->end - expiry->deadline);
	if (arrival->ready < expiry->deadline) {
		stats->spins_bad++;
		stats->spin_cycles += arrival->end - arrival->ready;
		fastpath_count_ticks(stats->spin_length, arrival->end - arrival->ready);
	} else {
		stats->spins_good++;
		stats->late += arrival->ready > expiry->deadline;
	}

	if (!expiry->due)
		return;
	cost = arrival->ready > expiry->due ? arrival->ready - expiry->due : 0;
	old = tuner->advance;
	fastpath_tune(tuner, &fastpath_tuner_limits, cost);
	if (traced && tuner->advance != old)
		fastpath_emit_tune(vmx, cost, old, tuner->advance);
}

#endif /* VMX_FASTPATH_EXPIRY_H */
