// SPDX-License-Identifier: GPL-2.0-only
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/decoder/ia_opcodes.h"

#include "ops.hh"

/* XCHG with memory is locked without the prefix. */
static bool is_locked(const bxInstruction_c *i)
{
	if (i->getLock())
		return true;

	switch (i->getIaOpcode()) {
	case BX_IA_XCHG_EbGb:
	case BX_IA_XCHG_EwGw:
	case BX_IA_XCHG_EdGd:
	case BX_IA_XCHG_EqGq:
		return !i->modC0();
	}

	return false;
}

uint32_t ops_of(const bxInstruction_c *i)
{
	switch (i->getIaOpcode()) {
	case BX_IA_VMREAD_EdGd:
	case BX_IA_VMREAD_EqGq:
		return OP_VMREAD;
	case BX_IA_VMWRITE_GdEd:
	case BX_IA_VMWRITE_GqEq:
		return OP_VMWRITE;
	case BX_IA_RDMSR:
		return OP_RDMSR;
	case BX_IA_WRMSR:
	case BX_IA_WRMSRNS:
		return OP_WRMSR;
	case BX_IA_XGETBV:
	case BX_IA_XSETBV:
		return OP_XCR;
	case BX_IA_CLTS:
	case BX_IA_MOV_CR0Rq:
	case BX_IA_MOV_CR2Rq:
	case BX_IA_MOV_CR3Rq:
	case BX_IA_MOV_CR4Rq:
	case BX_IA_MOV_RqCR0:
	case BX_IA_MOV_RqCR2:
	case BX_IA_MOV_RqCR3:
	case BX_IA_MOV_RqCR4:
	case BX_IA_MOV_DqRq:
	case BX_IA_MOV_RqDq:
		return OP_CR_DR;
	case BX_IA_RDTSC:
	case BX_IA_RDTSCP:
	case BX_IA_RDPMC:
		return OP_RDTSC;
	case BX_IA_LFENCE:
	case BX_IA_MFENCE:
	case BX_IA_SFENCE:
	case BX_IA_SERIALIZE:
	case BX_IA_CPUID:
	case BX_IA_IRET_Op16:
	case BX_IA_IRET_Op32:
	case BX_IA_IRET_Op64:
		return OP_FENCE;
	case BX_IA_CALL_Jq:
	case BX_IA_CALL_Eq:
		return OP_CALL;
	case BX_IA_RET_Op64:
	case BX_IA_RET_Op64_Iw:
		return OP_RETURN;
	}

	return is_locked(i) ? OP_LOCKED : 0;
}
