// SPDX-License-Identifier: GPL-2.0-only
/* What an instruction is counted as, beside one instruction: bits, in a set. */
#ifndef RECORDER_OPS_HH
#define RECORDER_OPS_HH

#include <cstdint>

enum {
	OP_VMREAD	= 1 << 0,
	OP_VMWRITE	= 1 << 1,
	OP_RDMSR	= 1 << 2,
	OP_WRMSR	= 1 << 3,
	OP_XCR		= 1 << 4,
	OP_CR_DR	= 1 << 5,
	OP_LOCKED	= 1 << 6,
	OP_RDTSC	= 1 << 7,
	OP_FENCE	= 1 << 8,
	OP_TAKEN	= 1 << 9,
	OP_CALL		= 1 << 10,
	OP_RETURN	= 1 << 11,
	OP_IRQ_OFF	= 1 << 12,
};

/* The figures' names, from the lowest bit on */
#define OP_NAMES "vmread vmwrite rdmsr wrmsr xcr cr_dr locked rdtsc fence " \
		 "taken_branches calls returns irq_off"

class bxInstruction_c;

/* What the instruction alone tells: not whether a branch is taken, nor IRQs. */
uint32_t ops_of(const bxInstruction_c *i);

#endif
