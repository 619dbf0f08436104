// SPDX-License-Identifier: GPL-2.0-only
/*
 * What userspace sees of a vCPU that has written its TSC deadline.
 *
 * Every claim holds whether or not the exits take the fast path; run_modes.sh
 * runs the program in each mode:
 *
 * - KVM_GET_MSRS and KVM_GET_LAPIC show an armed, a requested and an in-service
 *   timer as they are, and the state restored into another VM goes on: a
 *   deadline that is armed or has expired gives its one interrupt there.
 * - KVM_GUESTDBG_SINGLESTEP over the WRMSR gives one KVM_EXIT_DEBUG at the next
 *   RIP, and a guest that sets RFLAGS.TF gets its #DB there.
 * - A write that an MSR filter denies ends with fastpath=1 as with fastpath=0,
 *   from the first one after the filter was set: in KVM_EXIT_X86_WRMSR or #GP.
 * - Without an in-kernel APIC the MSR is ignored.
 */
#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

/*
 * Far enough to stay armed over a few exits to userspace, and in reach of the
 * preemption timer: what it cannot reach never takes the fast path.
 */
#define FAR_US		5000000ull

/* Deadlines written before a checkpoint, so that the path there is warm. */
#define NR_WARM		100

/* Single-step: in the debug status register, and in RFLAGS. */
#define DR6_BS			BIT(14)
#define RFLAGS_TF		BIT(8)

/* Told to the host beside the checkpoint's number. */
static u64 armed_deadline;

static void warm_up(void)
{
	int i;

	timer_enable();
	for (i = 1; i <= NR_WARM; i++) {
		timer_arm(rdtsc() + us_to_tsc(10));
		timer_wait(i);
	}
	irqs_off();
}

enum {
	ARMED = 1,
	DISARMED,
	REQUESTED_AT_ONCE,
	REQUESTED,
	IN_SERVICE,
	OVER,
};

static void sync_in_service(void)
{
	GUEST_SYNC(IN_SERVICE);
}

static void guest_states(void)
{
	warm_up();

	armed_deadline = rdtsc() + us_to_tsc(FAR_US);
	timer_arm(armed_deadline);
	GUEST_SYNC(ARMED);

	timer_arm(0);
	GUEST_SYNC(DISARMED);

	timer_arm(1);
	GUEST_SYNC(REQUESTED_AT_ONCE);
	irqs_on();
	GUEST_ASSERT_EQ(timer_count, NR_WARM + 1);

	irqs_off();
	timer_arm(rdtsc() + us_to_tsc(50));
	timer_wait_requested();
	GUEST_SYNC(REQUESTED);

	timer_callback = sync_in_service;
	timer_wait(NR_WARM + 2);
	GUEST_SYNC(OVER);
	GUEST_DONE();
}

static void guest_armed(void)
{
	warm_up();
	timer_arm(rdtsc() + us_to_tsc(3000));
	GUEST_SYNC(ARMED);

	/* In the other VM; its clock goes on from where this one's stopped. */
	timer_wait(NR_WARM + 1);
	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_quiet(NR_WARM + 1, 500);
	GUEST_DONE();
}

static void guest_requested(void)
{
	warm_up();
	timer_arm(1);
	GUEST_SYNC(REQUESTED);

	GUEST_ASSERT_EQ(timer_msr(), 0);
	timer_wait(NR_WARM + 1);
	timer_quiet(NR_WARM + 1, 500);
	GUEST_DONE();
}

static void guest_single_step(void)
{
	warm_up();
	armed_deadline = rdtsc() + us_to_tsc(FAR_US);
	GUEST_SYNC(ARMED);
	timer_deadline = armed_deadline;
	write_deadline(armed_deadline);
	GUEST_ASSERT_EQ(timer_msr(), armed_deadline);
	GUEST_DONE();
}

static u64 db_count, db_at_wrmsr, db_at_next;

static void db_handler(struct ex_regs *regs)
{
	db_count++;
	db_at_wrmsr += regs->rip == (u64)deadline_wrmsr;
	db_at_next += regs->rip == (u64)deadline_next;
	if (regs->rip == (u64)deadline_next)
		regs->rflags &= ~RFLAGS_TF;
}

static void set_trap_flag(void)
{
	asm volatile("pushf; orq %0, (%%rsp); popf" :: "i"(RFLAGS_TF) : "memory", "cc");
}

TIMER_FIXTURE(tsc_deadline_userspace)

TEST_F(tsc_deadline_userspace, msr_and_lapic)
{
	struct kvm_vcpu *vcpu = self->vcpu;

	vcpu_arch_set_entry_point(vcpu, guest_states);

	expect_stage(vcpu, ARMED);
	sync_global_from_guest(vcpu->vm, armed_deadline);
	expect_state(vcpu, armed_deadline, false, false);
	expect_stage(vcpu, DISARMED);
	expect_state(vcpu, 0, false, false);
	expect_stage(vcpu, REQUESTED_AT_ONCE);
	expect_state(vcpu, 0, true, false);
	expect_stage(vcpu, REQUESTED);
	expect_state(vcpu, 0, true, false);
	expect_stage(vcpu, IN_SERVICE);
	expect_state(vcpu, 0, false, true);
	expect_stage(vcpu, OVER);
	expect_state(vcpu, 0, false, false);
	run_to_done(vcpu);
}

/* Save the vCPU, APIC included, restore it into a fresh VM on the same memory. */
static struct kvm_vcpu *migrate(struct kvm_vcpu *vcpu)
{
	struct kvm_vm *vm = vcpu->vm;
	struct kvm_lapic_state lapic;
	struct kvm_x86_state *state;

	vcpu_ioctl(vcpu, KVM_GET_LAPIC, &lapic);
	state = vcpu_save_state(vcpu);
	kvm_vm_release(vm);

	vcpu = vm_recreate_with_one_vcpu(vm);
	vcpu_set_cpuid_feature(vcpu, X86_FEATURE_TSC_DEADLINE_TIMER);
	/* APIC base, then the registers: a deadline needs LVTT to be kept. */
	vcpu_sregs_set(vcpu, &state->sregs);
	vcpu_ioctl(vcpu, KVM_SET_LAPIC, &lapic);
	vcpu_load_state(vcpu, state);
	kvm_x86_state_cleanup(state);
	return vcpu;
}

TEST_F(tsc_deadline_userspace, restore_armed)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_armed);
	expect_stage(self->vcpu, ARMED);
	self->vcpu = migrate(self->vcpu);
	run_to_done(self->vcpu);
}

TEST_F(tsc_deadline_userspace, restore_requested)
{
	vcpu_arch_set_entry_point(self->vcpu, guest_requested);
	expect_stage(self->vcpu, REQUESTED);
	self->vcpu = migrate(self->vcpu);
	expect_state(self->vcpu, 0, true, false);
	run_to_done(self->vcpu);
}

static u64 step(struct kvm_vcpu *vcpu)
{
	struct kvm_regs regs;

	vcpu_run(vcpu);
	TEST_ASSERT_KVM_EXIT_REASON(vcpu, KVM_EXIT_DEBUG);
	vcpu_regs_get(vcpu, &regs);
	TEST_ASSERT(vcpu->run->debug.arch.pc == regs.rip,
		    "Debug exit at RIP 0x%llx, registers say 0x%llx",
		    vcpu->run->debug.arch.pc, regs.rip);
	return regs.rip;
}

TEST_F(tsc_deadline_userspace, single_step)
{
	struct kvm_guest_debug debug = {
		.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP,
	};
	struct kvm_vcpu *vcpu = self->vcpu;
	u64 rip;
	int i;

	vcpu_arch_set_entry_point(vcpu, guest_single_step);
	expect_stage(vcpu, ARMED);

	/* The way out of the checkpoint is short, its length the compiler's. */
	vcpu_guest_debug_set(vcpu, &debug);
	for (i = 0; i < 1000; i++) {
		rip = step(vcpu);
		if (rip == (u64)deadline_wrmsr)
			break;
	}
	TEST_ASSERT(rip == (u64)deadline_wrmsr, "WRMSR not met, RIP 0x%lx", rip);

	rip = step(vcpu);
	TEST_ASSERT(rip == (u64)deadline_next,
		    "Step over WRMSR at 0x%lx ended at 0x%lx, wanted 0x%lx",
		    (u64)deadline_wrmsr, rip, (u64)deadline_next);
	TEST_ASSERT(vcpu->run->debug.arch.dr6 & DR6_BS, "DR6 0x%llx lacks BS",
		    vcpu->run->debug.arch.dr6);
	rip = step(vcpu);
	TEST_ASSERT(rip == (u64)deadline_next + 1, "Next step ended at 0x%lx", rip);

	debug.control = 0;
	vcpu_guest_debug_set(vcpu, &debug);
	run_to_done(vcpu);
}

static void guest_trap_flag(void)
{
	warm_up();
	armed_deadline = rdtsc() + us_to_tsc(FAR_US);
	GUEST_SYNC(ARMED);
	set_trap_flag();
	timer_deadline = armed_deadline;
	write_deadline(armed_deadline);
	__GUEST_ASSERT(db_at_wrmsr == 1 && db_at_next == 1,
		       "#DB before WRMSR %lu, after it %lu, in all %lu",
		       db_at_wrmsr, db_at_next, db_count);
	GUEST_ASSERT_EQ(timer_msr(), armed_deadline);
	GUEST_DONE();
}

TEST_F(tsc_deadline_userspace, guest_trap_flag)
{
	struct kvm_vcpu *vcpu = self->vcpu;

	vm_install_exception_handler(vcpu->vm, DB_VECTOR, db_handler);
	vcpu_arch_set_entry_point(vcpu, guest_trap_flag);
	expect_stage(vcpu, ARMED);
	run_to_done(vcpu);
}

static void deny_deadline_writes(struct kvm_vm *vm, bool deny)
{
	u64 allowed = 0;
	struct kvm_msr_filter filter = {
		.flags = KVM_MSR_FILTER_DEFAULT_ALLOW,
		.ranges[0] = {
			.flags = KVM_MSR_FILTER_WRITE,
			.nmsrs = deny,
			.base = MSR_IA32_TSC_DEADLINE,
			.bitmap = (u8 *)&allowed,
		},
	};

	vm_ioctl(vm, KVM_X86_SET_MSR_FILTER, &filter);
}

enum {
	ALLOWED = 1,
	DENIED,
};

/* What the guest met when it wrote the denied MSR. */
static u64 filtered_vector, filtered_msr;

static void guest_filtered(void)
{
	warm_up();
	GUEST_SYNC(ALLOWED);

	armed_deadline = rdtsc() + us_to_tsc(FAR_US);
	timer_deadline = armed_deadline;
	filtered_vector = wrmsr_safe(MSR_IA32_TSC_DEADLINE, armed_deadline);
	filtered_msr = timer_msr();
	GUEST_SYNC(DENIED);

	timer_arm(rdtsc() + us_to_tsc(50));
	timer_wait(NR_WARM + 1);
	GUEST_DONE();
}

enum filter_verdict {
	WRITTEN,
	EXITED,
	FAULTED,
};

/* Deny the MSR while the guest runs, and tell how the next write ends. */
static enum filter_verdict write_denied(bool userspace_msr)
{
	enum filter_verdict verdict;
	struct kvm_vcpu *vcpu;
	struct kvm_run *run;
	struct kvm_vm *vm;

	vm = vm_create_with_one_vcpu(&vcpu, guest_filtered);
	run = vcpu->run;
	timer_vcpu_init(vcpu, true);
	if (userspace_msr)
		vm_enable_cap(vm, KVM_CAP_X86_USER_SPACE_MSR, KVM_MSR_EXIT_REASON_FILTER);
	expect_stage(vcpu, ALLOWED);

	deny_deadline_writes(vm, true);
	vcpu_run(vcpu);
	sync_global_from_guest(vm, armed_deadline);
	if (run->exit_reason == KVM_EXIT_X86_WRMSR) {
		verdict = EXITED;
		TEST_ASSERT(run->msr.index == MSR_IA32_TSC_DEADLINE &&
			    run->msr.data == armed_deadline &&
			    run->msr.reason == KVM_MSR_EXIT_REASON_FILTER,
			    "Exit on MSR 0x%x, data %llu, reason 0x%x; guest wrote %lu",
			    run->msr.index, run->msr.data, run->msr.reason,
			    armed_deadline);
		run->msr.error = 0;
		expect_stage(vcpu, DENIED);
	} else {
		struct ucall uc;
		u64 cmd = get_ucall(vcpu, &uc);

		TEST_ASSERT(cmd == UCALL_SYNC && uc.args[1] == DENIED,
			    "Ucall %lu, exit reason %s", cmd,
			    exit_reason_str(run->exit_reason));
		sync_global_from_guest(vm, filtered_vector);
		verdict = filtered_vector ? FAULTED : WRITTEN;
	}

	sync_global_from_guest(vm, filtered_vector);
	sync_global_from_guest(vm, filtered_msr);
	TEST_ASSERT(filtered_vector == (verdict == FAULTED ? GP_VECTOR : 0),
		    "Denied WRMSR gave exception %lu", filtered_vector);
	TEST_ASSERT(filtered_msr == (verdict == WRITTEN ? armed_deadline : 0),
		    "MSR reads %lu, guest wrote %lu, verdict %d", filtered_msr,
		    armed_deadline, verdict);

	deny_deadline_writes(vm, false);
	run_to_done(vcpu);
	kvm_vm_free(vm);
	return verdict;
}

FIXTURE(tsc_deadline_filter) {
	bool saved;
};

FIXTURE_VARIANT(tsc_deadline_filter) {
	bool userspace_msr;
	enum filter_verdict wanted;
};

FIXTURE_VARIANT_ADD(tsc_deadline_filter, exits) {
	.userspace_msr = true,
	.wanted = EXITED,
};

FIXTURE_VARIANT_ADD(tsc_deadline_filter, faults) {
	.userspace_msr = false,
	.wanted = FAULTED,
};

FIXTURE_SETUP(tsc_deadline_filter)
{
	if (fastpath_present())
		self->saved = fastpath_get();
}

FIXTURE_TEARDOWN_PARENT(tsc_deadline_filter)
{
	if (fastpath_present())
		fastpath_set(self->saved);
}

/*
 * Kernels whose own fast path for this MSR passes the filter by are common.
 * Ours must not add to that: with fastpath=1 the write ends as with fastpath=0.
 */
TEST_F(tsc_deadline_filter, denied_write)
{
	enum filter_verdict off, on;

	if (!fastpath_present()) {
		off = write_denied(variant->userspace_msr);
		if (off == WRITTEN)
			SKIP(return, "this kernel's own fast path passes the filter by");
		TEST_ASSERT(off == variant->wanted, "Verdict %d, wanted %d", off,
			    variant->wanted);
		return;
	}

	fastpath_set(false);
	off = write_denied(variant->userspace_msr);
	TEST_ASSERT(off == variant->wanted || off == WRITTEN, "Verdict %d, wanted %d",
		    off, variant->wanted);
	fastpath_set(true);
	on = write_denied(variant->userspace_msr);
	TEST_ASSERT(on == off, "Verdict %d with fastpath=1, %d with fastpath=0", on, off);
}

/* The library's VMs all have an irqchip: run real-mode code in a bare one. */
TEST(no_kernel_apic)
{
	static const u8 code[] = {
		0x66, 0xb9, 0xe0, 0x06, 0x00, 0x00,	/* mov $0x6e0, %ecx */
		0x66, 0xb8, 0x78, 0x56, 0x34, 0x12,	/* mov $0x12345678, %eax */
		0x66, 0xba, 0x01, 0x00, 0x00, 0x00,	/* mov $1, %edx */
		0x0f, 0x30,				/* wrmsr */
		0x0f, 0x32,				/* rdmsr */
		0xf4,					/* hlt */
	};
	const u64 gpa = 0x1000;
	struct kvm_vcpu *vcpu;
	struct kvm_regs regs;
	struct kvm_vm *vm;

	vm = vm_create_barebones();
	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, gpa, 0, 1, 0);
	memcpy(addr_gpa2hva(vm, gpa), code, sizeof(code));
	vcpu = __vm_vcpu_add(vm, 0);

	start_in_real_mode(vcpu, gpa);

	vcpu_run(vcpu);
	TEST_ASSERT_KVM_EXIT_REASON(vcpu, KVM_EXIT_HLT);
	vcpu_regs_get(vcpu, &regs);
	TEST_ASSERT(regs.rip == gpa + sizeof(code), "HLT left RIP at 0x%llx, wanted 0x%lx",
		    regs.rip, gpa + sizeof(code));
	TEST_ASSERT(!regs.rax && !regs.rdx, "MSR reads 0x%llx%08llx without an APIC",
		    regs.rdx, regs.rax);
	kvm_vm_free(vm);
}

TIMER_TEST_MAIN
