// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TSC-deadline timer of a vCPU that runs a guest of its own (L1 its guest, L2
 * that guest's guest):
 *
 * - A WRMSR of the deadline in L2 that L1 intercepts is L1's: it sees the exit,
 *   and its timer is as before.  One that L1 does not intercept arms L1's timer,
 *   whose interrupt L2 takes if L1 lets it.
 * - L1's deadline that comes while L2 runs ends L2 by an external interrupt, with
 *   the vector acknowledged or not, not before the deadline, and once.
 * - The same at the entry of L2 if it was over before; and an entry that another
 *   interrupt ends at once leaves the deadline armed.
 * - L1's preemption timer for L2 and its deadline come each in its time.
 * - L1 ticks as before between the runs of L2.
 * - A VM closed while L2's preemption timer is armed leaves nothing behind.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"
#include "vmx.h"

#define NR_ROUNDS	50
#define FAR_US		5000000ull
#define NR_STACK	512
#define NR_CLOSED	5

static u64 l2_stack[NR_STACK] __aligned(16);
static u64 l2_deadline;
static u64 l2_count;
static bool l2_launched;

FIXTURE(tsc_deadline_nested) {
	struct kvm_vcpu *vcpu;
};

static void nested_vcpu_init(struct kvm_vcpu *vcpu, void *guest_code)
{
	vm_vaddr_t vmx_gva;

	timer_vcpu_init(vcpu, true);
	vcpu_alloc_vmx(vcpu->vm, &vmx_gva);
	vcpu_arch_set_entry_point(vcpu, guest_code);
	vcpu_args_set(vcpu, 1, vmx_gva);
}

FIXTURE_SETUP(tsc_deadline_nested)
{
	if (!kvm_cpu_has(X86_FEATURE_VMX))
		SKIP(return, "kvm_intel.nested is off");
	vm_create_with_one_vcpu(&self->vcpu, NULL);
}

FIXTURE_TEARDOWN(tsc_deadline_nested)
{
	kvm_vm_free(self->vcpu->vm);
}

#define NESTED_TEST(name, guest_code)				\
	TEST_F(tsc_deadline_nested, name)			\
	{							\
		nested_vcpu_init(self->vcpu, guest_code);	\
		run_to_done(self->vcpu);			\
	}

/* L1: VMX on, and a VMCS with these controls on top of what must be set. */
static void l1_init(struct vmx_pages *vmx, u64 pin, u64 exit)
{
	timer_enable();
	GUEST_ASSERT(prepare_for_vmx_operation(vmx));
	GUEST_ASSERT(load_vmcs(vmx));
	prepare_vmcs(vmx, NULL, NULL);
	vmwrite(PIN_BASED_VM_EXEC_CONTROL, vmreadz(PIN_BASED_VM_EXEC_CONTROL) | pin);
	vmwrite(VM_EXIT_CONTROLS, vmreadz(VM_EXIT_CONTROLS) | exit);
	vmwrite(CPU_BASED_VM_EXEC_CONTROL, vmreadz(CPU_BASED_VM_EXEC_CONTROL) |
		CPU_BASED_USE_MSR_BITMAPS);
	l2_launched = false;
}

static u64 resume_l2(void)
{
	GUEST_ASSERT(!(l2_launched ? vmresume() : vmlaunch()));
	l2_launched = true;
	return vmreadz(VM_EXIT_REASON);
}

/* L1: run L2 from the start of @code, and return the reason of its exit. */
static u64 run_l2(void *code)
{
	vmwrite(GUEST_RIP, (u64)code);
	/* As after a call. */
	vmwrite(GUEST_RSP, (u64)&l2_stack[NR_STACK - 1]);
	vmwrite(GUEST_RFLAGS, BIT(1));
	return resume_l2();
}

#define EXPECT_EXIT(exit, reason)					\
do {									\
	u64 _exit = exit;						\
									\
	__GUEST_ASSERT(_exit == (reason), "exit reason %lu, wanted %u",	\
		       _exit, reason);					\
} while (0)

/* KVM reflects the WRMSR if the bit of the MSR in the write bitmap is set. */
static void intercept_deadline_writes(struct vmx_pages *vmx)
{
	u8 *bitmap = vmx->msr + 2048;

	bitmap[MSR_IA32_TSC_DEADLINE / 8] |= BIT(MSR_IA32_TSC_DEADLINE % 8);
}

static void l2_write_deadline(void)
{
	write_deadline(l2_deadline);
	vmcall();
}

static void guest_write_intercepted(struct vmx_pages *vmx)
{
	u64 own;
	int i;

	l1_init(vmx, 0, 0);
	intercept_deadline_writes(vmx);
	for (i = 0; i < NR_ROUNDS; i++) {
		own = i & 1 ? rdtsc() + us_to_tsc(FAR_US) : 0;
		timer_arm(own);
		/* In turn: in the past, ahead, and 0. */
		l2_deadline = i % 3 == 0 ? 1 : i % 3 == 1 ? rdtsc() + us_to_tsc(10) : 0;
		EXPECT_EXIT(run_l2(l2_write_deadline), EXIT_REASON_MSR_WRITE);
		GUEST_ASSERT_EQ(vmreadz(GUEST_RIP), (u64)deadline_wrmsr);
		GUEST_ASSERT_EQ(timer_msr(), own);

		vmwrite(GUEST_RIP, (u64)deadline_next);
		EXPECT_EXIT(resume_l2(), EXIT_REASON_VMCALL);
		GUEST_ASSERT_EQ(timer_msr(), own);
	}
	timer_arm(0);
	timer_quiet(0, 500);
	GUEST_DONE();
}

NESTED_TEST(l2_write_intercepted, guest_write_intercepted)

static void guest_write_passed_on(struct vmx_pages *vmx)
{
	u64 deadline;
	int i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, 0);
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		deadline = i & 1 ? 1 : rdtsc() + us_to_tsc(1000);
		l2_deadline = deadline;
		timer_deadline = deadline;
		if (i & 1) {
			/* At once, and after the WRMSR. */
			EXPECT_EXIT(run_l2(l2_write_deadline), EXIT_REASON_EXTERNAL_INTERRUPT);
			GUEST_ASSERT_EQ(vmreadz(GUEST_RIP), (u64)deadline_next);
			GUEST_ASSERT_EQ(timer_msr(), 0);
		} else {
			EXPECT_EXIT(run_l2(l2_write_deadline), EXIT_REASON_VMCALL);
			timer_in_time(deadline);
			GUEST_ASSERT_EQ(timer_msr(), deadline);
		}
		timer_wait(i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

NESTED_TEST(l2_write_passed_on, guest_write_passed_on)

static void l2_ticks(void)
{
	u64 i;

	for (i = 1; i <= NR_ROUNDS; i++) {
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(50));
		timer_wait(i);
		GUEST_ASSERT_EQ(timer_msr(), 0);
	}
	irqs_off();
	vmcall();
}

static void guest_l2_takes_interrupts(struct vmx_pages *vmx)
{
	l1_init(vmx, 0, 0);
	EXPECT_EXIT(run_l2(l2_ticks), EXIT_REASON_VMCALL);
	GUEST_ASSERT_EQ(timer_count, NR_ROUNDS);
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

NESTED_TEST(l2_takes_interrupts, guest_l2_takes_interrupts)

static void l2_counts(void)
{
	for (;;)
		WRITE_ONCE(l2_count, l2_count + 1);
}

/* L1 took L2's exit for its own interrupt: finish what the CPU acknowledged. */
static void acknowledged(u64 count)
{
	GUEST_ASSERT_EQ(vmreadz(VM_EXIT_INTR_INFO) & 0xff, TIMER_VECTOR);
	__GUEST_ASSERT(rdtsc() >= timer_deadline, "early: deadline %lu, TSC %lu",
		       timer_deadline, rdtsc());
	GUEST_ASSERT_EQ(timer_isr(TIMER_VECTOR), true);
	GUEST_ASSERT_EQ(timer_count, count);
	timer_apic_write(APIC_EOI, 0);
	GUEST_ASSERT_EQ(timer_msr(), 0);
}

static void guest_deadline_in_l2(struct vmx_pages *vmx)
{
	u64 before, ran = 0;
	int i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, 0);
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		before = l2_count;
		timer_arm(rdtsc() + us_to_tsc(500 + i));
		EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_EXTERNAL_INTERRUPT);
		/* Unless the host took until after the deadline to enter it. */
		ran += l2_count > before;
		GUEST_ASSERT_EQ(timer_count, i - 1);
		timer_wait(i);
	}
	__GUEST_ASSERT(ran, "L2 did not run in any of %d rounds", NR_ROUNDS);
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

NESTED_TEST(deadline_in_l2, guest_deadline_in_l2)

static void guest_deadline_in_l2_acknowledged(struct vmx_pages *vmx)
{
	int i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, VM_EXIT_ACK_INTR_ON_EXIT);
	for (i = 0; i < NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(500 + i));
		EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_EXTERNAL_INTERRUPT);
		acknowledged(0);
	}
	timer_quiet(0, 500);
	GUEST_DONE();
}

NESTED_TEST(deadline_in_l2_acknowledged, guest_deadline_in_l2_acknowledged)

static void guest_over_at_entry(struct vmx_pages *vmx)
{
	int i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, 0);
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(1);
		l2_count = 0;
		EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_EXTERNAL_INTERRUPT);
		GUEST_ASSERT_EQ(l2_count, 0);
		timer_wait(i);
	}
	timer_quiet(NR_ROUNDS, 500);
	GUEST_DONE();
}

NESTED_TEST(over_at_entry_of_l2, guest_over_at_entry)

/* For the interrupt KVM enters L2 with the preemption timer at 0. */
static void guest_immediate_exit(struct vmx_pages *vmx)
{
	int i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, 0);
	for (i = 1; i <= NR_ROUNDS; i++) {
		irqs_off();
		timer_arm(rdtsc() + us_to_tsc(FAR_US));
		timer_self_ipi(APIC_DM_FIXED, OTHER_VECTOR);
		l2_count = 0;
		EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_EXTERNAL_INTERRUPT);
		GUEST_ASSERT_EQ(l2_count, 0);
		GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
		irqs_on();
		GUEST_ASSERT_EQ(other_count, i);
		GUEST_ASSERT_EQ(timer_count, 0);
	}
	GUEST_DONE();
}

NESTED_TEST(immediate_exit_with_armed_deadline, guest_immediate_exit)

static bool l1_has_preemption_timer(void)
{
	return rdmsr(MSR_IA32_VMX_TRUE_PINBASED_CTLS) >> 32 & PIN_BASED_VMX_PREEMPTION_TIMER;
}

static u64 preemption_timer_value(u64 us)
{
	return us_to_tsc(us) >> (rdmsr(MSR_IA32_VMX_MISC) & 0x1f);
}

static void guest_both_timers(struct vmx_pages *vmx)
{
	u64 start, count = 0;
	int i;

	if (!l1_has_preemption_timer())
		GUEST_DONE();

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK | PIN_BASED_VMX_PREEMPTION_TIMER, 0);
	for (i = 0; i < NR_ROUNDS; i++) {
		irqs_off();
		/* In turn: the preemption timer first, and the deadline first. */
		start = rdtsc();
		vmwrite(VMX_PREEMPTION_TIMER_VALUE, preemption_timer_value(i & 1 ? 500000 : 500));
		timer_arm(start + us_to_tsc(i & 1 ? 500 : 10000));
		if (i & 1) {
			EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_EXTERNAL_INTERRUPT);
			timer_wait(++count);
			continue;
		}
		EXPECT_EXIT(run_l2(l2_counts), EXIT_REASON_PREEMPTION_TIMER);
		__GUEST_ASSERT(rdtsc() - start >= us_to_tsc(490), "L2's timer is early");
		__GUEST_ASSERT(rdtsc() < timer_deadline, "L2's timer is late");
		GUEST_ASSERT_EQ(timer_msr(), timer_deadline);
		timer_arm(0);
		irqs_on();
		GUEST_ASSERT_EQ(timer_count, count);
	}
	timer_quiet(count, 500);
	GUEST_DONE();
}

NESTED_TEST(preemption_timer_of_l2, guest_both_timers)

static void l2_calls(void)
{
	for (;;)
		vmcall();
}

static void guest_ticks_between(struct vmx_pages *vmx)
{
	u64 i;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK, 0);
	for (i = 1; i <= 10 * NR_ROUNDS; i++) {
		irqs_off();
		EXPECT_EXIT(run_l2(l2_calls), EXIT_REASON_VMCALL);
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(20));
		timer_wait(i);
	}
	timer_quiet(10 * NR_ROUNDS, 500);
	GUEST_DONE();
}

NESTED_TEST(l1_ticks_between, guest_ticks_between)

static void l2_syncs(void)
{
	GUEST_SYNC(1);
	vmcall();
}

static void guest_closed(struct vmx_pages *vmx)
{
	u64 pin = l1_has_preemption_timer() ? PIN_BASED_VMX_PREEMPTION_TIMER : 0;

	l1_init(vmx, PIN_BASED_EXT_INTR_MASK | pin, 0);
	vmwrite(VMX_PREEMPTION_TIMER_VALUE, preemption_timer_value(20000));
	timer_arm(rdtsc() + us_to_tsc(10000));
	run_l2(l2_syncs);
	GUEST_FAIL("L2 came back");
}

TEST(closed_while_l2_timer_armed)
{
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;
	int i;

	if (!kvm_cpu_has(X86_FEATURE_VMX))
		SKIP(return, "kvm_intel.nested is off");

	for (i = 0; i < NR_CLOSED; i++) {
		vm = vm_create_with_one_vcpu(&vcpu, NULL);
		nested_vcpu_init(vcpu, guest_closed);
		expect_stage(vcpu, 1);
		kvm_vm_free(vm);
	}
	/* Beyond both timers: what is left of them would run now. */
	usleep(50000);
}

TIMER_TEST_MAIN
