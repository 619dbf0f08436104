/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the VMM and its guests agree on. Also read by the guests' assembler
 * files and linker script.
 */
#ifndef BENCH_VMM_ABI_H
#define BENCH_VMM_ABI_H

/* Granule of guest RAM: the guest's page tables hold large pages only. */
#define VMM_PAGE_SIZE		0x200000

/*
 * A vCPU's addresses in its RAM. The VMM's own tables lie below VMM_GUEST_BASE, the
 * page from there on is the guest's to share with its host program.
 */
#define VMM_GDT_BASE		0x1000
#define VMM_TSS_BASE		0x2000
#define VMM_PML4_BASE		0x3000
#define VMM_PDPT_BASE		0x4000
#define VMM_PD_BASE		0x5000	/* four pages, one for each GiB */
#define VMM_GUEST_BASE		0x9000
#define VMM_IMAGE_BASE		0x100000

#define VMM_CODE_SELECTOR	0x08
#define VMM_DATA_SELECTOR	0x10
#define VMM_TSS_SELECTOR	0x18

/* Doorbells: 32-bit port writes. */
#define VMM_PORT_FINISH		0x600
#define VMM_PORT_REPORT		0x604
#define VMM_PORT_ABORT		0x608	/* guest address of a struct vmm_abort */

#ifndef __ASSEMBLER__
#include <linux/types.h>

struct vmm_abort {
	__u64 reason;		/* guest address of a string */
	__u64 value;		/* printed after it */
};
#endif

#endif
