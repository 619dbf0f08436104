/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer's program: what a guest does in a row, and what userspace does to it
 * in between.  Values only, so that one text, one seed, always is one program.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

#define FUZZ_MAX_OPS	96
#define FUZZ_MAX_ARGS	4

/*
 * The guest's and the host's operations; name, and what the arguments are.  An
 * argument is NUM, a number, or one of the lists of names below.
 */
#define FUZZ_OPS(X)							\
	/* The timer. */						\
	X(ARM,		arm,	WHEN, NUM, ENCODING, BEFORE)		\
	X(REARM,	rearm,	NUM)					\
	X(LVTT,		lvtt,	TIMER_MODE, MASK, NUM)			\
	X(WAIT,		wait)						\
	X(HALT,		halt)						\
	/* The rest of the local APIC. */				\
	X(TPR,		tpr,	NUM, TPR_BY)				\
	X(EOI,		eoi)						\
	X(KEEP,		keep,	NUM)					\
	X(SPIV,		spiv,	SWITCH)					\
	X(APIC,		apic,	APIC_MODE)				\
	X(IPI,		ipi,	NUM, IPI_BY)				\
	X(RDAPIC,	rdapic,	NUM)					\
	/* The CPU. */							\
	X(CLI,		cli)						\
	X(STI,		sti)						\
	X(NOP,		nop,	NUM)					\
	X(CPUID,	cpuid)						\
	X(VMCALL,	vmcall)						\
	X(RDMSR,	rdmsr,	NUM)					\
	X(UD,		ud)						\
	X(GP,		gp)						\
	X(PF,		pf)						\
	X(TRAP,		trap,	NUM)					\
	X(ADJUST,	adjust,	NUM)					\
	X(WRTSC,	wrtsc,	NUM)					\
	/* Userspace. */						\
	X(DUMP,		dump)						\
	X(AGAIN,	again)						\
	X(RESTORE,	restore, STATE)					\
	X(FILTER,	filter,	FILTER)					\
	X(STEP,		step,	NUM)					\
	X(NMI,		nmi)						\
	X(SMI,		smi)						\
	X(MSI,		msi,	NUM)					\
	X(OFFSET,	offset,	NUM)					\
	X(SETMSR,	setmsr,	WHEN, NUM)				\
	X(MEMSLOT,	memslot)					\
	X(MPSTATE,	mpstate)

enum fuzz_op_code {
#define X(upper, ...) OP_##upper,
	FUZZ_OPS(X)
#undef X
	NR_OPS,
	OP_FIRST_OF_HOST = OP_DUMP,
};

/* Deadlines; near and soon are ahead by as many ticks as the next argument says. */
enum fuzz_when {
	WHEN_ZERO, WHEN_PAST, WHEN_NOW, WHEN_NEAR, WHEN_SOON, WHEN_FAR,
	WHEN_BEYOND, WHEN_ONES, NR_WHEN,
};

/* Of the WRMSR. */
enum fuzz_encoding {
	ENC_PLAIN, ENC_OPSIZE, ENC_SEGMENT, ENC_REX, ENC_ALL, NR_ENC,
};

/* What comes straight before the WRMSR. */
enum fuzz_before {
	BEFORE_NONE, BEFORE_STI, BEFORE_MOVSS, BEFORE_TRAP, NR_BEFORE,
};

/* LVTT bits 17 and 18. */
enum fuzz_timer_mode {
	TIMER_ONESHOT, TIMER_PERIODIC, TIMER_DEADLINE, TIMER_RESERVED,
	NR_TIMER_MODES,
};

enum fuzz_tpr_by { TPR_BY_APIC, TPR_BY_CR8, NR_TPR_BY };
enum fuzz_ipi_by { IPI_BY_ICR, IPI_BY_SELF, NR_IPI_BY };
enum fuzz_apic_mode { APIC_IS_OFF, APIC_IS_X, APIC_IS_X2, NR_APIC_MODES };

/* What KVM_X86_SET_MSR_FILTER makes of writes to the deadline. */
enum fuzz_filter { FILTER_OFF, FILTER_GP, FILTER_DROP, FILTER_FAIL, NR_FILTERS };

/* What is read from the vCPU and written back. */
enum fuzz_state {
	STATE_LAPIC, STATE_MSRS, STATE_EVENTS, STATE_REGS, STATE_SREGS,
	STATE_ALL, STATE_REVERSED, NR_STATES,
};

/**
 * struct fuzz_op - one operation
 * @code:	what it is
 * @arg:	its arguments, see FUZZ_OPS; unused ones are 0
 */
struct fuzz_op {
	enum fuzz_op_code code;
	u64 arg[FUZZ_MAX_ARGS];
};

/**
 * struct fuzz_program - what one run does
 * @tsc_half:	the guest's TSC frequency in halves of the host's: 1, 2 or 4
 * @x2apic:	the mode that the APIC starts in
 * @noise:	seed of the signals and of what userspace does at each; 0 for none
 * @nr_ops:	number of operations
 * @ops:	the operations
 */
struct fuzz_program {
	unsigned int tsc_half;
	bool x2apic;
	u64 noise;
	unsigned int nr_ops;
	struct fuzz_op ops[FUZZ_MAX_OPS];
};

/* Print one operation, or a whole program in the form that can be read back. */
void fuzz_op_print(FILE *out, const struct fuzz_op *op);
void fuzz_program_print(FILE *out, const struct fuzz_program *program);

/**
 * fuzz_program_read - read what fuzz_program_print() prints
 * @in:		the text; blank lines and those that start with '#' are skipped
 * @program:	the program
 * @error:	what is wrong with it, if anything
 * @len:	size of @error
 */
bool fuzz_program_read(FILE *in, struct fuzz_program *program, char *error,
		       size_t len);

#endif /* FUZZ_PROGRAM_H */
