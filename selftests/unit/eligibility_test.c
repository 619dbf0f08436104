// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims under test: an exit is handled when nothing speaks against it, and each
 * single fact that does gives its own reason; no fact is left out.
 */
#include "eligibility.h"
#include "kselftest_harness.h"

/* A structure of bools, all good; then each of them bad in turn. */
#define FLIP(check, good, member, reason)		\
do {							\
	typeof(good) f = good;				\
							\
	f.member = !f.member;				\
	EXPECT_EQ(check(f), reason) {			\
		TH_LOG("with " #member " = %d", f.member); \
	}						\
	flipped++;					\
} while (0)

TEST(vcpu)
{
	struct fastpath_vcpu_facts good = { .launched = true, .lapic = true };
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_vcpu(good), FASTPATH_OK);
	FLIP(fastpath_check_vcpu, good, launched, FASTPATH_BAIL_VMLAUNCH);
	FLIP(fastpath_check_vcpu, good, l2_active, FASTPATH_BAIL_L2_ACTIVE);
	FLIP(fastpath_check_vcpu, good, guest_debug, FASTPATH_BAIL_GUEST_DEBUG);
	FLIP(fastpath_check_vcpu, good, smm, FASTPATH_BAIL_SMM);
	FLIP(fastpath_check_vcpu, good, l1d_flush, FASTPATH_BAIL_L1D_FLUSH);
	FLIP(fastpath_check_vcpu, good, lapic, FASTPATH_BAIL_NO_LAPIC);
	FLIP(fastpath_check_vcpu, good, tsc_catchup, FASTPATH_BAIL_TSC_CATCHUP);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(timer)
{
	struct fastpath_timer_facts good = { .tscdeadline_mode = true };
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_timer(good), FASTPATH_OK);
	FLIP(fastpath_check_timer, good, tscdeadline_mode, FASTPATH_BAIL_LVTT_MODE);
	FLIP(fastpath_check_timer, good, timer_pending, FASTPATH_BAIL_TIMER_PENDING);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(wrmsr)
{
	struct fastpath_wrmsr_facts good = {};
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_wrmsr(good), FASTPATH_OK);
	FLIP(fastpath_check_wrmsr, good, filtered, FASTPATH_BAIL_MSR_FILTER);
	FLIP(fastpath_check_wrmsr, good, pmu_counting,
	     FASTPATH_BAIL_PMU_COUNTING);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(eoi_stay)
{
	struct fastpath_eoi_stay_facts good = {};
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_eoi_stay(good), FASTPATH_OK);
	FLIP(fastpath_check_eoi_stay, good, emulated, FASTPATH_BAIL_EOI_EMULATED);
	FLIP(fastpath_check_eoi_stay, good, attention, FASTPATH_BAIL_APIC_ATTENTION);
	FLIP(fastpath_check_eoi_stay, good, pmu_counting, FASTPATH_BAIL_PMU_COUNTING);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(eoi)
{
	struct fastpath_eoi_facts good = { .in_service = true, .irr_empty = true };
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_eoi(good), FASTPATH_OK);
	FLIP(fastpath_check_eoi, good, in_service, FASTPATH_BAIL_EOI_SPURIOUS);
	FLIP(fastpath_check_eoi, good, irr_empty, FASTPATH_BAIL_IRR_PENDING);
	FLIP(fastpath_check_eoi, good, ioapic, FASTPATH_BAIL_EOI_IOAPIC);
	FLIP(fastpath_check_eoi, good, synic, FASTPATH_BAIL_EOI_SYNIC);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(reentry)
{
	struct fastpath_reentry_facts f = {};
	int bit;

	EXPECT_EQ(fastpath_check_reentry(f), FASTPATH_OK);
	for (bit = 0; bit < 64; bit++) {
		f = (struct fastpath_reentry_facts) { .requests = 1ULL << bit };
		EXPECT_EQ(fastpath_check_reentry(f), FASTPATH_BAIL_REQUEST);
		f = (struct fastpath_reentry_facts) { .thread_work = 1UL << bit };
		EXPECT_EQ(fastpath_check_reentry(f), FASTPATH_BAIL_THREAD_WORK);
		f = (struct fastpath_reentry_facts) { .kicked = 1ULL << bit };
		EXPECT_EQ(fastpath_check_reentry(f), FASTPATH_BAIL_VCPU_MODE);
	}
}

TEST(insn)
{
	EXPECT_EQ(fastpath_check_insn(0, 0), FASTPATH_OK);
	EXPECT_EQ(fastpath_check_insn(1UL << 8, 0), FASTPATH_BAIL_SINGLE_STEP);
	EXPECT_EQ(fastpath_check_insn(0, 1), FASTPATH_BAIL_INTR_SHADOW);
	EXPECT_EQ(fastpath_check_insn(0, 2), FASTPATH_BAIL_INTR_SHADOW);
}

TEST(rip)
{
	static const struct {
		unsigned long rip;
		unsigned int len;
		enum fastpath_bail why;
	} cases[] = {
		{ 0x1000, 2, FASTPATH_OK },
		{ 0x1000, 0, FASTPATH_BAIL_RIP_UPDATE },
		{ 0x7ffffffe, 2, FASTPATH_OK },
		{ 0xfffffffd, 2, FASTPATH_OK },
		{ 0xfffffffe, 2, FASTPATH_BAIL_RIP_UPDATE },
		{ 0xffffffff, 15, FASTPATH_BAIL_RIP_UPDATE },
		{ 0x100000000, 2, FASTPATH_OK },
		{ 0xffffffff81000000, 2, FASTPATH_OK },
		{ 0xffffffff7ffffffe, 2, FASTPATH_OK },
		{ 0xfffffffd, 15, FASTPATH_BAIL_RIP_UPDATE },
		{ 0xffffffff80000000, 0, FASTPATH_BAIL_RIP_UPDATE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(fastpath_check_rip(cases[i].rip, cases[i].rip + cases[i].len),
			  cases[i].why) {
			TH_LOG("rip %lx len %u", cases[i].rip, cases[i].len);
		}
	}
}

TEST(delivery)
{
	struct fastpath_delivery_facts good = {
		.apic_sw_enabled = true, .plain = true, .vector = 0xec,
	};
	struct fastpath_delivery_facts f = good;
	size_t flipped = 0;
	int vector;

	EXPECT_EQ(fastpath_check_delivery(good), FASTPATH_OK);
	FLIP(fastpath_check_delivery, good, apic_sw_enabled,
	     FASTPATH_BAIL_APIC_SW_DISABLED);
	FLIP(fastpath_check_delivery, good, masked, FASTPATH_BAIL_LVTT_MASKED);
	FLIP(fastpath_check_delivery, good, plain, FASTPATH_BAIL_LVTT_DELIVERY);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool) - 1);

	for (vector = 0; vector < 256; vector++) {
		f.vector = vector;
		EXPECT_EQ(fastpath_check_delivery(f),
			  vector < 16 ? FASTPATH_BAIL_LVTT_DELIVERY : FASTPATH_OK);
	}
}

TEST(injection_stay)
{
	struct fastpath_injection_stay_facts good = {};
	size_t flipped = 0;

	EXPECT_EQ(fastpath_check_injection_stay(good), FASTPATH_OK);
	FLIP(fastpath_check_injection_stay, good, real_mode, FASTPATH_BAIL_REAL_MODE);
	FLIP(fastpath_check_injection_stay, good, event_pending,
	     FASTPATH_BAIL_EVENT_PENDING);
	FLIP(fastpath_check_injection_stay, good, attention,
	     FASTPATH_BAIL_APIC_ATTENTION);
	FLIP(fastpath_check_injection_stay, good, auto_eoi, FASTPATH_BAIL_AUTO_EOI);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool));
}

TEST(injection)
{
	struct fastpath_injection_facts good = {
		.irqs_on = true, .irr_empty = true, .vector = 0x71, .ppr = 0x6f,
	};
	struct fastpath_injection_facts f = good;
	size_t flipped = 0;
	int ppr;

	EXPECT_EQ(fastpath_check_injection(good), FASTPATH_OK);
	FLIP(fastpath_check_injection, good, irqs_on, FASTPATH_BAIL_IRQS_OFF);
	FLIP(fastpath_check_injection, good, intr_shadow, FASTPATH_BAIL_INTR_SHADOW);
	FLIP(fastpath_check_injection, good, irr_empty, FASTPATH_BAIL_IRR_PENDING);
	EXPECT_EQ(flipped, sizeof(good) / sizeof(bool) - 2);

	for (ppr = 0; ppr < 256; ppr++) {
		f.ppr = ppr;
		EXPECT_EQ(fastpath_check_injection(f),
			  ppr >= 0x70 ? FASTPATH_BAIL_PRIORITY : FASTPATH_OK);
	}
}

TEST_HARNESS_MAIN
