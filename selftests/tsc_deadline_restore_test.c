// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU saved at any point of its TSC-deadline timer's life, and restored into a
 * new VM by its ioctls in any order:
 *
 * - What the order makes of the timer is KVM's to say, and the same with
 *   fastpath=0 and with fastpath=1: the deadline MSR, the vector requested and in
 *   service, and the number of interrupts that the guest then gets.
 * - A timer that is armed or requested after the restore gives one interrupt, and
 *   no other does.
 *
 * Each order is tried at some of the points; with the environment variable
 * FASTPATH_ALL_ORDERS set, each at all.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

/* Far enough to be ahead still when a VM has been made anew. */
#define AHEAD_US	20000

enum step { SREGS, LAPIC, MSRS, EVENTS, REGS, NR_STEPS };

#define NR_ORDERS	120

/* Where the timer is when the vCPU is saved. */
enum point {
	IDLE,
	ARMED,
	ARMED_MASKED,
	DUE_WHEN_RESTORED,
	REQUESTED,
	IN_SERVICE,
	IN_SERVICE_AND_REQUESTED,
	NR_POINTS,
};

static const char * const point_names[] = {
	[IDLE] = "idle",
	[ARMED] = "armed",
	[ARMED_MASKED] = "armed, masked",
	[DUE_WHEN_RESTORED] = "due when restored",
	[REQUESTED] = "requested",
	[IN_SERVICE] = "in service",
	[IN_SERVICE_AND_REQUESTED] = "in service and requested",
};

enum { SAVE = 1, RESTORED };

/* From the host, and to the host. */
static u64 guest_point;
static u64 guest_msr_after, guest_count;

static void save_in_service(void)
{
	timer_callback = NULL;
	if (guest_point == IN_SERVICE_AND_REQUESTED)
		timer_arm(1);
	GUEST_SYNC(SAVE);
}

static void guest_code(void)
{
	for (;;) {
		timer_enable();
		timer_count = 0;

		switch (guest_point) {
		case ARMED:
			timer_arm(rdtsc() + us_to_tsc(AHEAD_US));
			break;
		case ARMED_MASKED:
			timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE |
					 APIC_LVT_MASKED | TIMER_VECTOR);
			asm volatile("mfence" ::: "memory");
			timer_arm(rdtsc() + us_to_tsc(AHEAD_US));
			break;
		case DUE_WHEN_RESTORED:
			timer_arm(rdtsc() + us_to_tsc(100));
			break;
		case REQUESTED:
			timer_arm(1);
			break;
		case IN_SERVICE:
		case IN_SERVICE_AND_REQUESTED:
			timer_callback = save_in_service;
			timer_arm(1);
			irqs_on();
			break;
		default:
			timer_arm(0);
		}
		if (guest_point != IN_SERVICE && guest_point != IN_SERVICE_AND_REQUESTED)
			GUEST_SYNC(SAVE);

		guest_msr_after = timer_msr();
		irqs_on();
		spin_until(max(timer_deadline, rdtsc()) + us_to_tsc(200));
		irqs_off();
		guest_count = timer_count;
		timer_arm(0);
		GUEST_SYNC(RESTORED);
	}
}

struct outcome {
	/* 0, or 1 for the deadline that was written. */
	u64 msr;
	bool irr;
	bool isr;
	/* The MSR as the guest then reads it, and its interrupts. */
	u64 guest_msr;
	u64 count;
};

/* The order with number @n: the factorial number system. */
static void nth_order(int n, enum step order[NR_STEPS])
{
	bool used[NR_STEPS] = {};
	int base = NR_ORDERS;
	int i, pick, step;

	for (i = 0; i < NR_STEPS; i++) {
		base /= NR_STEPS - i;
		pick = n / base;
		n %= base;
		for (step = 0; used[step] || pick--; step++)
			;
		used[step] = true;
		order[i] = step;
	}
}

static void restore_step(struct kvm_vcpu *vcpu, struct kvm_x86_state *state,
			 struct kvm_lapic_state *lapic, enum step step)
{
	switch (step) {
	case SREGS:
		vcpu_sregs_set(vcpu, &state->sregs);
		break;
	case LAPIC:
		vcpu_ioctl(vcpu, KVM_SET_LAPIC, lapic);
		break;
	case MSRS:
		vcpu_msrs_set(vcpu, &state->msrs);
		break;
	case EVENTS:
		vcpu_events_set(vcpu, &state->events);
		break;
	default:
		vcpu_regs_set(vcpu, &state->regs);
		break;
	}
}

/* Into a new VM on the same memory. */
static struct kvm_vcpu *save_and_restore(struct kvm_vcpu *vcpu, const enum step *order)
{
	struct kvm_vm *vm = vcpu->vm;
	struct kvm_lapic_state lapic;
	struct kvm_x86_state *state;
	int i;

	/* The APIC last: what has to be done before it is read, KVM has done. */
	state = vcpu_save_state(vcpu);
	vcpu_ioctl(vcpu, KVM_GET_LAPIC, &lapic);
	kvm_vm_release(vm);

	vcpu = vm_recreate_with_one_vcpu(vm);
	vcpu_init_cpuid(vcpu, kvm_get_supported_cpuid());
	vcpu_set_cpuid_feature(vcpu, X86_FEATURE_TSC_DEADLINE_TIMER);
	vcpu_xcrs_set(vcpu, &state->xcrs);
	vcpu_xsave_set(vcpu, state->xsave);
	vcpu_debugregs_set(vcpu, &state->debugregs);
	vcpu_mp_state_set(vcpu, &state->mp_state);
	for (i = 0; i < NR_STEPS; i++)
		restore_step(vcpu, state, &lapic, order[i]);

	kvm_x86_state_cleanup(state);
	return vcpu;
}

static u64 known_msr(u64 value, u64 deadline)
{
	return value == deadline ? !!value : value;
}

static struct outcome try_order(struct kvm_vcpu **pvcpu, enum point point,
				const enum step *order)
{
	struct kvm_vcpu *vcpu = *pvcpu;
	struct kvm_vm *vm = vcpu->vm;
	struct outcome outcome;
	u64 count;

	write_guest_global(vm, guest_point, (u64)point);
	expect_stage(vcpu, SAVE);
	vcpu = save_and_restore(vcpu, order);

	sync_global_from_guest(vm, timer_deadline);
	outcome.msr = known_msr(vcpu_get_msr(vcpu, MSR_IA32_TSC_DEADLINE), timer_deadline);
	outcome.irr = lapic_bit(vcpu, APIC_IRR, TIMER_VECTOR);
	outcome.isr = lapic_bit(vcpu, APIC_ISR, TIMER_VECTOR);

	sync_global_from_guest(vm, timer_count);
	count = timer_count;
	expect_stage(vcpu, RESTORED);
	sync_global_from_guest(vm, guest_msr_after);
	sync_global_from_guest(vm, guest_count);
	outcome.guest_msr = known_msr(guest_msr_after, timer_deadline);
	outcome.count = guest_count - count;

	*pvcpu = vcpu;
	return outcome;
}

static void print_order(enum point point, const enum step *order, const char *mode,
			const struct outcome *o)
{
	static const char * const names[] = { "SREGS", "LAPIC", "MSRS", "EVENTS", "REGS" };

	ksft_print_msg("%s, %s %s %s %s %s: %s:\n", point_names[point], names[order[0]],
		       names[order[1]], names[order[2]], names[order[3]],
		       names[order[4]], mode);
	ksft_print_msg("  MSR %lu, IRR %d, ISR %d, guest: MSR %lu, %lu interrupts\n",
		       o->msr, o->irr, o->isr, o->guest_msr, o->count);
}

/* What must hold of any outcome. */
static bool sane(enum point point, const struct outcome *o)
{
	u64 wanted = (o->msr && point != ARMED_MASKED) || o->irr;

	return o->count == wanted;
}

TIMER_FIXTURE(tsc_deadline_restore)

TEST_F_TIMEOUT(tsc_deadline_restore, any_order, 300)
{
	/* Each takes new VMs: fewer where those take long, but of all the first steps. */
	int every = getenv("FASTPATH_ALL_ORDERS") ? 1 : NR_STEPS * min(timer_scale, 4ul);
	bool saved = false;
	int n, point, tried = 0, armed = 0, dropped = 0, bad = 0;
	struct outcome off, on;
	enum step order[NR_STEPS];

	if (fastpath_present())
		saved = fastpath_get();

	vcpu_arch_set_entry_point(self->vcpu, guest_code);
	for (point = 0; point < NR_POINTS; point++) {
		for (n = 0; n < NR_ORDERS; n++) {
			if (n % every != point % every)
				continue;

			nth_order(n, order);
			if (fastpath_present())
				fastpath_set(false);
			off = try_order(&self->vcpu, point, order);
			on = off;
			if (fastpath_present()) {
				fastpath_set(true);
				on = try_order(&self->vcpu, point, order);
			}

			tried++;
			armed += on.msr || on.irr;
			dropped += point != IDLE && !on.msr && !on.irr;
			if (sane(point, &off) && sane(point, &on) &&
			    !memcmp(&on, &off, sizeof(on)))
				continue;
			print_order(point, order, "fastpath=0", &off);
			print_order(point, order, "fastpath=1", &on);
			bad++;
		}
	}
	if (fastpath_present())
		fastpath_set(saved);

	ksft_print_msg("%d restores: %d timers went on, %d were dropped by the order\n",
		       tried, armed, dropped);
	TEST_ASSERT(!bad, "%d restores came out wrong", bad);
	/* All orders lead somewhere, or nothing was tested. */
	TEST_ASSERT(armed && dropped, "%d timers went on, %d were dropped", armed, dropped);
}

TIMER_TEST_MAIN
