/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The APIC timer on KVM's hrtimer, where the preemption timer is off, not wanted,
 * or too short.
 *
 * Its expiry comes as an IRQ of the host and is KVM's to handle.  The hrtimer may
 * be queued on another CPU and expire there at any time.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_SW_TIMER_H
#define VMX_FASTPATH_SW_TIMER_H

#include <linux/hrtimer.h>
#include <linux/kvm_host.h>
#include <linux/types.h>

#include "deadline.h"
#include "reasons.h"

struct vcpu_vmx;

/*
 * May the hrtimer still expire?  It is queued until it expires, and then running
 * until its callback has returned; the sequence count of its clock base moves at
 * each of these steps.  A count that moves is taken for a yes, because cancelling
 * it in vain is cheaper than looking again.  x86 keeps loads in order.
 */
static __always_inline bool fastpath_hrtimer_active(const struct hrtimer *timer)
{
	struct hrtimer_clock_base *base = READ_ONCE(timer->base);
	unsigned int seq = READ_ONCE(base->seq.seqcount.sequence);
	bool active;

	barrier();
	active = READ_ONCE(timer->state) != HRTIMER_STATE_INACTIVE ||
		 READ_ONCE(base->running) == timer;
	barrier();

	return active || (seq & 1) ||
	       READ_ONCE(base->seq.seqcount.sequence) != seq ||
	       READ_ONCE(timer->base) != base;
}

/**
 * fastpath_restart_sw_timer - take the hrtimer off the queue, and queue it anew
 * @vmx:	the vCPU
 * @deadline:	the guest's new deadline, 0 for none that the hrtimer is to back
 * @ticks:	until @deadline, TSC ticks of the guest; must fit, see
 *		fastpath_sw_timer_fits()
 *
 * A deadline becomes KVM's lapic_timer.tscdeadline, the preemption timer is
 * cancelled, and the hrtimer expires KVM's timer_advance_ns earlier.
 *
 * KVM's own write of the deadline begins by taking the hrtimer off, so that on failure
 * the exit can still be left to KVM.
 *
 * Return: FASTPATH_OK if the hrtimer was idle and had no expiry pending.
 */
enum fastpath_bail fastpath_restart_sw_timer(struct vcpu_vmx *vmx, u64 deadline,
					     u64 ticks);

/* Can @ticks of the guest's TSC be converted to nanoseconds? */
static __always_inline bool fastpath_sw_timer_fits(struct kvm_vcpu *vcpu, u64 ticks)
{
	return ticks <= FASTPATH_MAX_NS_TICKS && vcpu->arch.virtual_tsc_khz;
}

#endif /* VMX_FASTPATH_SW_TIMER_H */
