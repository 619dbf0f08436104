// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/mman.h>

#include "apic.h"
#include "test_util.h"

#include "coverage.h"
#include "host.h"
#include "model.h"
#include "vm.h"

#define SMRAM_GPA	0x1000000
#define SMRAM_SLOT	((1 << 16) | 1)
#define SMRAM_PAGES	16
#define SMI_ENTRY	0x8000

/* Neither half of a time is 0. */
#define TSC_START	BIT_ULL(40)

#define FLIP_GPA	0x2000000
#define FLIP_SLOT	2

/* What programs wait for is ahead by this much. */
#define SOON_US		2000
#define FAR_US		10000000
#define LIMIT_US	100000
#define SETTLE_US	100

/* KVM's advance is 5 us at most; the rest is for the way to the check. */
#define MARGIN_US	50

/* By tsc_half of the program, see there. */
static struct fuzz_vm *vms[5];

bool fuzz_has_tsc_scaling(void)
{
	return kvm_has_cap(KVM_CAP_TSC_CONTROL);
}

static void set_gates(struct kvm_vm *vm)
{
	struct idt_entry *idt = addr_gva2hva(vm, vm->arch.idt);
	int i;

	for (i = 0; i < 256; i++) {
		u64 entry = (u64)fuzz_gates[i];

		idt[i].offset0 = entry;
		idt[i].offset1 = entry >> 16;
		idt[i].offset2 = entry >> 32;
	}
}

static void add_smram(struct kvm_vcpu *vcpu)
{
	static const u8 rsm[] = { 0x0f, 0xaa };
	struct kvm_vm *vm = vcpu->vm;

	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, SMRAM_GPA, SMRAM_SLOT,
				    SMRAM_PAGES, 0);
	vm_phy_pages_alloc(vm, SMRAM_PAGES, SMRAM_GPA, SMRAM_SLOT);
	memcpy(addr_gpa2hva(vm, SMRAM_GPA + SMI_ENTRY), rsm, sizeof(rsm));
	vcpu_set_msr(vcpu, MSR_IA32_SMBASE, SMRAM_GPA);
}

static u32 lapic_get(const struct kvm_lapic_state *lapic, unsigned int reg)
{
	u32 value;

	memcpy(&value, lapic->regs + reg, sizeof(value));
	return value;
}

static void lapic_set(struct kvm_lapic_state *lapic, unsigned int reg, u32 value)
{
	memcpy(lapic->regs + reg, &value, sizeof(value));
}

/* See fuzz_model_init(). */
static void init_state(struct fuzz_vm *fvm)
{
	struct fuzz_vcpu_state *state = &fvm->initial;

	fuzz_state_get(fvm->vcpu, state);
	state->regs.rip = (u64)fuzz_code;
	state->regs.rflags = 2;
	/* To be found as they are wherever userspace looks. */
	state->regs.rbx = 0xb0b0b0b0b0b0b0b0;
	state->regs.rbp = 0xb1b1b1b1b1b1b1b1;
	state->regs.rsi = 0xb2b2b2b2b2b2b2b2;
	state->regs.rdi = 0xb3b3b3b3b3b3b3b3;
	state->regs.r8 = 0x0808080808080808;
	state->regs.r9 = 0x0909090909090909;
	state->regs.r10 = 0x1010101010101010;
	state->regs.r12 = 0x1212121212121212;
	state->regs.r13 = 0x1313131313131313;
	state->regs.r14 = 0x1414141414141414;
	state->sregs.apic_base &= ~(u64)X2APIC_ENABLE;
	lapic_set(&state->lapic, APIC_SPIV, APIC_SPIV_APIC_ENABLED | 0xff);
	lapic_set(&state->lapic, APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | 0x71);
	lapic_set(&state->lapic, APIC_TASKPRI, 0);
}

/* A scaled TSC starts anywhere, with a deadline ahead of it beyond its end perhaps. */
static void start_tsc(struct fuzz_vm *fvm)
{
	fuzz_vm_move_tsc(fvm, TSC_START - vcpu_get_msr(fvm->vcpu, MSR_IA32_TSC));
	vcpu_device_attr_get(fvm->vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET,
			     &fvm->tsc_offset);
}

static struct fuzz_vm *create(unsigned int tsc_half)
{
	struct fuzz_vm *fvm = calloc(1, sizeof(*fvm));
	struct kvm_vcpu *vcpu;
	struct kvm_vm *vm;
	u64 khz;

	TEST_ASSERT(fvm, "No memory");
	vm = vm_create_with_one_vcpu(&vcpu, NULL);
	fvm->vcpu = vcpu;
	fvm->guest = addr_gva2hva(vm, (vm_vaddr_t)&fuzz_guest);
	fvm->code = addr_gva2hva(vm, (vm_vaddr_t)fuzz_code);

	khz = __vcpu_ioctl(vcpu, KVM_GET_TSC_KHZ, NULL);
	if (tsc_half != 2) {
		khz = khz * tsc_half / 2;
		vcpu_ioctl(vcpu, KVM_SET_TSC_KHZ, (void *)khz);
	}
	/* KVM leaves the bit to userspace, as it stands and falls with the irqchip. */
	vcpu_set_cpuid_feature(vcpu, X86_FEATURE_TSC_DEADLINE_TIMER);
	virt_pg_map(vm, APIC_DEFAULT_GPA, APIC_DEFAULT_GPA);
	set_gates(vm);
	add_smram(vcpu);
	fvm->slot_memory = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fvm->layout = (struct fuzz_layout) {
		.code = (u64)fuzz_code,
		.call = (u64)fuzz_call_entry,
		.apic_mode = (u64)&fuzz_guest.apic_mode,
		.rearm = (u64)&fuzz_guest.rearm,
		.keep = (u64)fuzz_guest.keep,
		.soon = khz * SOON_US / 1000,
		.far = khz * (FAR_US / 1000),
	};
	fvm->rules = (struct fuzz_rules) {
		.margin = khz * MARGIN_US / 1000,
		.lazy_ppr = !get_kvm_intel_param_bool("enable_apicv"),
	};
	fvm->guest->soon = fvm->layout.soon;
	fvm->guest->limit = khz * (LIMIT_US / 1000);
	fvm->guest->settle = khz * SETTLE_US / 1000;
	init_state(fvm);
	start_tsc(fvm);
	return fvm;
}

static void destroy(struct fuzz_vm *fvm)
{
	fuzz_add_coverage(fvm->vcpu->vm);
	if (fvm->has_slot)
		fuzz_vm_flip_slot(fvm);
	munmap(fvm->slot_memory, getpagesize());
	kvm_vm_free(fvm->vcpu->vm);
	free(fvm);
}

/* Unlike the library's, this one does not ask whether the MSR took the value. */
void fuzz_msr_set(struct kvm_vcpu *vcpu, u32 msr, u64 value)
{
	int r = _vcpu_set_msr(vcpu, msr, value);

	TEST_ASSERT(r == 1, "KVM_SET_MSRS of 0x%x returned %d, errno %d", msr, r, errno);
}

void fuzz_state_get(struct kvm_vcpu *vcpu, struct fuzz_vcpu_state *state)
{
	vcpu_regs_get(vcpu, &state->regs);
	vcpu_sregs_get(vcpu, &state->sregs);
	vcpu_ioctl(vcpu, KVM_GET_LAPIC, &state->lapic);
	vcpu_events_get(vcpu, &state->events);
	vcpu_ioctl(vcpu, KVM_GET_DEBUGREGS, &state->debugregs);
	vcpu_mp_state_get(vcpu, &state->mp_state);
	state->deadline = vcpu_get_msr(vcpu, MSR_IA32_TSC_DEADLINE);
	state->tsc_adjust = vcpu_get_msr(vcpu, MSR_IA32_TSC_ADJUST);
}

/*
 * KVM_SET_REGS drops a pending exception: restore the events after it.  KVM_SET_SREGS
 * sets the task priority, of which it knows one half: restore the APIC after it.
 */
void fuzz_state_restore(struct kvm_vcpu *vcpu, enum fuzz_state what)
{
	struct fuzz_vcpu_state state;

	fuzz_state_get(vcpu, &state);
	if (what == STATE_REVERSED)
		fuzz_msr_set(vcpu, MSR_IA32_TSC_DEADLINE, state.deadline);
	if (what == STATE_SREGS || what >= STATE_ALL)
		vcpu_sregs_set(vcpu, &state.sregs);
	if (what == STATE_REGS || what >= STATE_ALL)
		vcpu_regs_set(vcpu, &state.regs);
	if (what == STATE_LAPIC || what == STATE_SREGS || what >= STATE_ALL)
		vcpu_ioctl(vcpu, KVM_SET_LAPIC, &state.lapic);
	if (what == STATE_MSRS || what == STATE_ALL)
		fuzz_msr_set(vcpu, MSR_IA32_TSC_DEADLINE, state.deadline);
	if (what == STATE_EVENTS || what == STATE_REGS || what >= STATE_ALL)
		vcpu_events_set(vcpu, &state.events);
}

void fuzz_vm_filter(struct fuzz_vm *fvm, enum fuzz_filter filter)
{
	u64 allowed = 0;
	struct kvm_msr_filter msrs = {
		.flags = KVM_MSR_FILTER_DEFAULT_ALLOW,
		.ranges[0] = {
			.flags = KVM_MSR_FILTER_WRITE,
			.nmsrs = filter != FILTER_OFF,
			.base = MSR_IA32_TSC_DEADLINE,
			.bitmap = (u8 *)&allowed,
		},
	};

	vm_enable_cap(fvm->vcpu->vm, KVM_CAP_X86_USER_SPACE_MSR,
		      filter >= FILTER_DROP ? KVM_MSR_EXIT_REASON_FILTER : 0);
	vm_ioctl(fvm->vcpu->vm, KVM_X86_SET_MSR_FILTER, &msrs);
}

void fuzz_vm_flip_slot(struct fuzz_vm *fvm)
{
	fvm->has_slot = !fvm->has_slot;
	vm_set_user_memory_region(fvm->vcpu->vm, FLIP_SLOT, 0, FLIP_GPA,
				  fvm->has_slot ? getpagesize() : 0, fvm->slot_memory);
}

void fuzz_vm_move_tsc(struct fuzz_vm *fvm, u64 ticks)
{
	u64 offset;

	vcpu_device_attr_get(fvm->vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET, &offset);
	offset += ticks;
	vcpu_device_attr_set(fvm->vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET, &offset);
}

static void reset_vcpu(struct fuzz_vm *fvm, bool x2apic)
{
	struct fuzz_vcpu_state *initial = &fvm->initial;
	struct kvm_guest_debug debug = {};
	struct kvm_vcpu *vcpu = fvm->vcpu;
	struct kvm_lapic_state idle = initial->lapic;
	struct kvm_sregs sregs = initial->sregs;

	vcpu_guest_debug_set(vcpu, &debug);
	if (x2apic)
		sregs.apic_base |= X2APIC_ENABLE;
	vcpu_sregs_set(vcpu, &sregs);

	/* Out of TSC-deadline mode and back again: that disarms whatever is armed. */
	lapic_set(&idle, APIC_LVTT, lapic_get(&idle, APIC_LVTT) &
		  ~APIC_LVT_TIMER_TSCDEADLINE);
	vcpu_ioctl(vcpu, KVM_SET_LAPIC, &idle);
	vcpu_ioctl(vcpu, KVM_SET_LAPIC, &initial->lapic);

	vcpu_regs_set(vcpu, &initial->regs);
	vcpu_events_set(vcpu, &initial->events);
	vcpu_ioctl(vcpu, KVM_SET_DEBUGREGS, &initial->debugregs);
	vcpu_mp_state_set(vcpu, &initial->mp_state);
	fuzz_msr_set(vcpu, MSR_IA32_TSC_ADJUST, 0);
	vcpu_device_attr_set(vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET,
			     &fvm->tsc_offset);
}

struct fuzz_vm *fuzz_vm_get(const struct fuzz_program *program)
{
	unsigned int tsc_half = fuzz_has_tsc_scaling() ? program->tsc_half : 2;
	struct fuzz_vm *fvm = vms[tsc_half];
	struct fuzz_guest *guest;

	if (fvm && fvm->spoilt) {
		destroy(fvm);
		fvm = NULL;
	}
	if (!fvm) {
		fvm = create(tsc_half);
		vms[tsc_half] = fvm;
	}

	reset_vcpu(fvm, program->x2apic);
	guest = fvm->guest;
	memset(guest->keep, 0, sizeof(guest->keep));
	guest->nr_events = 0;
	guest->rearm = 0;
	guest->stepped = 0;
	guest->deadline = 0;
	guest->apic_mode = program->x2apic ? APIC_IS_X2 : APIC_IS_X;
	return fvm;
}

void fuzz_vm_each(void (*use)(struct kvm_vm *vm))
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vms); i++) {
		if (vms[i])
			use(vms[i]->vcpu->vm);
	}
}
