/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of the guest before it runs: enough to tell which programs have one
 * outcome only, however fast the host is.
 *
 * A deadline that is "near" may expire at any moment until the guest waits for it:
 * what comes in between has to commute with the interrupt.  One that is "soon"
 * expires while the guest waits for it, not before; a run that was too slow for that
 * proves nothing and is left out.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "program.h"

enum fuzz_flight { FLIGHT_NONE, FLIGHT_SOON, FLIGHT_NEAR };

/**
 * struct fuzz_model - the guest, as far as it is known
 * @irqs_on:		RFLAGS.IF
 * @tpr:		task priority
 * @apic:		mode of the local APIC
 * @sw_enabled:		the spurious vector register enables the APIC
 * @timer_mode:		of the LVT timer entry
 * @masked:		that entry is masked
 * @vector:		that entry's vector
 * @flight:		the deadline that is to expire
 * @certain:		it is known to be armed
 * @mixed:		IRQs were on and off since a near one was armed
 * @raced:		how many interrupts come depends on time: a near deadline was
 *			overwritten, or an interrupt was pending when it was written
 * @kept:		an interrupt may stay in service
 * @pending:		an interrupt of an earlier deadline may still be to come
 * @others:		so may another interrupt
 * @stale:		a masked timer has expired: KVM clears the deadline at once, or
 *			keeps it and the interrupt until the timer is unmasked; which of
 *			the two depends on whether the guest ran when it expired
 * @rearms:		the handler may write a deadline of its own
 * @filter:		the MSR filter of the deadline
 * @noise:		signals come, at any moment
 */
struct fuzz_model {
	bool irqs_on;
	u8 tpr;
	enum fuzz_apic_mode apic;
	bool sw_enabled;
	enum fuzz_timer_mode timer_mode;
	bool masked;
	u8 vector;
	enum fuzz_flight flight;
	bool certain;
	bool mixed;
	bool raced;
	bool kept;
	bool pending;
	bool others;
	bool stale;
	bool rearms;
	enum fuzz_filter filter;
	bool noise;
};

/* Vectors of the timer's interrupt, and of all others. */
#define FUZZ_TIMER_VECTORS	{ 0x31, 0x71, 0xb1, 0xe1 }
#define FUZZ_OTHER_VECTORS	{ 0x25, 0x61, 0x79, 0xa1, 0xf0 }

static inline bool fuzz_is_timer_vector(unsigned int vector)
{
	static const u8 vectors[] = FUZZ_TIMER_VECTORS;
	unsigned int i;

	for (i = 0; i < sizeof(vectors); i++) {
		if (vector == vectors[i])
			return true;
	}
	return false;
}

/* The guest as fuzz_guest_reset() leaves it, see guest.h. */
void fuzz_model_init(struct fuzz_model *model, const struct fuzz_program *program);

/* Has the program that goes on with @op one outcome only? */
bool fuzz_model_allows(const struct fuzz_model *model, const struct fuzz_op *op);

/* Go on with an operation that is allowed. */
void fuzz_model_step(struct fuzz_model *model, const struct fuzz_op *op);

/**
 * fuzz_program_valid - may this program be run and compared?
 * @program:	the program
 *
 * Return: the number of operations if it may, else that of the first one that may
 * not come where it is, or -1 if a deadline is still in flight at the end.
 */
int fuzz_program_valid(const struct fuzz_program *program);

#endif /* FUZZ_MODEL_H */
