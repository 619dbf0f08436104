// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the TSC-deadline tests, see include/vcpu_state.h.
 */
#include "deadline_timer.h"
#include "fastpath.h"
#include "vcpu_state.h"

u32 lapic_reg(struct kvm_vcpu *vcpu, unsigned int reg)
{
	struct kvm_lapic_state lapic;
	u32 value;

	vcpu_ioctl(vcpu, KVM_GET_LAPIC, &lapic);
	memcpy(&value, lapic.regs + reg, sizeof(value));
	return value;
}

bool lapic_bit(struct kvm_vcpu *vcpu, unsigned int base, int vector)
{
	return lapic_reg(vcpu, base + vector / 32 * 0x10) & BIT(vector % 32);
}

void expect_state(struct kvm_vcpu *vcpu, u64 msr, bool irr, bool isr)
{
	struct kvm_vcpu_events events;
	u64 value = vcpu_get_msr(vcpu, MSR_IA32_TSC_DEADLINE);

	TEST_ASSERT(value == msr, "KVM_GET_MSRS says %lu, wanted %lu", value, msr);
	TEST_ASSERT(lapic_bit(vcpu, APIC_IRR, TIMER_VECTOR) == irr,
		    "IRR bit of the timer is %d in KVM_GET_LAPIC", !irr);
	TEST_ASSERT(lapic_bit(vcpu, APIC_ISR, TIMER_VECTOR) == isr,
		    "ISR bit of the timer is %d in KVM_GET_LAPIC", !isr);

	vcpu_events_get(vcpu, &events);
	TEST_ASSERT(!events.interrupt.injected, "Interrupt %u half delivered",
		    events.interrupt.nr);
	TEST_ASSERT(!events.interrupt.shadow, "Interrupt shadow 0x%x left behind",
		    events.interrupt.shadow);
}

void expect_stage(struct kvm_vcpu *vcpu, u64 wanted)
{
	u64 stage = run_to_sync(vcpu);

	TEST_ASSERT(stage == wanted, "Checkpoint %lu, wanted %lu", stage, wanted);
}

void inject_nmi(struct kvm_vcpu *vcpu)
{
	struct kvm_vcpu_events events;

	vcpu_events_get(vcpu, &events);
	events.nmi.pending = 1;
	events.flags |= KVM_VCPUEVENT_VALID_NMI_PENDING;
	vcpu_events_set(vcpu, &events);
}

void inject_smi(struct kvm_vcpu *vcpu)
{
	struct kvm_vcpu_events events;

	vcpu_events_get(vcpu, &events);
	events.smi.pending = 1;
	events.flags |= KVM_VCPUEVENT_VALID_SMM;
	vcpu_events_set(vcpu, &events);
}

void start_in_real_mode(struct kvm_vcpu *vcpu, u64 rip)
{
	struct kvm_sregs sregs;
	struct kvm_regs regs;

	vcpu_sregs_get(vcpu, &sregs);
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	vcpu_sregs_set(vcpu, &sregs);
	vcpu_regs_get(vcpu, &regs);
	regs.rip = rip;
	vcpu_regs_set(vcpu, &regs);
}

void move_tsc_offset(struct kvm_vcpu *vcpu, s64 ticks)
{
	u64 offset;

	vcpu_device_attr_get(vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET, &offset);
	offset += ticks;
	vcpu_device_attr_set(vcpu, KVM_VCPU_TSC_CTRL, KVM_VCPU_TSC_OFFSET, &offset);
}

u64 vcpu_timer_advance_ns(struct kvm_vcpu *vcpu)
{
	return vcpu_debugfs_number(vcpu, "lapic_timer_advance_ns");
}
