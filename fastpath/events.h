/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's record of the event that was injected with the last VM-Entry.
 */
#ifndef VMX_FASTPATH_EVENTS_H
#define VMX_FASTPATH_EVENTS_H

#include <linux/kvm_host.h>

/*
 * KVM forgets what it injected as soon as the guest exits, and takes from the
 * IDT-vectoring information what was not delivered.  Do the first part here: an
 * entry that fails would inject it again.  Exits that KVM gets are not changed by
 * that, as it does both.
 *
 * Context: the seam, i.e. IRQs off, RCU not watching.
 */
static __always_inline void fastpath_complete_events(struct kvm_vcpu *vcpu)
{
	vcpu->arch.exception.injected = false;
	vcpu->arch.nmi_injected = false;
	vcpu->arch.interrupt.injected = false;
}

#endif /* VMX_FASTPATH_EVENTS_H */
