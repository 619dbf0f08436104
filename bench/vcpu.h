/* SPDX-License-Identifier: GPL-2.0-only */
/* A vCPU with the vmexit guest in it, and how to tell that it is stuck. */
#ifndef BENCH_VCPU_H
#define BENCH_VCPU_H

#include "vmexit_abi.h"
#include "vmm.h"

/* A guest that does nothing for so long has lost its interrupt. */
#define WATCHDOG_SECONDS	10

struct bench_vcpu {
	struct vmm_vcpu vmm;
	struct vmexit_page *page;
	const char *name;	/* of the row */
	__u32 id;
	__u64 progress;		/* when it was last checked */
};

/* Create the VM's vCPU @id, with the guest and a copy of @setup in its RAM. */
void bench_vcpu_create(struct vmm *vm, struct bench_vcpu *vcpu, __u32 id,
		       const char *name, const struct vmexit_page *setup);
void bench_vcpu_destroy(struct bench_vcpu *vcpu);

/*
 * Run until the guest rings a doorbell, which has to be @wanted, however many signals
 * come before.
 */
void bench_vcpu_run(struct bench_vcpu *vcpu, enum vmm_event wanted);

/* To be called every WATCHDOG_SECONDS: end the program if nothing went on meanwhile. */
void bench_vcpu_check_progress(struct bench_vcpu *vcpu);

#endif
