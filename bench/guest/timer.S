/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arming the TSC-deadline timer, and its interrupt.
 *
 * The interrupt is only ever expected between the two labels of
 * timer_arm_and_wait(), where RAX, RCX and RDX are free: so the ISRs save
 * nothing, and the one that takes a stamp has RDTSC as its first instruction.
 * A tick anywhere else is one too many.
 */
#include "../vmexit_abi.h"

#define MSR_IA32_TSC_DEADLINE	0x6e0
#define MSR_X2APIC_EOI		0x80b
#define XAPIC_EOI		0xfee000b0

	.text

/* void timer_arm_and_wait(__u64 deadline): returns once the ISR has run. */
	.globl	timer_arm_and_wait
	.balign	16
timer_arm_and_wait:
	mov	VMEXIT_TICKS, %rsi
	mov	%edi, %eax
	mov	%rdi, %rdx
	shr	$32, %rdx
	mov	$MSR_IA32_TSC_DEADLINE, %ecx
	wrmsr
wait_begin:
	cmp	VMEXIT_TICKS, %rsi
	je	wait_begin
wait_end:
	ret

	.macro	timer_isr name, stamp, xapic
	.globl	\name
	.balign	16
\name:
	.if	\stamp
	rdtsc
	mov	%eax, VMEXIT_STAMP
	mov	%edx, VMEXIT_STAMP + 4
	.endif
	cmpq	$wait_begin, (%rsp)
	jb	stray_tick
	cmpq	$wait_end, (%rsp)
	ja	stray_tick
	incq	VMEXIT_TICKS
	xor	%eax, %eax
	.if	\xapic
	mov	$XAPIC_EOI, %ecx
	mov	%eax, (%rcx)
	.else
	xor	%edx, %edx
	mov	$MSR_X2APIC_EOI, %ecx
	wrmsr
	.endif
	iretq
	.endm

	timer_isr timer_isr_x2apic, 0, 0
	timer_isr timer_isr_xapic, 0, 1
	timer_isr timer_isr_stamp_x2apic, 1, 0
	timer_isr timer_isr_stamp_xapic, 1, 1

stray_tick:
	mov	(%rsp), %rdi
	jmp	stray_tick_abort

	.section .note.GNU-stack, "", @progbits
