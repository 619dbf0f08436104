// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints in a bracket that leaves guest context.
 */
#include "../vmx/vmx.h"
#include "../trace.h"

#include "bracket.h"
#include "emit.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

noinstr void fastpath_emit_exit(struct vcpu_vmx *vmx, u32 exit_reason)
{
	struct fastpath_traced_exit *exit = &vmx->fastpath.traced_exit;
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	/* KVM reads these itself after each exit that reaches it. */
	vmx->exit_reason.full = exit_reason;
	vmx->idt_vectoring_info = 0;

	exit->reason = exit_reason;
	exit->rip = kvm_rip_read(&vmx->vcpu);
	trace_kvm_exit(&vmx->vcpu, KVM_ISA_VMX);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

noinstr void fastpath_emit_msr_write(struct vcpu_vmx *vmx, u32 msr, u64 data)
{
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	trace_kvm_msr_write(msr, data);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

noinstr void fastpath_emit_bail(struct vcpu_vmx *vmx, u32 exit_reason,
				enum fastpath_bail why)
{
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	trace_kvm_fastpath_bail(vmx->vcpu.vcpu_id, exit_reason, why,
				kvm_rip_read(&vmx->vcpu));

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

void fastpath_trace_expiry(struct vcpu_vmx *vmx, s64 delta, u64 advance)
{
	trace_kvm_fastpath_expiry(vmx->vcpu.vcpu_id, delta, advance);
}

noinstr void fastpath_emit_expiry(struct vcpu_vmx *vmx, s64 delta, u64 advance)
{
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	fastpath_trace_expiry(vmx, delta, advance);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

noinstr void fastpath_emit_injection(struct vcpu_vmx *vmx, u8 vector)
{
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	trace_kvm_inj_virq(vector, false, false);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

noinstr void fastpath_emit_tune(struct vcpu_vmx *vmx, u64 cost, u32 old, u32 advance)
{
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	trace_kvm_fastpath_tune(vmx->vcpu.vcpu_id, cost, old, advance);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}

noinstr void fastpath_emit_entry(struct vcpu_vmx *vmx)
{
	const struct fastpath_traced_exit *exit = &vmx->fastpath.traced_exit;
	unsigned long cr2 = fastpath_bracket_begin(&vmx->vcpu);

	trace_kvm_fastpath_exit(vmx->vcpu.vcpu_id, exit->reason, exit->rip,
				rdtsc() - exit->tsc);
	trace_kvm_entry(&vmx->vcpu, false);

	fastpath_bracket_end(&vmx->vcpu, cr2);
}
