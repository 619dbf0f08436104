/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May this exit be handled here?  Facts in, reason out, no side effects.
 *
 * The host's unit tests compile this file; its callers gather the facts in the
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
 * @tsc_catchup:	KVM moves the guest's TSC at each exit
 */
struct fastpath_vcpu_facts {
	bool launched;
	bool l2_active;
	bool guest_debug;
	bool smm;
	bool l1d_flush;
	bool lapic;
	bool tsc_catchup;
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
	if (unlikely(f.tsc_catchup))
		return FASTPATH_BAIL_TSC_CATCHUP;
	return FASTPATH_OK;
}

/**
 * struct fastpath_timer_facts - what the handlers of the APIC timer depend on
 * @tscdeadline_mode:	the APIC timer is in TSC-deadline mode
 * @timer_pending:	an expiry waits to be injected
 */
struct fastpath_timer_facts {
	bool tscdeadline_mode;
	bool timer_pending;
};

static __always_inline enum fastpath_bail
fastpath_check_timer(struct fastpath_timer_facts f)
{
	if (unlikely(!f.tscdeadline_mode))
		return FASTPATH_BAIL_LVTT_MODE;
	if (unlikely(f.timer_pending))
		return FASTPATH_BAIL_TIMER_PENDING;
	return FASTPATH_OK;
}

/**
 * struct fastpath_wrmsr_facts - what writes of the deadline depend on besides
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
 * struct fastpath_eoi_stay_facts - what EOI depends on for as long as a stay
 * @emulated:		EOI exits although APICv is active
 * @attention:		part of the APIC's state is in the guest's memory
 * @pmu_counting:	a guest counter counts instructions
 */
struct fastpath_eoi_stay_facts {
	bool emulated;
	bool attention;
	bool pmu_counting;
};

static __always_inline enum fastpath_bail
fastpath_check_eoi_stay(struct fastpath_eoi_stay_facts f)
{
	if (unlikely(f.emulated))
		return FASTPATH_BAIL_EOI_EMULATED;
	if (unlikely(f.attention))
		return FASTPATH_BAIL_APIC_ATTENTION;
	if (unlikely(f.pmu_counting))
		return FASTPATH_BAIL_PMU_COUNTING;
	return FASTPATH_OK;
}

/**
 * struct fastpath_eoi_facts - what one EOI depends on
 * @in_service:		an interrupt is in service
 * @irr_empty:		no interrupt is requested
 * @ioapic:		an I/O APIC wants to know of the EOI
 * @synic:		Hyper-V's interrupt controller wants to know of it
 */
struct fastpath_eoi_facts {
	bool in_service;
	bool irr_empty;
	bool ioapic;
	bool synic;
};

static __always_inline enum fastpath_bail
fastpath_check_eoi(struct fastpath_eoi_facts f)
{
	if (unlikely(!f.in_service))
		return FASTPATH_BAIL_EOI_SPURIOUS;
	if (unlikely(!f.irr_empty))
		return FASTPATH_BAIL_IRR_PENDING;
	if (unlikely(f.ioapic))
		return FASTPATH_BAIL_EOI_IOAPIC;
	if (unlikely(f.synic))
		return FASTPATH_BAIL_EOI_SYNIC;
	return FASTPATH_OK;
}

/**
 * struct fastpath_reentry_facts - what may forbid the next VM-Entry
 * @requests:		KVM_REQ_* that are pending
 * @kicked:		bits in which the vCPU's mode is not that of guest mode: it is
 *			being kicked
 * @thread_work:	flags of work to do before the thread may run the guest
 *
 * Each 0 if there is none.
 */
struct fastpath_reentry_facts {
	u64 requests;
	u64 kicked;
	unsigned long thread_work;
};

static __always_inline enum fastpath_bail
fastpath_check_reentry(struct fastpath_reentry_facts f)
{
	/* One branch for all that nearly always is 0. */
	if (likely(!(f.requests | f.kicked | f.thread_work)))
		return FASTPATH_OK;

	if (f.requests)
		return FASTPATH_BAIL_REQUEST;
	if (f.kicked)
		return FASTPATH_BAIL_VCPU_MODE;
	return FASTPATH_BAIL_THREAD_WORK;
}

/**
 * fastpath_check_insn - may an instruction be emulated here?
 * @single_step:	RFLAGS.TF, or 0
 * @intr_shadow:	of an STI or MOV SS that the instruction is in, or 0
 */
static __always_inline enum fastpath_bail fastpath_check_insn(unsigned long single_step,
							      u32 intr_shadow)
{
	/* One branch, as for the next VM-Entry. */
	if (likely(!(single_step | intr_shadow)))
		return FASTPATH_OK;

	return single_step ? FASTPATH_BAIL_SINGLE_STEP : FASTPATH_BAIL_INTR_SHADOW;
}

/**
 * fastpath_check_rip - is the next RIP the sum?
 * @rip:	the instruction's address
 * @sum:	that plus its length, which is 0 if the CPU has none to offer
 *
 * No length: the exit came from an enclave, and RIP is past the instruction.  A
 * carry out of bit 31: RIP wraps around outside of 64-bit mode.  Either way the lower
 * half of the sum is not above that of the address.
 */
static __always_inline enum fastpath_bail fastpath_check_rip(unsigned long rip,
							     unsigned long sum)
{
	if (unlikely((u32)sum <= (u32)rip))
		return FASTPATH_BAIL_RIP_UPDATE;
	return FASTPATH_OK;
}

/**
 * struct fastpath_delivery_facts - the way of the interrupt into the guest
 * @apic_sw_enabled:	the spurious vector register enables the APIC
 * @masked:		the LVT timer entry is masked
 * @plain:		the entry asks for nothing but an edge-triggered
 *			interrupt
 * @vector:		the entry's vector
 */
struct fastpath_delivery_facts {
	bool apic_sw_enabled;
	bool masked;
	bool plain;
	u8 vector;
};

static __always_inline enum fastpath_bail
fastpath_check_delivery(struct fastpath_delivery_facts f)
{
	if (unlikely(!f.apic_sw_enabled))
		return FASTPATH_BAIL_APIC_SW_DISABLED;
	if (unlikely(f.masked))
		return FASTPATH_BAIL_LVTT_MASKED;
	/* Vectors 0 to 15 are illegal; what follows is KVM's to decide. */
	if (unlikely(!f.plain || f.vector < 16))
		return FASTPATH_BAIL_LVTT_DELIVERY;
	return FASTPATH_OK;
}

/**
 * struct fastpath_injection_stay_facts - what injection depends on for as long as
 *	a stay
 * @real_mode:		interrupts are injected by emulation
 * @event_pending:	an event waits to be injected, or a window is armed for one
 * @attention:		part of the APIC's state is in the guest's memory
 * @auto_eoi:		the interrupt's service ends as it begins
 */
struct fastpath_injection_stay_facts {
	bool real_mode;
	bool event_pending;
	bool attention;
	bool auto_eoi;
};

static __always_inline enum fastpath_bail
fastpath_check_injection_stay(struct fastpath_injection_stay_facts f)
{
	if (unlikely(f.real_mode))
		return FASTPATH_BAIL_REAL_MODE;
	if (unlikely(f.event_pending))
		return FASTPATH_BAIL_EVENT_PENDING;
	if (unlikely(f.attention))
		return FASTPATH_BAIL_APIC_ATTENTION;
	if (unlikely(f.auto_eoi))
		return FASTPATH_BAIL_AUTO_EOI;
	return FASTPATH_OK;
}

/**
 * struct fastpath_injection_facts - can the guest take an interrupt now?
 * @irqs_on:		RFLAGS.IF is set
 * @intr_shadow:	the guest goes on in an STI or MOV SS shadow
 * @irr_empty:		no other interrupt is requested
 * @vector:		the interrupt's vector
 * @ppr:		the processor priority register
 */
struct fastpath_injection_facts {
	bool irqs_on;
	bool intr_shadow;
	bool irr_empty;
	u8 vector;
	u8 ppr;
};

static __always_inline enum fastpath_bail
fastpath_check_injection(struct fastpath_injection_facts f)
{
	if (unlikely(!f.irqs_on))
		return FASTPATH_BAIL_IRQS_OFF;
	if (unlikely(f.intr_shadow))
		return FASTPATH_BAIL_INTR_SHADOW;
	if (unlikely(!f.irr_empty))
		return FASTPATH_BAIL_IRR_PENDING;
	/* As KVM compares them: the low digit of PPR counts, too. */
	if (unlikely((f.vector & 0xf0) <= f.ppr))
		return FASTPATH_BAIL_PRIORITY;
	return FASTPATH_OK;
}

#endif /* VMX_FASTPATH_ELIGIBILITY_H */
