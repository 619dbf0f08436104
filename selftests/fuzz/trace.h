/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was seen of a run, and the part of it that must not depend on how fast the
 * host was.
 */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/kvm.h>
#include <linux/types.h>

#include "codegen.h"
#include "program.h"

/*
 * The guest logs, and userspace:
 * @EV_ARM:	a deadline is about to be written: value
 * @EV_REARM:	the same, by the interrupt's handler
 * @EV_WAIT:	the guest begins to wait for the deadline
 * @EV_LANDED:	it has waited; value: the deadline MSR, not 0 after too long
 * @EV_VALUE:	an operation has read value
 * @EV_INTR:	interrupt or exception, with RIP, RFLAGS, error code or CR2 (value),
 *		and the deadline MSR of interrupts
 * @EV_HOST:	userspace did what operation op says; value: what came of it
 * @EV_EXIT:	KVM_RUN ended with this exit reason (value)
 * @EV_FAIL:	KVM_EXIT_FAIL_ENTRY; value: the CPU's reason
 * @EV_STEP:	KVM_EXIT_DEBUG; value: DR6
 * @EV_MMIO:	KVM_EXIT_MMIO; value: address, error: 1 for a write
 * @EV_MSR:	KVM_EXIT_X86_WRMSR; value: what the guest wrote, error: the MSR
 * @EV_DUMP:	the vCPU's state
 * @EV_END:	the program has ended, value: how
 */
enum fuzz_event_kind {
	EV_ARM, EV_REARM, EV_WAIT, EV_HALT, EV_LANDED, EV_VALUE, EV_INTR,
	EV_HOST, EV_EXIT, EV_FAIL, EV_STEP, EV_MMIO, EV_MSR, EV_DUMP, EV_END,
};

enum fuzz_end { END_OK, END_HUNG, END_OVERFLOW, END_EXIT, END_FAIL };

/* What KVM tells of a vCPU. */
struct fuzz_vcpu_state {
	struct kvm_regs regs;
	struct kvm_sregs sregs;
	struct kvm_lapic_state lapic;
	struct kvm_vcpu_events events;
	struct kvm_debugregs debugregs;
	struct kvm_mp_state mp_state;
	u64 deadline;
	u64 tsc_adjust;
};

struct fuzz_event {
	u8 kind;
	u8 vector;
	u16 op;
	u32 error;
	u64 rip;
	u64 rflags;
	u64 value;
	u64 msr;
	u64 tsc;
	struct fuzz_vcpu_state *state;
};

/**
 * struct fuzz_trace - a run, canonical
 * @text:	one line for each thing that has to be the same in another run
 * @len:	its length
 * @size:	allocated
 * @late:	the run was too slow to be compared
 * @entry_failed: it ended with a VM-Entry that failed
 * @broken:	a promise that no run may break and this one has, or NULL
 */
struct fuzz_trace {
	char *text;
	size_t len;
	size_t size;
	bool late;
	bool entry_failed;
	const char *broken;
};

/**
 * struct fuzz_rules - what depends on the host
 * @margin:	TSC ticks before a deadline when its timer may expire
 * @lazy_ppr:	KVM computes PPR when it needs it, so that what KVM_GET_LAPIC shows
 *		is from any time since the task priority or ISR changed
 */
struct fuzz_rules {
	u64 margin;
	bool lazy_ppr;
};

/**
 * fuzz_canonical - leave out what depends on time, and check it
 * @program:	the program
 * @code:	what the guest ran
 * @rules:	what depends on the host
 * @events:	what was seen
 * @nr:		number of events
 * @trace:	the result; zeroed, or from an earlier use
 */
void fuzz_canonical(const struct fuzz_program *program, const struct fuzz_code *code,
		    const struct fuzz_rules *rules, const struct fuzz_event *events,
		    unsigned int nr, struct fuzz_trace *trace);

#endif /* FUZZ_TRACE_H */
