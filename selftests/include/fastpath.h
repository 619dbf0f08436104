/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of the fast path's tests: the module parameter, the counters, and
 * the loop that runs a guest between its checkpoints.
 */
#ifndef SELFTEST_FASTPATH_H
#define SELFTEST_FASTPATH_H

#include <linux/compiler.h>

#include "kvm_util.h"

#define FASTPATH_PARAM	"/sys/module/kvm_intel/parameters/fastpath"

/* Checkpoints of their own: at the end, and where the test cannot be made. */
#define GUEST_IS_DONE	UINT64_MAX
#define GUEST_IS_LATE	(UINT64_MAX - 1)

/* False with a kvm_intel that has no fast path. */
bool fastpath_present(void);
bool fastpath_get(void);
void fastpath_set(bool on);

/*
 * Whether the fast path is on and sees expiries: without the preemption timer they
 * are host interrupts.  It delivers those that the guest can take at once, and with
 * APICv all, unless something else speaks against it.
 */
bool fastpath_delivers(void);

/* A parameter of another module, or a tunable, which the test puts back. */
struct param {
	const char *path;
	char saved[64];
};

void param_save(struct param *param, const char *path);
/* False where the file is not there or refuses @value. */
bool param_set(const struct param *param, const char *value);
void param_restore(const struct param *param);

/* The number in a file of the VM's debugfs folder, or of a vCPU's. */
u64 vm_debugfs_number(struct kvm_vm *vm, const char *name);
u64 vcpu_debugfs_number(struct kvm_vcpu *vcpu, const char *name);

/* The VM's sum of a counter, @name being a file below its debugfs folder. */
u64 fastpath_counter(struct kvm_vm *vm, const char *name);

/* The VM's sum of all counters whose name starts with @prefix. */
u64 fastpath_counters(struct kvm_vm *vm, const char *prefix);

/* Call @count with each counter of the VM. */
void fastpath_each_counter(struct kvm_vm *vm,
			   void (*count)(const char *name, u64 value, void *arg),
			   void *arg);

/* What "inherit" and "tune" are as a setting of the advance. */
#define ADVANCE_INHERIT	(-2)
#define ADVANCE_TUNE	(-1)

/*
 * Set the advance of the VM, or of one of its vCPUs, in ns or one of the above.  The
 * files exist once a vCPU has run.  Return: 0, or errno of what refused it.
 */
int fastpath_set_vm_advance(struct kvm_vm *vm, s64 ns);
int fastpath_set_vcpu_advance(struct kvm_vcpu *vcpu, s64 ns);

/* The advance in force, in ns. */
u64 fastpath_advance(struct kvm_vcpu *vcpu);

/* The sum over a histogram of the vCPU. */
u64 fastpath_histogram_sum(struct kvm_vcpu *vcpu, const char *name);

/* KVM's own statistics of a vCPU. */
u64 vcpu_stat(struct kvm_vcpu *vcpu, const char *name);

/*
 * Run until the next GUEST_SYNC() and return its stage, or GUEST_IS_DONE.  A
 * guest that asserts, or that exits for another reason, fails the test; GUEST_IS_LATE
 * skips it.
 */
u64 run_to_sync(struct kvm_vcpu *vcpu);

/* Run to GUEST_DONE(), with no checkpoint between. */
void run_to_done(struct kvm_vcpu *vcpu);

#endif /* SELFTEST_FASTPATH_H */
