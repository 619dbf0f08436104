// SPDX-License-Identifier: GPL-2.0-only
/*
 * Account expiries, and take over those that KVM delivers: their deadline is waited for
 * where that of fast ones is.
 */
#include <linux/kvm_host.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

#include "advance.h"
#include "deadline.h"
#include "emit.h"
#include "expiry.h"
#include "fastpath.h"
#include "guest_tsc.h"
#include "hv_timer.h"

noinstr void fastpath_account_expiry(struct vcpu_vmx *vmx, u64 deadline, u64 due,
				     u64 ready, u64 end)
{
	struct fastpath_stats *stats = &vmx->fastpath.stats;
	struct fastpath_tuner *tuner = &vmx->fastpath.advance.tuner;

	fastpath_count_ticks(stats->lateness, end - deadline);
	if (ready < deadline) {
		stats->spins_bad++;
		stats->spin_cycles += end - ready;
		fastpath_count_ticks(stats->spin_length, end - ready);
	} else {
		stats->spins_good++;
		stats->late += ready > deadline;
	}

	if (due)
		fastpath_tune(tuner, &fastpath_tuner_limits, fastpath_remaining(ready, due));
}

/* Does the guest get the timer interrupt with the next VM-Entry? */
static bool fastpath_timer_int_injected(struct kvm_lapic *apic)
{
	int vector = *(u32 *)(apic->regs + APIC_LVTT) & APIC_VECTOR_MASK;
	int offset = apic->apicv_active ? APIC_IRR : APIC_ISR;
	u32 bits = *(u32 *)(apic->regs + offset + REG_POS(vector));

	return bits & BIT(VEC_POS(vector));
}

/*
 * A deadline that is further away than the advance belongs to a timer that was armed
 * before the guest's TSC was set back: as KVM does, do not wait longer.
 */
static noinline void fastpath_put_off_wait(struct kvm_vcpu *vcpu)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	struct vmx_fastpath *fp = &to_vmx(vcpu)->fastpath;
	u64 deadline, tsc, guest_tsc, limit, ratio = fastpath_tsc_ratio(vcpu);

	if (!(vcpu->arch.apic_base & MSR_IA32_APICBASE_ENABLE) ||
	    !fastpath_timer_int_injected(apic))
		return;

	deadline = apic->lapic_timer.expired_tscdeadline;
	apic->lapic_timer.expired_tscdeadline = 0;

	fp->stats.delivered_by_kvm++;
	fastpath_apply_advance(to_vmx(vcpu));
	tsc = rdtsc();
	guest_tsc = fastpath_guest_tsc(tsc, ratio, vcpu->arch.l1_tsc_offset);
	fastpath_trace_expiry(to_vmx(vcpu), guest_tsc - deadline, fp->advance.ticks);

	deadline = fastpath_host_deadline(deadline, guest_tsc, tsc, ratio);
	limit = tsc + max(fp->advance.ticks, fp->advance.ticks_before) +
		fastpath_timer_slack(fastpath_timer_shift);
	if (deadline > limit) {
		fp->stats.early++;
		deadline = limit;
	}
	fp->slow_expiry.deadline = deadline;
	fp->slow_expiry.due = fastpath_ago(deadline, fp->advance.ticks);
}

void __vmx_fastpath_wait_lapic_expire(struct kvm_vcpu *vcpu)
{
	const struct kvm_lapic *apic = vcpu->arch.apic;

	/* Nearly always there is nothing to wait for. */
	if (unlikely(apic && apic->lapic_timer.expired_tscdeadline))
		fastpath_put_off_wait(vcpu);
}
