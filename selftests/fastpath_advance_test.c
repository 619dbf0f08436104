// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path's own advance:
 *
 * - A setting out of range is refused, and nothing changes.
 * - A vCPU's setting goes before its VM's, and that before the module's; each takes
 *   effect while the guest runs, and is taken back.
 * - A fixed advance is waited out: each expiry waits, none longer than the advance, and
 *   none is early, whoever delivers it.
 * - Without an advance nothing waits.
 * - The tuner leaves what was set before it, up or down, within some hundred ticks, and
 *   keeps most interrupts from being late; it goes by the percentage that is set.
 * - An advance made smaller while the timer is armed makes no interrupt early.
 * - With the fast path off KVM has its own advance again.
 * - Each expiry is in the histogram, and each wait.
 *
 * The handler of the guest refuses each interrupt that is early.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_TICKS	100
/* Ticks until the tuner has left any start. */
#define NR_SETTLE	500
/* More than any expiry takes in a machine that is not slow. */
#define LARGE_NS	40000
#define MAX_NS		50000
#define TUNED_MAX_NS	5000
/* What the steps of the preemption timer and the last look at the TSC add to a wait. */
#define SLACK_TICKS	200

#define ADVANCE_PARAM	"/sys/module/kvm_intel/parameters/fastpath_advance_ns"
#define PERCENT_PARAM	"/sys/module/kvm_intel/parameters/fastpath_advance_pct"

FIXTURE(fastpath_advance) {
	struct kvm_vcpu *vcpu;
	struct param param;
	bool saved;
};

static u64 nr_ticks;

static void guest_ticks(void)
{
	u64 i, count = 0;

	timer_enable();
	irqs_on();
	for (;;) {
		for (i = 0; i < nr_ticks; i++) {
			/* Further than the largest advance, or it would be due at once. */
			timer_arm(rdtsc() + us_to_tsc(80) + (guest_random_u32(&guest_rng) & 0xfff));
			timer_wait(++count);
		}
		GUEST_SYNC(1);
	}
}

FIXTURE_SETUP(fastpath_advance)
{
	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");
	self->saved = fastpath_get();
	param_save(&self->param, ADVANCE_PARAM);
	vm_create_with_one_vcpu(&self->vcpu, guest_ticks);
	timer_vcpu_init(self->vcpu, true);
}

/* In the parent, so that a test that dies leaves the parameters as they were. */
FIXTURE_TEARDOWN_PARENT(fastpath_advance)
{
	if (!fastpath_present())
		return;
	fastpath_set(self->saved);
	param_restore(&self->param);
}

static void run_ticks(struct kvm_vcpu *vcpu, u64 ticks)
{
	write_guest_global(vcpu->vm, nr_ticks, ticks);
	expect_stage(vcpu, 1);
}

static void set_vm(struct kvm_vcpu *vcpu, s64 ns)
{
	int r = fastpath_set_vm_advance(vcpu->vm, ns);

	TEST_ASSERT(!r, "Setting the VM's advance to %ld failed, errno %d", ns, r);
}

static void set_vcpu(struct kvm_vcpu *vcpu, s64 ns)
{
	int r = fastpath_set_vcpu_advance(vcpu, ns);

	TEST_ASSERT(!r, "Setting the vCPU's advance to %ld failed, errno %d", ns, r);
}

static void expect_advance(struct kvm_vcpu *vcpu, u64 ns)
{
	u64 is = fastpath_advance(vcpu);

	/* A tick is less than 20 ns on any CPU. */
	TEST_ASSERT(is + 20 > ns && is < ns + 20, "The advance is %lu ns, not %lu", is, ns);
	TEST_ASSERT_EQ(vcpu_timer_advance_ns(vcpu), is);
}

TEST_F(fastpath_advance, range)
{
	static const s64 bad[] = { -3, -100, MAX_NS + 1, 1ll << 32, -1ll << 32 };
	static const s64 good[] = { MAX_NS, 1, 0, ADVANCE_TUNE, ADVANCE_INHERIT };
	static const char * const no_numbers[] = { "-2", "50001", "x", "\n" };
	static const char * const no_percent[] = { "49.9", "100", "99.95", "-60", "x", "\n" };
	static const char * const percent[] = { "50", "99.9", "99.0", "99" };
	struct param percentage;
	size_t i;

	run_ticks(self->vcpu, 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(fastpath_set_vm_advance(self->vcpu->vm, bad[i]), EINVAL);
		EXPECT_EQ(fastpath_set_vcpu_advance(self->vcpu, bad[i]), EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		EXPECT_EQ(fastpath_set_vm_advance(self->vcpu->vm, good[i]), 0);
		EXPECT_EQ(fastpath_set_vcpu_advance(self->vcpu, good[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(no_numbers); i++)
		EXPECT_FALSE(param_set(&self->param, no_numbers[i]));

	param_save(&percentage, PERCENT_PARAM);
	for (i = 0; i < ARRAY_SIZE(no_percent); i++)
		EXPECT_FALSE(param_set(&percentage, no_percent[i]))
			TH_LOG("%zu was taken", i);
	for (i = 0; i < ARRAY_SIZE(percent); i++)
		EXPECT_TRUE(param_set(&percentage, percent[i]))
			TH_LOG("%zu was refused", i);
	param_restore(&percentage);
}

TEST_F(fastpath_advance, precedence)
{
	struct kvm_vcpu *vcpu = self->vcpu;

	fastpath_set(true);
	ASSERT_TRUE(param_set(&self->param, "3000"));
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 3000);
	set_vm(vcpu, 2000);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 2000);
	set_vcpu(vcpu, 1000);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 1000);
	set_vm(vcpu, 4000);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 1000);
	set_vcpu(vcpu, ADVANCE_INHERIT);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 4000);
	set_vm(vcpu, ADVANCE_INHERIT);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, 3000);
}

struct waits {
	u64 good, bad, cycles;
};

static struct waits waits_of(struct kvm_vcpu *vcpu)
{
	return (struct waits) {
		.good = fastpath_counter(vcpu->vm, "spins_good"),
		.bad = fastpath_counter(vcpu->vm, "spins_bad"),
		.cycles = fastpath_counter(vcpu->vm, "spin_cycles"),
	};
}

/* Run with an advance that is in force from the first of these ticks on. */
static struct waits run_fixed(struct kvm_vcpu *vcpu, s64 ns)
{
	struct waits before, after;

	fastpath_set(true);
	run_ticks(vcpu, 1);
	set_vm(vcpu, ns);
	run_ticks(vcpu, 2);

	before = waits_of(vcpu);
	run_ticks(vcpu, NR_TICKS);
	after = waits_of(vcpu);
	TEST_ASSERT_EQ(fastpath_counter(vcpu->vm, "early"), 0);

	after.good -= before.good;
	after.bad -= before.bad;
	after.cycles -= before.cycles;
	ksft_print_msg("%ld ns: %lu came late, %lu waited %lu ticks\n", ns, after.good,
		       after.bad, after.cycles);
	return after;
}

TEST_F(fastpath_advance, waited_out)
{
	int khz = __vcpu_ioctl(self->vcpu, KVM_GET_TSC_KHZ, NULL);
	u64 most = (u64)khz * LARGE_NS / 1000000 + SLACK_TICKS;
	struct waits waits = run_fixed(self->vcpu, LARGE_NS);

	/* Once, and each of them but for those that the host held up. */
	TEST_ASSERT(waits.bad + waits.good <= NR_TICKS, "%lu waits for %d expiries",
		    waits.bad + waits.good, NR_TICKS);
	TEST_ASSERT(waits.cycles <= waits.bad * most, "%lu waits took %lu ticks",
		    waits.bad, waits.cycles);
	if (timer_scale > 1)
		SKIP(return, "an expiry may cost more than that on a host that is slow");
	TEST_ASSERT(waits.bad > NR_TICKS / 2, "%lu of %d expiries were waited for",
		    waits.bad, NR_TICKS);
	TEST_ASSERT(waits.cycles > waits.bad * most / 4, "%lu waits took %lu ticks only",
		    waits.bad, waits.cycles);
}

TEST_F(fastpath_advance, none)
{
	struct waits waits = run_fixed(self->vcpu, 0);

	/* The preemption timer may end early by a step or two. */
	TEST_ASSERT(waits.cycles <= waits.bad * SLACK_TICKS, "%lu waits took %lu ticks",
		    waits.bad, waits.cycles);
	TEST_ASSERT(waits.good > NR_TICKS / 2, "%lu of %d expiries were late",
		    waits.good, NR_TICKS);
}

static void settle(struct kvm_vcpu *vcpu, s64 from)
{
	struct waits before, after;
	u64 late, ns;

	fastpath_set(true);
	run_ticks(vcpu, 1);
	set_vm(vcpu, from);
	run_ticks(vcpu, 10);
	set_vm(vcpu, ADVANCE_TUNE);
	run_ticks(vcpu, NR_SETTLE);

	before = waits_of(vcpu);
	run_ticks(vcpu, 4 * NR_TICKS);
	after = waits_of(vcpu);
	late = after.good - before.good;
	ns = fastpath_advance(vcpu);
	ksft_print_msg("from %ld ns to %lu: %lu of %d late, waits of %lu ticks\n", from, ns,
		       late, 4 * NR_TICKS,
		       (after.cycles - before.cycles) / max(after.bad - before.bad, 1ul));
	TEST_ASSERT(ns && ns <= TUNED_MAX_NS, "The tuned advance is %lu ns", ns);
	TEST_ASSERT_EQ(fastpath_counter(vcpu->vm, "early"), 0);
	/* Of 1 in 100 asked for; what the host does comes on top, on a slow one a lot. */
	if (fastpath_delivers() && timer_scale == 1)
		TEST_ASSERT(late <= 4 * NR_TICKS / 10, "%lu of %d came late", late, 4 * NR_TICKS);
}

TEST_F(fastpath_advance, tuned_from_none)
{
	settle(self->vcpu, 0);
}

TEST_F(fastpath_advance, tuned_from_the_most)
{
	settle(self->vcpu, MAX_NS);
}

TEST_F(fastpath_advance, follows_the_percentage)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	struct param percentage;
	u64 half, most;

	param_save(&percentage, PERCENT_PARAM);
	fastpath_set(true);
	EXPECT_TRUE(param_set(&percentage, "50"));
	run_ticks(vcpu, NR_SETTLE);
	half = fastpath_advance(vcpu);
	EXPECT_TRUE(param_set(&percentage, "99.9"));
	run_ticks(vcpu, 2 * NR_SETTLE);
	most = fastpath_advance(vcpu);
	param_restore(&percentage);

	ksft_print_msg("%lu ns for half of them, %lu for 999 of 1000\n", half, most);
	TEST_ASSERT(half && most <= TUNED_MAX_NS, "Out of range");
	/* Where everything costs more than is allowed for, there is nothing to choose. */
	TEST_ASSERT(half < most || half > TUNED_MAX_NS - 20, "No less than for 999 of 1000");
}

static void guest_armed(void)
{
	u64 i;

	timer_enable();
	irqs_on();
	for (i = 1;; i++) {
		timer_arm(rdtsc() + us_to_tsc(500));
		GUEST_SYNC(1);
		timer_wait(i);
	}
}

TEST_F(fastpath_advance, made_smaller_while_armed)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	int i;

	fastpath_set(true);
	vcpu_arch_set_entry_point(vcpu, guest_armed);
	for (i = 0; i < NR_TICKS; i++) {
		expect_stage(vcpu, 1);
		set_vm(vcpu, i & 1 ? 0 : MAX_NS);
	}
	TEST_ASSERT_EQ(fastpath_counter(vcpu->vm, "early"), 0);
}

TEST_F(fastpath_advance, given_back)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 kvm_ns;

	fastpath_set(false);
	run_ticks(vcpu, 10);
	kvm_ns = vcpu_timer_advance_ns(vcpu);
	fastpath_set(true);
	set_vm(vcpu, LARGE_NS);
	run_ticks(vcpu, 3);
	expect_advance(vcpu, LARGE_NS);

	/* No expiry, so that KVM does not tune. */
	fastpath_set(false);
	run_ticks(vcpu, 0);
	TEST_ASSERT_EQ(vcpu_timer_advance_ns(vcpu), kvm_ns);
}

TEST_F(fastpath_advance, histograms)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	struct waits waits;

	run_fixed(vcpu, LARGE_NS);
	run_fixed(vcpu, 0);
	waits = waits_of(vcpu);
	TEST_ASSERT_EQ(fastpath_histogram_sum(vcpu, "lateness"), waits.good + waits.bad);
	TEST_ASSERT_EQ(fastpath_histogram_sum(vcpu, "spin_length"), waits.bad);
	TEST_ASSERT(fastpath_counter(vcpu->vm, "late") <= waits.good,
		    "More were late than did not wait");
}

TIMER_TEST_MAIN
