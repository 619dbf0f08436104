/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the fast path.
 */
#ifndef VMX_FASTPATH_STATS_H
#define VMX_FASTPATH_STATS_H

#include <linux/bitops.h>
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

/*
 * Histograms of TSC ticks: bucket 0 counts zeros, and bucket n what has n bits.  There
 * are as many as there may be bits, which saves a look at each value; of those from
 * FASTPATH_BUCKETS_SHOWN - 1 on the sum is shown.
 */
#define FASTPATH_BUCKETS	65
#define FASTPATH_BUCKETS_SHOWN	20

static __always_inline void fastpath_count_ticks(u64 *buckets, u64 ticks)
{
	buckets[(unsigned int)fls64(ticks)]++;
}

/**
 * struct fastpath_stats - counters of one vCPU, all since its creation
 * @handled:		exits handled without leaving the loop, by handler
 * @delivered:		timer interrupts delivered by the fast path
 * @spins_bad:		expiries that had to wait for their deadline
 * @spin_cycles:	host TSC cycles spent waiting
 * @spins_good:		expiries that needed no wait
 * @late:		expiries whose deadline was over when the guest was ready
 * @early:		interrupts that came before their deadline, as it was too far
 *			away to wait for
 * @delivered_by_kvm:	timer interrupts that KVM delivered, with the fast path on
 * @rearmed_early:	preemption timer exits before the deadline was due,
 *			answered by arming the timer again
 * @longest_run:	the most exits that one stay in the loop handled
 * @bailed:		exits left to KVM although they have a handler, by
 *			reason; @bailed[FASTPATH_OK] stays 0
 * @lateness:		from the deadline to the last look before VM-Entry
 * @spin_length:	of the waits
 *
 * What a fast exit or an expiry counts comes first.
 */
struct fastpath_stats {
	u64 handled[NR_FASTPATH_HANDLERS];
	u64 delivered;
	u64 spins_bad;
	u64 spin_cycles;
	u64 spins_good;
	u64 late;
	u64 early;
	u64 delivered_by_kvm;
	u64 rearmed_early;
	u64 longest_run;
	u64 bailed[NR_FASTPATH_BAIL];
	u64 lateness[FASTPATH_BUCKETS];
	u64 spin_length[FASTPATH_BUCKETS];
};

/**
 * fastpath_create_debugfs - create the files of a vCPU, its VM and all VMs
 * @vcpu:	the vCPU
 *
 * In KVM's folders and beside its own files: kvm/<vm>/vcpu<n>/ gets the vCPU's
 * counters, histograms and advance; kvm/<vm>/ the sums over the VM, and its advance;
 * and kvm/ the sums over all VMs.  The names begin with "fastpath_".  A counter is
 * one decimal number.  Failure is silent, as everywhere with debugfs.  KVM removes
 * the files with its folders.
 *
 * Context: process context, may sleep.
 */
void fastpath_create_debugfs(struct kvm_vcpu *vcpu);

/* Leave a vCPU that is about to be freed out of the sums.  Context: may sleep. */
void fastpath_forget_vcpu(struct kvm_vcpu *vcpu);

#endif /* VMX_FASTPATH_STATS_H */
