/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest side of the TSC-deadline tests: a local APIC timer whose interrupt
 * records when it came, and which refuses to come early.
 *
 * The handlers touch scalars only: the library's interrupt entry saves the
 * general registers, not the SSE state.
 */
#ifndef SELFTEST_DEADLINE_TIMER_H
#define SELFTEST_DEADLINE_TIMER_H

#include "apic.h"
#include "kvm_util.h"
#include "processor.h"

#define TIMER_VECTOR		0x71
/* One priority class above the timer, for what shall get in its way. */
#define OTHER_VECTOR		0x81

/* The library's apic.h stops short of it. */
#define APIC_ISR		0x100

/* Interrupts on TIMER_VECTOR and OTHER_VECTOR since the start of the guest. */
extern u64 timer_count;
extern u64 other_count;

/* timer_count when the last interrupt on OTHER_VECTOR came. */
extern u64 other_at_timer_count;

/*
 * Of the last timer interrupt: the TSC as read by the third instruction of the
 * handler (two pushes come first), and the interrupted RIP.
 */
extern u64 timer_tsc;
extern u64 timer_rip;

/* The deadline written last: no timer interrupt may come before it. */
extern u64 timer_deadline;

/* Called by the handlers before EOI. */
extern void (*timer_callback)(void);
extern void (*other_callback)(void);

/*
 * Interrupts that came before timer_deadline.  The handler refuses them, unless
 * the test says that its guest or its userspace moves the TSC.
 */
extern u64 timer_early_count;
extern bool timer_may_be_early;

/* NMIs, and what their handler calls.  timer_vcpu_init() does not install it. */
extern u64 nmi_count;
extern void (*nmi_callback)(void);
void nmi_handler(struct ex_regs *regs);

/* A WRMSR at a known address, and the instruction after it. */
void write_deadline(u64 deadline);
extern const char deadline_wrmsr[], deadline_next[];

/* Entry of the timer's interrupt, which goes on at timer_library_entry. */
void timer_gate(void);
extern u64 timer_library_entry;

/* Host: give the guest the interrupt gates and the APIC mode ... */
void timer_vm_init(struct kvm_vm *vm, bool x2apic);

/* ... and the vCPU the timer; for a VM with one vCPU. */
void timer_vcpu_init(struct kvm_vcpu *vcpu, bool x2apic);

/* Guest: enable the APIC, leave IRQs off, put LVTT into TSC-deadline mode. */
void timer_enable(void);

/* Guest: switch to the other APIC mode, in a way that keeps the APIC enabled. */
void timer_switch_apic_mode(void);

/* Guest: send this vCPU an interrupt of delivery mode @mode; it is APIC ID 0. */
void timer_self_ipi(u32 mode, int vector);

u32 timer_apic_read(unsigned int reg);
void timer_apic_write(unsigned int reg, u32 val);
bool timer_irr(int vector);
bool timer_isr(int vector);

static inline void irqs_on(void)
{
	/* The second instruction opens the window that STI's shadow keeps shut. */
	asm volatile("sti; nop" ::: "memory");
}

static inline void irqs_off(void)
{
	asm volatile("cli" ::: "memory");
}

/*
 * Guest, and host from timer_vm_init() on: how slow this host is: 1, or what the
 * environment variable TIMER_SCALE says, for kernels that check or trace each of
 * their steps.
 */
extern u64 timer_scale;

/* Guest: TSC ticks in @us microseconds of a host that is not slow. */
static inline u64 us_to_tsc(u64 us)
{
	return us * timer_scale * guest_tsc_khz / 1000;
}

static inline u64 timer_msr(void)
{
	return rdmsr(MSR_IA32_TSC_DEADLINE);
}

static inline void timer_arm(u64 deadline)
{
	timer_deadline = deadline;
	wrmsr(MSR_IA32_TSC_DEADLINE, deadline);
}

/* Guest: spin until TSC reaches @tsc. */
static inline void spin_until(u64 tsc)
{
	/* PAUSE could exit, and its exits would blur the counts. */
	while (rdtsc() < tsc)
		barrier();
}

/*
 * Guest: with IRQs on, spin until timer_count is @count.  A second after the
 * deadline the interrupt counts as lost; no verdict depends on its speed.
 */
void timer_wait(u64 count);

/*
 * Guest: spin until the interrupt, which something holds back, is requested; like
 * timer_wait() in all else.
 */
void timer_wait_requested(void);

/*
 * Guest: what has been done had to be done before @deadline.  If the host held the guest
 * up for so long, the test cannot be made, and is skipped.
 */
void timer_in_time(u64 deadline);

/* Guest: spin @us past the deadline with IRQs on; timer_count must stay @count. */
void timer_quiet(u64 count, u64 us);

#endif /* SELFTEST_DEADLINE_TIMER_H */
