// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer that expires while the guest is in a state that keeps its interrupt
 * away, or whose timer changes between the write of the deadline and the expiry:
 *
 * - LVTT masked before the expiry: no interrupt.  Unmasked before it: one.
 * - A higher vector in service holds the interrupt back until its EOI, a lower
 *   one does not.
 * - The APIC switched to its other mode keeps an armed deadline; one that is
 *   disabled over the deadline gives no interrupt until it is enabled again, and
 *   then one at most.
 * - In an NMI's handler, with or without another NMI waiting: the interrupt comes
 *   after IRET, whether armed before the NMI, in it, or in the past.
 * - Deadlines written at any distance to STI, HLT, CLI and task-priority writes:
 *   one interrupt each.
 */
#include "test_util.h"

#include "timer_fixture.h"

#define NR_ROUNDS	100
/* Below the timer's priority class. */
#define LOW_VECTOR	0x41

TIMER_FIXTURE(tsc_deadline_states)

static void set_lvtt(u32 value)
{
	timer_apic_write(APIC_LVTT, value);
	/* An xAPIC write may pass a later WRMSR of the deadline. */
	asm volatile("mfence" ::: "memory");
}

static void expect_held_back(u64 count)
{
	GUEST_ASSERT_EQ(timer_count, count);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	__GUEST_ASSERT(timer_irr(TIMER_VECTOR), "not requested, deadline %lu, TSC %lu",
		       timer_deadline, rdtsc());
}

/* In turn: in the past, and a while ahead. */
static u64 some_deadline(int i)
{
	return i & 1 ? 1 : rdtsc() + us_to_tsc(20);
}

static void guest_masked_before_expiry(void)
{
	int i;

	timer_enable();
	for (i = 0; i < NR_ROUNDS; i++) {
		irqs_off();
		set_lvtt(APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
		timer_arm(rdtsc() + us_to_tsc(500));
		set_lvtt(APIC_LVT_TIMER_TSCDEADLINE | APIC_LVT_MASKED | TIMER_VECTOR);
		timer_in_time(timer_deadline);
		GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
		timer_quiet(0, 20);
		__GUEST_ASSERT(!timer_irr(TIMER_VECTOR), "requested though masked");
		/* Without APICv KVM has the expiry wait to be unmasked. */
		__GUEST_ASSERT(!timer_msr() || timer_msr() == timer_deadline,
			       "MSR reads %lu, deadline %lu", timer_msr(), timer_deadline);
		timer_arm(0);
	}

	set_lvtt(APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
	timer_quiet(0, 200);
	timer_arm(rdtsc() + us_to_tsc(20));
	timer_wait(1);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, masked_before_expiry, guest_masked_before_expiry)

static void guest_unmasked_before_expiry(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		set_lvtt(APIC_LVT_TIMER_TSCDEADLINE | APIC_LVT_MASKED | TIMER_VECTOR);
		timer_arm(rdtsc() + us_to_tsc(500));
		set_lvtt(APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
		timer_in_time(timer_deadline);
		timer_wait(i);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, unmasked_before_expiry, guest_unmasked_before_expiry)

static int round;

static void expire_in_service(void)
{
	u64 count = timer_count;

	timer_arm(some_deadline(round));
	irqs_on();
	timer_wait_requested();
	irqs_off();
	expect_held_back(count);
}

static void guest_higher_vector_in_service(void)
{
	timer_enable();
	other_callback = expire_in_service;
	for (round = 1; round <= NR_ROUNDS; round++) {
		irqs_off();
		timer_self_ipi(APIC_DM_FIXED, OTHER_VECTOR);
		irqs_on();
		GUEST_ASSERT_EQ(other_count, round);
		timer_wait(round);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, higher_vector_in_service, guest_higher_vector_in_service)

static void low_handler(struct ex_regs *regs)
{
	u64 count = timer_count;

	timer_arm(some_deadline(round));
	timer_wait(count + 1);
	irqs_off();
	GUEST_ASSERT_EQ(timer_isr(LOW_VECTOR), true);
	timer_apic_write(APIC_EOI, 0);
}

static void guest_lower_vector_in_service(void)
{
	timer_enable();
	for (round = 1; round <= NR_ROUNDS; round++) {
		irqs_off();
		timer_self_ipi(APIC_DM_FIXED, LOW_VECTOR);
		irqs_on();
		GUEST_ASSERT_EQ(timer_count, round);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_states, lower_vector_in_service)
{
	vm_install_exception_handler(self->vcpu->vm, LOW_VECTOR, low_handler);
	vcpu_arch_set_entry_point(self->vcpu, guest_lower_vector_in_service);
	run_to_done(self->vcpu);
}

static void guest_apic_mode_switched(void)
{
	u64 count;

	timer_enable();
	/* xAPIC, x2APIC and back, from whichever the test starts with. */
	for (count = 1; count <= 4; count++) {
		irqs_off();
		/* KVM patches code for the first vCPU whose APIC is disabled. */
		timer_arm(rdtsc() + us_to_tsc(3000));
		timer_switch_apic_mode();
		timer_in_time(timer_deadline);
		GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
		timer_wait(count);
		timer_quiet(count, 100);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, apic_mode_switched_while_armed, guest_apic_mode_switched)

static void guest_apic_disabled_over_deadline(void)
{
	u64 count;

	timer_enable();
	timer_arm(rdtsc() + us_to_tsc(3000));
	apic_disable();
	timer_in_time(timer_deadline);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 100);
	irqs_off();

	wrmsr(MSR_IA32_APICBASE, rdmsr(MSR_IA32_APICBASE) | MSR_IA32_APICBASE_ENABLE);
	timer_enable();
	irqs_on();
	spin_until(rdtsc() + us_to_tsc(100));
	count = timer_count;
	__GUEST_ASSERT(count <= 1, "%lu interrupts from one deadline", count);
	GUEST_ASSERT_EQ(timer_msr(), 0);

	timer_arm(rdtsc() + us_to_tsc(20));
	timer_wait(count + 1);
	timer_quiet(count + 1, 100);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, apic_disabled_over_deadline, guest_apic_disabled_over_deadline)

/* Which of these the NMI's handler does. */
static bool arm_in_nmi, nmi_in_nmi;

static void expire_in_nmi(void)
{
	u64 count = timer_count, nmis = nmi_count;
	static bool waited_for;

	if (waited_for) {
		waited_for = false;
		return;
	}
	if (nmi_in_nmi) {
		waited_for = true;
		timer_self_ipi(APIC_DM_NMI, 0);
	}

	if (arm_in_nmi)
		timer_arm(some_deadline(round));
	else
		timer_in_time(timer_deadline);
	timer_wait_requested();
	expect_held_back(count);
	GUEST_ASSERT_EQ(nmi_count, nmis);
}

static void guest_expiry_in_nmi(void)
{
	u64 nmis = 0;
	int kind;

	timer_enable();
	nmi_callback = expire_in_nmi;
	for (round = 1; round <= NR_ROUNDS; round++) {
		kind = round / 2;
		arm_in_nmi = kind & 1;
		nmi_in_nmi = kind & 2;
		nmis += nmi_in_nmi ? 2 : 1;
		irqs_off();
		if (!arm_in_nmi)
			timer_arm(rdtsc() + us_to_tsc(500));
		if (kind & 4)
			irqs_on();
		timer_self_ipi(APIC_DM_NMI, 0);
		timer_wait(round);
		GUEST_ASSERT_EQ(nmi_count, nmis);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_states, expiry_in_nmi_handler)
{
	vm_install_exception_handler(self->vcpu->vm, NMI_VECTOR, nmi_handler);
	vcpu_arch_set_entry_point(self->vcpu, guest_expiry_in_nmi);
	run_to_done(self->vcpu);
}

static inline void write_cr8(u64 value)
{
	asm volatile("mov %0, %%cr8" :: "r"(value) : "memory");
}

/* One of the things that open and shut the way to the interrupt. */
static void disturb(u32 what)
{
	switch (what % 8) {
	case 0:
		irqs_off();
		break;
	case 1:
		irqs_on();
		break;
	case 2:
		write_cr8(TIMER_VECTOR >> 4);
		break;
	case 3:
		write_cr8(0);
		break;
	case 4:
		timer_self_ipi(APIC_DM_FIXED, OTHER_VECTOR);
		break;
	case 5:
		asm volatile("sti; cli" ::: "memory");
		break;
	case 6:
		timer_msr();
		break;
	default:
		spin_until(rdtsc() + (what >> 3) % 1024);
		break;
	}
}

static void guest_disturbed(void)
{
	u32 random;
	int i, j;

	timer_enable();
	for (i = 1; i <= 10 * NR_ROUNDS; i++) {
		random = guest_random_u32(&guest_rng);
		timer_arm(rdtsc() + (random & 0xfff));
		for (j = 0; j < 8; j++) {
			random = guest_random_u32(&guest_rng);
			disturb(random >> 8);
		}
		write_cr8(0);
		timer_wait(i);
	}
	timer_quiet(10 * NR_ROUNDS, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline_states, disturbed_on_the_way, guest_disturbed)

TIMER_TEST_MAIN
