// SPDX-License-Identifier: GPL-2.0-only
/*
 * What KVM and the host count of exits that took the fast path:
 *
 * - N deadline writes make the vCPU's "exits" grow by N, whether they arm, disarm
 *   or expire at once.
 * - A masked timer is neither delivered nor waited for.
 * - The guest time of the vCPU's thread is sane after 10^5 fast exits: neither
 *   more than has passed, nor next to nothing.
 */
#include <time.h>

#include "test_util.h"

#include "timer_fixture.h"
#include "vcpu_state.h"

#define NR_WRITES	1000
#define NR_MANY		100000

TIMER_FIXTURE(fastpath_accounting)

enum { WARM = 1, START, END };

/* What is written: 0, 1 for a deadline that has passed, else us ahead. */
static void write_some(u64 kind, int n)
{
	while (n--)
		timer_arm(kind > 1 ? rdtsc() + us_to_tsc(kind) : kind);
}

static void guest_writes(u64 kind)
{
	timer_enable();
	/* Once for the page faults, which are exits, too. */
	GUEST_SYNC(WARM);
	write_some(kind, 1);
	GUEST_SYNC(START);
	write_some(kind, NR_WRITES);
	GUEST_SYNC(END);
	GUEST_DONE();
}

struct counts {
	u64 exits;
	u64 interrupted;
	u64 io;
};

static struct counts get_counts(struct kvm_vcpu *vcpu)
{
	return (struct counts) {
		.exits = vcpu_stat(vcpu, "exits"),
		.interrupted = vcpu_stat(vcpu, "irq_exits"),
		.io = vcpu_stat(vcpu, "io_exits"),
	};
}

static void count_writes(struct kvm_vcpu *vcpu, u64 kind)
{
	struct counts before, after;
	u64 others;

	vcpu_arch_set_entry_point(vcpu, guest_writes);
	vcpu_args_set(vcpu, 1, kind);
	expect_stage(vcpu, WARM);
	expect_stage(vcpu, START);
	before = get_counts(vcpu);
	expect_stage(vcpu, END);
	after = get_counts(vcpu);

	/* The host's interrupts, and the checkpoint. */
	others = after.interrupted - before.interrupted + after.io - before.io;
	ksft_print_msg("exits %lu, of these not deadline writes %lu\n",
		       after.exits - before.exits, others);
	TEST_ASSERT(after.exits - before.exits == NR_WRITES + others,
		    "%lu exits, %d deadline writes, %lu others",
		    after.exits - before.exits, NR_WRITES, others);
	run_to_done(vcpu);
}

TEST_F(fastpath_accounting, exits_arming)
{
	count_writes(self->vcpu, 1000000);
}

TEST_F(fastpath_accounting, exits_disarming)
{
	count_writes(self->vcpu, 0);
}

TEST_F(fastpath_accounting, exits_of_past_deadlines)
{
	count_writes(self->vcpu, 1);
}

static void guest_many_writes(void)
{
	u64 i;

	timer_enable();
	/* What cannot be taken at once is not delivered fast without APICv. */
	irqs_on();
	GUEST_SYNC(START);
	for (i = 1; i <= NR_MANY; i++) {
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(2));
		timer_wait(i);
	}
	GUEST_SYNC(END);
	GUEST_DONE();
}

/* In seconds: what the kernel calls guest time of this thread. */
static double guest_time(void)
{
	unsigned long long ticks;
	char line[1024], *p;
	FILE *file;
	int i;

	file = fopen("/proc/thread-self/stat", "r");
	TEST_ASSERT(file && fgets(line, sizeof(line), file), "No stat, errno %d", errno);
	fclose(file);

	/* The second field is a name in brackets, which may hold anything. */
	p = strrchr(line, ')');
	TEST_ASSERT(p, "stat has no name");
	p++;
	for (i = 2; i < 43; i++) {
		p = strchr(p, ' ');
		TEST_ASSERT(p, "stat has %d fields", i);
		p++;
	}
	ticks = strtoull(p, NULL, 10);
	return (double)ticks / sysconf(_SC_CLK_TCK);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

TEST_F_TIMEOUT(fastpath_accounting, guest_time, 120)
{
	struct kvm_vcpu *vcpu = self->vcpu;
	double wall, guest, tick = 1.0 / sysconf(_SC_CLK_TCK);

	vcpu_arch_set_entry_point(vcpu, guest_many_writes);
	expect_stage(vcpu, START);
	wall = now();
	guest = guest_time();
	expect_stage(vcpu, END);
	wall = now() - wall;
	guest = guest_time() - guest;
	run_to_done(vcpu);

	ksft_print_msg("%d writes: guest time %.0f ms of %.0f ms\n", NR_MANY, guest * 1e3,
		       wall * 1e3);
	TEST_ASSERT(guest <= wall + 2 * tick, "Guest time %f s in %f s", guest, wall);
	/* Generic exits are host time for the most part. */
	TEST_ASSERT(guest >= wall / 10 - 2 * tick, "Guest time %f s in %f s", guest, wall);
}

static void guest_masked(void)
{
	int i;

	timer_enable();
	timer_apic_write(APIC_LVTT, APIC_LVT_TIMER_TSCDEADLINE | APIC_LVT_MASKED |
			 TIMER_VECTOR);
	asm volatile("mfence" ::: "memory");
	for (i = 0; i < NR_WRITES; i++) {
		timer_arm(i & 1 ? 1 : rdtsc() + us_to_tsc(10));
		spin_until(timer_deadline);
	}
	timer_quiet(0, 100);
	GUEST_DONE();
}

TEST_F(fastpath_accounting, masked_neither_delivers_nor_waits)
{
	struct kvm_vm *vm = self->vcpu->vm;
	u64 delivered, spins;

	vcpu_arch_set_entry_point(self->vcpu, guest_masked);
	run_to_done(self->vcpu);
	if (!fastpath_present())
		SKIP(return, "kvm_intel has no fast path");

	delivered = fastpath_counter(vm, "delivered");
	spins = fastpath_counters(vm, "spins_");
	TEST_ASSERT(!delivered && !spins, "%lu delivered, %lu waits, of a masked timer",
		    delivered, spins);
}

TIMER_TEST_MAIN
