/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of include/real_mode_asm.h.  It is copied to where it runs, so that
 * its jumps are relative, and its data absolute.
 */
#define __ASSEMBLY__
#include "real_mode_asm.h"

#define MSR_APIC_BASE	0x1b
#define MSR_DEADLINE	0x6e0
#define MSR_X2APIC_EOI	0x80b
#define MSR_X2APIC_SPIV	0x80f
#define MSR_X2APIC_LVTT	0x832

/* Far longer than the deadlines that were armed before. */
#define WAIT_TSC	4000000
#define LOST_TSC	200000000

#define COUNT		REAL_MODE_DATA
#define DEADLINE	(REAL_MODE_DATA + 8)
#define LIMIT		(REAL_MODE_DATA + 16)

	.section .rodata
	.code16

/* Set 64 bits at @at to the TSC and @ticks. */
.macro tsc_plus ticks, at
	rdtsc
	add	\ticks, %eax
	adc	$0, %edx
	mov	%eax, \at
	mov	%edx, \at + 4
.endm

/* Compare the TSC with the 64 bits at @at: below if it has not got there. */
.macro tsc_compare at
	rdtsc
	sub	\at, %eax
	sbb	\at + 4, %edx
.endm

.macro report value
	mov	$\value, %al
	out	%al, $REAL_MODE_PORT
.endm

	.globl sipi_code, sipi_code_end
sipi_code:
	xor	%ax, %ax
	mov	%ax, %ds
	tsc_plus $WAIT_TSC, LIMIT
1:	tsc_compare LIMIT
	jb	1b
	mov	$MSR_DEADLINE, %ecx
	rdmsr
	or	%edx, %eax
	jnz	2f
	report	REAL_MODE_DONE
2:	report	REAL_MODE_MSR_SET
	jmp	2b
sipi_code_end:

	.globl tick_code, tick_code_end
tick_code:
	cli
	xor	%ax, %ax
	mov	%ax, %ds
	mov	%ax, %ss
	mov	$REAL_MODE_STACK, %sp

	/* The handler's place, relative to this code's start. */
	movw	$REAL_MODE_CODE + (tick_handler - tick_code), REAL_MODE_VECTOR * 4
	movw	$0, REAL_MODE_VECTOR * 4 + 2

	mov	$MSR_APIC_BASE, %ecx
	rdmsr
	or	$0xc00, %eax
	wrmsr
	mov	$MSR_X2APIC_SPIV, %ecx
	mov	$0x1ff, %eax
	xor	%edx, %edx
	wrmsr
	mov	$MSR_X2APIC_LVTT, %ecx
	mov	$0x40000 | REAL_MODE_VECTOR, %eax
	wrmsr

	xor	%esi, %esi
next_tick:
	cli
	inc	%esi
	test	$1, %esi
	jz	ahead
	movl	$1, DEADLINE
	movl	$0, DEADLINE + 4
	jmp	arm
ahead:	mov	%esi, %ebx
	and	$0xfff, %ebx
	shl	$2, %ebx
	tsc_plus %ebx, DEADLINE
arm:	tsc_plus $LOST_TSC, LIMIT
	mov	$MSR_DEADLINE, %ecx
	mov	DEADLINE, %eax
	mov	DEADLINE + 4, %edx
	wrmsr
	sti
wait:	cmp	%esi, COUNT
	je	came
	tsc_compare LIMIT
	jb	wait
	report	REAL_MODE_LOST
came:	mov	$MSR_DEADLINE, %ecx
	rdmsr
	or	%edx, %eax
	jz	1f
	report	REAL_MODE_MSR_SET
1:	cmp	$REAL_MODE_TICKS, %esi
	jb	next_tick
	report	REAL_MODE_DONE

tick_handler:
	push	%eax
	push	%ecx
	push	%edx
	tsc_compare DEADLINE
	jae	1f
	report	REAL_MODE_EARLY
1:	incl	COUNT
	mov	$MSR_X2APIC_EOI, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	pop	%edx
	pop	%ecx
	pop	%eax
	iret
tick_code_end:
	.code64

	.section .note.GNU-stack, "", %progbits
