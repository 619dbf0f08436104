// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bare world switch, for the benchmark's row "floor"; never to be installed.
 *
 * The same hooks as the product's, with a loop that does the least a loop can
 * do: on VMCALL enter the guest again as often as its RAX says, and then let KVM
 * have the exit.  The guest divides by that number, which leaves VM-Exit, one
 * look at the exit reason, a count and VM-Entry.
 */
#include <linux/module.h>

#include "../vmx/vmx.h"
#include "../vmx/vmx_ops.h"

#include "fastpath.h"
#include "version.h"

MODULE_VERSION(VMX_FASTPATH_VERSION " floor");

/* Always on: without the loop this module is of no use. */
DEFINE_STATIC_KEY_FALSE(vmx_fastpath_enabled);

/* Expiries are KVM's. */
DEFINE_STATIC_KEY_FALSE(vmx_fastpath_waits);

void __vmx_fastpath_wait_lapic_expire(struct kvm_vcpu *vcpu)
{
	kvm_wait_lapic_expire(vcpu);
}

noinstr bool __vmx_fastpath_run(struct vcpu_vmx *vmx, unsigned long *regs,
				unsigned int flags)
{
	for (;;) {
		if (unlikely(__vmx_vcpu_run(vmx, regs, flags)))
			return true;
		if (__vmcs_readl(VM_EXIT_REASON) != EXIT_REASON_VMCALL ||
		    !(flags & VMX_RUN_VMRESUME) || !regs[VCPU_REGS_RAX])
			return false;
		regs[VCPU_REGS_RAX]--;
	}
}

void __init vmx_fastpath_init(void)
{
	static_branch_enable(&vmx_fastpath_enabled);
}

void vmx_fastpath_vcpu_pre_run(struct kvm_vcpu *vcpu)
{
}

void vmx_fastpath_vcpu_free(struct kvm_vcpu *vcpu)
{
}

void vmx_fastpath_msr_filter_changed(struct kvm_vcpu *vcpu)
{
}
