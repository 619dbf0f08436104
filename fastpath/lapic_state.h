/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's software state of a local APIC that no APICv keeps: ISR, PPR and what KVM
 * remembers of them.
 *
 * ISR, TPR and PPR are touched by the vCPU's own thread and by the guest on the
 * vCPU's own CPU only.  Others set bits in IRR, and follow up with a request.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_LAPIC_STATE_H
#define VMX_FASTPATH_LAPIC_STATE_H

#include <linux/bitops.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

static __always_inline u32 *fastpath_apic_reg(struct kvm_lapic *apic, int offset)
{
	return apic->regs + offset;
}

/* The highest vector in IRR or ISR, or -1. */
static __always_inline int fastpath_apic_highest(struct kvm_lapic *apic, int offset)
{
	int vector;
	u32 bits;

	for (vector = 256 - 32; vector >= 0; vector -= 32) {
		bits = READ_ONCE(*fastpath_apic_reg(apic, offset + REG_POS(vector)));
		if (bits)
			return vector + __fls(bits);
	}
	return -1;
}

/* irr_pending is a hint: it may be left set over an IRR that is empty. */
static __always_inline bool fastpath_irr_empty(struct kvm_lapic *apic)
{
	return likely(!READ_ONCE(apic->irr_pending)) ||
	       fastpath_apic_highest(apic, APIC_IRR) < 0;
}

/* The vector in service with the highest priority, or -1. */
static __always_inline int fastpath_highest_isr(struct kvm_lapic *apic)
{
	if (!apic->isr_count)
		return -1;
	if (likely(apic->highest_isr_cache != -1))
		return apic->highest_isr_cache;
	return fastpath_apic_highest(apic, APIC_ISR);
}

/* The processor priority while @isr is the highest vector in service, or -1. */
static __always_inline u8 fastpath_ppr(struct kvm_lapic *apic, int isr)
{
	u8 tpr = *fastpath_apic_reg(apic, APIC_TASKPRI);
	u8 isrv = isr < 0 ? 0 : isr & 0xf0;

	return (tpr & 0xf0) >= isrv ? tpr : isrv;
}

/* @vector, which has a higher priority than all others, begins its service. */
static __always_inline void fastpath_begin_service(struct kvm_lapic *apic, u8 vector)
{
	*fastpath_apic_reg(apic, APIC_ISR + REG_POS(vector)) |= BIT(VEC_POS(vector));
	apic->isr_count++;
	apic->highest_isr_cache = vector;
	*fastpath_apic_reg(apic, APIC_PROCPRI) = vector & 0xf0;
}

/* The service of @vector, the highest, ends. */
static __always_inline void fastpath_end_service(struct kvm_lapic *apic, u8 vector)
{
	*fastpath_apic_reg(apic, APIC_ISR + REG_POS(vector)) &= ~BIT(VEC_POS(vector));
	apic->isr_count--;
	apic->highest_isr_cache = -1;
	*fastpath_apic_reg(apic, APIC_PROCPRI) =
		fastpath_ppr(apic, fastpath_highest_isr(apic));
}

#endif /* VMX_FASTPATH_LAPIC_STATE_H */
