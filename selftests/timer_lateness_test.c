// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the deadline, which is where the wait ends, to the first instructions of
 * the interrupt handler: with fastpath=1 the median is no later than with
 * fastpath=0.  Where the fast path does not deliver, it is reported only.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_TICKS	1000
/* Lateness in TSC ticks, one bin each, and the last for all that is more. */
#define NR_BINS		4096

static u64 bins[NR_BINS];

static void record_lateness(void)
{
	bins[min(timer_tsc - timer_deadline, NR_BINS - 1ul)]++;
}

static void guest_ticks(void)
{
	u64 i;

	timer_enable();
	for (i = 1; i <= 2 * NR_TICKS; i++) {
		/* The first half is for the advance to settle. */
		if (i > NR_TICKS)
			timer_callback = record_lateness;
		timer_arm(rdtsc() + us_to_tsc(15) + (guest_random_u32(&guest_rng) & 0x3ff));
		timer_wait(i);
	}
	GUEST_DONE();
}

struct lateness {
	unsigned int min;
	unsigned int median;
	unsigned int p99;
};

static unsigned int percentile(unsigned int percent)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < NR_BINS; i++) {
		sum += bins[i];
		if (sum && sum * 100 >= (u64)percent * NR_TICKS)
			break;
	}
	return i;
}

static struct lateness measure(const char *mode, bool x2apic)
{
	struct lateness lateness;
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;

	vm = vm_create_with_one_vcpu(&vcpu, guest_ticks);
	timer_vcpu_init(vcpu, x2apic);
	run_to_done(vcpu);
	sync_global_from_guest(vm, bins);
	kvm_vm_free(vm);

	lateness.min = percentile(0);
	lateness.median = percentile(50);
	lateness.p99 = percentile(99);
	ksft_print_msg("%s: lateness min %u, median %u, 99%% %u TSC ticks\n", mode,
		       lateness.min, lateness.median, lateness.p99);
	return lateness;
}

static void compare(bool x2apic)
{
	struct lateness off, on;
	bool saved, delivers;

	if (!fastpath_present()) {
		measure("stock", x2apic);
		return;
	}

	saved = fastpath_get();
	fastpath_set(false);
	off = measure("fastpath=0", x2apic);
	fastpath_set(true);
	on = measure("fastpath=1", x2apic);
	delivers = fastpath_delivers();
	fastpath_set(saved);

	if (delivers)
		TEST_ASSERT(on.median <= off.median,
			    "Median %u with fastpath=1, %u with fastpath=0",
			    on.median, off.median);
}

TEST(xapic)
{
	compare(false);
}

TEST(x2apic)
{
	compare(true);
}

TIMER_TEST_MAIN
