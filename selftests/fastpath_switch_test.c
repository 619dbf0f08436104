// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module parameter fastpath, and what the counters say of it:
 *
 * - With fastpath=1 a guest's deadline writes and expiries take the fast path;
 *   every exit on a deadline write is accounted for, as handled or as left to
 *   the generic path for a reason.
 * - With fastpath=0 none does, and none is counted.
 * - KVM's own statistics count each exit, whichever path it took.
 * - Flipped by the host while a guest ticks, the parameter costs the guest no
 *   interrupt and gives it none too many or too early.
 */
#include "kvm_test_harness.h"
#include "test_util.h"

#include "deadline_timer.h"
#include "fastpath.h"
#include "ticker.h"

#define NR_WRITES	1000
#define NR_TICKS	10000
#define NR_FLIPS	1000
#define FLIP_PERIOD_US	500

#define WRMSR_HANDLED	"handled_wrmsr_tscdeadline"
#define TIMER_HANDLED	"handled_preemption_timer"

/* Deadlines in reach of the preemption timer, which never come. */
static void guest_writes(void)
{
	int i;

	timer_enable();
	GUEST_SYNC(1);
	for (i = 0; i < NR_WRITES; i++)
		timer_arm(rdtsc() + us_to_tsc(1000000));
	GUEST_SYNC(2);
	GUEST_DONE();
}

static void guest_ticks(void)
{
	int i;

	timer_enable();
	GUEST_SYNC(1);
	for (i = 1; i <= NR_WRITES; i++) {
		timer_arm(rdtsc() + us_to_tsc(50));
		timer_wait(i);
	}
	GUEST_SYNC(2);
	GUEST_DONE();
}

FIXTURE(fastpath) {
	struct kvm_vcpu *vcpu;
	bool saved;
};

FIXTURE_VARIANT(fastpath) {
	bool x2apic;
};

FIXTURE_VARIANT_ADD(fastpath, xapic) {
	.x2apic = false,
};

FIXTURE_VARIANT_ADD(fastpath, x2apic) {
	.x2apic = true,
};

FIXTURE_SETUP(fastpath)
{
	if (fastpath_present())
		self->saved = fastpath_get();
	vm_create_with_one_vcpu(&self->vcpu, NULL);
	timer_vcpu_init(self->vcpu, variant->x2apic);
}

/* In the parent, so that a test that dies leaves the parameter as it was. */
FIXTURE_TEARDOWN_PARENT(fastpath)
{
	if (fastpath_present())
		fastpath_set(self->saved);
}

struct counts {
	u64 exits;
	u64 wrmsr;
	u64 timer;
	u64 bails;
};

static struct counts get_counts(struct kvm_vcpu *vcpu)
{
	struct counts counts = {
		.exits = vcpu_stat(vcpu, "exits"),
	};

	if (fastpath_present()) {
		counts.wrmsr = fastpath_counter(vcpu->vm, WRMSR_HANDLED);
		counts.timer = fastpath_counter(vcpu->vm, TIMER_HANDLED);
		counts.bails = fastpath_counters(vcpu->vm, "bail_");
	}
	return counts;
}

/* Run a guest that goes from checkpoint 1 to 2, and return what it counted. */
static struct counts count_guest(struct kvm_vcpu *vcpu, void *guest_code)
{
	struct counts before, after;
	u64 stage;

	vcpu_arch_set_entry_point(vcpu, guest_code);
	stage = run_to_sync(vcpu);
	TEST_ASSERT_EQ(stage, 1);
	before = get_counts(vcpu);
	stage = run_to_sync(vcpu);
	TEST_ASSERT_EQ(stage, 2);
	after = get_counts(vcpu);
	run_to_done(vcpu);

	after.exits -= before.exits;
	after.wrmsr -= before.wrmsr;
	after.timer -= before.timer;
	after.bails -= before.bails;
	ksft_print_msg("exits %lu, handled: WRMSR %lu, preemption timer %lu, bails %lu\n",
		       after.exits, after.wrmsr, after.timer, after.bails);
	return after;
}

TEST_F(fastpath, exits_counted)
{
	struct counts counts = count_guest(self->vcpu, guest_writes);

	TEST_ASSERT(counts.exits >= NR_WRITES, "%lu exits for %d deadline writes",
		    counts.exits, NR_WRITES);
	kvm_vm_free(self->vcpu->vm);
}

TEST_F(fastpath, taken_by_writes)
{
	struct counts counts;

	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");

	fastpath_set(true);
	counts = count_guest(self->vcpu, guest_writes);
	/* A write that meets host work is left to the generic path, few do. */
	TEST_ASSERT(counts.wrmsr >= NR_WRITES / 2 && counts.wrmsr <= NR_WRITES,
		    "%lu of %d deadline writes took the fast path",
		    counts.wrmsr, NR_WRITES);
	TEST_ASSERT(counts.wrmsr + counts.bails >= NR_WRITES,
		    "%d deadline writes, but %lu handled and %lu bails",
		    NR_WRITES, counts.wrmsr, counts.bails);
	TEST_ASSERT(counts.exits >= counts.wrmsr + counts.timer,
		    "%lu exits, but %lu fast ones", counts.exits,
		    counts.wrmsr + counts.timer);
	kvm_vm_free(self->vcpu->vm);
}

TEST_F(fastpath, taken_by_expiries)
{
	struct counts counts;

	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");
	if (!get_kvm_intel_param_bool("preemption_timer"))
		SKIP(return, "without the preemption timer an expiry is a host interrupt");

	fastpath_set(true);
	counts = count_guest(self->vcpu, guest_ticks);
	TEST_ASSERT(counts.timer >= NR_WRITES / 2 && counts.timer <= NR_WRITES,
		    "%lu of %d expiries took the fast path", counts.timer, NR_WRITES);
	TEST_ASSERT(counts.exits >= counts.wrmsr + counts.timer,
		    "%lu exits, but %lu fast ones", counts.exits,
		    counts.wrmsr + counts.timer);
	kvm_vm_free(self->vcpu->vm);
}

/* With APICv EOI does not exit, and in xAPIC mode it takes the emulator. */
TEST_F(fastpath, taken_by_eoi)
{
	u64 handled;

	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");
	if (get_kvm_intel_param_bool("enable_apicv") || !variant->x2apic)
		SKIP(return, "EOI has no exit that could be handled");

	fastpath_set(true);
	count_guest(self->vcpu, guest_ticks);
	handled = fastpath_counter(self->vcpu->vm, "handled_x2apic_eoi");
	TEST_ASSERT(handled >= NR_WRITES / 2 && handled <= NR_WRITES,
		    "%lu of %d EOIs took the fast path", handled, NR_WRITES);
	kvm_vm_free(self->vcpu->vm);
}

TEST_F(fastpath, not_taken_when_off)
{
	struct counts counts;

	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");

	fastpath_set(false);
	counts = count_guest(self->vcpu, guest_ticks);
	TEST_ASSERT(!counts.wrmsr && !counts.timer,
		    "fastpath=0, but %lu writes and %lu expiries took the fast path",
		    counts.wrmsr, counts.timer);
	TEST_ASSERT(counts.exits >= 2 * NR_WRITES, "%lu exits for %d writes and expiries",
		    counts.exits, NR_WRITES);
	kvm_vm_free(self->vcpu->vm);
}

static void flip(void *unused)
{
	int i;

	for (i = 0; i < NR_FLIPS; i++) {
		fastpath_set(i & 1);
		usleep(FLIP_PERIOD_US);
	}
}

TEST_F_TIMEOUT(fastpath, flipped_while_ticking, 120)
{
	struct ticker ticker;
	struct counts counts;

	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");

	ticker = ticker_run(self->vcpu, NR_TICKS, flip, NULL);

	counts = get_counts(self->vcpu);
	ksft_print_msg("%d flips, exits %lu, handled: WRMSR %lu, preemption timer %lu\n",
		       NR_FLIPS, counts.exits, counts.wrmsr, counts.timer);
	/* Both paths had their share, or nothing was tested. */
	TEST_ASSERT(counts.wrmsr, "No write took the fast path");
	TEST_ASSERT(counts.wrmsr < ticker.ticks,
		    "%lu ticks, all %lu writes took the fast path", ticker.ticks,
		    counts.wrmsr);
	kvm_vm_free(self->vcpu->vm);
}

int main(int argc, char *argv[])
{
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	return test_harness_run(argc, argv);
}
