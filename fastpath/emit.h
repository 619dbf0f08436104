/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints from inside the world switch.
 *
 * Tracing needs RCU and may use whatever the kernel has to offer, so each of
 * these leaves guest context for the time of the tracepoints.  While none of
 * them is enabled that is a few patched-out branches.
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

#include "reasons.h"

struct vcpu_vmx;

DECLARE_TRACEPOINT(kvm_entry);
DECLARE_TRACEPOINT(kvm_exit);
DECLARE_TRACEPOINT(kvm_msr);
DECLARE_TRACEPOINT(kvm_fastpath_exit);
DECLARE_TRACEPOINT(kvm_fastpath_bail);
DECLARE_TRACEPOINT(kvm_fastpath_expiry);

void __fastpath_emit_exit(struct vcpu_vmx *vmx, u32 exit_reason);
void __fastpath_emit_msr_write(struct vcpu_vmx *vmx, u32 msr, u64 data);
void __fastpath_emit_bail(struct vcpu_vmx *vmx, u32 exit_reason,
			  enum fastpath_bail why);
void __fastpath_emit_expiry(struct vcpu_vmx *vmx, s64 delta, u64 advance);
void __fastpath_emit_entry(struct vcpu_vmx *vmx);

/* An exit that is about to be handled; before anything of the guest changes. */
static __always_inline void fastpath_emit_exit(struct vcpu_vmx *vmx,
					       u32 exit_reason)
{
	if (tracepoint_enabled(kvm_exit) ||
	    tracepoint_enabled(kvm_fastpath_exit))
		__fastpath_emit_exit(vmx, exit_reason);
}

static __always_inline void fastpath_emit_msr_write(struct vcpu_vmx *vmx,
						    u32 msr, u64 data)
{
	fastpath_emit_exit(vmx, EXIT_REASON_MSR_WRITE);
	if (tracepoint_enabled(kvm_msr))
		__fastpath_emit_msr_write(vmx, msr, data);
}

/* An exit that has a handler and goes to KVM all the same. */
static __always_inline void fastpath_emit_bail(struct vcpu_vmx *vmx,
					       u32 exit_reason,
					       enum fastpath_bail why)
{
	if (tracepoint_enabled(kvm_fastpath_bail))
		__fastpath_emit_bail(vmx, exit_reason, why);
}

/* The APIC timer expired @delta ticks after its deadline; negative is early. */
static __always_inline void fastpath_emit_expiry(struct vcpu_vmx *vmx,
						 s64 delta, u64 advance)
{
	if (tracepoint_enabled(kvm_fastpath_expiry))
		__fastpath_emit_expiry(vmx, delta, advance);
}

/* The guest is about to be entered again. */
static __always_inline void fastpath_emit_entry(struct vcpu_vmx *vmx)
{
	if (tracepoint_enabled(kvm_entry))
		__fastpath_emit_entry(vmx);
}

#endif /* VMX_FASTPATH_EMIT_H */
