/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's TSC and the host's.
 */
#ifndef VMX_FASTPATH_GUEST_TSC_H
#define VMX_FASTPATH_GUEST_TSC_H

#include <linux/kvm_host.h>

#include "deadline.h"
#include "stay.h"

/* What the guest's TSC reads while the host's reads @tsc. */
static __always_inline u64 fastpath_guest_tsc(struct kvm_vcpu *vcpu,
					      const struct fastpath_stay *stay,
					      u64 tsc, const bool plain)
{
	if (!plain && stay->tsc_ratio)
		tsc = fastpath_scale_tsc(tsc, stay->tsc_ratio);
	return tsc + vcpu->arch.l1_tsc_offset;
}

/* How long the host's TSC takes for @ticks of the guest's, rounded up. */
static __always_inline u64 fastpath_host_ticks(const struct fastpath_stay *stay,
					       u64 ticks, const bool plain)
{
	if (!plain && stay->tsc_ratio)
		return fastpath_unscale_tsc(ticks, stay->tsc_ratio);
	return ticks;
}

#endif /* VMX_FASTPATH_GUEST_TSC_H */
