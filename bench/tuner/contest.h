/* SPDX-License-Identifier: GPL-2.0-only */
/* Both rules on the same costs, and what came of it. */
#ifndef BENCH_TUNER_CONTEST_H
#define BENCH_TUNER_CONTEST_H

#include "series.h"

enum rule {
	RULE_STOCK,
	RULE_TUNER,
	NR_RULES,
};

/* Tenths of a percent: what the fast path aims at by default. */
#define CONTEST_QUANTILE	990

/**
 * struct outcome - what one rule made of a series, TSC ticks
 * @advance:	with which each tick's timer was armed
 * @p50:	of the lateness in the second half of what is of one kind
 * @p99:	of the same
 * @max:	of the same
 * @spun:	on average, in the same half
 * @range:	of the advance, in the same half
 * @settled:	ticks after the change until the advance was within 10 % of the
 *		quantile of the costs; SERIES_TICKS if it never was
 *
 * A tick is late by what its cost is above the advance, and waits for what it is below.
 */
struct outcome {
	u32 advance[SERIES_TICKS];
	u32 p50;
	u32 p99;
	u32 max;
	double spun;
	u32 range;
	size_t settled;
};

/* Both begin with stock's advance. */
void contest(struct outcome *outcome, const struct series *series, enum rule rule);

/* The quantile of the costs after the change, without spikes. */
u32 contest_quantile(const struct series *series);

/* p99 - p50 of the same costs. */
u32 contest_spread(const struct series *series);

#endif /* BENCH_TUNER_CONTEST_H */
