/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deliver the timer interrupt by event injection, where the CPU has no
 * virtual-interrupt delivery or KVM inhibits it.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_INJECT_H
#define VMX_FASTPATH_INJECT_H

#include <asm/processor-flags.h>

#include "../vmx/vmx.h"
#include "../x86.h"

#include "eligibility.h"
#include "lapic_state.h"
#include "stay.h"
#include "vmcs_access.h"

/*
 * Can the guest take the interrupt with the next VM-Entry?  If not KVM requests
 * it and arms a window.  The verdict of the stay comes first.
 */
static __always_inline enum fastpath_bail
fastpath_inject_verdict(struct vcpu_vmx *vmx, const struct fastpath_stay *stay,
			unsigned long rflags, u32 interruptibility)
{
	struct kvm_lapic *apic = vmx->vcpu.arch.apic;

	return fastpath_check_injection((struct fastpath_injection_facts) {
		.irqs_on = rflags & X86_EFLAGS_IF,
		.intr_shadow = interruptibility &
			       (GUEST_INTR_STATE_STI | GUEST_INTR_STATE_MOV_SS),
		.irr_empty = fastpath_irr_empty(apic),
		.vector = stay->vector,
		.ppr = fastpath_ppr(apic, fastpath_highest_isr(apic)),
	});
}

/*
 * From IRR, which it only passes through, to ISR and into the guest.  What was
 * injected with the VM-Entry before has been delivered, or the exit would have
 * come with IDT-vectoring information; so the queue is free.
 *
 * A guest that executes HLT without exits may be halted.
 */
static __always_inline void fastpath_inject(struct vcpu_vmx *vmx,
					    const struct fastpath_stay *stay)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;

	fastpath_begin_service(vcpu->arch.apic, stay->vector);
	fastpath_vmcs_write32(VM_ENTRY_INTR_INFO_FIELD,
			      stay->vector | INTR_TYPE_EXT_INTR | INTR_INFO_VALID_MASK);
	vcpu->arch.interrupt.injected = true;
	vcpu->arch.interrupt.soft = false;
	vcpu->arch.interrupt.nr = stay->vector;
	vcpu->stat.irq_injections++;

	if (unlikely(vcpu->kvm->arch.hlt_in_guest))
		fastpath_vmcs_write32(GUEST_ACTIVITY_STATE, GUEST_ACTIVITY_ACTIVE);
}

#endif /* VMX_FASTPATH_INJECT_H */
