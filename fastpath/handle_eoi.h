/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM-Exit for WRMSR to the x2APIC's EOI register.  With APICv the CPU handles it.
 *
 * The xAPIC's register has no exit of its own: without APICv KVM does not map the
 * APIC-access page any more, so that it takes an EPT violation and the emulator.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_HANDLE_EOI_H
#define VMX_FASTPATH_HANDLE_EOI_H

#include <asm/apicdef.h>

#include "../vmx/vmx.h"
#include "../hyperv.h"

#include "eligibility.h"
#include "emit.h"
#include "entry.h"
#include "events.h"
#include "insn.h"
#include "lapic_state.h"
#include "reentry.h"

#define FASTPATH_MSR_X2APIC_EOI	(APIC_BASE_MSR + (APIC_EOI >> 4))

/* Does KVM's emulation of Hyper-V's interrupt controller wait for the EOI? */
static __always_inline bool fastpath_synic_vector(struct kvm_vcpu *vcpu, u8 vector)
{
#ifdef CONFIG_KVM_HYPERV
	struct kvm_vcpu_hv *hv = vcpu->arch.hyperv;

	return unlikely(hv) && arch_test_bit(vector, hv->synic.vec_bitmap);
#else
	return false;
#endif
}

/*
 * With nothing else in IRR no interrupt becomes deliverable by the lower priority,
 * and KVM's intercept of TPR changes stays as it is.
 */
static __always_inline enum fastpath_bail
fastpath_eoi_verdict(struct kvm_vcpu *vcpu, int vector)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	return fastpath_check_eoi((struct fastpath_eoi_facts) {
		.in_service = vector >= 0,
		.irr_empty = fastpath_irr_empty(apic),
		.ioapic = vector >= 0 &&
			  arch_test_bit(vector, vcpu->arch.ioapic_handled_vectors),
		.synic = vector >= 0 && fastpath_synic_vector(vcpu, vector),
	});
}

static __always_inline enum fastpath_bail
handle_fastpath_x2apic_eoi(struct vcpu_vmx *vmx, struct fastpath_entry *entry,
			   const bool traced)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	struct kvm_lapic *apic = vcpu->arch.apic;
	struct fastpath_insn insn;
	enum fastpath_bail why;
	int vector;

	why = fastpath_reentry_verdict(vcpu);
	if (unlikely(why))
		return why;

	if (unlikely(!(vcpu->arch.apic_base & X2APIC_ENABLE)))
		return FASTPATH_BAIL_APIC_MODE;
	/* KVM faults if the upper half is not 0, and ignores the lower. */
	if (unlikely((u32)vcpu->arch.regs[VCPU_REGS_RDX]))
		return FASTPATH_BAIL_MSR_VALUE;

	vector = fastpath_highest_isr(apic);
	why = fastpath_eoi_verdict(vcpu, vector);
	if (unlikely(why))
		return why;

	why = fastpath_insn_verdict(&insn);
	if (unlikely(why))
		return why;

	/* Point of no return: all checks are done, and nothing below fails. */
	if (traced) {
		fastpath_emit_exit(vmx, EXIT_REASON_MSR_WRITE);
		fastpath_emit_msr_write(vmx, FASTPATH_MSR_X2APIC_EOI,
					(u32)vcpu->arch.regs[VCPU_REGS_RAX]);
	}

	fastpath_skip_insn(&insn);
	fastpath_forget_interrupt(vcpu);
	fastpath_end_service(apic, vector);
	entry->load_hv_timer = apic->lapic_timer.hv_timer_in_use;
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_HANDLE_EOI_H */
