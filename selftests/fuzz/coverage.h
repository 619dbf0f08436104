/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which ways through the fast path the programs took.
 */
#ifndef FUZZ_COVERAGE_H
#define FUZZ_COVERAGE_H

#include <linux/types.h>

struct kvm_vm;

/* Take over the fast path's counters of a machine that is about to go. */
void fuzz_add_coverage(struct kvm_vm *vm);

/*
 * Print the fast path's counters, summed over all machines: those that are 0 by name
 * only.  Return how many exits were handled.
 */
u64 fuzz_print_coverage(void);

#endif /* FUZZ_COVERAGE_H */
