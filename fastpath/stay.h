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
 * @wrmsr:	may WRMSR be handled?
 * @timer:	may preemption-timer exits be handled?
 * @delivery:	may the timer interrupt be delivered?
 * @vector:	the timer interrupt's vector
 * @vector_bit:	its bit in the APIC's registers IRR and TMR
 * @irr:	the register IRR that holds its bit
 * @tmr:	the register TMR that holds its bit
 * @advance:	how early the timer is armed, TSC ticks
 *
 * A stay begins with an exit that has a handler, and ends with one that is left to
 * KVM.  Whatever may change what the verdicts are based on ends it: an exit that
 * KVM handles (writes to APIC registers and PMU MSRs, SMM, nested entries), a
 * request (MSR filter, APICv), or an ioctl, which needs the vCPU's mutex.  The
 * APIC timer's hrtimer is started by the vCPU's own thread only, and so outside of
 * a stay.
 */
struct fastpath_stay {
	enum fastpath_bail wrmsr;
	enum fastpath_bail timer;
	enum fastpath_bail delivery;
	u8 vector;
	u32 vector_bit;
	u32 *irr;
	const u32 *tmr;
	u64 advance;
};

/**
 * fastpath_survey - begin a stay
 * @vmx:	the vCPU
 * @flags:	VMX_RUN_* flags of the world switches
 * @stay:	the stay, to be filled in
 *
 * Context: the seam, i.e. IRQs off, RCU not watching.
 */
void fastpath_survey(struct vcpu_vmx *vmx, unsigned int flags,
		     struct fastpath_stay *stay);

#endif /* VMX_FASTPATH_STAY_H */
