/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real-mode guest code, linked to run at fixed addresses below 64 KiB.
 */
#ifndef SELFTEST_REAL_MODE_ASM_H
#define SELFTEST_REAL_MODE_ASM_H

/* What the code reports to, and one value for each report. */
#define REAL_MODE_PORT		0x10
#define REAL_MODE_DONE		0
#define REAL_MODE_EARLY		1
#define REAL_MODE_LOST		2
#define REAL_MODE_MSR_SET	3

/*
 * Where the code runs, with variables and stack in the same page: the selftest
 * library's VMs leave no other page below 1 MiB free, but the first, which holds
 * the interrupt vectors.
 */
#define REAL_MODE_CODE		0x1000
#define REAL_MODE_DATA		0x1800
#define REAL_MODE_STACK		0x2000

/* Ticks of the real-mode guest, every other one of a deadline in the past. */
#define REAL_MODE_TICKS		1000
#define REAL_MODE_VECTOR	0x71

#ifndef __ASSEMBLY__

/* Started by a SIPI: waits, and reports whether the deadline MSR is 0. */
extern const char sipi_code[], sipi_code_end[];

/* Sets its APIC up, ticks, and reports how that went. */
extern const char tick_code[], tick_code_end[];

#endif /* __ASSEMBLY__ */
#endif /* SELFTEST_REAL_MODE_ASM_H */
