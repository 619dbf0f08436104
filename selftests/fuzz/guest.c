// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's part that is the same for all programs.
 *
 * The Makefile compiles it for the general registers only, as those are what the
 * entries save.
 */
#include "apic.h"
#include "processor.h"

#include "guest.h"
#include "model.h"

#define TF	BIT(8)

struct fuzz_guest fuzz_guest;
u8 fuzz_code[FUZZ_CODE_SIZE] __aligned(PAGE_SIZE);

/*
 * Userspace may look at the log at any time: an entry counts once it is complete.
 * IRQs are off.
 */
static void log_event(const struct fuzz_event *event)
{
	if (fuzz_guest.nr_events >= FUZZ_MAX_EVENTS)
		asm volatile("1: out %%eax, %0; jmp 1b" : : "i"(FUZZ_PORT_OVERFLOW), "a"(0));

	fuzz_guest.log[fuzz_guest.nr_events] = *event;
	barrier();
	fuzz_guest.nr_events++;
}

static void log_value(enum fuzz_event_kind kind, unsigned int op, u64 value)
{
	struct fuzz_event event = {
		.kind = kind,
		.op = op,
		.value = value,
		.tsc = rdtsc(),
	};
	unsigned long flags;

	asm volatile("pushf; pop %0; cli" : "=r"(flags) : : "memory");
	log_event(&event);
	/* Userspace's single-stepping shows in the flags. */
	asm volatile("push %0; popf" : : "r"(flags & ~TF) : "memory", "cc");
}

static void write_eoi(void)
{
	switch (fuzz_guest.apic_mode) {
	case APIC_IS_X:
		xapic_write_reg(APIC_EOI, 0);
		break;
	case APIC_IS_X2:
		wrmsr(APIC_BASE_MSR + (APIC_EOI >> 4), 0);
		break;
	}
}

static void external_interrupt(unsigned int vector)
{
	if (fuzz_is_timer_vector(vector) && fuzz_guest.rearm) {
		fuzz_guest.rearm--;
		log_value(EV_REARM, 0, 1);
		/* With an MSR filter it may fault: go on after it then, as programs do. */
		asm volatile("lea 1f(%%rip), %%r15; wrmsr; 1:"
			     : : "c"(MSR_IA32_TSC_DEADLINE), "a"(1), "d"(0)
			     : "r15", "memory");
	}

	if (fuzz_guest.keep[vector])
		fuzz_guest.keep[vector] = 0;
	else
		write_eoi();
}

void fuzz_interrupt(struct fuzz_frame *frame)
{
	struct fuzz_event event = {
		.kind = EV_INTR,
		.vector = frame->vector,
		.rip = frame->rip,
		.rflags = frame->rflags,
		.error = frame->error,
		.tsc = frame->tsc_high << 32 | frame->tsc_low,
	};

	if (frame->vector == PF_VECTOR)
		asm volatile("mov %%cr2, %0" : "=r"(event.value));
	if (frame->vector >= 32)
		event.msr = rdmsr(MSR_IA32_TSC_DEADLINE);
	log_event(&event);

	/* Userspace's single-stepping shows in the flags, and would come back by IRET. */
	if (fuzz_guest.stepped)
		frame->rflags &= ~TF;

	switch (frame->vector) {
	case DB_VECTOR:
	case NMI_VECTOR:
		break;
	case PF_VECTOR:
	case UD_VECTOR:
	case GP_VECTOR:
		frame->rip = frame->r15;
		frame->rflags &= ~TF;
		break;
	default:
		external_interrupt(frame->vector);
		break;
	}
}

/* Ticks from @now on that a deadline may be ahead and still be waited for. */
static bool in_reach(u64 deadline, u64 now)
{
	return deadline <= now + 4 * fuzz_guest.soon;
}

static void wait_for_deadline(void)
{
	u64 now;

	while ((now = rdtsc()) < fuzz_guest.deadline && in_reach(fuzz_guest.deadline, now))
		barrier();
}

/* Until the deadline MSR says that nothing is armed any more. */
static u64 wait_for_expiry(void)
{
	u64 start = rdtsc(), now = start, msr;

	while ((msr = rdmsr(MSR_IA32_TSC_DEADLINE)) && in_reach(msr, now) &&
	       now - start < fuzz_guest.limit)
		now = rdtsc();
	return msr;
}

/* For as long as it may take until it has expired. */
static void settle(void)
{
	u64 start = rdtsc();

	while (rdtsc() - start < fuzz_guest.settle)
		barrier();
}

void fuzz_call(u32 what, u64 value)
{
	enum fuzz_event_kind kind = what & FUZZ_CALL_KIND;
	unsigned int op = what >> 8;

	switch (kind) {
	case EV_ARM:
		/* After 0, wait for what must not come any more. */
		if (value)
			fuzz_guest.deadline = value;
		log_value(kind, op, value);
		break;
	case EV_HALT:
		asm volatile("cli");
		log_value(kind, op, 0);
		asm volatile("sti; hlt" : : : "memory");
		wait_for_deadline();
		log_value(EV_LANDED, op, wait_for_expiry());
		break;
	case EV_WAIT:
		log_value(kind, op, 0);
		wait_for_deadline();
		if (what & FUZZ_CALL_SETTLE) {
			settle();
			value = 0;
		} else {
			value = wait_for_expiry();
		}
		if (what & FUZZ_CALL_RESOLVE)
			asm volatile("sti; nop; cli" : : : "memory");
		log_value(EV_LANDED, op, value);
		break;
	default:
		log_value(kind, op, value);
		break;
	}
}
