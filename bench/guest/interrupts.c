// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#define NR_VECTORS		256
#define NR_EXCEPTIONS		32
#define EXCEPTION_ENTRY_SIZE	16

#define GATE_PRESENT_INTERRUPT	0x8e00

struct idt_gate {
	__u16 offset_low;
	__u16 selector;
	__u16 flags;
	__u16 offset_middle;
	__u32 offset_high;
	__u32 reserved;
};

struct idt_pointer {
	__u16 limit;
	__u64 base;
} __packed;

static struct idt_gate idt[NR_VECTORS];

static const char * const exception_names[NR_EXCEPTIONS] = {
	[0] = "#DE at RIP",
	[6] = "#UD at RIP",
	[8] = "#DF at RIP",
	[11] = "#NP (interrupt without a handler?) at RIP",
	[13] = "#GP at RIP",
	[14] = "#PF at RIP",
};

void guest_abort(const char *reason, __u64 value)
{
	/* Static: the host reads it after the doorbell, from memory. */
	static struct vmm_abort abort;

	abort.reason = (__u64)reason;
	abort.value = value;
	for (;;)
		out32(VMM_PORT_ABORT, (__u32)(__u64)&abort);
}

void exception_abort(__u64 vector, __u64 error, __u64 rip)
{
	const char *name = exception_names[vector];

	(void)error;
	guest_abort(name ? name : "unexpected exception at RIP", rip);
}

static void set_gate(__u8 vector, __u64 offset)
{
	idt[vector] = (struct idt_gate) {
		.offset_low = offset,
		.selector = VMM_CODE_SELECTOR,
		.flags = GATE_PRESENT_INTERRUPT,
		.offset_middle = offset >> 16,
		.offset_high = offset >> 32,
	};
}

void interrupts_set_handler(__u8 vector, void (*isr)(void))
{
	set_gate(vector, (__u64)isr);
}

void interrupts_init(void)
{
	struct idt_pointer pointer = {
		.limit = sizeof(idt) - 1,
		.base = (__u64)idt,
	};
	int vector;

	for (vector = 0; vector < NR_EXCEPTIONS; vector++)
		set_gate(vector, (__u64)exception_entries +
				 vector * EXCEPTION_ENTRY_SIZE);

	asm volatile("lidt %0" : : "m"(pointer));
}
