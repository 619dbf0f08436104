// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#define APIC_BASE_X2APIC	BIT(10)
#define APIC_BASE_ENABLE	BIT(11)

#define APIC_REGISTERS		0xfee00000ul
#define X2APIC_MSRS		0x800

#define APIC_TASKPRI		0x80
#define APIC_SPIV		0xf0
#define APIC_SPIV_ENABLE	BIT(8)
#define APIC_LVTT		0x320
#define APIC_LVTT_TSC_DEADLINE	(2u << 17)

#define SPURIOUS_VECTOR		0xff

static bool mmio;

static void apic_write(__u32 reg, __u32 value)
{
	if (mmio)
		asm volatile("movl %1, %0"
			     : "=m"(*(__u32 *)(APIC_REGISTERS + reg))
			     : "r"(value) : "memory");
	else
		wrmsr(X2APIC_MSRS + (reg >> 4), value);
}

void apic_init(bool xapic)
{
	__u64 base = rdmsr(MSR_IA32_APIC_BASE) | APIC_BASE_ENABLE;

	mmio = xapic;
	if (!mmio)
		base |= APIC_BASE_X2APIC;
	wrmsr(MSR_IA32_APIC_BASE, base);

	apic_write(APIC_TASKPRI, 0);
	apic_write(APIC_SPIV, APIC_SPIV_ENABLE | SPURIOUS_VECTOR);
}

void apic_timer_init(__u8 vector)
{
	apic_write(APIC_LVTT, APIC_LVTT_TSC_DEADLINE | vector);

	/* An MMIO write to LVTT must not pass the WRMSR of a first deadline. */
	asm volatile("mfence" : : : "memory");
}
