// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest to look at while it runs: ticks come in groups, in whose waits the guest
 * stays busy, so that the preemption timer expires; in between it halts, which
 * leaves the CPU to those that look.  It goes on until it is killed.
 */
#include "deadline_timer.h"
#include "fastpath.h"

#define GROUP		20
#define WAIT_US		50
#define PAUSE_US	20000

static void guest_ticks(void)
{
	u64 ticks = 0, end;

	timer_enable();
	for (;;) {
		for (end = ticks + GROUP; ticks < end;) {
			timer_arm(rdtsc() + us_to_tsc(WAIT_US));
			timer_wait(++ticks);
		}
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(PAUSE_US));
		for (ticks++; READ_ONCE(timer_count) < ticks;)
			asm volatile("sti; hlt; cli" ::: "memory");
	}
}

int main(void)
{
	struct kvm_vcpu *vcpu;

	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	vm_create_with_one_vcpu(&vcpu, guest_ticks);
	timer_vcpu_init(vcpu, true);
	run_to_done(vcpu);
	kvm_vm_free(vcpu->vm);
	return 1;
}
