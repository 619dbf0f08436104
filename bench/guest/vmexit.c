// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest of the vmexit benchmark: one image, many rows. The shared page says
 * which row to run. Each row is a function that does the measured thing @n
 * times; RDTSC is read before and after it, so the cost of its loop (and of
 * one call per repeat) is inside.
 */
#include <assert.h>
#include <stddef.h>

#include "../profile/recorder/marker.h"
#include "../vmexit_abi.h"
#include "guest.h"
#include "timer.h"

#define TIMER_VECTOR		0x40

/* No hypercall has this number, and Linux answers with an error. */
#define UNKNOWN_HYPERCALL	0x7fffffff

#define STRAY_TICK_TIME		100000
#define FAR_DEADLINE		1000000000

struct row {
	void (*run)(__u64 n);
	bool less_empty;	/* the figure is run(n)'s time less run(0)'s */
	bool never_due;		/* no interrupt is to come */
	void (*isr_x2apic)(void);
	void (*isr_xapic)(void);
};

static struct vmexit_page *page;
static __s64 *next_lateness;

static_assert(offsetof(struct vmexit_page, ticks) == VMEXIT_TICKS - VMM_GUEST_BASE,
	      "VMEXIT_TICKS");
static_assert(offsetof(struct vmexit_page, stamp) == VMEXIT_STAMP - VMM_GUEST_BASE,
	      "VMEXIT_STAMP");

void stray_tick_abort(__u64 rip)
{
	guest_abort("timer interrupt that no deadline asked for, at RIP", rip);
}

static void run_cpuid(__u64 n)
{
	while (n--) {
		__u32 eax = 0, ebx, ecx = 0, edx;

		asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	}
}

static void run_vmcall(__u64 n)
{
	while (n--) {
		__u64 rax = UNKNOWN_HYPERCALL;

		asm volatile("vmcall" : "+a"(rax) : : "memory");
	}
}

/* Rewritten before it comes; the preemption timer can count that far. */
static void run_tscdeadline_arm(__u64 n)
{
	while (n--)
		wrmsr(MSR_IA32_TSC_DEADLINE, rdtsc() + FAR_DEADLINE);
}

static void run_tscdeadline_immed(__u64 n)
{
	while (n--)
		timer_arm_and_wait(rdtsc());
}

static void run_tscdeadline(__u64 n)
{
	__u64 delta = page->deadline;

	while (n--)
		timer_arm_and_wait(rdtsc() + delta);
}

static void run_tscdeadline_latency(__u64 n)
{
	__u64 delta = page->deadline;

	while (n--) {
		__u64 deadline = rdtsc() + delta;

		timer_arm_and_wait(deadline);
		*next_lateness++ = page->stamp - deadline;
	}
}

/*
 * The floor module takes VMCALL as "enter the guest again RAX times with nothing
 * but the world switch", and then leaves the exit to KVM: a hypercall 0. That
 * last one is what an empty run costs.
 */
static void run_floor(__u64 n)
{
	__u64 rax = n;

	asm volatile("vmcall" : "+a"(rax) : : "memory");
}

static const struct row rows[NR_VMEXIT_ROWS] = {
	[VMEXIT_CPUID] = { .run = run_cpuid },
	[VMEXIT_VMCALL] = { .run = run_vmcall },
	[VMEXIT_TSCDEADLINE_ARM] = {
		.run = run_tscdeadline_arm,
		.isr_x2apic = timer_isr_x2apic,
		.isr_xapic = timer_isr_xapic,
		.never_due = true,
	},
	[VMEXIT_TSCDEADLINE_IMMED] = {
		.run = run_tscdeadline_immed,
		.isr_x2apic = timer_isr_x2apic,
		.isr_xapic = timer_isr_xapic,
	},
	[VMEXIT_TSCDEADLINE] = {
		.run = run_tscdeadline,
		.isr_x2apic = timer_isr_x2apic,
		.isr_xapic = timer_isr_xapic,
	},
	[VMEXIT_TSCDEADLINE_LATENCY] = {
		.run = run_tscdeadline_latency,
		.isr_x2apic = timer_isr_stamp_x2apic,
		.isr_xapic = timer_isr_stamp_xapic,
	},
	[VMEXIT_FLOOR] = { .run = run_floor, .less_empty = true },
};

static void check_ticks(const struct row *row)
{
	__u64 expected = row->never_due ? 0 :
			 page->warmup + page->iterations * page->repeats_done;
	__u64 end = rdtsc() + STRAY_TICK_TIME;

	/* A second interrupt for the last deadline would come now. */
	while (rdtsc() < end)
		barrier();

	if (row->isr_x2apic && page->ticks != expected)
		guest_abort("timer interrupts lost or doubled: taken", page->ticks);
}

static __u64 timed(const struct row *row, __u64 n)
{
	__u64 start = rdtsc_ordered();

	row->run(n);

	return rdtsc_ordered() - start;
}

/* All repeats. What is timed is the same code, whatever goes on between. */
static void run_repeats(const struct row *row)
{
	__s64 *totals = (__s64 *)page->totals;
	__u64 i;

	next_lateness = (__s64 *)page->lateness;

	for (i = 0; i < page->repeats; i++) {
		totals[i] = timed(row, page->iterations);
		if (row->less_empty)
			totals[i] -= timed(row, 0);
		page->repeats_done++;
		barrier();
	}
}

void guest_main(void *arg)
{
	const struct row *row;

	interrupts_init();

	page = arg;
	row = &rows[page->row];
	next_lateness = (__s64 *)page->lateness;

	apic_init(page->xapic);
	if (row->isr_x2apic) {
		interrupts_set_handler(TIMER_VECTOR, page->xapic ? row->isr_xapic :
								   row->isr_x2apic);
		apic_timer_init(TIMER_VECTOR);
	}
	sti();

	if (page->warmup)
		row->run(page->warmup);

	profile_mark(MARKER_PREPARE);
	out32(VMM_PORT_REPORT, 0);

	profile_mark(MARKER_BEGIN);
	do {
		run_repeats(row);
	} while (page->run_on);

	profile_mark(MARKER_END);

	out32(VMM_PORT_REPORT, 1);
	check_ticks(row);
}
