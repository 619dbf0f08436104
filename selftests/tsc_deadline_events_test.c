// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that userspace, or another part of KVM, brings while the TSC-deadline
 * timer is armed or expires:
 *
 * - A forced immediate exit, which KVM makes with the preemption timer, is not an
 *   expiry: the deadline stays armed.
 * - A memslot taken away and put back, so that the delivery of an interrupt is
 *   interrupted by EPT violations: each interrupt still comes once.
 * - Interrupts that KVM has to open a window for: an NMI in an NMI's handler, and
 *   the PIC's with IRQs off.
 * - APICv inhibited and not, at run time, by a Hyper-V AutoEOI vector; IRQs
 *   blocked by userspace's debugger: none lost, none twice.
 * - A vector that was level-triggered: its EOI reaches the IOAPIC, and the timer
 *   on the same vector is an edge.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_ROUNDS	50
#define FAR_US		5000000ull
#define LAST_ROUND	(NR_ROUNDS + 1)

/* The PIC's pin 4, at the vector that the test gives it. */
#define PIC_VECTOR	0x24
#define PIC_PIN		4
#define IOAPIC_PIN	20

#define HV_X64_MSR_SINT2	0x40000092
#define HV_SINT_AUTO_EOI	BIT(17)
#define HV_SINT_MASKED		BIT(16)
#define AUTO_EOI_VECTOR		0x91

TIMER_FIXTURE(tsc_deadline_events)

static u64 ud_count, pic_count;

static void ud_handler(struct ex_regs *regs)
{
	ud_count++;
}

static void pic_handler(struct ex_regs *regs)
{
	pic_count++;
}

static void guest_forced_immediate_exit(void)
{
	u64 i;

	timer_enable();
	irqs_on();
	for (i = 1; i <= NR_ROUNDS; i++) {
		timer_arm(rdtsc() + us_to_tsc(FAR_US));
		GUEST_SYNC(i);
		GUEST_ASSERT_EQ(ud_count, i);
		GUEST_ASSERT_EQ(nmi_count, i);
		GUEST_ASSERT_EQ(timer_count, 0);
		GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
	}

	/* And the timer still works. */
	timer_arm(rdtsc() + us_to_tsc(20));
	timer_wait(1);
	GUEST_DONE();
}

/*
 * An exception that has to be injected again keeps the NMI waiting, for which KVM
 * enters the guest with the preemption timer at 0.
 */
static void inject_exception_and_nmi(struct kvm_vcpu *vcpu)
{
	struct kvm_vcpu_events events;

	vcpu_events_get(vcpu, &events);
	events.exception.injected = 1;
	events.exception.nr = UD_VECTOR;
	events.exception.has_error_code = 0;
	events.nmi.pending = 1;
	events.flags |= KVM_VCPUEVENT_VALID_NMI_PENDING;
	vcpu_events_set(vcpu, &events);
}

TEST_F(tsc_deadline_events, forced_immediate_exit)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 i;

	vm_install_exception_handler(vcpu->vm, UD_VECTOR, ud_handler);
	vm_install_exception_handler(vcpu->vm, NMI_VECTOR, nmi_handler);
	vcpu_arch_set_entry_point(vcpu, guest_forced_immediate_exit);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		inject_exception_and_nmi(vcpu);
	}
	run_to_done(vcpu);
}

static void guest_immediate_exit(void)
{
	u64 i;

	timer_enable();
	irqs_on();
	for (i = 1; i <= NR_ROUNDS; i++) {
		/* In turn: far, near, and in the past with the interrupt held back. */
		irqs_off();
		timer_arm(i % 3 == 0 ? 1 : rdtsc() + us_to_tsc(i % 3 == 1 ? FAR_US : 100));
		GUEST_SYNC(i);
		if (i % 3 == 1)
			GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
		else
			timer_wait(timer_count + 1);
	}
	GUEST_ASSERT_EQ(timer_count, NR_ROUNDS - (NR_ROUNDS + 2) / 3);
	GUEST_DONE();
}

/* KVM_RUN that returns before it enters the guest, at each point. */
TEST_F(tsc_deadline_events, immediate_exit)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	int i, r;

	vcpu_arch_set_entry_point(vcpu, guest_immediate_exit);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		vcpu->run->immediate_exit = 1;
		r = __vcpu_run(vcpu);
		TEST_ASSERT(r == -1 && errno == EINTR, "KVM_RUN returned %d, errno %d", r,
			    errno);
		vcpu->run->immediate_exit = 0;
	}
	run_to_done(vcpu);
}

/* Take the memory away and put it back: whatever was mapped faults once more. */
static void zap_memslots(struct kvm_vm *vm)
{
	struct userspace_mem_region *region = memslot2region(vm, 0);
	struct kvm_userspace_memory_region2 gone = region->region;

	gone.memory_size = 0;
	vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &gone);
	vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &region->region);
}

static void guest_faults_in_delivery(void)
{
	u64 i, target;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_self_ipi(APIC_DM_FIXED, OTHER_VECTOR);
		/* From long before to long after the way back into the guest. */
		target = rdtsc() + us_to_tsc(i * 16);
		timer_arm(target);
		GUEST_SYNC(i);
		/* The delivery of OTHER_VECTOR faults, the timer expires about then. */
		timer_wait(i);
		GUEST_ASSERT_EQ(other_count, i);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_ASSERT_EQ(other_count, NR_ROUNDS);
	GUEST_DONE();
}

TEST_F(tsc_deadline_events, faults_in_delivery)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 i;

	vcpu_arch_set_entry_point(vcpu, guest_faults_in_delivery);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		zap_memslots(vcpu->vm);
	}
	run_to_done(vcpu);
}

static void sync_in_nmi(void)
{
	if (nmi_count & 1) {
		GUEST_SYNC((nmi_count + 1) / 2);
		timer_wait_requested();
	}
}

static void guest_nmi_window(void)
{
	u64 i;

	timer_enable();
	nmi_callback = sync_in_nmi;
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(100));
		timer_self_ipi(APIC_DM_NMI, 0);
		timer_wait(i);
		GUEST_ASSERT_EQ(nmi_count, 2 * i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_events, nmi_window)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 i;

	vm_install_exception_handler(vcpu->vm, NMI_VECTOR, nmi_handler);
	vcpu_arch_set_entry_point(vcpu, guest_nmi_window);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		inject_nmi(vcpu);
	}
	run_to_done(vcpu);
}

static void guest_irq_window(void)
{
	u64 i;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(i * 8));
		GUEST_SYNC(i);
		/* Every other time the timer expires while the window is awaited. */
		if (i & 1)
			spin_until(timer_deadline + us_to_tsc(20));
		GUEST_ASSERT_EQ(pic_count, i - 1);
		timer_wait(i);
		GUEST_ASSERT_EQ(pic_count, i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_ASSERT_EQ(pic_count, NR_ROUNDS);
	GUEST_DONE();
}

/* As a BIOS would: vectors from @PIC_VECTOR's on, all pins open, EOI by itself. */
static void init_pic(struct kvm_vm *vm)
{
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_PIC_MASTER };

	vm_ioctl(vm, KVM_GET_IRQCHIP, &chip);
	chip.chip.pic.irq_base = PIC_VECTOR - PIC_PIN;
	chip.chip.pic.imr = 0;
	chip.chip.pic.auto_eoi = 1;
	chip.chip.pic.init_state = 0;
	vm_ioctl(vm, KVM_SET_IRQCHIP, &chip);
}

TEST_F(tsc_deadline_events, irq_window)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	struct kvm_vm *vm = vcpu->vm;
	u64 i;

	vm_install_exception_handler(vm, PIC_VECTOR, pic_handler);
	init_pic(vm);
	vcpu_arch_set_entry_point(vcpu, guest_irq_window);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		kvm_irq_line(vm, PIC_PIN, 1);
		kvm_irq_line(vm, PIC_PIN, 0);
	}
	run_to_done(vcpu);
}

static void guest_apicv_changes(void)
{
	u64 i, j, count = 0;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		/* The change meets an armed, a requested, and an idle timer. */
		irqs_off();
		if (i % 3)
			timer_arm(i % 3 == 1 ? rdtsc() + us_to_tsc(200) : 1);
		GUEST_SYNC(i);
		if (i % 3)
			timer_wait(++count);
		for (j = 0; j < 20; j++) {
			timer_arm(j & 1 ? 1 : rdtsc() + us_to_tsc(10));
			timer_wait(++count);
		}
	}
	timer_quiet(count, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_events, apicv_inhibited_by_auto_eoi)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 i;

	if (!kvm_has_cap(KVM_CAP_HYPERV_SYNIC))
		SKIP(return, "KVM has no SynIC");

	vcpu_arch_set_entry_point(vcpu, guest_apicv_changes);
	vcpu_enable_cap(vcpu, KVM_CAP_HYPERV_SYNIC, 0);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		vcpu_set_msr(vcpu, HV_X64_MSR_SINT2, AUTO_EOI_VECTOR |
			     (i & 1 ? HV_SINT_AUTO_EOI : HV_SINT_MASKED));
	}
	run_to_done(vcpu);
}

/* Interrupts before the IRQs were blocked, from the host. */
static u64 count_when_blocked;

static void guest_irqs_blocked(void)
{
	u64 i;

	timer_enable();
	irqs_on();
	for (i = 1; i <= NR_ROUNDS; i++) {
		timer_arm(rdtsc() + us_to_tsc(2000));
		GUEST_SYNC(2 * i);
		/* Every other round the deadline is yet to come when they are freed. */
		if (i & 1) {
			spin_until(timer_deadline + us_to_tsc(20));
			GUEST_ASSERT_EQ(timer_count, count_when_blocked);
		}
		GUEST_SYNC(2 * i + 1);
		timer_wait(i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

TEST_F(tsc_deadline_events, irqs_blocked_by_debugger)
{
	struct kvm_guest_debug debug = {};
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 i, held_back = 0;

	if (!(kvm_check_cap(KVM_CAP_SET_GUEST_DEBUG2) & KVM_GUESTDBG_BLOCKIRQ))
		SKIP(return, "KVM cannot block IRQs");

	vcpu_arch_set_entry_point(vcpu, guest_irqs_blocked);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, 2 * i);
		/* The host may have held the guest up until after the deadline. */
		sync_global_from_guest(vcpu->vm, timer_count);
		write_guest_global(vcpu->vm, count_when_blocked, timer_count);
		held_back += i & 1 && timer_count == i - 1;
		debug.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_BLOCKIRQ;
		vcpu_guest_debug_set(vcpu, &debug);
		expect_stage(vcpu, 2 * i + 1);
		debug.control = 0;
		vcpu_guest_debug_set(vcpu, &debug);
	}
	run_to_done(vcpu);
	if (!held_back)
		SKIP(return, "the host held the guest up in each round");
}

/* Pin 20 to @vector of APIC ID 0, level-triggered. */
static void init_ioapic(struct kvm_vm *vm, int vector)
{
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_IOAPIC };

	vm_ioctl(vm, KVM_GET_IRQCHIP, &chip);
	chip.chip.ioapic.redirtbl[IOAPIC_PIN].bits = 0;
	chip.chip.ioapic.redirtbl[IOAPIC_PIN].fields.vector = vector;
	chip.chip.ioapic.redirtbl[IOAPIC_PIN].fields.trig_mode = 1;
	vm_ioctl(vm, KVM_SET_IRQCHIP, &chip);
}

static bool remote_irr(struct kvm_vm *vm)
{
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_IOAPIC };

	vm_ioctl(vm, KVM_GET_IRQCHIP, &chip);
	return chip.chip.ioapic.redirtbl[IOAPIC_PIN].fields.remote_irr;
}

/* The level interrupt's vector, from the host. */
static int level_vector;

static void guest_level_triggered(void)
{
	bool shared = level_vector == TIMER_VECTOR;
	u64 i, count = 0, others = 0;

	timer_enable();
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		/* In turn: together with the timer, and alone. */
		if (i & 1)
			timer_arm(1);
		else
			timer_deadline = 0;
		GUEST_SYNC(i);
		irqs_on();
		if (shared) {
			/* Both at once are one. */
			GUEST_ASSERT_EQ(timer_count, ++count);
		} else {
			count += i & 1;
			GUEST_ASSERT_EQ(timer_count, count);
			GUEST_ASSERT_EQ(other_count, ++others);
		}

		/* The first timer interrupt after a level one, and a few more. */
		timer_arm(rdtsc() + us_to_tsc(20));
		timer_wait(++count);
		timer_arm(1);
		timer_wait(++count);
		timer_arm(rdtsc() + us_to_tsc(20));
		timer_wait(++count);
	}
	GUEST_SYNC(LAST_ROUND);
	timer_quiet(count, 500);
	GUEST_DONE();
}

static void level_triggered(struct kvm_vcpu *vcpu, int vector)
{
	struct kvm_vm *vm = vcpu->vm;
	u64 i;

	write_guest_global(vm, level_vector, vector);
	init_ioapic(vm, vector);
	vcpu_arch_set_entry_point(vcpu, guest_level_triggered);
	for (i = 1; i <= NR_ROUNDS; i++) {
		expect_stage(vcpu, i);
		TEST_ASSERT(!remote_irr(vm), "The IOAPIC saw no EOI in round %lu", i - 1);
		kvm_irq_line(vm, IOAPIC_PIN, 1);
		kvm_irq_line(vm, IOAPIC_PIN, 0);
		TEST_ASSERT(remote_irr(vm), "The IOAPIC sent no interrupt in round %lu", i);
	}
	expect_stage(vcpu, LAST_ROUND);
	TEST_ASSERT(!remote_irr(vm), "The IOAPIC saw no EOI in the last round");
	run_to_done(vcpu);
}

TEST_F(tsc_deadline_events, level_triggered_timer_vector)
{
	level_triggered(self->vcpu, TIMER_VECTOR);
}

TEST_F(tsc_deadline_events, level_triggered_other_vector)
{
	level_triggered(self->vcpu, OTHER_VECTOR);
}

TIMER_TEST_MAIN
