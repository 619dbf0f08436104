/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Bochs calls while it emulates, for --enable-instrumentation. Included by all
 * of Bochs, and part of its innermost loop: as long as nothing is to be seen, each
 * hook is one branch.
 */
#if BX_INSTRUMENTATION

class bxInstruction_c;

/* A marker has been decoded, and what it ends has not been executed. */
extern bool recorder_watches;

void recorder_close(void);
void recorder_decoded(bxInstruction_c *i);
void recorder_before(unsigned int cpu, bxInstruction_c *i);
void recorder_after(unsigned int cpu);
void recorder_branch(unsigned int cpu);
void recorder_near_branch(unsigned int cpu, unsigned int what, bx_address from);
void recorder_exception(unsigned int cpu);
void recorder_interrupt(unsigned int cpu);
void recorder_access(unsigned int cpu, bx_address linear, bx_phy_address physical,
		     unsigned int length, unsigned int rw);
void recorder_exit(unsigned int cpu, Bit32u reason, Bit64u qualification);

#define recorder_if_watching(call) do {				\
	if (__builtin_expect(recorder_watches, 0))		\
		call;						\
} while (0)

#define BX_INSTR_EXIT_ENV()	recorder_close()

/* Markers are long NOPs: 0F 1F. */
#define BX_INSTR_OPCODE(cpu, i, opcode, len, is32, is64) do {	\
	if ((opcode)[0] == 0x0f && (opcode)[1] == 0x1f)		\
		recorder_decoded(i);				\
} while (0)

#define BX_INSTR_BEFORE_EXECUTION(cpu, i) \
	recorder_if_watching(recorder_before(cpu, i))
#define BX_INSTR_AFTER_EXECUTION(cpu, i) \
	recorder_if_watching(recorder_after(cpu))
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu, from, to) \
	recorder_if_watching(recorder_branch(cpu))
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, from, to) \
	recorder_if_watching(recorder_near_branch(cpu, what, from))
#define BX_INSTR_EXCEPTION(cpu, vector, error) \
	recorder_if_watching(recorder_exception(cpu))
#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, rip) \
	recorder_if_watching(recorder_interrupt(cpu))
#define BX_INSTR_LIN_ACCESS(cpu, linear, physical, len, memtype, rw) \
	recorder_if_watching(recorder_access(cpu, linear, physical, len, rw))
#define BX_INSTR_VMEXIT(cpu, reason, qualification) \
	recorder_if_watching(recorder_exit(cpu, reason, qualification))

#else

#define BX_INSTR_EXIT_ENV()
#define BX_INSTR_OPCODE(cpu, i, opcode, len, is32, is64)
#define BX_INSTR_BEFORE_EXECUTION(cpu, i)
#define BX_INSTR_AFTER_EXECUTION(cpu, i)
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu, from, to)
#define BX_INSTR_UCNEAR_BRANCH(cpu, what, from, to)
#define BX_INSTR_EXCEPTION(cpu, vector, error)
#define BX_INSTR_HWINTERRUPT(cpu, vector, cs, rip)
#define BX_INSTR_LIN_ACCESS(cpu, linear, physical, len, memtype, rw)
#define BX_INSTR_VMEXIT(cpu, reason, qualification)

#endif

/* Of no interest */
#define BX_INSTR_INIT_ENV()
#define BX_INSTR_INITIALIZE(cpu)
#define BX_INSTR_EXIT(cpu)
#define BX_INSTR_RESET(cpu, type)
#define BX_INSTR_HLT(cpu)
#define BX_INSTR_MWAIT(cpu, address, len, flags)
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu, from)
#define BX_INSTR_FAR_BRANCH(cpu, what, prev_cs, prev_rip, cs, rip)
#define BX_INSTR_CLFLUSH(cpu, linear, physical)
#define BX_INSTR_CACHE_CNTRL(cpu, what)
#define BX_INSTR_TLB_CNTRL(cpu, what, cr3)
#define BX_INSTR_PREFETCH_HINT(cpu, what, seg, offset)
#define BX_INSTR_INTERRUPT(cpu, vector)
#define BX_INSTR_REPEAT_ITERATION(cpu, i)
#define BX_INSTR_PHY_ACCESS(cpu, physical, len, memtype, rw)
#define BX_INSTR_INP(address, len)
#define BX_INSTR_INP2(address, len, value)
#define BX_INSTR_OUTP(address, len, value)
#define BX_INSTR_WRMSR(cpu, msr, value)
