/* SPDX-License-Identifier: GPL-2.0-only */
/* What guests of vmm.h have in common. */
#ifndef BENCH_GUEST_H
#define BENCH_GUEST_H

#include <linux/types.h>
#include <stdbool.h>

#include "../compiler.h"
#include "../vmm_abi.h"

#define MSR_IA32_APIC_BASE	0x1b
#define MSR_IA32_TSC_DEADLINE	0x6e0

static inline void barrier(void)
{
	asm volatile("" : : : "memory");
}

static inline __u64 rdtsc(void)
{
	__u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));

	return low | (__u64)high << 32;
}

/* Not before all that precedes it is done. */
static inline __u64 rdtsc_ordered(void)
{
	asm volatile("lfence" : : : "memory");

	return rdtsc();
}

static inline __u64 rdmsr(__u32 msr)
{
	__u32 low, high;

	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));

	return low | (__u64)high << 32;
}

static inline void wrmsr(__u32 msr, __u64 value)
{
	asm volatile("wrmsr"
		     : : "c"(msr), "a"((__u32)value), "d"((__u32)(value >> 32))
		     : "memory");
}

static inline void out32(__u16 port, __u32 value)
{
	asm volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

/* A MARKER_ of profile/recorder/marker.h. RAX is not accessed. */
#define profile_mark(marker) \
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0" : : "i"(marker) : "memory")

static inline void sti(void)
{
	asm volatile("sti" : : : "memory");
}

/* Give up: the host prints @reason and @value, and never runs this vCPU again. */
void __noreturn guest_abort(const char *reason, __u64 value);

/* start.S: the entries of all exceptions, and where they end */
extern const char exception_entries[];
void __noreturn exception_abort(__u64 vector, __u64 error, __u64 rip);

/* Own IDT; every exception ends in guest_abort(). */
void interrupts_init(void);
void interrupts_set_handler(__u8 vector, void (*isr)(void));

/* Software-enable the local APIC, in x2APIC mode unless @xapic. */
void apic_init(bool xapic);
/* Timer in TSC-deadline mode, unmasked. */
void apic_timer_init(__u8 vector);

/* An image's own entry point, with interrupts off; @arg from vmm_vcpu_create(). */
void guest_main(void *arg);

#endif
