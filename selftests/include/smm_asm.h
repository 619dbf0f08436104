/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An SMI handler that writes the TSC deadline, waits, and reads it again.
 */
#ifndef SELFTEST_SMM_ASM_H
#define SELFTEST_SMM_ASM_H

#define SMRAM_GPA	0x1000000
#define SMRAM_SLOT	1
#define SMRAM_PAGES	16
/* From SMBASE, as the architecture has it. */
#define SMM_ENTRY	0x8000
/* From SMBASE: struct smm_orders. */
#define SMM_ORDERS	0x1000

#define SMM_ORDER_UNTIL		(SMRAM_GPA + SMM_ORDERS)
#define SMM_ORDER_DEADLINE	(SMRAM_GPA + SMM_ORDERS + 8)
#define SMM_ORDER_MSR		(SMRAM_GPA + SMM_ORDERS + 16)
#define SMM_ORDER_COUNT		(SMRAM_GPA + SMM_ORDERS + 24)
#define SMM_ORDER_WRITE		(SMRAM_GPA + SMM_ORDERS + 32)

#ifndef __ASSEMBLY__

#include <linux/types.h>

/**
 * struct smm_orders - what the SMI handler shall do, and what it saw
 * @until:	leave SMM when the TSC has reached this
 * @deadline:	to be written to the TSC-deadline MSR
 * @msr:	that MSR before RSM
 * @count:	SMIs so far
 * @write:	whether to write @deadline
 */
struct smm_orders {
	__u64 until;
	__u64 deadline;
	__u64 msr;
	__u64 count;
	__u64 write;
};

extern const char smi_handler[], smi_handler_end[];

#endif /* __ASSEMBLY__ */
#endif /* SELFTEST_SMM_ASM_H */
