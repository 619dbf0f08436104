// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a vCPU's work while its TSC-deadline timer is armed or has just
 * expired:
 *
 * - INIT and SIPI from another vCPU: the deadline is gone, the MSR reads 0, and
 *   nothing is requested any more.
 * - A reset by userspace, which restores the state of a new vCPU: the same, and
 *   the guest that is started again sees no interrupt of its former life.
 * - The VM closed, or its process killed, at any time of the timer's life: a
 *   host that watches its memory and locks has nothing to say.
 *
 * And a guest in real mode ticks like any other, also with a PIC and an IOAPIC of
 * userspace's.
 */
#include <signal.h>
#include <sys/wait.h>

#include "test_util.h"

#include "real_mode_asm.h"
#include "timer_fixture.h"
#include "vcpu_state.h"

#define ARMED_US	5000
#define NR_CLOSED	8
#define NR_KILLED	8

enum {
	ARMED = 1,
	REQUESTED,
	SENT_INIT,
	SENT_SIPI,
};

static void guest_armed(void)
{
	timer_enable();
	timer_arm(rdtsc() + us_to_tsc(ARMED_US));
	irqs_on();
	GUEST_SYNC(ARMED);
	GUEST_FAIL("INIT was ignored");
}

static void guest_requested(void)
{
	timer_enable();
	timer_arm(rdtsc() + us_to_tsc(20));
	timer_wait_requested();
	GUEST_SYNC(REQUESTED);
	GUEST_FAIL("INIT was ignored");
}

/* To the vCPU with APIC ID 1. */
static void send_ipi(u32 low)
{
	wrmsr(APIC_BASE_MSR + (APIC_ICR >> 4), 1ull << 32 | APIC_INT_ASSERT | low);
}

static void guest_sender(void)
{
	x2apic_enable();
	send_ipi(APIC_DM_INIT);
	GUEST_SYNC(SENT_INIT);
	send_ipi(APIC_DM_STARTUP | REAL_MODE_CODE >> 12);
	GUEST_SYNC(SENT_SIPI);
	GUEST_DONE();
}

static void put_code(struct kvm_vm *vm, const char *from, const char *to)
{
	TEST_ASSERT(to - from <= REAL_MODE_DATA - REAL_MODE_CODE,
		    "The code takes %zd bytes", to - from);
	memset(addr_gpa2hva(vm, REAL_MODE_DATA), 0, REAL_MODE_STACK - REAL_MODE_DATA);
	memcpy(addr_gpa2hva(vm, REAL_MODE_CODE), from, to - from);
}

static void expect_report(struct kvm_vcpu *vcpu, u8 wanted)
{
	struct kvm_run *run = vcpu->run;
	u8 report;

	vcpu_run(vcpu);
	TEST_ASSERT_KVM_EXIT_REASON(vcpu, KVM_EXIT_IO);
	TEST_ASSERT(run->io.port == REAL_MODE_PORT, "Exit at port 0x%x", run->io.port);
	report = *((u8 *)run + run->io.data_offset);
	TEST_ASSERT(report == wanted, "The guest reports %u, wanted %u", report, wanted);
}

static void init_while(void *guest_code, u64 stage)
{
	struct kvm_vcpu *vcpus[2];
	struct kvm_vm *vm;

	vm = vm_create_with_vcpus(2, guest_sender, vcpus);
	timer_vm_init(vm, true);
	vcpu_set_cpuid_feature(vcpus[1], X86_FEATURE_TSC_DEADLINE_TIMER);
	vcpu_arch_set_entry_point(vcpus[1], guest_code);
	put_code(vm, sipi_code, sipi_code_end);

	/* One thread runs both, so that the INIT meets the state it shall. */
	expect_stage(vcpus[1], stage);
	expect_stage(vcpus[0], SENT_INIT);
	expect_stage(vcpus[0], SENT_SIPI);
	run_to_done(vcpus[0]);

	/* It waits with IRQs off until any deadline is over. */
	expect_report(vcpus[1], REAL_MODE_DONE);
	expect_state(vcpus[1], 0, false, false);
	TEST_ASSERT(lapic_reg(vcpus[1], APIC_LVTT) == APIC_LVT_MASKED,
		    "LVTT is 0x%x after INIT", lapic_reg(vcpus[1], APIC_LVTT));
	kvm_vm_free(vm);
}

TEST(init_while_armed)
{
	init_while(guest_armed, ARMED);
}

TEST(init_while_requested)
{
	init_while(guest_requested, REQUESTED);
}

/* Set by the host for the guest's second life. */
static bool reborn;

static void guest_reset(void)
{
	if (reborn) {
		GUEST_ASSERT_EQ(timer_msr(), 0);
		timer_enable();
		timer_deadline = 0;
		timer_quiet(0, 2 * ARMED_US);
		timer_arm(rdtsc() + us_to_tsc(20));
		timer_wait(1);
		GUEST_DONE();
	}

	timer_enable();
	timer_arm(rdtsc() + us_to_tsc(ARMED_US));
	GUEST_SYNC(ARMED);

	timer_arm(1);
	GUEST_SYNC(REQUESTED);
	GUEST_FAIL("The reset did nothing");
}

static void reset_at(u64 stage)
{
	struct kvm_lapic_state lapic;
	struct kvm_x86_state *state;
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;
	u64 i;

	vm = vm_create_with_one_vcpu(&vcpu, guest_reset);
	timer_vcpu_init(vcpu, true);
	vcpu_ioctl(vcpu, KVM_GET_LAPIC, &lapic);
	state = vcpu_save_state(vcpu);

	for (i = ARMED; i <= stage; i++)
		expect_stage(vcpu, i);

	write_guest_global(vm, reborn, true);
	vcpu_load_state(vcpu, state);
	vcpu_ioctl(vcpu, KVM_SET_LAPIC, &lapic);
	expect_state(vcpu, 0, false, false);
	run_to_done(vcpu);

	kvm_x86_state_cleanup(state);
	kvm_vm_free(vm);
}

TEST(reset_while_armed)
{
	reset_at(ARMED);
}

TEST(reset_while_requested)
{
	reset_at(REQUESTED);
}

static void guest_closed(u64 us)
{
	timer_enable();
	/* In turn: in the past, just ahead, and in reach for the VM's whole life. */
	timer_arm(us ? rdtsc() + us_to_tsc(us) : 1);
	GUEST_SYNC(ARMED);
}

TEST(closed_while_armed)
{
	static const u64 us[] = { 0, 10, 100, 1000, 1000000 };
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;
	int i;

	for (i = 0; i < NR_CLOSED; i++) {
		vm = vm_create_with_one_vcpu(&vcpu, guest_closed);
		timer_vcpu_init(vcpu, true);
		vcpu_args_set(vcpu, 1, us[i % ARRAY_SIZE(us)]);
		expect_stage(vcpu, ARMED);
		kvm_vm_free(vm);
	}
}

static void rearm(void)
{
	timer_arm(rdtsc() + (guest_random_u32(&guest_rng) & 0xfff));
}

static void guest_forever(void)
{
	timer_enable();
	timer_callback = rearm;
	rearm();
	irqs_on();
	for (;;)
		cpu_relax();
}

TEST(killed_while_ticking)
{
	struct kvm_vcpu *vcpu;
	int i, status;
	pid_t child;

	for (i = 0; i < NR_KILLED; i++) {
		child = fork();
		TEST_ASSERT(child >= 0, "No child, errno %d", errno);
		if (!child) {
			vm_create_with_one_vcpu(&vcpu, guest_forever);
			timer_vcpu_init(vcpu, true);
			_vcpu_run(vcpu);
			_exit(1);
		}

		usleep(20000 + 100 * i);
		kill(child, SIGKILL);
		TEST_ASSERT(waitpid(child, &status, 0) == child, "No end, errno %d", errno);
		TEST_ASSERT(WIFSIGNALED(status), "The guest ended with status 0x%x", status);
	}
}

static void tick_in_real_mode(struct kvm_vm *vm)
{
	struct kvm_vcpu *vcpu;

	vcpu = __vm_vcpu_add(vm, 0);
	vcpu_init_cpuid(vcpu, kvm_get_supported_cpuid());
	vcpu_set_cpuid_feature(vcpu, X86_FEATURE_TSC_DEADLINE_TIMER);
	put_code(vm, tick_code, tick_code_end);

	start_in_real_mode(vcpu, REAL_MODE_CODE);
	expect_report(vcpu, REAL_MODE_DONE);
	kvm_vm_free(vm);
}

TEST(real_mode)
{
	if (!get_kvm_intel_param_bool("unrestricted_guest"))
		SKIP(return, "KVM's emulation of real mode does not get through this code");
	tick_in_real_mode(vm_create(1));
}

TEST(real_mode_split_irqchip)
{
	struct kvm_vm *vm;

	if (!get_kvm_intel_param_bool("unrestricted_guest"))
		SKIP(return, "KVM's emulation of real mode does not get through this code");

	vm = vm_create_barebones();
	/* With the pins of an IOAPIC. */
	vm_enable_cap(vm, KVM_CAP_SPLIT_IRQCHIP, 24);
	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, 0, 0,
				    REAL_MODE_STACK / PAGE_SIZE, 0);
	tick_in_real_mode(vm);
}

TIMER_TEST_MAIN
