/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM-Exit for WRMSR to IA32_TSC_DEADLINE.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_HANDLE_MSR_H
#define VMX_FASTPATH_HANDLE_MSR_H

#include "deliver.h"
#include "eligibility.h"
#include "emit.h"
#include "hv_timer.h"
#include "reentry.h"

static __always_inline enum fastpath_bail
fastpath_insn_verdict(unsigned long *next_rip)
{
	enum fastpath_bail why;
	unsigned long rip;
	u32 len;

	why = fastpath_check_insn(fastpath_vmcs_readl(GUEST_RFLAGS) &
				  X86_EFLAGS_TF,
				  fastpath_vmcs_read32(GUEST_INTERRUPTIBILITY_INFO) &
				  (GUEST_INTR_STATE_STI | GUEST_INTR_STATE_MOV_SS));
	if (unlikely(why))
		return why;

	rip = fastpath_vmcs_readl(GUEST_RIP);
	len = fastpath_vmcs_read32(VM_EXIT_INSTRUCTION_LEN);
	*next_rip = rip + len;
	return fastpath_check_rip(rip, len);
}

/*
 * 0 disarms the timer, a deadline within the advance is delivered with this
 * entry, and a later one arms the preemption timer.
 *
 * Instruction exits never happen while an event is being delivered, hence no
 * look at the IDT-vectoring information.
 */
static __always_inline enum fastpath_bail
handle_fastpath_wrmsr_tscdeadline(struct vcpu_vmx *vmx,
				  const struct fastpath_stay *stay,
				  struct fastpath_entry *entry,
				  const bool traced)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	struct kvm_timer *ktimer;
	unsigned long next_rip;
	u64 data, tsc, guest_tsc, remaining;
	enum fastpath_bail why;
	bool due = false;

	why = fastpath_reentry_verdict(vcpu);
	if (unlikely(why))
		return why;

	why = fastpath_insn_verdict(&next_rip);
	if (unlikely(why))
		return why;

	data = (u32)vcpu->arch.regs[VCPU_REGS_RAX] |
	       (u64)vcpu->arch.regs[VCPU_REGS_RDX] << 32;
	tsc = rdtsc();
	guest_tsc = fastpath_guest_tsc(vcpu, tsc);
	remaining = fastpath_remaining(data, guest_tsc);

	if (data && remaining <= stay->advance) {
		due = true;
		why = fastpath_delivery_verdict(stay);
		if (unlikely(why))
			return why;
	} else if (data && unlikely(!fastpath_timer_fits(remaining - stay->advance,
							 fastpath_timer_shift))) {
		return FASTPATH_BAIL_DEADLINE_FAR;
	}

	/* Point of no return: all checks are done, and nothing below fails. */
	if (traced) {
		fastpath_emit_exit(vmx, EXIT_REASON_MSR_WRITE);
		fastpath_emit_msr_write(vmx, MSR_IA32_TSC_DEADLINE, data);
		if (due)
			fastpath_emit_expiry(vmx, guest_tsc - data,
					     stay->advance);
	}

	ktimer = &vcpu->arch.apic->lapic_timer;
	fastpath_vmcs_writel(GUEST_RIP, next_rip);

	if (due) {
		fastpath_cancel_hv_timer(vmx, ktimer);
		fastpath_deliver_timer(vmx, ktimer, stay);
		if (remaining)
			entry->wait_until = tsc + remaining;
	} else if (data) {
		ktimer->tscdeadline = data;
		fastpath_arm_hv_timer(vmx, ktimer,
				      tsc + remaining - stay->advance, entry);
	} else {
		ktimer->tscdeadline = 0;
		fastpath_cancel_hv_timer(vmx, ktimer);
	}
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_HANDLE_MSR_H */
