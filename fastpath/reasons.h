/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why an exit that has a fast-path handler was left to KVM's generic code.
 *
 * Each reason is counted on its own, in the debugfs file bail_<name>, and is
 * the value of the kvm_fastpath_bail tracepoint.
 */
#ifndef VMX_FASTPATH_REASONS_H
#define VMX_FASTPATH_REASONS_H

#define FASTPATH_BAIL_REASONS(X)					\
	/* What cannot change while the vCPU stays in the loop. */	\
	X(VMLAUNCH,		vmlaunch)				\
	X(L2_ACTIVE,		l2_active)				\
	X(GUEST_DEBUG,		guest_debug)				\
	X(SMM,			smm)					\
	X(L1D_FLUSH,		l1d_flush)				\
	X(NO_LAPIC,		no_lapic)				\
	X(LVTT_MODE,		lvtt_mode)				\
	X(TSC_CATCHUP,		tsc_catchup)				\
	X(MSR_FILTER,		msr_filter)				\
	X(PMU_COUNTING,		pmu_counting)				\
	X(APIC_ATTENTION,	apic_attention)				\
	X(EOI_EMULATED,		eoi_emulated)				\
	/* What another CPU may change at any time. */			\
	X(REQUEST,		request)				\
	X(VCPU_MODE,		vcpu_mode)				\
	X(THREAD_WORK,		thread_work)				\
	/* The state of the guest at this exit. */			\
	X(SINGLE_STEP,		single_step)				\
	X(INTR_SHADOW,		intr_shadow)				\
	X(RIP_UPDATE,		rip_update)				\
	X(IDT_VECTORING,	idt_vectoring)				\
	/* What the guest asks for. */					\
	X(APIC_MODE,		apic_mode)				\
	X(MSR_VALUE,		msr_value)				\
	/* The state of the timer at this exit. */			\
	X(HV_TIMER_IDLE,	hv_timer_idle)				\
	X(DEADLINE_FAR,		deadline_far)				\
	X(HRTIMER_RUNNING,	hrtimer_running)			\
	X(TIMER_PENDING,	timer_pending)				\
	/* What stands in the way of delivering the interrupt. */	\
	X(APIC_SW_DISABLED,	apic_sw_disabled)			\
	X(LVTT_MASKED,		lvtt_masked)				\
	X(LVTT_DELIVERY,	lvtt_delivery)				\
	X(LEVEL_TRIGGERED,	level_triggered)			\
	/* Without APICv: what stands in the way of injecting it. */	\
	X(REAL_MODE,		real_mode)				\
	X(EVENT_PENDING,	event_pending)				\
	X(AUTO_EOI,		auto_eoi)				\
	X(IRQS_OFF,		irqs_off)				\
	X(IRR_PENDING,		irr_pending)				\
	X(PRIORITY,		priority)				\
	/* What else depends on an EOI. */				\
	X(EOI_SPURIOUS,		eoi_spurious)				\
	X(EOI_IOAPIC,		eoi_ioapic)				\
	X(EOI_SYNIC,		eoi_synic)

/**
 * enum fastpath_bail - reason for leaving an exit to KVM's generic code
 * @FASTPATH_OK:		no reason, the exit may be handled
 * @FASTPATH_BAIL_VMLAUNCH:	this was the first entry with the VMCS, which
 *				KVM notes only when it sees the exit
 * @FASTPATH_BAIL_L2_ACTIVE:	the exit may be L1's to handle
 * @FASTPATH_BAIL_GUEST_DEBUG:	userspace debugs the guest
 * @FASTPATH_BAIL_SMM:		the vCPU is in System Management Mode
 * @FASTPATH_BAIL_L1D_FLUSH:	the L1D has to be flushed before each entry
 * @FASTPATH_BAIL_NO_LAPIC:	the local APIC is userspace's, or disabled in
 *				IA32_APIC_BASE
 * @FASTPATH_BAIL_LVTT_MODE:	the APIC timer is not in TSC-deadline mode
 * @FASTPATH_BAIL_TSC_CATCHUP:	the guest's TSC is faster than the host's, and KVM
 *				sets it forward at each exit
 * @FASTPATH_BAIL_MSR_FILTER:	userspace filters writes to the MSR
 * @FASTPATH_BAIL_PMU_COUNTING:	a guest counter counts instructions, so that
 *				KVM has to count the one it emulates
 * @FASTPATH_BAIL_APIC_ATTENTION: the guest keeps EOI or TPR in its memory
 *				(paravirtual EOI, TPR reporting), from where KVM
 *				has to take them first
 * @FASTPATH_BAIL_EOI_EMULATED:	EOI exits although APICv is active
 * @FASTPATH_BAIL_REQUEST:	a KVM_REQ_* is pending; this covers the forced
 *				immediate exit, which comes with KVM_REQ_EVENT
 * @FASTPATH_BAIL_VCPU_MODE:	the vCPU is being kicked out of guest mode
 * @FASTPATH_BAIL_THREAD_WORK:	signal, reschedule or other work is pending
 * @FASTPATH_BAIL_SINGLE_STEP:	RFLAGS.TF asks for a #DB after the instruction
 * @FASTPATH_BAIL_INTR_SHADOW:	the instruction ends an STI or MOV SS shadow, or
 *				such a shadow is in the way of the injection
 * @FASTPATH_BAIL_RIP_UPDATE:	the next RIP takes more than an addition
 * @FASTPATH_BAIL_IDT_VECTORING: the exit interrupted the delivery of an event,
 *				which KVM has to inject again
 * @FASTPATH_BAIL_APIC_MODE:	an x2APIC register is written in xAPIC mode
 * @FASTPATH_BAIL_MSR_VALUE:	the value sets reserved bits
 * @FASTPATH_BAIL_HV_TIMER_IDLE: the preemption timer ran out without a
 *				deadline behind it
 * @FASTPATH_BAIL_DEADLINE_FAR:	the deadline exceeds what the timers count, or
 *				what KVM can convert to nanoseconds
 * @FASTPATH_BAIL_HRTIMER_RUNNING: the hrtimer expires on another CPU right now
 * @FASTPATH_BAIL_TIMER_PENDING: an expiry waits to be injected
 * @FASTPATH_BAIL_APIC_SW_DISABLED: the spurious vector register disables the
 *				APIC
 * @FASTPATH_BAIL_LVTT_MASKED:	the timer interrupt is masked
 * @FASTPATH_BAIL_LVTT_DELIVERY: the entry asks for more than an edge-triggered
 *				interrupt with a valid vector
 * @FASTPATH_BAIL_LEVEL_TRIGGERED: the last interrupt with this vector was
 *				level-triggered
 * @FASTPATH_BAIL_REAL_MODE:	the guest's real mode is emulated, and so are
 *				its interrupts
 * @FASTPATH_BAIL_EVENT_PENDING: an exception, NMI, SMI or interrupt is pending,
 *				or a window for one is armed
 * @FASTPATH_BAIL_AUTO_EOI:	Hyper-V's interrupt controller ends the service
 *				of the vector as it begins
 * @FASTPATH_BAIL_IRQS_OFF:	RFLAGS.IF is clear
 * @FASTPATH_BAIL_IRR_PENDING:	another interrupt is requested
 * @FASTPATH_BAIL_PRIORITY:	the processor priority masks the vector
 * @FASTPATH_BAIL_EOI_SPURIOUS:	no interrupt is in service
 * @FASTPATH_BAIL_EOI_IOAPIC:	an I/O APIC wants to know of the EOI
 * @FASTPATH_BAIL_EOI_SYNIC:	Hyper-V's interrupt controller wants to know of it
 * @NR_FASTPATH_BAIL:		number of values
 */
enum fastpath_bail {
	FASTPATH_OK,
#define X(upper, lower) FASTPATH_BAIL_##upper,
	FASTPATH_BAIL_REASONS(X)
#undef X
	NR_FASTPATH_BAIL,
};

#endif /* VMX_FASTPATH_REASONS_H */
