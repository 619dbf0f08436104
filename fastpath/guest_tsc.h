/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the guest's TSC counts.
 */
#ifndef VMX_FASTPATH_GUEST_TSC_H
#define VMX_FASTPATH_GUEST_TSC_H

#include <linux/kvm_host.h>

#include "../x86.h"

/* The TSC multiplier of L1, 0 if its TSC is not scaled. */
static __always_inline u64 fastpath_tsc_ratio(const struct kvm_vcpu *vcpu)
{
	u64 ratio = vcpu->arch.l1_tsc_scaling_ratio;

	return likely(ratio == kvm_caps.default_tsc_scaling_ratio) ? 0 : ratio;
}

#endif /* VMX_FASTPATH_GUEST_TSC_H */
