// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gather the facts that eligibility.h decides on, once for each stay.
 */
#include <linux/bitops.h>
#include <linux/kvm_host.h>
#include <linux/srcu.h>

#include <asm/cpufeature.h>

#include "../vmx/vmx.h"
#include "../lapic.h"
#include "../pmu.h"
#include "../x86.h"

#include "advance.h"
#include "eligibility.h"
#include "events.h"
#include "guest_tsc.h"
#include "hv_timer.h"
#include "stay.h"
#include "sw_timer.h"

/*
 * Conditional flushing is for what other host code may have left in the L1D.
 * KVM did that flush when the stay began; since then no IRQ came, and what runs
 * here touches nothing but the vCPU.  A change of kvm_intel.vmentry_l1d_flush
 * patches a branch, whose IPI ends the stay.
 */
static __always_inline bool fastpath_l1d_flush_always(void)
{
	if (!static_cpu_has_bug(X86_BUG_L1TF))
		return false;

	switch (READ_ONCE(l1tf_vmx_mitigation)) {
	case VMENTER_L1D_FLUSH_NEVER:
	case VMENTER_L1D_FLUSH_COND:
	case VMENTER_L1D_FLUSH_EPT_DISABLED:
	case VMENTER_L1D_FLUSH_NOT_REQUIRED:
		return false;
	default:
		return true;
	}
}

/*
 * KVM prefers its hrtimer for guests that run MWAIT without exits, and for those
 * that run HLT without exits if their interrupts can be posted and
 * kvm.pi_inject_timer is set.  That cannot be read here; the hrtimer is right in
 * either case.
 */
static __always_inline bool fastpath_hv_timer_usable(struct vcpu_vmx *vmx)
{
	const struct kvm_arch *ka = &vmx->vcpu.kvm->arch;

	return (vmx->vmcs01.controls_shadow.pin &
		PIN_BASED_VMX_PREEMPTION_TIMER) &&
	       !ka->mwait_in_guest &&
	       !(ka->hlt_in_guest && vmx->vcpu.arch.apic->apicv_active);
}

static __always_inline enum fastpath_bail
fastpath_survey_vcpu(struct vcpu_vmx *vmx, unsigned int flags)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;

	return fastpath_check_vcpu((struct fastpath_vcpu_facts) {
		.launched = flags & VMX_RUN_VMRESUME,
		.l2_active = vcpu->arch.hflags & HF_GUEST_MASK,
		.guest_debug = vcpu->guest_debug,
		.smm = vcpu->arch.hflags & HF_SMM_MASK,
		.l1d_flush = fastpath_l1d_flush_always(),
		.lapic = vcpu->arch.apic &&
			 (vcpu->arch.apic_base & MSR_IA32_APICBASE_ENABLE),
		.tsc_catchup = vcpu->arch.tsc_always_catchup,
	});
}

static __always_inline enum fastpath_bail
fastpath_survey_timer(const struct kvm_timer *ktimer)
{
	return fastpath_check_timer((struct fastpath_timer_facts) {
		.tscdeadline_mode = ktimer->timer_mode ==
				    APIC_LVT_TIMER_TSCDEADLINE,
		.timer_pending = raw_atomic_read(&ktimer->pending),
	});
}

/*
 * KVM counts an instruction that it emulates in each guest counter that counts
 * instructions.  Lean towards yes: filters, privilege levels and masks are not
 * looked at.
 */
static __always_inline bool
fastpath_pmu_counts_instructions(const struct kvm_pmu *pmu)
{
	u64 global = pmu->version > 1 ? pmu->global_ctrl : ~0ULL;
	const u64 event = ARCH_PERFMON_EVENTSEL_EVENT |
			  ARCH_PERFMON_EVENTSEL_UMASK;
	u64 eventsel;
	int i;

	if (!pmu->version)
		return false;

	for (i = 0; i < pmu->nr_arch_gp_counters; i++) {
		eventsel = pmu->gp_counters[i].eventsel;
		if ((global & BIT_ULL(i)) &&
		    (eventsel & ARCH_PERFMON_EVENTSEL_ENABLE) &&
		    (eventsel & event) == 0xc0)
			return true;
	}

	/* Fixed counter 0 counts instructions, in the rings named by 2 bits. */
	return (global & BIT_ULL(INTEL_PMC_IDX_FIXED_INSTRUCTIONS)) &&
	       (pmu->fixed_ctr_ctrl & 3);
}

/*
 * The filter is protected by SRCU, which KVM does not hold while the guest runs
 * and which needs RCU to watch.  Ask once per filter: a new one comes with a
 * request, and its service calls vmx_fastpath_msr_filter_changed().
 */
static __always_inline bool fastpath_wrmsr_filtered(struct vcpu_vmx *vmx)
{
	struct vmx_fastpath *fp = &vmx->fastpath;
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	int idx;

	if (likely(fp->msr_filter_known))
		return fp->wrmsr_filtered;

	guest_state_exit_irqoff();
	instrumentation_begin();
	idx = srcu_read_lock(&vcpu->kvm->srcu);
	fp->wrmsr_filtered = !kvm_msr_allowed(vcpu, MSR_IA32_TSC_DEADLINE,
					      KVM_MSR_FILTER_WRITE);
	srcu_read_unlock(&vcpu->kvm->srcu, idx);
	fp->msr_filter_known = true;
	instrumentation_end();
	guest_state_enter_irqoff();

	return fp->wrmsr_filtered;
}

static __always_inline enum fastpath_bail
fastpath_survey_wrmsr(struct vcpu_vmx *vmx, bool pmu_counting)
{
	return fastpath_check_wrmsr((struct fastpath_wrmsr_facts) {
		.filtered = fastpath_wrmsr_filtered(vmx),
		.pmu_counting = pmu_counting,
	});
}

static __always_inline enum fastpath_bail
fastpath_survey_eoi(struct kvm_vcpu *vcpu, bool pmu_counting)
{
	return fastpath_check_eoi_stay((struct fastpath_eoi_stay_facts) {
		.emulated = vcpu->arch.apic->apicv_active,
		.attention = vcpu->arch.apic_attention,
		.pmu_counting = pmu_counting,
	});
}

/* Does Hyper-V's interrupt controller end the service of @vector by itself? */
static __always_inline bool fastpath_auto_eoi(struct kvm_vcpu *vcpu, u8 vector)
{
#ifdef CONFIG_KVM_HYPERV
	struct kvm_vcpu_hv *hv = vcpu->arch.hyperv;

	return hv && arch_test_bit(vector, hv->synic.auto_eoi_bitmap);
#else
	return false;
#endif
}

static __always_inline enum fastpath_bail
fastpath_survey_injection(struct vcpu_vmx *vmx, u8 vector)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;

	return fastpath_check_injection_stay((struct fastpath_injection_stay_facts) {
		.real_mode = vmx->rmode.vm86_active,
		.event_pending = (vmx->vmcs01.controls_shadow.exec &
				  (CPU_BASED_INTR_WINDOW_EXITING |
				   CPU_BASED_NMI_WINDOW_EXITING)) ||
				 vcpu->arch.exception.pending ||
				 vcpu->arch.nmi_pending ||
				 vcpu->arch.smi_pending,
		.attention = vcpu->arch.apic_attention,
		.auto_eoi = fastpath_auto_eoi(vcpu, vector),
	});
}

static __always_inline enum fastpath_bail
fastpath_survey_delivery(struct vcpu_vmx *vmx, u32 lvtt)
{
	const struct kvm_lapic *apic = vmx->vcpu.arch.apic;
	u8 vector = lvtt & APIC_VECTOR_MASK;
	enum fastpath_bail why;

	why = fastpath_check_delivery((struct fastpath_delivery_facts) {
		.apic_sw_enabled = apic->sw_enabled,
		.masked = lvtt & APIC_LVT_MASKED,
		.plain = !(lvtt & (APIC_MODE_MASK | APIC_LVT_LEVEL_TRIGGER)),
		.vector = vector,
	});
	if (!why && !apic->apicv_active)
		why = fastpath_survey_injection(vmx, vector);
	return why;
}

static __always_inline void
fastpath_survey_apic_timer(struct vcpu_vmx *vmx, struct fastpath_stay *stay)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	const struct kvm_lapic *apic = vcpu->arch.apic;
	u32 lvtt = *(const u32 *)(apic->regs + APIC_LVTT);

	stay->delivery = fastpath_survey_delivery(vmx, lvtt);
	stay->hv_timer = fastpath_hv_timer_usable(vmx);
	stay->sw_timer = fastpath_hrtimer_active(&apic->lapic_timer.timer);
	stay->vector = lvtt & APIC_VECTOR_MASK;
	stay->vector_bit = BIT(VEC_POS(stay->vector));
	stay->ktimer = &vcpu->arch.apic->lapic_timer;
	stay->irr = apic->regs + APIC_IRR + REG_POS(stay->vector);

	stay->tsc_offset = vcpu->arch.l1_tsc_offset;
	stay->tsc_ratio = fastpath_tsc_ratio(vcpu);
	fastpath_apply_advance(vmx);
	stay->armed_before = vmx->fastpath.advance.ticks + 1;
	stay->timer_shift = fastpath_timer_shift;
	/* A timer as coarse as that is armed again, rather than waited for. */
	stay->due_within = min(stay->armed_before + fastpath_timer_slack(stay->timer_shift),
			       (u64)U32_MAX);
	stay->timer_range = fastpath_timer_range(stay->timer_shift);

	stay->plain = !stay->wrmsr && !stay->delivery && stay->apicv &&
		      stay->hv_timer && !stay->sw_timer && !stay->tsc_ratio;
}

noinstr void fastpath_survey(struct vcpu_vmx *vmx, unsigned int flags,
			     struct fastpath_stay *stay)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	enum fastpath_bail why;
	bool pmu_counting;

	stay->flags = flags;
	stay->plain = false;
	fastpath_forget_events(vcpu);

	why = fastpath_survey_vcpu(vmx, flags);
	if (unlikely(why)) {
		stay->timer = why;
		stay->wrmsr = why;
		stay->eoi = why;
		return;
	}

	pmu_counting = fastpath_pmu_counts_instructions(vcpu_to_pmu(vcpu));
	stay->apicv = vcpu->arch.apic->apicv_active;
	stay->eoi = fastpath_survey_eoi(vcpu, pmu_counting);
	stay->timer = fastpath_survey_timer(&vcpu->arch.apic->lapic_timer);
	stay->wrmsr = stay->timer ?: fastpath_survey_wrmsr(vmx, pmu_counting);
	if (likely(!stay->timer))
		fastpath_survey_apic_timer(vmx, stay);
}

void vmx_fastpath_msr_filter_changed(struct kvm_vcpu *vcpu)
{
	to_vmx(vcpu)->fastpath.msr_filter_known = false;
}
