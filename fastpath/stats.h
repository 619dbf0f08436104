/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the fast path.
 */
#ifndef VMX_FASTPATH_STATS_H
#define VMX_FASTPATH_STATS_H

#include <linux/types.h>

#include "reasons.h"

struct kvm_vcpu;

/* One name per handler, in the order of enum fastpath_handler. */
#define FASTPATH_HANDLERS(X)					\
	X(WRMSR_TSCDEADLINE,	wrmsr_tscdeadline)		\
	X(PREEMPTION_TIMER,	preemption_timer)		\
	X(X2APIC_EOI,		x2apic_eoi)

enum fastpath_handler {
#define X(upper, lower) FASTPATH_##upper,
	FASTPATH_HANDLERS(X)
#undef X
	NR_FASTPATH_HANDLERS,
};

/**
 * struct fastpath_stats - counters of one vCPU, all since its creation
 * @handled:		exits handled without leaving the loop, by handler
 * @bailed:		exits left to KVM although they have a handler, by
 *			reason; @bailed[FASTPATH_OK] stays 0
 * @delivered:		timer interrupts delivered by the fast path
 * @rearmed_early:	preemption timer exits before the deadline was due,
 *			answered by arming the timer again
 * @spins:		entries that had to wait for the deadline
 * @spin_cycles:	host TSC cycles spent waiting
 */
struct fastpath_stats {
	u64 handled[NR_FASTPATH_HANDLERS];
	u64 bailed[NR_FASTPATH_BAIL];
	u64 delivered;
	u64 rearmed_early;
	u64 spins;
	u64 spin_cycles;
};

/**
 * fastpath_create_debugfs - create the counters' files of a vCPU and its VM
 * @vcpu:	the vCPU
 *
 * kvm/<vm>/vcpu<n>/fastpath/ holds the vCPU's counters and kvm/<vm>/fastpath/
 * their sums over the VM, one decimal number per file.  Failure is silent, as
 * everywhere with debugfs.  KVM removes the files with the VM's folder.
 *
 * Context: process context, may sleep.
 */
void fastpath_create_debugfs(struct kvm_vcpu *vcpu);

#endif /* VMX_FASTPATH_STATS_H */
