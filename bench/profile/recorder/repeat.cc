// SPDX-License-Identifier: GPL-2.0-only
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/decoder/ia_opcodes.h"

#include "interval.hh"
#include "repeat.hh"

void repeat::begin(const bxInstruction_c *i, const BX_CPU_C *core)
{
	if (!i->repUsedL() || !i->as64L())
		return;

	switch (i->getIaOpcode()) {
	case BX_IA_REP_MOVSB_YbXb:
	case BX_IA_REP_MOVSW_YwXw:
	case BX_IA_REP_MOVSD_YdXd:
	case BX_IA_REP_MOVSQ_YqXq:
	case BX_IA_REP_STOSB_YbAL:
	case BX_IA_REP_STOSW_YwAX:
	case BX_IA_REP_STOSD_YdEAX:
	case BX_IA_REP_STOSQ_YqRAX:
	case BX_IA_REP_INSB_YbDX:
	case BX_IA_REP_INSW_YwDX:
	case BX_IA_REP_INSD_YdDX:
		writes = true;
		break;
	case BX_IA_REP_CMPSB_XbYb:
	case BX_IA_REP_CMPSW_XwYw:
	case BX_IA_REP_CMPSD_XdYd:
	case BX_IA_REP_CMPSQ_XqYq:
	case BX_IA_REP_SCASB_ALYb:
	case BX_IA_REP_SCASW_AXYw:
	case BX_IA_REP_SCASD_EAXYd:
	case BX_IA_REP_SCASQ_RAXYq:
	case BX_IA_REP_LODSB_ALXb:
	case BX_IA_REP_LODSW_AXXw:
	case BX_IA_REP_LODSD_EAXXd:
	case BX_IA_REP_LODSQ_RAXXq:
	case BX_IA_REP_OUTSB_DXXb:
	case BX_IA_REP_OUTSW_DXXw:
	case BX_IA_REP_OUTSD_DXXd:
		writes = false;
		break;
	default:
		/* REP may be part of another opcode, or of no meaning. */
		return;
	}

	pending = true;
	rcx = core->gen_reg[BX_64BIT_REG_RCX].rrx;
	rsi = core->gen_reg[BX_64BIT_REG_RSI].rrx;
	rdi = core->gen_reg[BX_64BIT_REG_RDI].rrx;
}

uint64_t repeat::end(const BX_CPU_C *core, interval *interval)
{
	uint64_t times;

	if (!pending)
		return 0;
	pending = false;

	/* A register that has not moved is none that it works with. */
	if (interval) {
		interval->add_access(rsi, core->gen_reg[BX_64BIT_REG_RSI].rrx - rsi, true, false);
		interval->add_access(rdi, core->gen_reg[BX_64BIT_REG_RDI].rrx - rdi, !writes,
				     writes);
	}

	/* Each operation takes a tick; with nothing to do, one passes all the same. */
	times = rcx - core->gen_reg[BX_64BIT_REG_RCX].rrx;

	return times ? times - 1 : 0;
}
