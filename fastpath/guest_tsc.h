/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's TSC and the host's.
 */
#ifndef VMX_FASTPATH_GUEST_TSC_H
#define VMX_FASTPATH_GUEST_TSC_H

#include <linux/kvm_host.h>

#include "../x86.h"

#include "deadline.h"

/* The TSC multiplier of L1, 0 if its TSC is not scaled. */
static __always_inline u64 fastpath_tsc_ratio(const struct kvm_vcpu *vcpu)
{
	u64 ratio = vcpu->arch.l1_tsc_scaling_ratio;

	return likely(ratio == kvm_caps.default_tsc_scaling_ratio) ? 0 : ratio;
}

/* What the TSC of L1 reads while the host's reads @tsc. */
static __always_inline u64 fastpath_guest_tsc(const struct kvm_vcpu *vcpu, u64 tsc,
					      u64 ratio)
{
	if (ratio)
		tsc = fastpath_scale_tsc(tsc, ratio);
	return tsc + vcpu->arch.l1_tsc_offset;
}

#endif /* VMX_FASTPATH_GUEST_TSC_H */
