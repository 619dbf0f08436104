/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest code whose instructions and addresses matter, see
 * include/deadline_timer.h.
 */

	.text

/*
 * Entry of the timer's interrupt.  The library's entry runs dozens of
 * instructions before the first handler, enough to hide an interrupt that came
 * early: read the TSC first, then go on there.
 */
	.globl timer_gate
	.type timer_gate, @function
timer_gate:
	push	%rax
	push	%rdx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, timer_tsc(%rip)
	pop	%rdx
	pop	%rax
	jmp	*timer_library_entry(%rip)
	.size timer_gate, . - timer_gate

/* void write_deadline(u64 deadline) */
	.globl write_deadline, deadline_wrmsr, deadline_next
	.type write_deadline, @function
write_deadline:
	mov	%rdi, %rax
	mov	%rdi, %rdx
	shr	$32, %rdx
	mov	$0x6e0, %ecx
deadline_wrmsr:
	wrmsr
deadline_next:
	nop
	ret
	.size write_deadline, . - write_deadline

	.section .note.GNU-stack, "", %progbits
