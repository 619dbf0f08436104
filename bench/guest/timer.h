/* SPDX-License-Identifier: GPL-2.0-only */
/* timer.S: the TSC-deadline timer of the vmexit guest. */
#ifndef BENCH_GUEST_TIMER_H
#define BENCH_GUEST_TIMER_H

#include "guest.h"

/* Return once the ISR for @deadline has run. */
void timer_arm_and_wait(__u64 deadline);

/* Count in VMEXIT_TICKS, and signal EOI; "stamp": first write VMEXIT_STAMP. */
void timer_isr_x2apic(void);
void timer_isr_xapic(void);
void timer_isr_stamp_x2apic(void);
void timer_isr_stamp_xapic(void);

/* Where a tick ends up that nothing waited for. */
void __noreturn stray_tick_abort(__u64 rip);

#endif
