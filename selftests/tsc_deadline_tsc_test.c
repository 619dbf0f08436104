// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TSC-deadline timer on a TSC that is not the host's:
 *
 * - With a TSC of half and of twice the host's frequency, deadlines ahead, in the
 *   past and far away give one interrupt each, never early by the guest's TSC,
 *   and not unboundedly late.
 * - A TSC that the guest moves (IA32_TSC, IA32_TSC_ADJUST) or userspace moves
 *   (KVM_SET_MSRS, the offset attribute, KVM_SET_TSC_KHZ) while the timer is armed
 *   gives one interrupt.  Where the fast path delivers, that is never early;
 *   KVM's generic code promises no such thing.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_ROUNDS	50
#define NR_RANDOM	500
/* Generous: the host may have other things to do. */
#define LATE_US		1000
#define ADVANCE_US	20

static u64 late_count, late_min, late_max;

static void record_lateness(void)
{
	u64 late = timer_tsc - timer_deadline;

	late_min = min(late_min, late);
	late_max = max(late_max, late);
	late_count += late > us_to_tsc(LATE_US);
}

static void guest_scaled(void)
{
	u64 i, count = 0;
	u32 random;

	late_min = -1ull;
	timer_enable();
	timer_callback = record_lateness;
	for (i = 0; i < NR_RANDOM; i++) {
		random = guest_random_u32(&guest_rng);
		/* The generator's numbers have 31 bits. */
		timer_arm(rdtsc() + (random & (BIT(random >> 27) - 1)));
		timer_wait(++count);
	}

	/* Out of the few that are as far as the tick of the host. */
	for (i = 1; i <= 4; i++) {
		timer_arm(rdtsc() + us_to_tsc(5000 * i));
		timer_wait(++count);
	}

	timer_callback = NULL;
	timer_arm(1);
	timer_wait(++count);
	timer_quiet(count, 500);
	GUEST_DONE();
}

static void guest_scaled_from_checkpoint(void)
{
	GUEST_SYNC(1);
	guest_scaled();
}

FIXTURE(tsc_scaled) {
	struct kvm_vcpu *vcpu;
};

FIXTURE_VARIANT(tsc_scaled) {
	unsigned int mul;
	unsigned int div;
	bool x2apic;
};

FIXTURE_VARIANT_ADD(tsc_scaled, half_xapic) {
	.mul = 1,
	.div = 2,
};

FIXTURE_VARIANT_ADD(tsc_scaled, half) {
	.mul = 1,
	.div = 2,
	.x2apic = true,
};

FIXTURE_VARIANT_ADD(tsc_scaled, two_thirds) {
	.mul = 2,
	.div = 3,
	.x2apic = true,
};

FIXTURE_VARIANT_ADD(tsc_scaled, twice_xapic) {
	.mul = 2,
	.div = 1,
};

FIXTURE_VARIANT_ADD(tsc_scaled, twice) {
	.mul = 2,
	.div = 1,
	.x2apic = true,
};

static int vcpu_tsc_khz(struct kvm_vcpu *vcpu)
{
	return __vcpu_ioctl(vcpu, KVM_GET_TSC_KHZ, NULL);
}

/* The library's us_to_tsc() has the frequency of the VM's creation. */
static void set_tsc_khz(struct kvm_vcpu *vcpu, u64 khz)
{
	vcpu_ioctl(vcpu, KVM_SET_TSC_KHZ, (void *)khz);
	write_guest_global(vcpu->vm, guest_tsc_khz, khz);
}

FIXTURE_SETUP(tsc_scaled)
{
	if (!kvm_has_cap(KVM_CAP_TSC_CONTROL))
		SKIP(return, "the CPU cannot scale the TSC");

	vm_create_with_one_vcpu(&self->vcpu, NULL);
	timer_vcpu_init(self->vcpu, variant->x2apic);
	set_tsc_khz(self->vcpu, (u64)vcpu_tsc_khz(self->vcpu) * variant->mul / variant->div);
}

FIXTURE_TEARDOWN(tsc_scaled)
{
	kvm_vm_free(self->vcpu->vm);
}

TEST_F(tsc_scaled, never_early_and_bounded)
{
	struct kvm_vm *vm = self->vcpu->vm;

	vcpu_arch_set_entry_point(self->vcpu, guest_scaled);
	run_to_done(self->vcpu);

	sync_global_from_guest(vm, late_count);
	sync_global_from_guest(vm, late_min);
	sync_global_from_guest(vm, late_max);
	ksft_print_msg("lateness %lu to %lu guest ticks, over %d us: %lu\n",
		       late_min, late_max, LATE_US, late_count);
	TEST_ASSERT(late_count < NR_RANDOM / 20, "%lu interrupts over %d us late",
		    late_count, LATE_US);
}

TEST_F(tsc_scaled, spin_bounded)
{
	struct kvm_vm *vm = self->vcpu->vm;
	u64 spins, cycles, limit;
	int r;

	if (!fastpath_present() || !fastpath_get())
		SKIP(return, "the fast path is not on");

	vcpu_arch_set_entry_point(self->vcpu, guest_scaled_from_checkpoint);
	expect_stage(self->vcpu, 1);
	/* More than any expiry takes. */
	r = fastpath_set_vm_advance(vm, ADVANCE_US * 1000);
	TEST_ASSERT(!r, "The advance was not set, errno %d", r);
	run_to_done(self->vcpu);

	spins = fastpath_counter(vm, "spins_bad");
	cycles = fastpath_counter(vm, "spin_cycles");
	/* In the host's ticks, with what the timer and the last look at the TSC add. */
	limit = (u64)vcpu_tsc_khz(self->vcpu) * variant->div / variant->mul *
		ADVANCE_US / 1000 + 200;
	ksft_print_msg("%lu spins, %lu host ticks\n", spins, cycles);
	TEST_ASSERT(spins > NR_RANDOM / 8, "Only %lu spins", spins);
	TEST_ASSERT(cycles <= spins * limit, "%lu spins took %lu ticks, %lu each at most",
		    spins, cycles, limit);
}

TIMER_FIXTURE(tsc_moved)

/* How far the TSC is moved, in us, while 2 ms are to go; in all, nowhere. */
static const int moves_us[] = { 1500, -1500, 5000, -5000, 10, -10 };

/* A guest's TSC starts at 0: have it large enough to be moved back. */
static void start_moves(void)
{
	timer_enable();
	spin_until(us_to_tsc(20000));
}

static u64 ticks_of(int us)
{
	return us < 0 ? -us_to_tsc(-us) : us_to_tsc(us);
}

static void end_round(u64 count)
{
	/* Counted from the TSC as it is now: a second, or the whole deadline. */
	timer_wait(count);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_deadline = 0;
	timer_quiet(count, 20);
}

static void guest_moves_tsc(void)
{
	u64 i;

	start_moves();
	for (i = 1; i <= NR_ROUNDS; i++) {
		u64 ticks = ticks_of(moves_us[i % ARRAY_SIZE(moves_us)]);

		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(2000));
		wrmsr(MSR_IA32_TSC, rdtsc() + ticks);
		end_round(i);
	}
	GUEST_DONE();
}

static void guest_adjusts_tsc(void)
{
	u64 i;

	start_moves();
	for (i = 1; i <= NR_ROUNDS; i++) {
		u64 ticks = ticks_of(moves_us[i % ARRAY_SIZE(moves_us)]);

		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(2000));
		wrmsr(MSR_IA32_TSC_ADJUST, rdmsr(MSR_IA32_TSC_ADJUST) + ticks);
		end_round(i);
	}
	GUEST_DONE();
}

static void guest_tsc_moved(void)
{
	u64 i;

	start_moves();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(2000));
		GUEST_SYNC(i);
		end_round(i);
	}
	GUEST_DONE();
}

/* No interrupt that the fast path delivers is early. */
static void check_early(struct kvm_vcpu *vcpu)
{
	struct kvm_vm *vm = vcpu->vm;
	u64 delivered;

	sync_global_from_guest(vm, timer_early_count);
	delivered = fastpath_present() ? fastpath_counter(vm, "delivered") : 0;
	ksft_print_msg("%lu of %d interrupts early, the fast path delivered %lu\n",
		       timer_early_count, NR_ROUNDS, delivered);
	TEST_ASSERT(timer_early_count <= NR_ROUNDS - delivered,
		    "%lu interrupts came early, of %lu not delivered by the fast path",
		    timer_early_count, NR_ROUNDS - delivered);
}

static void start_mover(struct kvm_vcpu *vcpu, void *guest_code)
{
	write_guest_global(vcpu->vm, timer_may_be_early, true);
	vcpu_arch_set_entry_point(vcpu, guest_code);
}

TEST_F(tsc_moved, by_guest_tsc)
{
	start_mover(self->vcpu, guest_moves_tsc);
	run_to_done(self->vcpu);
	check_early(self->vcpu);
}

TEST_F(tsc_moved, by_guest_tsc_adjust)
{
	start_mover(self->vcpu, guest_adjusts_tsc);
	run_to_done(self->vcpu);
	check_early(self->vcpu);
}

/* In each round of the guest, userspace has @move move the TSC. */
static void move_each_round(struct kvm_vcpu *vcpu,
			    void (*move)(struct kvm_vcpu *vcpu, u64 round))
{
	u64 i;

	start_mover(vcpu, guest_tsc_moved);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		move(vcpu, i);
	}
	run_to_done(vcpu);
	check_early(vcpu);
}

static s64 host_ticks(struct kvm_vcpu *vcpu, u64 round)
{
	return (s64)vcpu_tsc_khz(vcpu) * moves_us[round % ARRAY_SIZE(moves_us)] / 1000;
}

static void move_offset(struct kvm_vcpu *vcpu, u64 round)
{
	move_tsc_offset(vcpu, host_ticks(vcpu, round));
}

TEST_F(tsc_moved, by_offset_attribute)
{
	move_each_round(self->vcpu, move_offset);
}

/* With each step further ahead than the host's TSC has ever counted. */
static void move_offset_far(struct kvm_vcpu *vcpu, u64 round)
{
	move_tsc_offset(vcpu, 1ll << 56);
}

TEST_F(tsc_moved, far_ahead)
{
	move_each_round(self->vcpu, move_offset_far);
}

static void move_by_msr(struct kvm_vcpu *vcpu, u64 round)
{
	vcpu_set_msr(vcpu, MSR_IA32_TSC, vcpu_get_msr(vcpu, MSR_IA32_TSC) +
		     host_ticks(vcpu, round));
}

TEST_F(tsc_moved, by_set_msrs)
{
	move_each_round(self->vcpu, move_by_msr);
}

static void change_frequency(struct kvm_vcpu *vcpu, u64 round)
{
	u64 tsc = vcpu_get_msr(vcpu, MSR_IA32_TSC);
	static u64 khz;

	if (!khz)
		khz = vcpu_tsc_khz(vcpu);
	set_tsc_khz(vcpu, round & 1 ? khz / 2 : khz);
	/* Of another frequency, but not of another time. */
	vcpu_set_msr(vcpu, MSR_IA32_TSC, tsc);
}

TEST_F(tsc_moved, by_set_tsc_khz)
{
	if (!kvm_has_cap(KVM_CAP_TSC_CONTROL))
		SKIP(return, "the CPU cannot scale the TSC");

	move_each_round(self->vcpu, change_frequency);
}

TIMER_TEST_MAIN
