// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that counts its instructions, with an event filter of userspace's: each
 * deadline write is counted once, whichever path it takes, although KVM emulates
 * it.  A kernel with PROVE_RCU has nothing to say about the filter's protection.
 */
#include "pmu.h"
#include "test_util.h"

#include "timer_fixture.h"

#define NR_WRITES	1000
/* Each round of the loop below, WRMSR included. */
#define LOOP_INSNS	3

TIMER_FIXTURE(fastpath_pmu)

static u64 counted;

/* Far deadlines, so that no interrupt adds its handler. */
static void guest_counts(void)
{
	u64 deadline, left = NR_WRITES;

	timer_enable();
	deadline = rdtsc() + us_to_tsc(1000000);
	timer_arm(deadline);

	wrmsr(MSR_P6_EVNTSEL0, ARCH_PERFMON_EVENTSEL_ENABLE | ARCH_PERFMON_EVENTSEL_OS |
	      INTEL_ARCH_INSTRUCTIONS_RETIRED);
	wrmsr(MSR_IA32_PERFCTR0, 0);
	if (this_cpu_property(X86_PROPERTY_PMU_VERSION) > 1)
		wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 1);
	asm volatile("1: wrmsr\n\t"
		     "dec %[left]\n\t"
		     "jnz 1b"
		     : [left] "+r"(left)
		     : "a"((u32)deadline), "d"(deadline >> 32),
		       "c"(MSR_IA32_TSC_DEADLINE) : "memory");
	counted = rdmsr(MSR_IA32_PERFCTR0);
	wrmsr(MSR_P6_EVNTSEL0, 0);
	GUEST_DONE();
}

static void count(struct kvm_vcpu *vcpu, bool filtered)
{
	struct {
		struct kvm_pmu_event_filter filter;
		u64 event;
	} allow = {
		.filter = { .nevents = 1, .action = KVM_PMU_EVENT_ALLOW },
		.event = INTEL_ARCH_INSTRUCTIONS_RETIRED,
	};

	if (filtered)
		vm_ioctl(vcpu->vm, KVM_SET_PMU_EVENT_FILTER, &allow.filter);
	vcpu_arch_set_entry_point(vcpu, guest_counts);
	run_to_done(vcpu);

	sync_global_from_guest(vcpu->vm, counted);
	ksft_print_msg("%lu instructions in %d rounds of %d\n", counted, NR_WRITES,
		       LOOP_INSNS);
	/* A few more: from the counter's start, and to its end. */
	TEST_ASSERT(counted >= LOOP_INSNS * NR_WRITES &&
		    counted < LOOP_INSNS * NR_WRITES + NR_WRITES / 10,
		    "%lu instructions counted in %d rounds of %d", counted, NR_WRITES,
		    LOOP_INSNS);
}

static bool has_pmu(void)
{
	return kvm_is_pmu_enabled() && kvm_cpu_property(X86_PROPERTY_PMU_NR_GP_COUNTERS);
}

TEST_F(fastpath_pmu, each_write_counted)
{
	if (!has_pmu())
		SKIP(return, "KVM has no virtual PMU here");
	count(self->vcpu, false);
}

TEST_F(fastpath_pmu, each_write_counted_with_filter)
{
	if (!has_pmu())
		SKIP(return, "KVM has no virtual PMU here");
	count(self->vcpu, true);
}

TIMER_TEST_MAIN
