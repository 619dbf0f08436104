/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deliver the timer interrupt by virtual-interrupt delivery.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_DELIVER_H
#define VMX_FASTPATH_DELIVER_H

#include <linux/atomic.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

#include "stay.h"
#include "vmcs_access.h"

/*
 * Other CPUs set and clear trigger modes whenever they send an interrupt, so
 * this one is asked each time.
 */
static __always_inline enum fastpath_bail
fastpath_delivery_verdict(const struct fastpath_stay *stay)
{
	if (unlikely(stay->delivery))
		return stay->delivery;
	if (unlikely(READ_ONCE(*stay->tmr) & stay->vector_bit))
		return FASTPATH_BAIL_LEVEL_TRIGGERED;
	return FASTPATH_OK;
}

/*
 * Make the vector pending in the virtual-APIC page and have the CPU evaluate it
 * on VM-Entry, which respects RFLAGS.IF, shadows and priorities.  RVI is only
 * ever raised: the CPU may have posted a higher vector since KVM wrote it.
 *
 * The bit is set atomically although this is the vCPU's own CPU: a sender that
 * found APICv inhibited may set a neighbouring bit at a time when it no longer
 * is.
 */
static __always_inline void fastpath_set_vintr(const struct fastpath_stay *stay)
{
	u16 status = fastpath_vmcs_read16(GUEST_INTR_STATUS);

	raw_atomic_or(stay->vector_bit, (atomic_t *)stay->irr);
	if (stay->vector > (u8)status)
		fastpath_vmcs_write16(GUEST_INTR_STATUS,
				      (status & 0xff00) | stay->vector);
}

/*
 * The deadline has come, or will while the loop waits for it: deliver, and leave
 * the timer as KVM leaves it.  The deadline is not recorded for KVM to wait for.
 */
static __always_inline void fastpath_deliver_timer(struct vcpu_vmx *vmx,
						   struct kvm_timer *ktimer,
						   const struct fastpath_stay *stay)
{
	fastpath_set_vintr(stay);
	ktimer->tscdeadline = 0;
	ktimer->expired_tscdeadline = 0;
	vmx->fastpath.stats.delivered++;
}

#endif /* VMX_FASTPATH_DELIVER_H */
