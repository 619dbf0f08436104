/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page that the vmexit guest shares with its host program, at
 * VMM_GUEST_BASE. Also read by the guest's assembler files.
 */
#ifndef BENCH_VMEXIT_ABI_H
#define BENCH_VMEXIT_ABI_H

#include "vmm_abi.h"

#define VMEXIT_TICKS		(VMM_GUEST_BASE + 0)
#define VMEXIT_STAMP		(VMM_GUEST_BASE + 8)

#ifndef __ASSEMBLER__

enum vmexit_row {
	VMEXIT_CPUID,
	VMEXIT_VMCALL,
	VMEXIT_TSCDEADLINE_ARM,
	VMEXIT_TSCDEADLINE_IMMED,
	VMEXIT_TSCDEADLINE,
	VMEXIT_TSCDEADLINE_LATENCY,
	VMEXIT_FLOOR,
	NR_VMEXIT_ROWS,
};

struct vmexit_page {
	/* Guest to host; the first two are written by the guest's ISRs. */
	__u64 ticks;		/* timer interrupts taken */
	__u64 stamp;		/* TSC at the first instruction of the last ISR */
	__u64 repeats_done;

	/* Host to guest */
	__u32 row;		/* enum vmexit_row */
	__u32 xapic;		/* drive the local APIC by MMIO */
	__u64 warmup;		/* iterations before the first repeat */
	__u64 iterations;	/* in each repeat */
	__u64 repeats;
	__u64 deadline;		/* TSC ticks from RDTSC to the deadline */
	__u64 run_on;		/* all repeats again, until this is 0 */

	/* Guest addresses of arrays that the guest fills in */
	__u64 totals;		/* __s64 per repeat: TSC ticks it took */
	__u64 lateness;		/* __s64 per iteration, of latency rows only */
};

#endif

#endif
