// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest side of the TSC-deadline tests, see include/deadline_timer.h.
 */
#include "deadline_timer.h"
#include "fastpath.h"
#include "ucall_common.h"

u64 timer_count;
u64 other_count;
u64 other_at_timer_count;
u64 timer_tsc;
u64 timer_rip;
u64 timer_deadline;
u64 timer_early_count;
bool timer_may_be_early;
u64 nmi_count;
u64 timer_scale = 1;
void (*timer_callback)(void);
void (*other_callback)(void);
void (*nmi_callback)(void);

/* The library's entry for TIMER_VECTOR, where timer_gate goes on. */
u64 timer_library_entry;

static bool is_x2apic;

u32 timer_apic_read(unsigned int reg)
{
	return is_x2apic ? x2apic_read_reg(reg) : xapic_read_reg(reg);
}

void timer_apic_write(unsigned int reg, u32 val)
{
	if (is_x2apic)
		x2apic_write_reg(reg, val);
	else
		xapic_write_reg(reg, val);
}

static bool vector_bit(unsigned int base, int vector)
{
	return timer_apic_read(base + (vector / 32) * 0x10) & BIT(vector % 32);
}

bool timer_irr(int vector)
{
	return vector_bit(APIC_IRR, vector);
}

bool timer_isr(int vector)
{
	return vector_bit(APIC_ISR, vector);
}

static void timer_handler(struct ex_regs *regs)
{
	timer_early_count += timer_tsc < timer_deadline;
	__GUEST_ASSERT(timer_tsc >= timer_deadline || timer_may_be_early,
		       "early by %lu: deadline %lu, TSC in the handler %lu",
		       timer_deadline - timer_tsc, timer_deadline, timer_tsc);

	timer_rip = regs->rip;
	timer_count++;
	if (timer_callback)
		timer_callback();
	timer_apic_write(APIC_EOI, 0);
}

static void other_handler(struct ex_regs *regs)
{
	other_count++;
	other_at_timer_count = timer_count;
	if (other_callback)
		other_callback();
	timer_apic_write(APIC_EOI, 0);
}

void nmi_handler(struct ex_regs *regs)
{
	nmi_count++;
	if (nmi_callback)
		nmi_callback();
}

void timer_self_ipi(u32 mode, int vector)
{
	if (!is_x2apic)
		timer_apic_write(APIC_ICR2, 0);
	timer_apic_write(APIC_ICR, APIC_INT_ASSERT | mode | vector);
}

void timer_switch_apic_mode(void)
{
	if (is_x2apic) {
		/* The way back leads through the disabled APIC. */
		xapic_enable();
	} else {
		wrmsr(MSR_IA32_APICBASE, rdmsr(MSR_IA32_APICBASE) |
		      MSR_IA32_APICBASE_EXTD);
	}
	is_x2apic = !is_x2apic;
}

static u64 scale_from_environment(void)
{
	const char *text = getenv("TIMER_SCALE");

	return text ? atoi_positive("TIMER_SCALE", text) : 1;
}

void timer_vm_init(struct kvm_vm *vm, bool x2apic)
{
	struct idt_entry *idt = addr_gva2hva(vm, vm->arch.idt);
	struct idt_entry *gate = &idt[TIMER_VECTOR];

	vm_install_exception_handler(vm, TIMER_VECTOR, timer_handler);
	vm_install_exception_handler(vm, OTHER_VECTOR, other_handler);

	write_guest_global(vm, is_x2apic, x2apic);
	timer_scale = scale_from_environment();
	sync_global_to_guest(vm, timer_scale);
	write_guest_global(vm, timer_library_entry,
			   (u64)gate->offset2 << 32 |
			   (u64)gate->offset1 << 16 | gate->offset0);

	gate->offset0 = (u64)timer_gate;
	gate->offset1 = (u64)timer_gate >> 16;
	gate->offset2 = (u64)timer_gate >> 32;

	/* In either mode, as the guest may change it. */
	virt_pg_map(vm, APIC_DEFAULT_GPA, APIC_DEFAULT_GPA);
}

void timer_vcpu_init(struct kvm_vcpu *vcpu, bool x2apic)
{
	/* KVM leaves the bit to userspace, as it stands and falls with the irqchip. */
	vcpu_set_cpuid_feature(vcpu, X86_FEATURE_TSC_DEADLINE_TIMER);

	timer_vm_init(vcpu->vm, x2apic);
}

void timer_enable(void)
{
	irqs_off();
	if (is_x2apic)
		x2apic_enable();
	else
		xapic_enable();
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | TIMER_VECTOR);
	/* An xAPIC write of LVTT may pass a later WRMSR of the deadline. */
	asm volatile("mfence" ::: "memory");
}

void timer_wait(u64 count)
{
	u64 now = rdtsc();
	u64 limit = max(now, timer_deadline) + us_to_tsc(1000000);

	irqs_on();
	while (READ_ONCE(timer_count) < count) {
		now = rdtsc();
		__GUEST_ASSERT(now < limit,
			       "lost: %lu interrupts of %lu, deadline %lu, now %lu, MSR %lu",
			       timer_count, count, timer_deadline, now, timer_msr());
	}
	GUEST_ASSERT_EQ(timer_count, count);
}

void timer_wait_requested(void)
{
	u64 now = rdtsc();
	u64 limit = max(now, timer_deadline) + us_to_tsc(1000000);

	/* A request that takes an exit of the guest's to be made is not seen at once. */
	spin_until(max(now, timer_deadline) + us_to_tsc(20));
	while (!timer_irr(TIMER_VECTOR)) {
		now = rdtsc();
		__GUEST_ASSERT(now < limit, "not requested, deadline %lu, now %lu, MSR %lu",
			       timer_deadline, now, timer_msr());
	}
}

void timer_in_time(u64 deadline)
{
	if (rdtsc() >= deadline)
		GUEST_SYNC(GUEST_IS_LATE);
}

void timer_quiet(u64 count, u64 us)
{
	u64 now = rdtsc();

	irqs_on();
	spin_until(max(now, timer_deadline) + us_to_tsc(us));
	GUEST_ASSERT_EQ(timer_count, count);
}
