/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM-Exit by the VMX-preemption timer that backs the APIC timer.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_HANDLE_PREEMPTION_TIMER_H
#define VMX_FASTPATH_HANDLE_PREEMPTION_TIMER_H

#include "deadline.h"
#include "deliver.h"
#include "emit.h"
#include "events.h"
#include "hv_timer.h"
#include "reentry.h"

/*
 * Deliver if the deadline is due by the guest's TSC, otherwise arm again.
 *
 * Exits that are not due come from CPUs whose timer ends at once for some
 * values (Skylake-SP to Ice Lake), and from a TSC that the guest or userspace
 * moved since the timer was armed.
 */
static __always_inline enum fastpath_bail
handle_fastpath_preemption_timer(struct vcpu_vmx *vmx,
				 const struct fastpath_stay *stay,
				 struct fastpath_entry *entry,
				 const bool plain, const bool traced)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	struct kvm_timer *ktimer = stay->ktimer;
	const u64 ratio = plain ? 0 : stay->tsc_ratio;
	u64 tsc, guest_tsc, deadline, ticks;
	unsigned long rflags = 0;
	u32 interruptibility = 0;
	enum fastpath_bail why;

	why = fastpath_reentry_verdict(vcpu);
	if (unlikely(why))
		return why;

	if (unlikely(fastpath_vmcs_read32(IDT_VECTORING_INFO_FIELD) &
		     VECTORING_INFO_VALID_MASK))
		return FASTPATH_BAIL_IDT_VECTORING;

	if (unlikely(!ktimer->hv_timer_in_use || !ktimer->tscdeadline ||
		     vmx->vmcs01.hv_timer_soft_disabled))
		return FASTPATH_BAIL_HV_TIMER_IDLE;

	tsc = rdtsc();
	guest_tsc = fastpath_guest_tsc(tsc, ratio, stay->tsc_offset);
	deadline = fastpath_host_deadline(ktimer->tscdeadline, guest_tsc, tsc, ratio);

	if (unlikely(deadline > tsc + stay->due_within)) {
		ticks = deadline - tsc - stay->armed_before;
		if (unlikely(ticks >= stay->timer_range))
			return FASTPATH_BAIL_DEADLINE_FAR;

		/* Point of no return: all checks are done. */
		if (traced)
			fastpath_emit_exit(vmx, EXIT_REASON_PREEMPTION_TIMER);

		if (!plain)
			fastpath_forget_interrupt(vcpu);
		fastpath_arm_hv_timer(vmx, ktimer, tsc, ticks, entry, traced);
		vmx->fastpath.stats.rearmed_early++;
		return FASTPATH_OK;
	}

	if (!plain && !stay->apicv) {
		rflags = fastpath_vmcs_readl(GUEST_RFLAGS);
		interruptibility = fastpath_vmcs_read32(GUEST_INTERRUPTIBILITY_INFO);
	}
	why = fastpath_delivery_verdict(vmx, stay, rflags, interruptibility, plain);
	if (unlikely(why))
		return why;

	/* Point of no return: all checks are done, and nothing below fails. */
	if (traced) {
		fastpath_emit_exit(vmx, EXIT_REASON_PREEMPTION_TIMER);
		fastpath_emit_expiry(vmx, guest_tsc - ktimer->tscdeadline,
				     fastpath_advance(stay));
	}

	if (!plain)
		fastpath_forget_interrupt(vcpu);
	entry->expiry.deadline = deadline;
	entry->expiry.due = vmx->hv_deadline_tsc;
	fastpath_disarm_hv_timer(vmx, ktimer);
	fastpath_deliver_timer(vmx, ktimer, stay, plain, traced);
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_HANDLE_PREEMPTION_TIMER_H */
