// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest sees of its TSC-deadline timer.
 *
 * Every claim holds whether or not the exits take the fast path; run_modes.sh
 * runs the program in each mode:
 *
 * - An armed deadline gives one interrupt, never before TSC reaches it; a
 *   deadline that has passed gives one at once; a rewritten one counts alone.
 * - 0 disarms.  The MSR reads what was written while armed, and 0 from the
 *   handler on.
 * - 10,000 ticks, each armed by the handler of the one before, are 10,000
 *   interrupts.
 * - WRMSR, prefixed or not, executes once, and opens an interrupt shadow's end.
 * - A wake from HLT, IRQs off, and a raised task priority delay the interrupt,
 *   and neither lose nor double it.
 * - Masked LVTT, another timer mode, and a disabled APIC give none.
 */
#include "test_util.h"

#include "timer_fixture.h"

#define NR_RANDOM	2000
#define NR_FAR		8
#define NR_CANCELS	300
#define NR_TICKS	10000
#define NR_WRITES	1000
#define NR_SLEEPS	50
#define NR_SLOW_HANDLERS	20

/*
 * Two kinds of deadline that no test lives to see: beyond the preemption timer's
 * range, which the fast path leaves to KVM, and within.
 */
#define OUT_OF_REACH	BIT_ULL(50)
#define IN_REACH_US	2000000

TIMER_FIXTURE(tsc_deadline)

/* Ticks of any magnitude below 2^@bits, small ones as likely as large ones. */
static u64 random_ticks(unsigned int bits)
{
	u32 mask = BIT(guest_random_u32(&guest_rng) % (bits + 1)) - 1;

	return guest_random_u32(&guest_rng) & mask;
}

static void guest_random_deadlines(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_RANDOM; i++) {
		timer_arm(rdtsc() + random_ticks(17));
		timer_wait(i);
	}
	timer_quiet(NR_RANDOM, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, random_deadlines, guest_random_deadlines)

static void guest_far_deadlines(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_FAR; i++) {
		timer_arm(rdtsc() + us_to_tsc(2000 * i) + random_ticks(10));
		timer_wait(i);
	}
	timer_quiet(NR_FAR, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, far_deadlines, guest_far_deadlines)

static void guest_past_deadline(void)
{
	u64 count = 0;
	int i;

	timer_enable();
	for (i = 0; i < NR_WRITES; i++) {
		u64 now = rdtsc();
		u64 deadlines[] = { 1, now / 2, now - 1, now };

		timer_arm(deadlines[i % ARRAY_SIZE(deadlines)]);
		timer_wait(++count);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	timer_quiet(count, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, past_deadline, guest_past_deadline)

static void guest_zero_disarms(void)
{
	u64 deadline, count;
	int i;

	timer_enable();
	irqs_on();

	/* Nothing armed, nothing to disarm. */
	timer_arm(0);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 100);

	deadline = rdtsc() + us_to_tsc(2000);
	timer_arm(deadline);
	timer_arm(0);
	timer_in_time(deadline);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	spin_until(deadline + us_to_tsc(500));
	GUEST_ASSERT_EQ(timer_count, 0);

	/* Race the expiry: it wins or it loses, but never comes afterwards. */
	for (i = 0; i < NR_CANCELS; i++) {
		u64 before = timer_count;

		deadline = rdtsc() + random_ticks(13);
		timer_arm(deadline);
		spin_until(rdtsc() + random_ticks(13));
		wrmsr(MSR_IA32_TSC_DEADLINE, 0);
		irqs_on();

		count = timer_count;
		__GUEST_ASSERT(count - before <= 1, "%lu interrupts from one deadline",
			       count - before);
		GUEST_ASSERT_EQ(timer_msr(), 0);
		spin_until(deadline + us_to_tsc(20));
		__GUEST_ASSERT(timer_count == count,
			       "interrupt %lu after 0 was written, deadline %lu",
			       timer_count, deadline);
	}
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, zero_disarms, guest_zero_disarms)

static void check_msr_in_handler(void)
{
	GUEST_ASSERT_EQ(timer_msr(), 0);
}

static void guest_msr_reads(void)
{
	u64 deadline;
	int i;

	timer_enable();
	timer_callback = check_msr_in_handler;
	GUEST_ASSERT_EQ(timer_msr(), 0);

	for (i = 1; i <= 100; i++) {
		timer_arm(OUT_OF_REACH + i);
		GUEST_ASSERT_EQ(timer_msr(), OUT_OF_REACH + i);

		deadline = rdtsc() + us_to_tsc(IN_REACH_US);
		timer_arm(deadline);
		GUEST_ASSERT_EQ(timer_msr(), deadline);

		deadline = rdtsc() + us_to_tsc(100) + random_ticks(10);
		timer_arm(deadline);
		/* With IRQs off, 0 may be read from the deadline on, not before. */
		for (;;) {
			u64 value = timer_msr();
			u64 now = rdtsc();

			__GUEST_ASSERT(value == deadline || (!value && now >= deadline),
				       "MSR reads %lu at TSC %lu, deadline %lu",
				       value, now, deadline);
			if (now > deadline + us_to_tsc(20))
				break;
		}
		timer_wait(i);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, msr_reads, guest_msr_reads)

static void rearm(void)
{
	if (timer_count < NR_TICKS)
		timer_arm(rdtsc() + random_ticks(12));
}

static void guest_rearm_in_handler(void)
{
	timer_enable();
	timer_callback = rearm;
	rearm();
	timer_wait(NR_TICKS);
	timer_quiet(NR_TICKS, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, rearm_in_handler, guest_rearm_in_handler)

static void rearm_past(void)
{
	if (timer_count >= NR_WRITES)
		return;

	/* The vector is in service: the next one must stay requested until EOI. */
	timer_arm(1);
	__GUEST_ASSERT(timer_irr(TIMER_VECTOR), "interrupt %lu not requested",
		       timer_count + 1);
}

static void guest_past_deadline_in_handler(void)
{
	timer_enable();
	timer_callback = rearm_past;
	timer_arm(1);
	timer_wait(NR_WRITES);
	timer_quiet(NR_WRITES, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, past_deadline_in_handler, guest_past_deadline_in_handler)

/* The next deadline is 2 ms away when it is armed, and 500 us when EOI follows. */
static void arm_long_before_eoi(void)
{
	if (timer_count >= NR_SLOW_HANDLERS)
		return;

	if (timer_count > 1)
		__GUEST_ASSERT(timer_tsc < timer_deadline + us_to_tsc(1000),
			       "tick %lu is %lu us late", timer_count,
			       (timer_tsc - timer_deadline) * 1000 / guest_tsc_khz);
	timer_arm(rdtsc() + us_to_tsc(2000));
	spin_until(timer_deadline - us_to_tsc(500));
}

static void guest_eoi_after_arming(void)
{
	timer_enable();
	timer_callback = arm_long_before_eoi;
	timer_arm(1);
	timer_wait(NR_SLOW_HANDLERS);
	timer_quiet(NR_SLOW_HANDLERS, 500);
	GUEST_DONE();
}

/* Without APICv EOI exits, and the preemption timer counts from VM-Entry on. */
KVM_ONE_VCPU_TEST(tsc_deadline, eoi_after_arming, guest_eoi_after_arming)
{
	run_to_done(vcpu);
}

static void guest_rewritten_deadline(void)
{
	u64 gap, first;

	timer_enable();

	/* Later to sooner. */
	timer_arm(OUT_OF_REACH);
	timer_arm(rdtsc() + us_to_tsc(100));
	timer_wait(1);
	timer_arm(rdtsc() + us_to_tsc(IN_REACH_US));
	timer_arm(rdtsc() + us_to_tsc(100));
	timer_wait(2);

	/* Sooner to later; a host that is slow may let the first one expire. */
	for (gap = 200; ; gap *= 2) {
		u64 count = timer_count;

		irqs_off();
		first = rdtsc() + us_to_tsc(gap);
		timer_arm(first);
		timer_arm(first + us_to_tsc(gap));
		if (rdtsc() < first) {
			timer_wait(count + 1);
			timer_quiet(count + 1, 500);
			break;
		}
		timer_arm(0);
		irqs_on();
		__GUEST_ASSERT(gap < 1000000, "no two writes within a second");
	}
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, rewritten_deadline, guest_rewritten_deadline)

static void guest_vector_changed(void)
{
	timer_enable();

	timer_arm(rdtsc() + us_to_tsc(200));
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | OTHER_VECTOR);
	/* The old vector is right if the change came after the expiry. */
	if (rdtsc() < timer_deadline) {
		irqs_on();
		spin_until(timer_deadline + us_to_tsc(500));
		GUEST_ASSERT_EQ(other_count, 1);
		GUEST_ASSERT_EQ(timer_count, 0);
	}
	GUEST_ASSERT_EQ(timer_msr(), 0);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, vector_changed, guest_vector_changed)

static void guest_hlt_wakeup(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_SLEEPS; i++) {
		irqs_off();
		timer_arm(rdtsc() + random_ticks(17));
		/* A lost wakeup sleeps on until the harness gives up. */
		while (timer_count < i)
			asm volatile("sti; hlt; cli" ::: "memory");
		GUEST_ASSERT_EQ(timer_count, i);
	}
	timer_quiet(NR_SLEEPS, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, hlt_wakeup, guest_hlt_wakeup)

static void guest_irqs_off(void)
{
	u64 count = 0;
	int i;

	timer_enable();
	for (i = 0; i < 200; i++) {
		irqs_off();
		/* Every other deadline has passed when it is written. */
		timer_arm(i & 1 ? rdtsc() + random_ticks(13) : 1);
		timer_wait_requested();
		GUEST_ASSERT_EQ(timer_count, count);
		GUEST_ASSERT_EQ(timer_msr(), 0);
		irqs_on();
		GUEST_ASSERT_EQ(timer_count, ++count);
		__GUEST_ASSERT(!timer_irr(TIMER_VECTOR), "still requested after delivery");
	}
	timer_quiet(count, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, irqs_off, guest_irqs_off)

static inline void write_cr8(u64 value)
{
	asm volatile("mov %0, %%cr8" :: "r"(value) : "memory");
}

static void guest_task_priority(void)
{
	u64 count = 0;
	int i;

	timer_enable();
	for (i = 0; i < 200; i++) {
		irqs_off();
		write_cr8(TIMER_VECTOR >> 4);
		timer_arm(i & 1 ? rdtsc() + random_ticks(13) : 1);
		irqs_on();
		timer_wait_requested();
		GUEST_ASSERT_EQ(timer_count, count);
		GUEST_ASSERT_EQ(timer_msr(), 0);
		write_cr8(0);
		timer_wait(++count);
	}
	timer_quiet(count, 500);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, task_priority, guest_task_priority)

static void guest_other_interrupt(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= 100; i++) {
		irqs_off();
		timer_self_ipi(APIC_DM_FIXED, OTHER_VECTOR);
		timer_arm(1);
		__GUEST_ASSERT(timer_irr(OTHER_VECTOR), "self-IPI lost to the timer");
		__GUEST_ASSERT(timer_irr(TIMER_VECTOR), "timer lost to the self-IPI");
		timer_wait(i);
		GUEST_ASSERT_EQ(other_count, i);
		/* The higher vector first, whichever was requested last. */
		GUEST_ASSERT_EQ(other_at_timer_count, i - 1);
	}
	timer_quiet(100, 500);
	GUEST_ASSERT_EQ(other_count, 100);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, other_interrupt, guest_other_interrupt)

/*
 * NR_WRITES times: count, WRMSR with @prefix, count.  A WRMSR that is skipped
 * or executed twice, or an RIP that is off by the prefix, upsets the counts or
 * the interrupt's RIP.
 */
#define CHECK_RIP(prefix)							\
do {										\
	u64 before = 0, after = 0;						\
	u64 i, deadline, at, next;						\
										\
	timer_enable();								\
	irqs_on();								\
	for (i = 1; i <= NR_WRITES; i++) {					\
		/* One in the past, one far away, in turn. */			\
		deadline = i & 1 ? 1 : rdtsc() + us_to_tsc(IN_REACH_US);	\
		timer_deadline = deadline;					\
		asm volatile("lea 1f(%%rip), %[at]\n\t"			\
			     "lea 2f(%%rip), %[next]\n\t"			\
			     "inc %[before]\n"					\
			     "1:" prefix "wrmsr\n"				\
			     "2: inc %[after]"					\
			     : [at] "=&r"(at), [next] "=&r"(next),		\
			       [before] "+&r"(before), [after] "+&r"(after)	\
			     : "a"((u32)deadline), "d"(deadline >> 32),		\
			       "c"(MSR_IA32_TSC_DEADLINE) : "memory");		\
		GUEST_ASSERT_EQ(before, i);					\
		GUEST_ASSERT_EQ(after, i);					\
		GUEST_ASSERT_EQ(timer_msr(), i & 1 ? 0 : deadline);		\
		timer_wait((i + 1) / 2);					\
		__GUEST_ASSERT(timer_rip < at || timer_rip >= next,		\
			       "interrupt at RIP %lx, WRMSR is %lx..%lx",	\
			       timer_rip, at, next);				\
	}									\
} while (0)

static void guest_rip_plain(void)
{
	CHECK_RIP("");
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, rip_plain, guest_rip_plain)

static void guest_rip_segment_prefix(void)
{
	CHECK_RIP(".byte 0x3e;");
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, rip_segment_prefix, guest_rip_segment_prefix)

static void guest_rip_rex_prefix(void)
{
	CHECK_RIP(".byte 0x48;");
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, rip_rex_prefix, guest_rip_rex_prefix)

/*
 * WRMSR in the shadow of STI and of MOV SS, with a deadline that has passed:
 * the shadow ends with WRMSR, so that the interrupt comes right after it.
 */
#define CHECK_SHADOW(shadow)							\
do {										\
	u64 i, next;								\
										\
	timer_enable();								\
	timer_deadline = 1;							\
	for (i = 1; i <= 100; i++) {						\
		irqs_off();							\
		asm volatile("lea 1f(%%rip), %[next]\n\t"			\
			     shadow "; wrmsr\n"				\
			     "1: nop; nop"					\
			     : [next] "=&r"(next)				\
			     : "a"(1), "d"(0), "c"(MSR_IA32_TSC_DEADLINE),	\
			       [ss] "r"((u32)get_ss()) : "memory");		\
		GUEST_ASSERT_EQ(timer_count, i);				\
		__GUEST_ASSERT(timer_rip == next,				\
			       "interrupt at RIP %lx, WRMSR ends at %lx",	\
			       timer_rip, next);				\
	}									\
	timer_quiet(100, 500);							\
} while (0)

static void guest_sti_shadow(void)
{
	CHECK_SHADOW("sti");
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, sti_shadow, guest_sti_shadow)

static void guest_mov_ss_shadow(void)
{
	CHECK_SHADOW("sti; nop; mov %[ss], %%ss");
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, mov_ss_shadow, guest_mov_ss_shadow)

static void guest_masked_lvtt(void)
{
	timer_enable();
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | APIC_LVT_MASKED |
			 TIMER_VECTOR);

	timer_arm(1);
	timer_quiet(0, 200);
	__GUEST_ASSERT(!timer_irr(TIMER_VECTOR), "past deadline requested though masked");

	timer_arm(rdtsc() + us_to_tsc(100));
	timer_quiet(0, 200);
	__GUEST_ASSERT(!timer_irr(TIMER_VECTOR), "deadline requested though masked");

	timer_arm(0);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
	timer_quiet(0, 200);

	/* And it works again. */
	timer_arm(rdtsc() + us_to_tsc(100));
	timer_wait(1);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, masked_lvtt, guest_masked_lvtt)

static void ignored_in_mode(u32 mode)
{
	timer_apic_write(APIC_LVTT, mode | TIMER_VECTOR);
	timer_arm(rdtsc() + us_to_tsc(100));
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
	timer_arm(1);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
}

static void guest_other_timer_modes(void)
{
	timer_enable();
	ignored_in_mode(APIC_LVT_TIMER_ONESHOT);
	ignored_in_mode(APIC_LVT_TIMER_PERIODIC);

	/* What was written in the other mode must not come to life. */
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, other_timer_modes, guest_other_timer_modes)

static void guest_mode_change_disarms(void)
{
	timer_enable();
	timer_arm(rdtsc() + us_to_tsc(2000));
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_ONESHOT | TIMER_VECTOR);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, mode_change_disarms, guest_mode_change_disarms)

static void guest_apic_software_disabled(void)
{
	timer_enable();
	timer_apic_write(APIC_SPIV, timer_apic_read(APIC_SPIV) & ~APIC_SPIV_APIC_ENABLED);
	timer_arm(1);
	timer_quiet(0, 200);
	timer_arm(rdtsc() + us_to_tsc(100));
	timer_quiet(0, 200);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, apic_software_disabled, guest_apic_software_disabled)

static void guest_apic_hardware_disabled(void)
{
	timer_enable();
	apic_disable();
	timer_arm(rdtsc() + us_to_tsc(100));
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
	timer_arm(1);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);

	/*
	 * Enabled again, the APIC works, and knows nothing of these deadlines.
	 * The way to x2APIC mode is through xAPIC mode.
	 */
	wrmsr(MSR_IA32_APICBASE, rdmsr(MSR_IA32_APICBASE) | MSR_IA32_APICBASE_ENABLE);
	timer_enable();
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(0, 200);
	timer_arm(rdtsc() + us_to_tsc(100));
	timer_wait(1);
	GUEST_DONE();
}

GUEST_TEST(tsc_deadline, apic_hardware_disabled, guest_apic_hardware_disabled)

TIMER_TEST_MAIN
