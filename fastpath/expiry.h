/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of an expiry: wait for the deadline, and when the guest has been entered,
 * learn from how long it took to get there.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_EXPIRY_H
#define VMX_FASTPATH_EXPIRY_H

#include <linux/processor.h>

#include <asm/msr.h>

struct vcpu_vmx;

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
fastpath_await_deadline(u64 deadline)
{
	u64 tsc = rdtsc();
	struct fastpath_arrival arrival = { .ready = tsc };

	while (tsc < deadline) {
		cpu_relax();
		tsc = rdtsc();
	}
	arrival.end = tsc;
	return arrival;
}

/*
 * Count an expiry, and learn from it: struct fastpath_expiry and fastpath_arrival, member
 * by member, which leaves them in registers.  After the guest has run: before, it would make
 * the interrupt late.
 */
void fastpath_account_expiry(struct vcpu_vmx *vmx, u64 deadline, u64 due, u64 ready,
			     u64 end);

#endif /* VMX_FASTPATH_EXPIRY_H */
