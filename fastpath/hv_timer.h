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
 * it has to be written anew for each entry, shortly before.  KVM says soft disabled for
 * a field that holds its largest value, which stays good over any number of
 * entries.
 */
static __always_inline void fastpath_write_hv_timer(struct vcpu_vmx *vmx, u64 ticks)
{
	unsigned int shift = vmx->fastpath.stay.timer_shift;

	fastpath_vmcs_write32(VMX_PREEMPTION_TIMER_VALUE, fastpath_timer_value(ticks, shift));
	vmx->vmcs01.hv_timer_soft_disabled = false;
}

static __always_inline void fastpath_load_hv_timer(struct vcpu_vmx *vmx)
{
	fastpath_write_hv_timer(vmx, fastpath_remaining(vmx->hv_deadline_tsc, rdtsc()));
}

/*
 * To expire @ticks after @tsc, which is as good as now: the few instructions until
 * VM-Entry, by which the timer is late, take less time than another RDTSC.  Tracepoints
 * take longer, hence load it after them.
 */
static __always_inline void fastpath_arm_hv_timer(struct vcpu_vmx *vmx,
						  struct kvm_timer *ktimer,
						  u64 tsc, u64 ticks,
						  struct fastpath_entry *entry,
						  const bool traced)
{
	ktimer->hv_timer_in_use = true;
	vmx->hv_deadline_tsc = tsc + ticks;
	if (traced)
		entry->load_hv_timer = true;
	else
		fastpath_write_hv_timer(vmx, ticks);
}

/* The timer is armed. */
static __always_inline void fastpath_disarm_hv_timer(struct vcpu_vmx *vmx,
						     struct kvm_timer *ktimer)
{
	ktimer->hv_timer_in_use = false;
	vmx->hv_deadline_tsc = -1;
	fastpath_vmcs_write32(VMX_PREEMPTION_TIMER_VALUE, -1);
	vmx->vmcs01.hv_timer_soft_disabled = true;
}

static __always_inline void fastpath_cancel_hv_timer(struct vcpu_vmx *vmx,
						     struct kvm_timer *ktimer)
{
	if (ktimer->hv_timer_in_use)
		fastpath_disarm_hv_timer(vmx, ktimer);
}

#endif /* VMX_FASTPATH_HV_TIMER_H */
