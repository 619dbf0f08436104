// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests that execute HLT, PAUSE or MWAIT without exits, on a host that may post
 * the timer interrupt from another CPU (kvm.pi_inject_timer) and on one that may
 * not:
 *
 * - Each deadline gives one interrupt, never early, also to a guest that the
 *   timer finds in HLT's activity state, or waiting in MWAIT.
 * - On a host with kvm.pi_inject_timer, as isolated ones are, a guest whose HLT
 *   exits keeps the preemption timer, and with it the fast path.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_ROUNDS	300
#define PI_INJECT_TIMER	"/sys/module/kvm/parameters/pi_inject_timer"

FIXTURE(tsc_deadline_no_exits) {
	struct kvm_vcpu *vcpu;
	struct param pi_inject_timer;
};

FIXTURE_VARIANT(tsc_deadline_no_exits) {
	u64 mask;
	const char *pi_inject_timer;
	bool x2apic;
};

#define VARIANT(name, _mask, pi)				\
	FIXTURE_VARIANT_ADD(tsc_deadline_no_exits, name) {	\
		.mask = _mask,					\
		.pi_inject_timer = pi,				\
		.x2apic = true,					\
	}

VARIANT(hlt, KVM_X86_DISABLE_EXITS_HLT, "0");
VARIANT(hlt_posted, KVM_X86_DISABLE_EXITS_HLT, "1");
VARIANT(pause, KVM_X86_DISABLE_EXITS_PAUSE, "0");
VARIANT(pause_posted, KVM_X86_DISABLE_EXITS_PAUSE, "1");
VARIANT(mwait, KVM_X86_DISABLE_EXITS_MWAIT, "0");
VARIANT(mwait_posted, KVM_X86_DISABLE_EXITS_MWAIT, "1");
VARIANT(none, 0, "0");
VARIANT(none_posted, 0, "1");

FIXTURE_SETUP(tsc_deadline_no_exits)
{
	struct kvm_vm *vm;

	param_save(&self->pi_inject_timer, PI_INJECT_TIMER);
	if (!param_set(&self->pi_inject_timer, variant->pi_inject_timer))
		SKIP(return, "kvm.pi_inject_timer cannot be set");
	if ((kvm_check_cap(KVM_CAP_X86_DISABLE_EXITS) & variant->mask) != variant->mask)
		SKIP(return, "KVM cannot leave this instruction to the guest");

	vm = vm_create(1);
	if (variant->mask)
		vm_enable_cap(vm, KVM_CAP_X86_DISABLE_EXITS, variant->mask);
	self->vcpu = vm_vcpu_add(vm, 0, NULL);
	timer_vcpu_init(self->vcpu, variant->x2apic);
}

/* In the parent, so that a test that dies leaves the parameter as it was. */
FIXTURE_TEARDOWN_PARENT(tsc_deadline_no_exits)
{
	param_restore(&self->pi_inject_timer);
}

/* STI's shadow: no interrupt comes between the check of the count and the sleep. */
static void halt(void)
{
	asm volatile("sti; hlt; cli" ::: "memory");
}

static void monitor_and_wait(void)
{
	asm volatile("monitor" :: "a"(&timer_count), "c"(0), "d"(0));
	asm volatile("sti; mwait; cli" :: "a"(0), "c"(0) : "memory");
}

/* Wait for each deadline, some ticks to some seconds ahead, by @sleep, with IRQs off. */
static void guest_sleeps(void (*sleep)(void))
{
	u64 i, limit;
	u32 random;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		random = guest_random_u32(&guest_rng);
		timer_arm(i % 8 ? rdtsc() + (random & (BIT(random >> 27) - 1)) : 1);
		limit = max(rdtsc(), timer_deadline) + us_to_tsc(1000000);
		/* After a lost wakeup HLT sleeps on until the harness gives up. */
		while (timer_count < i) {
			sleep();
			__GUEST_ASSERT(rdtsc() < limit, "interrupt %lu lost", i);
		}
		GUEST_ASSERT_EQ(timer_count, i);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

static void guest_halts(void)
{
	guest_sleeps(halt);
}

TEST_F(tsc_deadline_no_exits, halts)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_halts);
	run_to_done(self->vcpu);
}

static void guest_mwaits(void)
{
	guest_sleeps(monitor_and_wait);
}

TEST_F(tsc_deadline_no_exits, mwaits)
{
	if (!(variant->mask & KVM_X86_DISABLE_EXITS_MWAIT))
		SKIP(return, "MWAIT exits, and KVM takes it for a NOP");

	vcpu_arch_set_entry_point(self->vcpu, guest_mwaits);
	run_to_done(self->vcpu);
}

static void guest_pauses(void)
{
	u64 i, limit;

	timer_enable();
	irqs_on();
	for (i = 1; i <= NR_ROUNDS; i++) {
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(50));
		limit = rdtsc() + us_to_tsc(1000000);
		while (READ_ONCE(timer_count) < i) {
			cpu_relax();
			__GUEST_ASSERT(rdtsc() < limit, "interrupt %lu lost", i);
		}
		GUEST_ASSERT_EQ(timer_count, i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_no_exits, pauses)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_pauses);
	run_to_done(self->vcpu);
}

TEST_F(tsc_deadline_no_exits, preemption_timer_kept)
{
	u64 expiries;

	if (variant->mask & (KVM_X86_DISABLE_EXITS_HLT | KVM_X86_DISABLE_EXITS_MWAIT))
		SKIP(return, "KVM may choose another timer for this guest");
	if (!fastpath_delivers())
		SKIP(return, "the fast path does not deliver here");

	vcpu_arch_set_entry_point(self->vcpu, guest_pauses);
	run_to_done(self->vcpu);
	expiries = fastpath_counter(self->vcpu->vm, "handled_preemption_timer");
	TEST_ASSERT(expiries >= NR_ROUNDS / 4, "%lu expiries of %d took the fast path",
		    expiries, NR_ROUNDS / 2);
}

TIMER_TEST_MAIN
