/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One stay of a vCPU in the loop: what is found out once and stays true.
 */
#ifndef VMX_FASTPATH_STAY_H
#define VMX_FASTPATH_STAY_H

#include <linux/types.h>

#include "reasons.h"

struct vcpu_vmx;

/**
 * struct fastpath_stay - one stay of a vCPU in the loop
 * @flags:	VMX_RUN_* flags of the world switches
 * @surveyed:	the members below are valid
 * @vcpu:	may the vCPU's exits be handled at all
 * @wrmsr:	may WRMSR be handled besides
 * @delivery:	may the timer interrupt be delivered
 * @vector:	the timer interrupt's vector
 * @advance:	how early the timer is armed, TSC ticks
 * @wait_until:	host TSC before which the guest must not be entered, 0 for none
 *
 * The verdicts are reached at the first exit that has a handler.  Whatever may
 * change what they are based on ends the stay: an exit that KVM handles (writes
 * to APIC registers and PMU MSRs, SMM, nested entries), a request (MSR filter,
 * APICv), or an ioctl, which needs the vCPU's mutex.  The APIC timer's hrtimer
 * is started by the vCPU's own thread only, and so outside of a stay.
 */
struct fastpath_stay {
	unsigned int flags;
	bool surveyed;
	enum fastpath_bail vcpu;
	enum fastpath_bail wrmsr;
	enum fastpath_bail delivery;
	u8 vector;
	u64 advance;
	u64 wait_until;
};

/**
 * fastpath_survey - reach the verdicts of a stay
 * @vmx:	the vCPU
 * @stay:	its stay; @flags is set
 *
 * Context: the seam, i.e. IRQs off, RCU not watching.
 */
void fastpath_survey(struct vcpu_vmx *vmx, struct fastpath_stay *stay);

#endif /* VMX_FASTPATH_STAY_H */
