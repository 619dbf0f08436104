// SPDX-License-Identifier: GPL-2.0-only
/*
 * The preemption timer ends before the guest's TSC has reached the deadline, as
 * it does on CPUs with erratum EMR158, and when userspace moves the TSC back
 * while the timer is armed, which is how this test makes it happen:
 *
 * - the interrupt comes once, and not before the deadline by the guest's TSC;
 * - each such exit is counted as re-armed.
 *
 * Only the fast path promises that, KVM's generic code delivers early.
 */
#include "kvm_test_harness.h"
#include "test_util.h"

#include "deadline_timer.h"
#include "fastpath.h"
#include "vcpu_state.h"

#define NR_ROUNDS	50
#define DEADLINE_US	2000
/* By less than the deadline, so that the move is over before it. */
#define MOVE_US		1500

static void guest_code(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(DEADLINE_US));
		GUEST_SYNC(i);
		/* The timer's handler asserts that the deadline has come. */
		timer_wait(i);
		timer_quiet(i, 10);
	}
	GUEST_DONE();
}

TEST(rearmed)
{
	u64 stage, rearmed;
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;
	int khz;

	if (!fastpath_delivers())
		SKIP(return, "the fast path does not deliver here");

	vm = vm_create_with_one_vcpu(&vcpu, guest_code);
	timer_vcpu_init(vcpu, true);
	khz = __vcpu_ioctl(vcpu, KVM_GET_TSC_KHZ, NULL);
	TEST_ASSERT(khz > 0, "KVM_GET_TSC_KHZ returned %d", khz);

	while ((stage = run_to_sync(vcpu)) != GUEST_IS_DONE)
		move_tsc_offset(vcpu, -(s64)khz * MOVE_US / 1000);

	/* A round that took too long has no timer left to end early. */
	rearmed = fastpath_counter(vm, "rearmed_early");
	ksft_print_msg("%lu of %d exits re-armed\n", rearmed, NR_ROUNDS);
	TEST_ASSERT(rearmed >= NR_ROUNDS / 2, "%lu early exits of %d were re-armed",
		    rearmed, NR_ROUNDS);
	kvm_vm_free(vm);
}

int main(int argc, char *argv[])
{
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	return test_harness_run(argc, argv);
}
