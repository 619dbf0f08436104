/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The APIC timer on the VMX-preemption timer.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_HV_TIMER_H
#define VMX_FASTPATH_HV_TIMER_H

#include <asm/msr.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

#include "deadline.h"
#include "entry.h"
#include "vmcs_access.h"

/* The preemption timer counts down every 2^fastpath_timer_shift TSC ticks. */
extern unsigned int fastpath_timer_shift;

/*
 * The VMCS field is not saved on VM-Exit, and the timer counts from VM-Entry on:
 * it has to be loaded anew for each entry, and late.  KVM says soft disabled for
 * a field that holds its largest value, which stays good over any number of
 * entries.
 */
static __always_inline void fastpath_arm_hv_timer(struct vcpu_vmx *vmx,
						  struct kvm_timer *ktimer,
						  u64 host_deadline,
						  struct fastpath_entry *entry)
{
	ktimer->hv_timer_in_use = true;
	vmx->hv_deadline_tsc = host_deadline;
	entry->load_hv_timer = true;
}

static __always_inline void fastpath_load_hv_timer(struct vcpu_vmx *vmx)
{
	u64 ticks = fastpath_remaining(vmx->hv_deadline_tsc, rdtsc());

	fastpath_vmcs_write32(VMX_PREEMPTION_TIMER_VALUE,
			      fastpath_timer_value(ticks, fastpath_timer_shift));
	vmx->vmcs01.hv_timer_soft_disabled = false;
}

static __always_inline void fastpath_cancel_hv_timer(struct vcpu_vmx *vmx,
						     struct kvm_timer *ktimer)
{
	if (!ktimer->hv_timer_in_use)
		return;

	ktimer->hv_timer_in_use = false;
	vmx->hv_deadline_tsc = -1;

	if (!vmx->vmcs01.hv_timer_soft_disabled) {
		fastpath_vmcs_write32(VMX_PREEMPTION_TIMER_VALUE, -1);
		vmx->vmcs01.hv_timer_soft_disabled = true;
	}
}

#endif /* VMX_FASTPATH_HV_TIMER_H */
