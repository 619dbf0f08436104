/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture that most of the TSC-deadline tests share: a vCPU with the timer,
 * its APIC in xAPIC and in x2APIC mode.
 */
#ifndef SELFTEST_TIMER_FIXTURE_H
#define SELFTEST_TIMER_FIXTURE_H

#include "deadline_timer.h"
#include "fastpath.h"
#include "kvm_test_harness.h"

#define TIMER_FIXTURE(name)						\
	FIXTURE(name) {							\
		struct kvm_vcpu *vcpu;					\
	};								\
									\
	FIXTURE_VARIANT(name) {						\
		bool x2apic;						\
	};								\
									\
	FIXTURE_VARIANT_ADD(name, xapic) {				\
		.x2apic = false,					\
	};								\
									\
	FIXTURE_VARIANT_ADD(name, x2apic) {				\
		.x2apic = true,						\
	};								\
									\
	FIXTURE_SETUP(name)						\
	{								\
		vm_create_with_one_vcpu(&self->vcpu, NULL);		\
		timer_vcpu_init(self->vcpu, variant->x2apic);		\
	}								\
									\
	FIXTURE_TEARDOWN(name)						\
	{								\
		kvm_vm_free(self->vcpu->vm);				\
	}

/* A test that is all guest: @guest_code runs to its end. */
#define GUEST_TEST(suite, test, guest_code)				\
	TEST_F(suite, test)						\
	{								\
		vcpu_arch_set_entry_point(self->vcpu, guest_code);	\
		run_to_done(self->vcpu);				\
	}

#define TIMER_TEST_MAIN							\
	int main(int argc, char *argv[])				\
	{								\
		TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));	\
									\
		return test_harness_run(argc, argv);			\
	}

#endif /* SELFTEST_TIMER_FIXTURE_H */
