/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's record of the event that was injected with the last VM-Entry.
 *
 * KVM forgets it as soon as the guest exits, and takes from the IDT-vectoring
 * information what was not delivered.  A record that stays would be injected again
 * if the next entry fails.  Exits that KVM gets are not changed by forgetting, as it
 * does both.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_EVENTS_H
#define VMX_FASTPATH_EVENTS_H

#include <linux/kvm_host.h>

/* Of what KVM injected with the entry before the stay. */
static __always_inline void fastpath_forget_events(struct kvm_vcpu *vcpu)
{
	vcpu->arch.exception.injected = false;
	vcpu->arch.nmi_injected = false;
	vcpu->arch.interrupt.injected = false;
}

/* Of what the loop may have injected with its last entry. */
static __always_inline void fastpath_forget_interrupt(struct kvm_vcpu *vcpu)
{
	vcpu->arch.interrupt.injected = false;
}

#endif /* VMX_FASTPATH_EVENTS_H */
