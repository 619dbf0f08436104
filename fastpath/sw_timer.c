// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and cancel KVM's hrtimer from inside the world switch.
 */
#include <linux/hrtimer.h>
#include <linux/timekeeping.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

#include "bracket.h"
#include "hv_timer.h"
#include "sw_timer.h"

/*
 * Do not wait for a callback that runs on another CPU, as KVM does: IRQs are off
 * here.  After it has run, an expiry is pending or was posted.
 *
 * The mode is KVM's: in hard IRQ context on PREEMPT_RT as well.  The callback may run
 * as soon as the hrtimer is queued, so that the deadline has to be there before.
 */
noinstr enum fastpath_bail fastpath_restart_sw_timer(struct vcpu_vmx *vmx,
						     u64 deadline, u64 ticks)
{
	struct kvm_timer *ktimer = &vmx->vcpu.arch.apic->lapic_timer;
	enum fastpath_bail why = FASTPATH_OK;
	unsigned long cr2;
	ktime_t expire;

	cr2 = fastpath_bracket_begin(&vmx->vcpu);
	if (hrtimer_try_to_cancel(&ktimer->timer) < 0) {
		why = FASTPATH_BAIL_HRTIMER_RUNNING;
	} else if (atomic_read(&ktimer->pending)) {
		why = FASTPATH_BAIL_TIMER_PENDING;
	} else if (deadline) {
		fastpath_cancel_hv_timer(vmx, ktimer);
		ktimer->tscdeadline = deadline;
		expire = ktime_add_ns(ktime_get(),
				      fastpath_ticks_to_ns(ticks,
							   vmx->vcpu.arch.virtual_tsc_khz));
		expire = ktime_sub_ns(expire, ktimer->timer_advance_ns);
		hrtimer_start(&ktimer->timer, expire, HRTIMER_MODE_ABS_HARD);
	}
	fastpath_bracket_end(&vmx->vcpu, cr2);

	return why;
}
