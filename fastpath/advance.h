/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How early the APIC timer of a vCPU is armed: settings, and the value in force.
 */
#ifndef VMX_FASTPATH_ADVANCE_H
#define VMX_FASTPATH_ADVANCE_H

#include <linux/types.h>

#include "tuner.h"

struct dentry;
struct kvm_vcpu;
struct vcpu_vmx;

/* Settings, beside a number of nanoseconds. */
#define FASTPATH_ADVANCE_INHERIT	(-2)
#define FASTPATH_ADVANCE_TUNE		(-1)
#define FASTPATH_ADVANCE_MAX_NS		50000

/* What the tuner keeps to. */
#define FASTPATH_TUNED_MAX_NS		5000
#define FASTPATH_SPIKE_NS		10000

/**
 * struct fastpath_setting - the advance set for a VM or a vCPU; zero inherits
 * @above_inherit:	the setting less FASTPATH_ADVANCE_INHERIT
 *
 * Written through debugfs at any time, and read without a lock.
 */
struct fastpath_setting {
	int above_inherit;
};

/**
 * struct fastpath_vm - what the fast path keeps of a VM; all zero is valid
 * @advance:	for its vCPUs that have no setting of their own
 */
struct fastpath_vm {
	struct fastpath_setting advance;
};

/**
 * struct fastpath_advance - the advance of one vCPU; all zero is valid
 * @setting:	its own setting
 * @tuner:	learns from each expiry, whether or not its result is in force
 * @ticks:	the advance in force, host TSC ticks
 * @ticks_before: the one before; the timer may be armed with it still
 * @ns:		the same in nanoseconds
 * @kvm_ns:	KVM's own advance, from before ours was in force
 * @in_force:	what KVM arms its timer with is ours
 *
 * Written by the vCPU's own thread, but for the setting.
 */
struct fastpath_advance {
	struct fastpath_setting setting;
	struct fastpath_tuner tuner;
	u32 ticks;
	u32 ticks_before;
	u32 ns;
	u32 kvm_ns;
	bool in_force;
};

extern struct fastpath_tuner_limits fastpath_tuner_limits;

/* Read what depends on the host's TSC.  Context: module init. */
void fastpath_advance_init(void);

/*
 * Put the vCPU's advance in force, for KVM as well.
 *
 * Context: the vCPU's thread with IRQs off; the seam, or right before it.
 */
void fastpath_apply_advance(struct vcpu_vmx *vmx);

/* Give KVM its own advance back.  Context: KVM_RUN, process context. */
void fastpath_restore_advance(struct kvm_vcpu *vcpu);

/*
 * Create the files of a vCPU, or of its VM, in that folder.
 *
 * Context: process context, may sleep.
 */
void fastpath_create_vcpu_advance(struct kvm_vcpu *vcpu, struct dentry *dir);
void fastpath_create_vm_advance(struct kvm_vcpu *vcpu, struct dentry *dir);

#endif /* VMX_FASTPATH_ADVANCE_H */
