/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a program to the guest's machine code.
 *
 * Code rather than an interpreter: each operation is at an address of its own, so
 * that an interrupted RIP tells between which two instructions the interrupt came.
 */
#ifndef FUZZ_CODEGEN_H
#define FUZZ_CODEGEN_H

#include <linux/types.h>

#include "program.h"

#define FUZZ_CODE_SIZE	0x4000

/* The call into the guest's C code: what, and for which operation. */
#define FUZZ_CALL(kind, op)	((kind) | (op) << 8)
#define FUZZ_CALL_KIND		0x3f
/* EV_WAIT: the deadline MSR does not tell whether the timer has expired. */
#define FUZZ_CALL_SETTLE	0x40
/* EV_WAIT: take the interrupt if it has not been taken. */
#define FUZZ_CALL_RESOLVE	0x80

/* Ports that the code exits at, with the operation's number in EAX. */
#define FUZZ_PORT_HOST		0x42
#define FUZZ_PORT_END		0x43
#define FUZZ_PORT_OVERFLOW	0x44

/* Read with no translation behind it. */
#define FUZZ_BAD_ADDRESS	0x100000000000ull

/**
 * struct fuzz_layout - where things are in the guest, all below 2 GiB
 * @code:	the code
 * @call:	the entry to the guest's C code
 * @apic_mode:	u32, the APIC's mode for the interrupt handler
 * @rearm:	u32, how often the handler arms the timer again
 * @keep:	u8 for each vector, whose handler shall not write EOI once
 * @soon:	ticks of WHEN_SOON
 * @far:	ticks of WHEN_FAR
 */
struct fuzz_layout {
	u32 code;
	u32 call;
	u32 apic_mode;
	u32 rearm;
	u32 keep;
	u64 soon;
	u64 far;
};

/* @start: offset of each operation's code; that of the end comes last. */
struct fuzz_code {
	u32 base;
	unsigned int len;
	unsigned int start[FUZZ_MAX_OPS + 1];
	u8 bytes[FUZZ_CODE_SIZE];
};

/* The guest's deadline: what it is ahead of @tsc, see WHEN_NEAR. */
u64 fuzz_deadline(enum fuzz_when when, u64 ticks, u64 tsc,
		  const struct fuzz_layout *layout);

void fuzz_codegen(const struct fuzz_program *program,
		  const struct fuzz_layout *layout, struct fuzz_code *code);

#endif /* FUZZ_CODEGEN_H */
