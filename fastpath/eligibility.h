/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May this exit be handled here?  Facts in, reason out, no side effects.
 *
 * The host's unit tests compile this file; facts.h gathers the facts in the
 * kernel.  Passing structures by value lets the compiler drop them again.
 */
#ifndef VMX_FASTPATH_ELIGIBILITY_H
#define VMX_FASTPATH_ELIGIBILITY_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "reasons.h"

/**
 * struct fastpath_vcpu_facts - what all handlers depend on
 * @launched:		the VMCS was entered before
 * @l2_active:		the vCPU runs a nested guest
 * @guest_debug:	userspace debugs the guest
 * @smm:		the vCPU is in System Management Mode
 * @l1d_flush:		the L1D has to be flushed before each VM-Entry
 * @lapic:		the local APIC is KVM's and enabled in IA32_APIC_BASE
 * @tscdeadline_mode:	the APIC timer is in TSC-deadline mode
 * @hv_timer_usable:	KVM may use the preemption timer for the APIC timer
 * @tsc_scaled:		the guest's TSC runs at another frequency
 * @hrtimer_active:	the APIC timer's hrtimer is queued or its callback runs
 * @timer_pending:	an expiry waits to be injected
 */
struct fastpath_vcpu_facts {
	bool launched;
	bool l2_active;
	bool guest_debug;
	bool smm;
	bool l1d_flush;
	bool lapic;
	bool tscdeadline_mode;
	bool hv_timer_usable;
	bool tsc_scaled;
	bool hrtimer_active;
	bool timer_pending;
};

static __always_inline enum fastpath_bail
fastpath_check_vcpu(struct fastpath_vcpu_facts f)
{
	if (unlikely(!f.launched))
		return FASTPATH_BAIL_VMLAUNCH;
	if (unlikely(f.l2_active))
		return FASTPATH_BAIL_L2_ACTIVE;
	if (unlikely(f.guest_debug))
		return FASTPATH_BAIL_GUEST_DEBUG;
	if (unlikely(f.smm))
		return FASTPATH_BAIL_SMM;
	if (unlikely(f.l1d_flush))
		return FASTPATH_BAIL_L1D_FLUSH;
	if (unlikely(!f.lapic))
		return FASTPATH_BAIL_NO_LAPIC;
	if (unlikely(!f.tscdeadline_mode))
		return FASTPATH_BAIL_LVTT_MODE;
	if (unlikely(!f.hv_timer_usable))
		return FASTPATH_BAIL_HV_TIMER_UNUSABLE;
	if (unlikely(f.tsc_scaled))
		return FASTPATH_BAIL_TSC_SCALING;
	if (unlikely(f.hrtimer_active))
		return FASTPATH_BAIL_HRTIMER_ACTIVE;
	if (unlikely(f.timer_pending))
		return FASTPATH_BAIL_TIMER_PENDING;
	return FASTPATH_OK;
}

/**
 * struct fastpath_wrmsr_facts - what MSR writes depend on besides
 * @filtered:		userspace's MSR filter denies the write
 * @pmu_counting:	a guest counter counts instructions
 */
struct fastpath_wrmsr_facts {
	bool filtered;
	bool pmu_counting;
};

static __always_inline enum fastpath_bail
fastpath_check_wrmsr(struct fastpath_wrmsr_facts f)
{
	if (unlikely(f.filtered))
		return FASTPATH_BAIL_MSR_FILTER;
	if (unlikely(f.pmu_counting))
		return FASTPATH_BAIL_PMU_COUNTING;
	return FASTPATH_OK;
}

/**
 * struct fastpath_reentry_facts - what may forbid the next VM-Entry
 * @request:		a KVM_REQ_* is pending
 * @in_guest_mode:	nobody is kicking the vCPU
 * @thread_work:	work to do before the thread may run the guest
 */
struct fastpath_reentry_facts {
	bool request;
	bool in_guest_mode;
	bool thread_work;
};

static __always_inline enum fastpath_bail
fastpath_check_reentry(struct fastpath_reentry_facts f)
{
	if (unlikely(f.request))
		return FASTPATH_BAIL_REQUEST;
	if (unlikely(!f.in_guest_mode))
		return FASTPATH_BAIL_VCPU_MODE;
	if (unlikely(f.thread_work))
		return FASTPATH_BAIL_THREAD_WORK;
	return FASTPATH_OK;
}

/**
 * fastpath_check_insn - may an instruction be emulated here?
 * @single_step:	RFLAGS.TF is set
 * @intr_shadow:	the instruction is in an STI or MOV SS shadow
 */
static __always_inline enum fastpath_bail fastpath_check_insn(bool single_step,
							      bool intr_shadow)
{
	if (unlikely(single_step))
		return FASTPATH_BAIL_SINGLE_STEP;
	if (unlikely(intr_shadow))
		return FASTPATH_BAIL_INTR_SHADOW;
	return FASTPATH_OK;
}

/**
 * fastpath_check_rip - is the next RIP the sum?
 * @rip:	the instruction's address
 * @len:	its length in bytes, 0 if the CPU has none to offer
 *
 * No length: the exit came from an enclave, and RIP is past the instruction.  A
 * carry out of bit 31: RIP wraps around outside of 64-bit mode.
 */
static __always_inline enum fastpath_bail fastpath_check_rip(unsigned long rip,
							     unsigned int len)
{
	if (unlikely(!len || ((rip + len) ^ rip) >> 31 == 3))
		return FASTPATH_BAIL_RIP_UPDATE;
	return FASTPATH_OK;
}

/**
 * struct fastpath_delivery_facts - the way of the interrupt into the guest
 * @apicv:		virtual-interrupt delivery is active for the vCPU
 * @apic_sw_enabled:	the spurious vector register enables the APIC
 * @masked:		the LVT timer entry is masked
 * @plain:		the entry asks for nothing but an edge-triggered
 *			interrupt
 * @vector:		the entry's vector
 */
struct fastpath_delivery_facts {
	bool apicv;
	bool apic_sw_enabled;
	bool masked;
	bool plain;
	u8 vector;
};

static __always_inline enum fastpath_bail
fastpath_check_delivery(struct fastpath_delivery_facts f)
{
	if (unlikely(!f.apicv))
		return FASTPATH_BAIL_NO_APICV;
	if (unlikely(!f.apic_sw_enabled))
		return FASTPATH_BAIL_APIC_SW_DISABLED;
	if (unlikely(f.masked))
		return FASTPATH_BAIL_LVTT_MASKED;
	/* Vectors 0 to 15 are illegal; what follows is KVM's to decide. */
	if (unlikely(!f.plain || f.vector < 16))
		return FASTPATH_BAIL_LVTT_DELIVERY;
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_ELIGIBILITY_H */
