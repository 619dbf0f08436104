/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SMI handler of include/smm_asm.h.  It starts in real mode with flat
 * segments, and RSM restores the registers.
 */
#define __ASSEMBLY__
#include "smm_asm.h"

	.section .rodata
	.code16
	.globl smi_handler, smi_handler_end
smi_handler:
	addr32 incl	SMM_ORDER_COUNT
	mov	$0x6e0, %ecx
	addr32 testb	$1, SMM_ORDER_WRITE
	jz	1f
	addr32 mov	SMM_ORDER_DEADLINE, %eax
	addr32 mov	SMM_ORDER_DEADLINE + 4, %edx
	wrmsr
1:	rdtsc
	addr32 cmp	SMM_ORDER_UNTIL + 4, %edx
	ja	2f
	jb	1b
	addr32 cmp	SMM_ORDER_UNTIL, %eax
	jb	1b
2:	rdmsr
	addr32 mov	%eax, SMM_ORDER_MSR
	addr32 mov	%edx, SMM_ORDER_MSR + 4
	rsm
smi_handler_end:
	.code64

	.section .note.GNU-stack, "", %progbits
