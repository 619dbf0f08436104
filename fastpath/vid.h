/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deliver the timer interrupt by virtual-interrupt delivery.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_VID_H
#define VMX_FASTPATH_VID_H

#include <linux/atomic.h>

#include "stay.h"
#include "vmcs_access.h"

/*
 * Make the vector pending in the virtual-APIC page and have the CPU evaluate it
 * on VM-Entry, which respects RFLAGS.IF, shadows and priorities.  RVI is only
 * ever raised: the CPU may have posted a higher vector since KVM wrote it.
 *
 * The bit is set atomically although this is the vCPU's own CPU: a sender that
 * found APICv inhibited may set a neighbouring bit at a time when it no longer
 * is.
 */
static __always_inline void fastpath_set_vintr(const struct fastpath_stay *stay)
{
	u32 status = fastpath_vmcs_read16(GUEST_INTR_STATUS);

	raw_atomic_or(stay->vector_bit, (atomic_t *)stay->irr);
	if (stay->vector > (u8)status)
		fastpath_vmcs_write16(GUEST_INTR_STATUS,
				      (status & 0xff00) | stay->vector);
}

#endif /* VMX_FASTPATH_VID_H */
