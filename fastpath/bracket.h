/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leave guest context for a while, to run code that may be instrumented.
 */
#ifndef VMX_FASTPATH_BRACKET_H
#define VMX_FASTPATH_BRACKET_H

#include <linux/kvm_host.h>

#include <asm/special_insns.h>

#include "../vmx/vmx.h"

/*
 * What runs in between, or hangs on a tracepoint or probe there, may read user
 * memory or fault on the way: give it the host's XCR0, XSS and PKRU, and have the
 * guest's CR2 survive.  KVM's cached registers are from before the VM-Exit.
 *
 * Context: the seam, i.e. IRQs off, RCU not watching; in between RCU watches.
 */
static __always_inline unsigned long fastpath_bracket_begin(struct kvm_vcpu *vcpu)
{
	unsigned long cr2 = native_read_cr2();

	guest_state_exit_irqoff();
	instrumentation_begin();
	kvm_load_host_xsave_state(vcpu);
	vcpu->arch.regs_avail &= ~VMX_REGS_LAZY_LOAD_SET;
	return cr2;
}

static __always_inline void fastpath_bracket_end(struct kvm_vcpu *vcpu,
						 unsigned long cr2)
{
	vcpu->arch.regs_avail &= ~VMX_REGS_LAZY_LOAD_SET;
	kvm_load_guest_xsave_state(vcpu);
	instrumentation_end();
	guest_state_enter_irqoff();
	if (native_read_cr2() != cr2)
		native_write_cr2(cr2);
}

#endif /* VMX_FASTPATH_BRACKET_H */
