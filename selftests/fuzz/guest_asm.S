/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's entries from interrupts, and from the code of a program.
 */

	.text

/*
 * One gate for each vector.  The kernel library's gates run dozens of instructions
 * before the first handler, which would hide an interrupt that came early: read the
 * TSC first.
 */
	.balign	32
	.globl	fuzz_gates
fuzz_gates:
	vector = 0
	.rept	256
	.balign	32
	.if !(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17)
	push	$0
	.endif
	push	%rax
	push	%rdx
	rdtsc
	push	$vector
	jmp	interrupt
	vector = vector + 1
	.endr

	.balign	16
interrupt:
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r15
	cld
	mov	%rsp, %rdi
	call	fuzz_interrupt
	pop	%r15
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rcx
	add	$24, %rsp
	pop	%rdx
	pop	%rax
	add	$8, %rsp
	iretq

/*
 * From a program: what in R11, a value in RAX.  Changes nothing, neither a register
 * nor a flag, as the program's code goes on with whatever it had.
 */
	.globl	fuzz_call_entry
	.type	fuzz_call_entry, @function
fuzz_call_entry:
	pushf
	/* Userspace's single-stepping shows in the flags. */
	andl	$~0x100, (%rsp)
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	%r11d, %edi
	mov	%rax, %rsi
	call	fuzz_call
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	popf
	ret
	.size	fuzz_call_entry, . - fuzz_call_entry

	.section .note.GNU-stack, "", %progbits
