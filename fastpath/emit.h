/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints from inside the world switch.
 *
 * Tracing needs RCU and may use whatever the kernel has to offer, so each of
 * these leaves guest context for the time of the tracepoints.
 *
 * kvm:kvm_exit and kvm:kvm_entry are emitted in pairs here for each exit that
 * is handled, so that they keep telling what they tell without a fast path.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_EMIT_H
#define VMX_FASTPATH_EMIT_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include <asm/vmx.h>

#include "reasons.h"

struct vcpu_vmx;

/**
 * struct fastpath_traced_exit - the exit that is being handled
 * @reason:	why the guest exited
 * @rip:	where it was
 * @tsc:	host TSC right after the exit
 */
struct fastpath_traced_exit {
	u32 reason;
	unsigned long rip;
	u64 tsc;
};

DECLARE_TRACEPOINT(kvm_entry);
DECLARE_TRACEPOINT(kvm_exit);
DECLARE_TRACEPOINT(kvm_inj_virq);
DECLARE_TRACEPOINT(kvm_msr);
DECLARE_TRACEPOINT(kvm_fastpath_exit);
DECLARE_TRACEPOINT(kvm_fastpath_bail);
DECLARE_TRACEPOINT(kvm_fastpath_expiry);
DECLARE_TRACEPOINT(kvm_fastpath_tune);

static __always_inline bool fastpath_tune_traced(void)
{
	return tracepoint_enabled(kvm_fastpath_tune);
}

/*
 * Is any of the tracepoints enabled?  Good for a whole stay: enabling one patches
 * a branch, whose IPI ends the stay.  So the loop without tracing is free of it.
 */
static __always_inline bool fastpath_traced(void)
{
	return tracepoint_enabled(kvm_entry) ||
	       tracepoint_enabled(kvm_exit) ||
	       tracepoint_enabled(kvm_inj_virq) ||
	       tracepoint_enabled(kvm_msr) ||
	       tracepoint_enabled(kvm_fastpath_exit) ||
	       tracepoint_enabled(kvm_fastpath_bail) ||
	       tracepoint_enabled(kvm_fastpath_expiry) ||
	       fastpath_tune_traced();
}

/* An exit is about to be handled; nothing of the guest has changed yet. */
void fastpath_emit_exit(struct vcpu_vmx *vmx, u32 exit_reason);

/* The guest writes an MSR. */
void fastpath_emit_msr_write(struct vcpu_vmx *vmx, u32 msr, u64 data);

/* The APIC timer expired @delta ticks after its deadline; negative is early. */
void fastpath_emit_expiry(struct vcpu_vmx *vmx, s64 delta, u64 advance);

/* An interrupt is injected with the next entry. */
void fastpath_emit_injection(struct vcpu_vmx *vmx, u8 vector);

/* An exit that has a handler goes to KVM all the same. */
void fastpath_emit_bail(struct vcpu_vmx *vmx, u32 exit_reason,
			enum fastpath_bail why);

/* An expiry that took @cost moved the tuned advance, all TSC ticks. */
void fastpath_emit_tune(struct vcpu_vmx *vmx, u64 cost, u32 old, u32 advance);

/* The exit was handled, and the guest is about to be entered again. */
void fastpath_emit_entry(struct vcpu_vmx *vmx);

/*
 * As fastpath_emit_expiry(), of one that KVM delivers.
 *
 * Context: RCU is watching.
 */
void fastpath_trace_expiry(struct vcpu_vmx *vmx, s64 delta, u64 advance);

#endif /* VMX_FASTPATH_EMIT_H */
