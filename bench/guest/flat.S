/* SPDX-License-Identifier: GPL-2.0-only */
/* Multiboot header and entry of the stand-in for vmexit.flat. 32-bit code. */
#define MULTIBOOT_MAGIC		0x1badb002
#define MULTIBOOT_FLAGS		0
#define STACK_SIZE		4096

	.section .text.start, "ax"
	.balign	4
	.long	MULTIBOOT_MAGIC
	.long	MULTIBOOT_FLAGS
	.long	-(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

	.globl	start
start:
	mov	$stack_top, %esp
	push	%ebx
	call	guest_main
1:
	hlt
	jmp	1b

	.bss
	.balign	16
	.skip	STACK_SIZE
stack_top:

	.section .note.GNU-stack, "", @progbits
