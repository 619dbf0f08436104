/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule by which stock KVM 6.12 tunes its advance, to be compared with.
 *
 * It seeks the mean: each tick that is early or late by more than a little moves the
 * advance by an eighth of that.  An advance that becomes too large is taken for an
 * accident, and starts again.
 */
#ifndef BENCH_TUNER_STOCK_H
#define BENCH_TUNER_STOCK_H

#include <linux/types.h>
#include <stdlib.h>

/* Nanoseconds. */
#define STOCK_START_NS		1000
#define STOCK_MAX_NS		5000

/* TSC ticks. */
#define STOCK_TOLERANCE		100
#define STOCK_SPIKE		10000

#define STOCK_STEP		8

/**
 * stock_tune - the next advance
 * @ns:		the advance, in nanoseconds
 * @khz:	of the TSC
 * @delta:	TSC ticks from the deadline to the moment when KVM looks; negative is early
 */
static inline u32 stock_tune(u32 ns, u32 khz, s64 delta)
{
	s64 distance = llabs(delta);
	u32 step = distance * 1000000 / khz / STOCK_STEP;

	if (distance < STOCK_TOLERANCE || distance > STOCK_SPIKE)
		return ns;

	ns += delta < 0 ? -step : step;
	return ns > STOCK_MAX_NS ? STOCK_START_NS : ns;
}

#endif /* BENCH_TUNER_STOCK_H */
