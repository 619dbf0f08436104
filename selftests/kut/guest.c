// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for a test of kvm-unit-tests: a multiboot kernel that reports on the
 * serial port as these do, and ends by isa-debug-exit. What it does is the word on
 * its command line; "costly N" is true of stock KVM only.
 */
#include <stddef.h>

#include "guest.h"

#define SERIAL_PORT	0x3f8
#define EXIT_PORT	0xf4

#define EXIT_PASS	0
#define EXIT_FAIL	1
#define EXIT_SKIP	77

#define MSR_X2APIC_SPIV		0x80f
#define MSR_X2APIC_LVTT		0x832
#define SPIV_ENABLE		0x1ff
#define LVTT_TSC_DEADLINE	(2 << 17 | 0x40)
#define APIC_BASE_X2APIC	0xc00

#define WRITES		64
/* Far enough not to be due while it is measured */
#define FAR		BIT(30)

/* Of the multiboot information, what is used here */
struct multiboot_info {
	unsigned int flags;
	unsigned int memory[2];
	unsigned int boot_device;
	const char *command_line;
};

static void out8(__u16 port, __u8 value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void put(const char *text)
{
	while (*text)
		out8(SERIAL_PORT, *text++);
}

static void put_number(__u32 number)
{
	if (number >= 10)
		put_number(number / 10);
	out8(SERIAL_PORT, '0' + number % 10);
}

static void begin_report(bool pass, const char *text)
{
	put(pass ? "PASS: " : "FAIL: ");
	put(text);
}

static void report(bool pass, const char *text)
{
	begin_report(pass, text);
	put("\n");
}

static void report_number(bool pass, const char *text, __u32 number)
{
	begin_report(pass, text);
	put_number(number);
	put("\n");
}

/* The instructions that one write of the deadline takes, host's included */
static __u32 cost_of_deadline(void)
{
	__u32 start, i;

	wrmsr(MSR_IA32_APIC_BASE, rdmsr(MSR_IA32_APIC_BASE) | APIC_BASE_X2APIC);
	wrmsr(MSR_X2APIC_SPIV, SPIV_ENABLE);
	wrmsr(MSR_X2APIC_LVTT, LVTT_TSC_DEADLINE);
	wrmsr(MSR_IA32_TSC_DEADLINE, rdtsc() + FAR);

	start = rdtsc();
	for (i = 0; i < WRITES; i++)
		wrmsr(MSR_IA32_TSC_DEADLINE, rdtsc() + FAR);
	start = (__u32)rdtsc() - start;

	wrmsr(MSR_IA32_TSC_DEADLINE, 0);
	return start / WRITES;
}

static int costly(const char *limit)
{
	__u32 n = 0, cost = cost_of_deadline();

	for (; *limit >= '0' && *limit <= '9'; limit++)
		n = n * 10 + *limit - '0';
	report_number(true, "a write of the deadline costs ", cost);
	report_number(cost > n, "it costs more than ", n);
	return cost > n ? EXIT_PASS : EXIT_FAIL;
}

/* Returns what follows @word on the command line, or NULL. */
static const char *after(const char *line, const char *word)
{
	while (*word)
		if (*line++ != *word++)
			return NULL;
	return *line == ' ' ? line + 1 : line;
}

static void no_idt(void)
{
	static const struct __packed {
		__u16 limit;
		__u32 base;
	} none;

	asm volatile("lidt %0; ud2" : : "m"(none));
}

static int run(const char *line)
{
	const char *rest;

	report(true, "it was started");
	rest = after(line, "costly");
	if (rest)
		return costly(rest);
	if (after(line, "pass"))
		return EXIT_PASS;
	if (after(line, "fail")) {
		report(false, "what fails everywhere");
		return EXIT_FAIL;
	}
	if (after(line, "skip")) {
		put("SKIP: what nothing has\n");
		return EXIT_SKIP;
	}
	if (after(line, "reset"))
		no_idt();
	/* Interrupts are off. */
	for (;;)
		asm volatile("hlt");
}

void guest_main(void *arg)
{
	const struct multiboot_info *info = arg;
	const char *line = info->command_line;

	/* The first word is the file's name. */
	while (*line && *line != ' ')
		line++;
	while (*line == ' ')
		line++;
	out8(EXIT_PORT, run(line));
}
