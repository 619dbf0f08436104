/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What guest and host share: the guest's code, its log, and its interrupt handlers.
 */
#ifndef FUZZ_GUEST_H
#define FUZZ_GUEST_H

#include "codegen.h"
#include "trace.h"

#define FUZZ_MAX_EVENTS		512

/**
 * struct fuzz_guest - the guest's memory, as far as it is not stack
 * @nr_events:	entries in the log
 * @apic_mode:	enum fuzz_apic_mode
 * @rearm:	how often the timer's handler is to write a deadline that is due
 * @stepped:	userspace has single-stepped the guest
 * @keep:	for each vector: the handler is not to write EOI
 * @deadline:	the deadline that was written last
 * @soon:	what WHEN_SOON adds to the TSC; nothing that is waited for is farther
 * @limit:	after so many ticks of waiting the interrupt counts as lost
 * @settle:	ticks after which a timer that cannot be looked at has expired
 */
struct fuzz_guest {
	u32 nr_events;
	u32 apic_mode;
	u32 rearm;
	u32 stepped;
	u8 keep[256];
	u64 deadline;
	u64 soon;
	u64 limit;
	u64 settle;
	struct fuzz_event log[FUZZ_MAX_EVENTS];
};

extern struct fuzz_guest fuzz_guest;
extern u8 fuzz_code[FUZZ_CODE_SIZE];

/* The entries of the IDT, of 32 bytes each, and the entry for FUZZ_CALL(). */
extern const u8 fuzz_gates[256][32];
void fuzz_call_entry(void);

/**
 * struct fuzz_frame - what the gates leave on the stack
 *
 * The TSC is read by the fourth instruction of a gate.
 */
struct fuzz_frame {
	u64 r15;
	u64 r11, r10, r9, r8, rdi, rsi, rcx;
	u64 tsc_high;
	u64 tsc_low;
	u64 vector;
	u64 rdx, rax;
	u64 error;
	u64 rip, cs, rflags, rsp, ss;
};

void fuzz_interrupt(struct fuzz_frame *frame);
void fuzz_call(u32 what, u64 value);

#endif /* FUZZ_GUEST_H */
