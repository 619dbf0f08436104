/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May the guest be entered again right away?
 */
#ifndef VMX_FASTPATH_REENTRY_H
#define VMX_FASTPATH_REENTRY_H

#include <linux/entry-kvm.h>
#include <linux/kvm_host.h>

#include "eligibility.h"

/*
 * A request or a kick that comes after this check is followed by an IPI, which
 * ends guest mode as soon as it is entered.
 *
 * Context: the seam, i.e. IRQs off, RCU not watching.
 */
static __always_inline enum fastpath_bail
fastpath_reentry_verdict(struct kvm_vcpu *vcpu)
{
	u64 kicked = READ_ONCE(vcpu->mode) ^ IN_GUEST_MODE;

	/* Or else the compiler keeps the mode as well, to look at it again. */
	OPTIMIZER_HIDE_VAR(kicked);
	return fastpath_check_reentry((struct fastpath_reentry_facts) {
		.requests = READ_ONCE(vcpu->requests),
		.kicked = kicked,
		.thread_work = read_thread_flags() & XFER_TO_GUEST_MODE_WORK,
	});
}

#endif /* VMX_FASTPATH_REENTRY_H */
