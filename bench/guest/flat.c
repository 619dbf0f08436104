// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for kvm-unit-tests' vmexit.flat, to test the way that one goes:
 * loaded by QEMU as a multiboot kernel, rows by command line, "name cycles" on
 * the serial port, end by isa-debug-exit. Whatever the rows' names, each is the
 * cost of CPUID.
 */
#include "guest.h"

#define SERIAL_PORT	0x3f8
#define EXIT_PORT	0xf4
#define ITERATIONS	64

/* Of the multiboot information, what is used here */
struct multiboot_info {
	unsigned int flags;
	unsigned int memory[2];
	unsigned int boot_device;
	const char *command_line;
};

static void out8(unsigned short port, unsigned char value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void put_number(unsigned int number)
{
	if (number >= 10)
		put_number(number / 10);
	out8(SERIAL_PORT, '0' + number % 10);
}

static unsigned int cost_of_cpuid(void)
{
	__u32 start = rdtsc(), i;

	for (i = 0; i < ITERATIONS; i++) {
		__u32 eax = 0, ebx, ecx = 0, edx;

		asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	}

	return ((__u32)rdtsc() - start) / ITERATIONS;
}

void guest_main(void *arg)
{
	const struct multiboot_info *info = arg;
	const char *c = info->command_line;

	/* The first word is the file's name. */
	while (*c && *c != ' ')
		c++;

	while (*c) {
		while (*c == ' ')
			c++;
		if (!*c)
			break;
		while (*c && *c != ' ')
			out8(SERIAL_PORT, *c++);
		out8(SERIAL_PORT, ' ');
		put_number(cost_of_cpuid());
		out8(SERIAL_PORT, '\n');
	}

	out8(EXIT_PORT, 0);
}
