// SPDX-License-Identifier: GPL-2.0-only
/*
 * The advance, by which the timer is armed early, and its tuning:
 *
 * - It is never above 5000 ns, whatever expiries it is tuned by.
 * - One expiry that is 100 us late does not move it.
 * - Driven to its ends by expiries that are late, or early, by as much as still
 *   counts, it leaves no guest without its interrupts; and where the fast path
 *   delivers it neither falls to 0 nor jumps back.
 *
 * Userspace makes an expiry late or early: it moves the guest's TSC while the
 * timer is armed.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_ROUNDS	100
/* What a tick or two can teach. */
#define LEARNT_NS	1500
/* Ticks until the advance has left where it started. */
#define NR_SETTLE	500
#define ADVANCE_MAX_NS	5000
/*
 * KVM's tuning takes what is off by 100 to 10000 ticks, an eighth of it at a time:
 * so much that it meets the ends of its range in a few steps.
 */
#define OFF_TICKS	4000

FIXTURE(timer_advance) {
	struct kvm_vcpu *vcpu;
};

FIXTURE_SETUP(timer_advance)
{
	vm_create_with_one_vcpu(&self->vcpu, NULL);
	timer_vcpu_init(self->vcpu, true);
}

FIXTURE_TEARDOWN(timer_advance)
{
	kvm_vm_free(self->vcpu->vm);
}

static void guest_ticks(void)
{
	u64 i;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		timer_arm(rdtsc() + us_to_tsc(20) + (guest_random_u32(&guest_rng) & 0xfff));
		timer_wait(i);
		GUEST_SYNC(i);
	}
	GUEST_DONE();
}

static void guest_moved(void)
{
	u64 i, count = 0;

	timer_enable();
	while (count < NR_SETTLE) {
		timer_arm(rdtsc() + us_to_tsc(20));
		timer_wait(++count);
	}
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(2000));
		GUEST_SYNC(i);
		timer_wait(++count);
	}
	GUEST_DONE();
}

static u64 checked_advance(struct kvm_vcpu *vcpu)
{
	u64 ns = vcpu_timer_advance_ns(vcpu);

	TEST_ASSERT(ns <= ADVANCE_MAX_NS, "The advance is %lu ns", ns);
	return ns;
}

TEST_F(timer_advance, bounded)
{
	u64 i, ns, low = -1ull, high = 0;

	vcpu_arch_set_entry_point(self->vcpu, guest_ticks);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(self->vcpu, i);
		ns = checked_advance(self->vcpu);
		low = min(low, ns);
		high = max(high, ns);
	}
	run_to_done(self->vcpu);
	ksft_print_msg("advance %lu to %lu ns\n", low, high);
}

static void start_moved(struct kvm_vcpu *vcpu)
{
	/* KVM's generic code does not look at the TSC again. */
	write_guest_global(vcpu->vm, timer_may_be_early, true);
	vcpu_arch_set_entry_point(vcpu, guest_moved);
}

TEST_F(timer_advance, not_moved_by_a_stall)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	int khz = __vcpu_ioctl(vcpu, KVM_GET_TSC_KHZ, NULL);
	bool fast = fastpath_present() && fastpath_get();
	u64 i, before, after;

	start_moved(vcpu);
	expect_stage(vcpu, 1);
	for (i = 2; i <= NR_ROUNDS; i++) {
		before = checked_advance(vcpu);
		move_tsc_offset(vcpu, (s64)khz * 100 / 1000);
		expect_stage(vcpu, i);
		after = checked_advance(vcpu);
		/* The fast path learns from what it took, which is much less than that. */
		TEST_ASSERT(after == before || (fast && after < before + LEARNT_NS * timer_scale),
			    "A stall of 100 us moved the advance from %lu to %lu ns",
			    before, after);
	}
	run_to_done(vcpu);
}

/* Interrupts that the fast path delivered. */
static u64 delivered(struct kvm_vcpu *vcpu)
{
	return fastpath_present() ? fastpath_counter(vcpu->vm, "delivered") : 0;
}

static void drive(struct kvm_vcpu *vcpu, s64 ticks)
{
	u64 i, ns, last, fast, low = -1ull, high = 0;

	start_moved(vcpu);
	expect_stage(vcpu, 1);
	last = checked_advance(vcpu);
	for (i = 2; i <= NR_ROUNDS; i++) {
		move_tsc_offset(vcpu, ticks);
		fast = delivered(vcpu);
		expect_stage(vcpu, i);
		fast = delivered(vcpu) - fast;
		ns = checked_advance(vcpu);
		low = min(low, ns);
		high = max(high, ns);
		if (fast)
			TEST_ASSERT(ns && ns * 2 >= last, "The advance fell from %lu to %lu ns",
				    last, ns);
		last = ns;
	}
	run_to_done(vcpu);
	ksft_print_msg("advance %lu to %lu ns\n", low, high);
}

TEST_F(timer_advance, driven_up)
{
	drive(self->vcpu, OFF_TICKS);
}

TEST_F(timer_advance, driven_down)
{
	drive(self->vcpu, -OFF_TICKS);
}

TIMER_TEST_MAIN
