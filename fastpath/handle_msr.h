/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM-Exit for WRMSR to IA32_TSC_DEADLINE.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_HANDLE_MSR_H
#define VMX_FASTPATH_HANDLE_MSR_H

#include "deadline.h"
#include "deliver.h"
#include "eligibility.h"
#include "emit.h"
#include "events.h"
#include "hv_timer.h"
#include "insn.h"
#include "reentry.h"
#include "sw_timer.h"

/*
 * The write is handled: take the hrtimer off, or queue it anew if @sw, which is the last
 * thing that can fail, and go past the instruction.
 */
static __always_inline enum fastpath_bail
fastpath_accept_deadline(struct vcpu_vmx *vmx, struct fastpath_stay *stay,
			 const struct fastpath_insn *insn, u64 data, u64 remaining,
			 const bool sw, const bool plain, const bool traced)
{
	enum fastpath_bail why;

	/* A plain stay has no hrtimer, and does not come by one. */
	if (!plain && (sw || stay->sw_timer)) {
		why = fastpath_restart_sw_timer(vmx, sw ? data : 0, remaining);
		if (unlikely(why))
			return why;
		stay->sw_timer = sw;
	}

	/* Point of no return: nothing from here on fails. */
	if (traced) {
		fastpath_emit_exit(vmx, EXIT_REASON_MSR_WRITE);
		fastpath_emit_msr_write(vmx, MSR_IA32_TSC_DEADLINE, data);
	}
	fastpath_skip_insn(insn);
	if (!plain)
		fastpath_forget_interrupt(&vmx->vcpu);
	return FASTPATH_OK;
}

/*
 * A deadline after the advance arms the preemption timer or else the hrtimer, one
 * within it is delivered with this entry, and 0 disarms the timer.
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
	struct kvm_timer *ktimer = stay->ktimer;
	const u64 ratio = plain ? 0 : stay->tsc_ratio;
	u64 data, tsc, guest_tsc, remaining, ticks, ahead;
	struct fastpath_insn insn;
	enum fastpath_bail why;

	why = fastpath_reentry_verdict(vcpu);
	if (unlikely(why))
		return why;

	why = fastpath_insn_verdict(&insn);
	if (unlikely(why))
		return why;

	data = (u32)vcpu->arch.regs[VCPU_REGS_RAX] |
	       (u64)vcpu->arch.regs[VCPU_REGS_RDX] << 32;
	tsc = rdtsc();
	guest_tsc = fastpath_guest_tsc(tsc, ratio, stay->tsc_offset);
	remaining = fastpath_remaining(data, guest_tsc);
	ticks = fastpath_host_ticks(remaining, ratio);

	/* Wraps around for a deadline that is as good as due. */
	ahead = ticks - stay->armed_before;
	if (likely((plain || stay->hv_timer) && ahead < stay->timer_range)) {
		why = fastpath_accept_deadline(vmx, stay, &insn, data, remaining, false,
					       plain, traced);
		if (unlikely(why))
			return why;

		ktimer->tscdeadline = data;
		fastpath_arm_hv_timer(vmx, ktimer, tsc, ahead, entry, traced);
		return FASTPATH_OK;
	}

	if (!data) {
		why = fastpath_accept_deadline(vmx, stay, &insn, data, remaining, false,
					       plain, traced);
		if (unlikely(why))
			return why;

		ktimer->tscdeadline = 0;
		fastpath_cancel_hv_timer(vmx, ktimer);
		return FASTPATH_OK;
	}

	if (ticks < stay->armed_before) {
		/* WRMSR ended every shadow. */
		why = fastpath_delivery_verdict(vmx, stay, insn.rflags, 0, plain);
		if (unlikely(why))
			return why;
		why = fastpath_accept_deadline(vmx, stay, &insn, data, remaining, false,
					       plain, traced);
		if (unlikely(why))
			return why;

		if (traced)
			fastpath_emit_expiry(vmx, guest_tsc - data, fastpath_advance(stay));
		fastpath_cancel_hv_timer(vmx, ktimer);
		fastpath_deliver_timer(vmx, ktimer, stay, plain, traced);
		if (remaining)
			entry->expiry.deadline = tsc + ticks;
		return FASTPATH_OK;
	}

	if (!plain && fastpath_sw_timer_fits(vcpu, remaining))
		return fastpath_accept_deadline(vmx, stay, &insn, data, remaining, true,
						plain, traced);
	return FASTPATH_BAIL_DEADLINE_FAR;
}

#endif /* VMX_FASTPATH_HANDLE_MSR_H */
