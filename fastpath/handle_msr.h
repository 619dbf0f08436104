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
#include "events.h"
#include "guest_tsc.h"
#include "hv_timer.h"
#include "insn.h"
#include "reentry.h"
#include "sw_timer.h"

/*
 * 0 disarms the timer, a deadline within the advance is delivered with this
 * entry, and a later one arms the preemption timer or else the hrtimer.
 *
 * Instruction exits never happen while an event is being delivered, hence no
 * look at the IDT-vectoring information.
 */
static __always_inline enum fastpath_bail
handle_fastpath_wrmsr_tscdeadline(struct vcpu_vmx *vmx,
				  struct fastpath_stay *stay,
				  struct fastpath_entry *entry,
				  const bool plain, const bool traced)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	struct fastpath_insn insn;
	struct kvm_timer *ktimer;
	u64 data, tsc, guest_tsc, remaining, ticks;
	enum fastpath_bail why;
	bool due, hv = false, sw = false;

	why = fastpath_reentry_verdict(vcpu);
	if (unlikely(why))
		return why;

	why = fastpath_insn_verdict(&insn);
	if (unlikely(why))
		return why;

	data = (u32)vcpu->arch.regs[VCPU_REGS_RAX] |
	       (u64)vcpu->arch.regs[VCPU_REGS_RDX] << 32;
	tsc = rdtsc();
	guest_tsc = fastpath_guest_tsc(vcpu, stay, tsc, plain);
	remaining = fastpath_remaining(data, guest_tsc);
	ticks = fastpath_host_ticks(stay, remaining, plain);

	due = data && ticks <= stay->advance;
	if (due) {
		/* WRMSR ended every shadow. */
		why = fastpath_delivery_verdict(vmx, stay, insn.rflags, 0, plain);
		if (unlikely(why))
			return why;
	} else if (data) {
		hv = (plain || stay->hv_timer) &&
		     fastpath_timer_fits(ticks - stay->advance, fastpath_timer_shift);
		/* A plain stay has no hrtimer, and does not come by one. */
		sw = !plain && !hv && fastpath_sw_timer_fits(vcpu, remaining);
		if (unlikely(!hv && !sw))
			return FASTPATH_BAIL_DEADLINE_FAR;
	}

	/* The last thing that can fail; one bracket for all of the hrtimer. */
	if (!plain && (stay->sw_timer || sw)) {
		why = fastpath_restart_sw_timer(vmx, sw ? data : 0, remaining);
		if (unlikely(why))
			return why;
		stay->sw_timer = sw;
	}

	/* Point of no return: all checks are done, and nothing below fails. */
	if (traced) {
		fastpath_emit_exit(vmx, entry, EXIT_REASON_MSR_WRITE);
		fastpath_emit_msr_write(vmx, MSR_IA32_TSC_DEADLINE, data);
		if (due)
			fastpath_emit_expiry(vmx, guest_tsc - data,
					     stay->advance);
	}

	ktimer = &vcpu->arch.apic->lapic_timer;
	fastpath_skip_insn(&insn);
	if (!plain)
		fastpath_forget_interrupt(vcpu);

	if (due) {
		fastpath_cancel_hv_timer(vmx, ktimer);
		fastpath_deliver_timer(vmx, ktimer, stay, plain, traced);
		if (remaining)
			entry->expiry.deadline = tsc + ticks;
	} else if (hv) {
		ktimer->tscdeadline = data;
		fastpath_arm_hv_timer(vmx, ktimer,
				      tsc + ticks - stay->advance, entry);
	} else if (!sw) {
		ktimer->tscdeadline = 0;
		fastpath_cancel_hv_timer(vmx, ktimer);
	}
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_HANDLE_MSR_H */
