/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deliver the timer interrupt, with APICv or without.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_DELIVER_H
#define VMX_FASTPATH_DELIVER_H

#include "emit.h"
#include "inject.h"
#include "vid.h"

/*
 * @rflags and @interruptibility are those that the guest goes on with; with APICv
 * the CPU looks at them itself.
 *
 * Other CPUs set and clear trigger modes whenever they send an interrupt, so
 * this one is asked each time.
 */
static __always_inline enum fastpath_bail
fastpath_delivery_verdict(struct vcpu_vmx *vmx, const struct fastpath_stay *stay,
			  unsigned long rflags, u32 interruptibility,
			  const bool plain)
{
	if (!plain && stay->delivery)
		return stay->delivery;
	if (unlikely(READ_ONCE(*fastpath_tmr(stay)) & stay->vector_bit))
		return FASTPATH_BAIL_LEVEL_TRIGGERED;
	if (plain || stay->apicv)
		return FASTPATH_OK;
	return fastpath_inject_verdict(vmx, stay, rflags, interruptibility);
}

/*
 * The deadline has come, or will while the loop waits for it: deliver, and leave
 * the timer as KVM leaves it.  The deadline is not recorded for KVM to wait for.
 */
static __always_inline void fastpath_deliver_timer(struct vcpu_vmx *vmx,
						   struct kvm_timer *ktimer,
						   const struct fastpath_stay *stay,
						   const bool plain, const bool traced)
{
	if (plain || stay->apicv) {
		fastpath_set_vintr(stay);
	} else {
		fastpath_inject(vmx, stay);
		if (traced)
			fastpath_emit_injection(vmx, stay->vector);
	}
	ktimer->tscdeadline = 0;
	ktimer->expired_tscdeadline = 0;
	vmx->fastpath.stats.delivered++;
}

#endif /* VMX_FASTPATH_DELIVER_H */
