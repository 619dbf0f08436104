/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of the TSC-deadline tests: the state of a vCPU's timer as userspace
 * reads and restores it, and checkpoints that must come in order.
 */
#ifndef SELFTEST_VCPU_STATE_H
#define SELFTEST_VCPU_STATE_H

#include "kvm_util.h"
#include "processor.h"

/* KVM_GET_LAPIC: the bit of @vector in the register array @base. */
bool lapic_bit(struct kvm_vcpu *vcpu, unsigned int base, int vector);

/* KVM_GET_LAPIC: a 32-bit register. */
u32 lapic_reg(struct kvm_vcpu *vcpu, unsigned int reg);

/*
 * Hold the timer against what it should be: the deadline MSR, and TIMER_VECTOR
 * requested or in service.  Nothing may be half delivered.
 */
void expect_state(struct kvm_vcpu *vcpu, u64 msr, bool irr, bool isr);

/* Run to the next checkpoint, which has to be @wanted. */
void expect_stage(struct kvm_vcpu *vcpu, u64 wanted);

/* Make an event pending by KVM_SET_VCPU_EVENTS. */
void inject_nmi(struct kvm_vcpu *vcpu);
void inject_smi(struct kvm_vcpu *vcpu);

/* Have a bare vCPU, which starts in real mode, start at @rip in segment 0. */
void start_in_real_mode(struct kvm_vcpu *vcpu, u64 rip);

/* Add @ticks to the TSC offset, by the vCPU attribute. */
void move_tsc_offset(struct kvm_vcpu *vcpu, s64 ticks);

/* The vCPU's advance as KVM shows it in debugfs, in ns. */
u64 vcpu_timer_advance_ns(struct kvm_vcpu *vcpu);

#endif /* SELFTEST_VCPU_STATE_H */
