/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM-exit fast path inside the world switch: the interface of the hooks.
 *
 * This is the only header that the hooks in vmx.[ch] see.  Everything else in
 * this folder is private.
 */
#ifndef VMX_FASTPATH_H
#define VMX_FASTPATH_H

#include <linux/cache.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

#include "advance.h"
#include "emit.h"
#include "entry.h"
#include "stats.h"
#include "stay.h"

struct kvm_vcpu;
struct vcpu_vmx;

/**
 * struct vmx_fastpath - state of the fast path of one vCPU
 * @stay:		the current stay in the loop, or the last one
 * @slow_expiry:	the deadline of an expiry that KVM delivers with the next entry
 * @stats:		counters; written by the vCPU's own thread only, with
 *			IRQs off, and read by debugfs without a lock
 * @advance:		how early the timer is armed
 * @traced_exit:	the exit that is being handled, while tracing
 * @msr_filter_known:	@wrmsr_filtered reflects the VM's current MSR filter
 * @wrmsr_filtered:	userspace's MSR filter denies the guest writes to
 *			IA32_TSC_DEADLINE
 * @in_debugfs:		the vCPU's files exist
 * @vcpus:		list of all vCPUs that have files
 *
 * Zeroed with the vCPU that it is part of, and valid like that.  What comes first is
 * what each fast exit touches, two cache lines.
 */
struct vmx_fastpath {
	struct fastpath_stay stay;
	struct fastpath_expiry slow_expiry;
	struct fastpath_stats stats;
	struct fastpath_advance advance;
	struct fastpath_traced_exit traced_exit;
	bool msr_filter_known;
	bool wrmsr_filtered;
	bool in_debugfs;
	struct list_head vcpus;
} ____cacheline_aligned;

DECLARE_STATIC_KEY_FALSE(vmx_fastpath_enabled);
DECLARE_STATIC_KEY_FALSE(vmx_fastpath_waits);

/* As in vmx.h, which cannot be included from here: it includes this file. */
bool __vmx_vcpu_run(struct vcpu_vmx *vmx, unsigned long *regs,
		    unsigned int flags);

bool __vmx_fastpath_run(struct vcpu_vmx *vmx, unsigned long *regs,
			unsigned int flags);

/**
 * vmx_fastpath_run - run the guest until an exit that KVM has to handle
 * @vmx:	the vCPU, its VMCS loaded
 * @regs:	the guest's general purpose registers, kvm_vcpu_arch.regs
 * @flags:	VMX_RUN_*, as for __vmx_vcpu_run()
 *
 * Stands in for __vmx_vcpu_run() and has its contract: on return the VMCS, the
 * registers and KVM's state describe one VM-Exit that nobody has handled.
 * With the fast path off this is that one call, behind a static branch.
 *
 * Context: IRQs and preemption off, RCU not watching, guest state loaded.
 * Return: false on VM-Exit, true on VM-Fail.
 */
static __always_inline bool vmx_fastpath_run(struct vcpu_vmx *vmx,
					     unsigned long *regs,
					     unsigned int flags)
{
	if (static_branch_unlikely(&vmx_fastpath_enabled))
		return __vmx_fastpath_run(vmx, regs, flags);

	return __vmx_vcpu_run(vmx, regs, flags);
}

void kvm_wait_lapic_expire(struct kvm_vcpu *vcpu);
void __vmx_fastpath_wait_lapic_expire(struct kvm_vcpu *vcpu);

/**
 * vmx_fastpath_wait_lapic_expire - wait for the deadline of an expiry KVM delivers
 * @vcpu:	the vCPU
 *
 * Stands in for kvm_wait_lapic_expire().  With the fast path on the wait comes later,
 * right before the world switch, and is accounted and learned from like that of a
 * fast expiry; KVM's own tuning is not used.
 *
 * Context: IRQs and preemption off, RCU watching; vmx_fastpath_run() comes next.
 */
static __always_inline void vmx_fastpath_wait_lapic_expire(struct kvm_vcpu *vcpu)
{
	if (static_branch_unlikely(&vmx_fastpath_waits))
		__vmx_fastpath_wait_lapic_expire(vcpu);
	else
		kvm_wait_lapic_expire(vcpu);
}

/**
 * vmx_fastpath_init - read what is fixed for the lifetime of the module
 *
 * Context: module init, after VMX's capabilities were read and before the
 * first VM can be created.
 */
void vmx_fastpath_init(void);

/**
 * vmx_fastpath_vcpu_pre_run - create the debugfs files at a vCPU's first run
 * @vcpu:	the vCPU
 *
 * KVM's own folder of the vCPU, which holds the files, does not exist yet when
 * the vCPU is created.  The files go with that folder, so nothing undoes this.
 *
 * Context: KVM_RUN, process context, vcpu->mutex held.
 */
void vmx_fastpath_vcpu_pre_run(struct kvm_vcpu *vcpu);

/**
 * vmx_fastpath_vcpu_free - leave a vCPU out of the sums
 * @vcpu:	the vCPU
 *
 * Context: process context, before the vCPU is freed.
 */
void vmx_fastpath_vcpu_free(struct kvm_vcpu *vcpu);

/**
 * vmx_fastpath_msr_filter_changed - forget what the MSR filter said
 * @vcpu:	the vCPU
 *
 * Context: the vCPU's thread, servicing KVM_REQ_MSR_FILTER_CHANGED.
 */
void vmx_fastpath_msr_filter_changed(struct kvm_vcpu *vcpu);

#endif /* VMX_FASTPATH_H */
