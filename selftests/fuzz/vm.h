/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual machines that are used again and again: creating one takes longer than
 * hundreds of programs.
 */
#ifndef FUZZ_VM_H
#define FUZZ_VM_H

#include "kvm_util.h"
#include "processor.h"

#include "guest.h"

/**
 * struct fuzz_vm - a virtual machine, and what its vCPU was like when it was new
 * @vcpu:	the vCPU
 * @guest:	the guest's memory
 * @code:	its code
 * @layout:	its addresses
 * @rules:	for fuzz_canonical()
 * @has_slot:	the memory slot that comes and goes exists, made of @slot_memory
 * @initial:	the state that each program starts from
 * @tsc_offset:	the same
 * @spoilt:	a VM-Entry failed.  What it was to inject stays in the VMCS, whatever state
 *		userspace sets: the next program must not run here
 */
struct fuzz_vm {
	struct kvm_vcpu *vcpu;
	struct fuzz_guest *guest;
	u8 *code;
	struct fuzz_layout layout;
	struct fuzz_rules rules;
	bool has_slot;
	void *slot_memory;
	struct fuzz_vcpu_state initial;
	u64 tsc_offset;
	bool spoilt;
};

/* Call @use with each machine that there is. */
void fuzz_vm_each(void (*use)(struct kvm_vm *vm));

/* The machine for a program, ready for it. */
struct fuzz_vm *fuzz_vm_get(const struct fuzz_program *program);

void fuzz_msr_set(struct kvm_vcpu *vcpu, u32 msr, u64 value);
void fuzz_state_get(struct kvm_vcpu *vcpu, struct fuzz_vcpu_state *state);

/* Read a part of the vCPU's state and write it back: the guest must not notice. */
void fuzz_state_restore(struct kvm_vcpu *vcpu, enum fuzz_state what);

/* What userspace makes of the guest's writes to its deadline. */
void fuzz_vm_filter(struct fuzz_vm *fvm, enum fuzz_filter filter);

/* Have a slot of memory come, or go. */
void fuzz_vm_flip_slot(struct fuzz_vm *fvm);

/* Move the guest's TSC. */
void fuzz_vm_move_tsc(struct fuzz_vm *fvm, u64 ticks);

#endif /* FUZZ_VM_H */
