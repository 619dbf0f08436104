/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One stay of a vCPU in the loop: what is found out once and stays true.
 */
#ifndef VMX_FASTPATH_STAY_H
#define VMX_FASTPATH_STAY_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/types.h>

#include <asm/apicdef.h>

#include "reasons.h"

struct kvm_timer;
struct vcpu_vmx;

/**
 * struct fastpath_stay - one stay of a vCPU in the loop
 * @wrmsr:	may writes of the deadline be handled?  enum fastpath_bail, as the next three
 * @timer:	may preemption-timer exits be handled?
 * @eoi:	may EOI be handled?
 * @delivery:	may the timer interrupt be delivered?
 * @plain:	of the most common kind: the timer's exits may be handled and its interrupt
 *		delivered, APICv is active, the guest's TSC is not scaled, KVM may arm the
 *		preemption timer, and no hrtimer is queued
 * @apicv:	the CPU delivers interrupts itself
 * @hv_timer:	KVM may arm the preemption timer for the vCPU
 * @sw_timer:	the APIC timer's hrtimer may be queued
 * @vector:	the timer interrupt's vector
 * @timer_shift: the preemption timer counts down every 2^@timer_shift host TSC ticks
 * @flags:	VMX_RUN_* flags of the world switches
 * @vector_bit:	the vector's bit in the APIC's registers IRR and TMR
 * @armed_before: how early the timer is armed, host TSC ticks: a tick more than the
 *		advance, within which a new deadline is delivered and waited for
 * @due_within:	a deadline that is no more host TSC ticks away counts as due
 * @irr:	the register IRR that holds the vector's bit
 * @ktimer:	KVM's state of the APIC timer
 * @tsc_offset:	the guest's TSC offset
 * @timer_range: the preemption timer counts less host TSC ticks than that
 * @tsc_ratio:	TSC multiplier, 0 if the guest's TSC is not scaled
 *
 * One cache line.
 *
 * A stay begins with an exit that has a handler, and ends with one that is left to
 * KVM.  Whatever may change what the verdicts are based on ends it: an exit that
 * KVM handles (writes to APIC registers and PMU MSRs, SMM, nested entries), a
 * request (MSR filter, APICv, NMI), or an ioctl, which needs the vCPU's mutex.  The
 * APIC timer's hrtimer is started by the vCPU's own thread only.
 */
struct fastpath_stay {
	u8 wrmsr;
	u8 timer;
	u8 eoi;
	u8 delivery;
	bool plain;
	bool apicv;
	bool hv_timer;
	bool sw_timer;
	u8 vector;
	u8 timer_shift;
	u8 flags;
	u32 vector_bit;
	u32 armed_before;
	u32 due_within;
	u32 *irr;
	struct kvm_timer *ktimer;
	u64 tsc_offset;
	u64 timer_range;
	u64 tsc_ratio;
};

static_assert(sizeof(struct fastpath_stay) <= L1_CACHE_BYTES);

/* The register TMR that holds the vector's bit. */
static __always_inline const u32 *fastpath_tmr(const struct fastpath_stay *stay)
{
	return (void *)stay->irr - (APIC_IRR - APIC_TMR);
}

/* How early an interrupt may be delivered and waited with, host TSC ticks. */
static __always_inline u32 fastpath_advance(const struct fastpath_stay *stay)
{
	return stay->armed_before - 1;
}

/**
 * fastpath_survey - begin a stay
 * @vmx:	the vCPU
 * @flags:	VMX_RUN_* flags of the world switches
 * @stay:	the stay, to be filled in
 *
 * Context: the seam, i.e. IRQs off, RCU not watching.
 */
void fastpath_survey(struct vcpu_vmx *vmx, unsigned int flags,
		     struct fastpath_stay *stay);

#endif /* VMX_FASTPATH_STAY_H */
