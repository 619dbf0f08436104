// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest for perf to count: it ticks a given number of times, then the VM's
 * own counts are printed, one "name value" a line.  perf_counts.sh compares
 * them with what perf stat saw of this process.
 *
 * usage: perf_counts_guest [TICKS]
 */
#include "test_util.h"

#include "deadline_timer.h"
#include "fastpath.h"

static void guest_ticks(u64 ticks)
{
	u64 i;

	timer_enable();
	for (i = 1; i <= ticks; i++) {
		/* In turn: at once, and after a wait. */
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(20));
		timer_wait(i);
	}
	GUEST_DONE();
}

int main(int argc, char *argv[])
{
	u64 ticks = argc > 1 ? atoi_positive("TICKS", argv[1]) : 1000;
	struct kvm_vcpu *vcpu;

	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	vm_create_with_one_vcpu(&vcpu, guest_ticks);
	timer_vcpu_init(vcpu, true);
	vcpu_args_set(vcpu, 1, ticks);
	run_to_done(vcpu);

	printf("exits %lu\n", vcpu_stat(vcpu, "exits"));
	if (fastpath_present()) {
		printf("handled %lu\n", fastpath_counters(vcpu->vm, "handled_"));
		printf("bail %lu\n", fastpath_counters(vcpu->vm, "bail_"));
		printf("delivered %lu\n", fastpath_counters(vcpu->vm, "delivered"));
	}
	kvm_vm_free(vcpu->vm);
	return 0;
}
