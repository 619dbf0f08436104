// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TSC-deadline timer and System Management Mode:
 *
 * - A deadline that comes in SMM gives its one interrupt after RSM, with IRQs
 *   on or off, and the MSR reads 0 in SMM from then on.
 * - A deadline that SMM writes, ahead, in the past or 0, counts as any other.
 * - The SMI itself may come at any time of the timer's life.
 */
#include "test_util.h"

#include "smm_asm.h"
#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_ROUNDS	50
/* How long SMM holds an expiry up: more than the host may hold up the expiry. */
#define HELD_UP_US	200
/* KVM names it in the upper half of a slot. */
#define SMM_ADDRESS_SPACE	1

FIXTURE(tsc_deadline_smm) {
	struct kvm_vcpu *vcpu;
};

FIXTURE_SETUP(tsc_deadline_smm)
{
	struct kvm_userspace_memory_region2 smram;
	struct kvm_vm *vm;

	if (!kvm_has_cap(KVM_CAP_X86_SMM))
		SKIP(return, "KVM has no SMM");

	vm = vm_create_with_one_vcpu(&self->vcpu, NULL);
	timer_vcpu_init(self->vcpu, true);

	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, SMRAM_GPA, SMRAM_SLOT,
				    SMRAM_PAGES, 0);
	virt_map(vm, SMRAM_GPA, SMRAM_GPA, SMRAM_PAGES);
	/* The same memory in SMM, where the guest's other memory is not seen. */
	smram = memslot2region(vm, SMRAM_SLOT)->region;
	smram.slot |= SMM_ADDRESS_SPACE << 16;
	vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &smram);

	memcpy(addr_gpa2hva(vm, SMRAM_GPA) + SMM_ENTRY, smi_handler,
	       smi_handler_end - smi_handler);
	vcpu_set_msr(self->vcpu, MSR_IA32_SMBASE, SMRAM_GPA);
}

FIXTURE_TEARDOWN(tsc_deadline_smm)
{
	kvm_vm_free(self->vcpu->vm);
}

static struct smm_orders *const orders = (void *)(SMRAM_GPA + SMM_ORDERS);

/* Enter SMM, and leave it when the TSC has reached @until. */
static void smi(u64 until)
{
	u64 count = READ_ONCE(orders->count);

	WRITE_ONCE(orders->until, until);
	timer_self_ipi(APIC_DM_SMI, 0);
	GUEST_ASSERT_EQ(READ_ONCE(orders->count), count + 1);
}

static void guest_expiry_in_smm(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(500));
		if (i & 1)
			irqs_on();
		smi(timer_deadline + us_to_tsc(HELD_UP_US));
		GUEST_ASSERT_EQ(READ_ONCE(orders->msr), 0);
		GUEST_ASSERT_EQ(timer_count, i & 1 ? i : i - 1);
		timer_wait(i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_smm, expiry_in_smm)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_expiry_in_smm);
	run_to_done(self->vcpu);
}

static void guest_armed_in_smm(void)
{
	u64 now;
	int i;

	timer_enable();
	WRITE_ONCE(orders->write, 1);
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		now = rdtsc();
		timer_deadline = i % 3 == 0 ? 1 : now + us_to_tsc(2000);
		WRITE_ONCE(orders->deadline, timer_deadline);
		/* In turn: in the past, over in SMM, still to come after RSM. */
		smi(i % 3 == 1 ? timer_deadline + us_to_tsc(HELD_UP_US) : now);
		if (i % 3 == 2)
			timer_in_time(timer_deadline);
		GUEST_ASSERT_EQ(READ_ONCE(orders->msr), i % 3 == 2 ? timer_deadline : 0);
		GUEST_ASSERT_EQ(timer_msr(), READ_ONCE(orders->msr));
		timer_wait(i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_smm, armed_in_smm)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_armed_in_smm);
	run_to_done(self->vcpu);
}

static void guest_disarmed_in_smm(void)
{
	u64 deadline;
	int i;

	timer_enable();
	WRITE_ONCE(orders->write, 1);
	WRITE_ONCE(orders->deadline, 0);
	irqs_on();
	for (i = 0; i < NR_ROUNDS; i++) {
		deadline = rdtsc() + us_to_tsc(2000);
		timer_arm(deadline);
		smi(0);
		timer_in_time(deadline);
		GUEST_ASSERT_EQ(timer_msr(), 0);
		spin_until(deadline + us_to_tsc(20));
		GUEST_ASSERT_EQ(timer_count, 0);
	}
	GUEST_DONE();
}

TEST_F(tsc_deadline_smm, disarmed_in_smm)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_disarmed_in_smm);
	run_to_done(self->vcpu);
}

static void guest_smi_around_expiry(void)
{
	u32 random;
	int i;

	timer_enable();
	irqs_on();
	for (i = 1; i <= 4 * NR_ROUNDS; i++) {
		random = guest_random_u32(&guest_rng);
		timer_arm(rdtsc() + (random & 0x3fff));
		spin_until(rdtsc() + (random >> 16 & 0xfff));
		smi(0);
		timer_wait(i);
	}
	timer_quiet(4 * NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_smm, smi_around_expiry)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_smi_around_expiry);
	run_to_done(self->vcpu);
}

TIMER_TEST_MAIN
