/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry point, stack and exception entries of a guest. */
#include "../vmm_abi.h"

#define STACK_SIZE	4096

	.section .text.start, "ax"
	.globl	start
start:
	lea	stack_top(%rip), %rsp
	xor	%ebp, %ebp
	call	guest_main
	mov	$VMM_PORT_FINISH, %dx
	out	%eax, %dx
	ud2

	/*
	 * Exceptions never return: no register is saved. The stack then holds
	 * vector, error code (0 where the CPU pushes none) and RIP.
	 */
	.text
	.globl	exception_entries
exception_entries:
	vector = 0
	.rept	32
	.balign	16
	/* #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP, #VC and #SX have one. */
	.if	((0x60227d00 >> vector) & 1) == 0
	push	$0
	.endif
	push	$vector
	jmp	exception
	vector = vector + 1
	.endr

exception:
	pop	%rdi
	pop	%rsi
	pop	%rdx
	jmp	exception_abort

	.bss
	.balign	16
	.skip	STACK_SIZE
stack_top:

	.section .note.GNU-stack, "", @progbits
