/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emulate the end of an instruction: what it takes to go on after it.
 *
 * Context of all functions: the seam, i.e. IRQs off, RCU not watching.
 */
#ifndef VMX_FASTPATH_INSN_H
#define VMX_FASTPATH_INSN_H

#include <asm/processor-flags.h>
#include <asm/vmx.h>

#include "eligibility.h"
#include "vmcs_access.h"

/**
 * struct fastpath_insn - an instruction that exited
 * @rflags:	the guest's RFLAGS
 * @next_rip:	address of the next instruction
 */
struct fastpath_insn {
	unsigned long rflags;
	unsigned long next_rip;
};

static __always_inline enum fastpath_bail
fastpath_insn_verdict(struct fastpath_insn *insn)
{
	enum fastpath_bail why;
	unsigned long rip;

	insn->rflags = fastpath_vmcs_readl(GUEST_RFLAGS);
	why = fastpath_check_insn(insn->rflags & X86_EFLAGS_TF,
				  fastpath_vmcs_read32(GUEST_INTERRUPTIBILITY_INFO) &
				  (GUEST_INTR_STATE_STI | GUEST_INTR_STATE_MOV_SS));
	if (unlikely(why))
		return why;

	rip = fastpath_vmcs_readl(GUEST_RIP);
	insn->next_rip = rip + fastpath_vmcs_read32(VM_EXIT_INSTRUCTION_LEN);
	return fastpath_check_rip(rip, insn->next_rip);
}

static __always_inline void fastpath_skip_insn(const struct fastpath_insn *insn)
{
	fastpath_vmcs_writel(GUEST_RIP, insn->next_rip);
}

#endif /* VMX_FASTPATH_INSN_H */
