/* SPDX-License-Identifier: GPL-2.0-only */
/* The fast path's per-vCPU counters, as kvm_intel shows them under debugfs. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <linux/types.h>
#include <stddef.h>

#define MAX_COUNTERS	128

struct counters {
	size_t nr;
	struct counter {
		char name[64];
		__u64 value;
	} counter[MAX_COUNTERS];
};

/*
 * Counters of a vCPU of the VM that this process holds as @vm_fd. None where
 * kvm_intel has no fast path, or debugfs is not mounted.
 */
void counters_read(struct counters *counters, int vm_fd, unsigned int vcpu_id);

/* Leave in @after what each counter grew by since @before. */
void counters_subtract(struct counters *after, const struct counters *before);

#endif
