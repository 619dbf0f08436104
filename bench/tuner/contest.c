// SPDX-License-Identifier: GPL-2.0-only
#include "contest.h"

#include <stdlib.h>
#include <string.h>

#include "stock.h"
#include "tuner.h"

/* As fastpath/advance.h has them. */
#define MAX_NS		5000
#define SPIKE_NS	10000

static u32 ticks_of(u64 ns, u32 khz)
{
	return ns * khz / 1000000;
}

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Nearest rank, of values that need not be sorted.  Tenths of a percent. */
static u32 quantile_of(const u32 *values, size_t nr, u32 quantile)
{
	u32 *sorted = malloc(nr * sizeof(*sorted));
	size_t rank = (nr * quantile + 999) / 1000;
	u32 value;

	if (!sorted)
		abort();
	memcpy(sorted, values, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare);
	value = sorted[rank ? rank - 1 : 0];
	free(sorted);
	return value;
}

static u32 quantile_of_costs(const struct series *series, u32 quantile)
{
	u32 *costs = malloc(sizeof(series->cost)), spike = ticks_of(SPIKE_NS, series->khz);
	size_t i, nr = 0;
	u32 value;

	if (!costs)
		abort();
	for (i = series->change; i < SERIES_TICKS; i++)
		if (series->cost[i] <= spike)
			costs[nr++] = series->cost[i];
	value = nr ? quantile_of(costs, nr, quantile) : 0;
	free(costs);
	return value;
}

u32 contest_quantile(const struct series *series)
{
	return quantile_of_costs(series, CONTEST_QUANTILE);
}

u32 contest_spread(const struct series *series)
{
	return quantile_of_costs(series, 990) - quantile_of_costs(series, 500);
}

static void run_stock(struct outcome *outcome, const struct series *series)
{
	u32 ns = STOCK_START_NS;
	size_t i;

	for (i = 0; i < SERIES_TICKS; i++) {
		outcome->advance[i] = ticks_of(ns, series->khz);
		ns = stock_tune(ns, series->khz, (s64)series->cost[i] - outcome->advance[i]);
	}
}

static void run_tuner(struct outcome *outcome, const struct series *series)
{
	const struct fastpath_tuner_limits limits = {
		.quantile = CONTEST_QUANTILE,
		.window = fastpath_tuner_full_window(CONTEST_QUANTILE),
		.late_run = fastpath_tuner_late_run(CONTEST_QUANTILE),
		.max = ticks_of(MAX_NS, series->khz),
		.spike = ticks_of(SPIKE_NS, series->khz),
	};
	struct fastpath_tuner tuner = { .advance = ticks_of(STOCK_START_NS, series->khz) };
	size_t i;

	for (i = 0; i < SERIES_TICKS; i++) {
		outcome->advance[i] = tuner.advance;
		fastpath_tune(&tuner, &limits, series->cost[i]);
	}
}

static void measure(struct outcome *outcome, const struct series *series)
{
	size_t i, from = (series->change + SERIES_TICKS) / 2, nr = SERIES_TICKS - from;
	u32 lowest = ~0u, highest = 0, *late = calloc(nr, sizeof(*late));
	u64 spun = 0;

	if (!late)
		abort();
	for (i = from; i < SERIES_TICKS; i++) {
		u32 cost = series->cost[i], advance = outcome->advance[i];

		if (cost > advance)
			late[i - from] = cost - advance;
		else
			spun += advance - cost;
		lowest = advance < lowest ? advance : lowest;
		highest = advance > highest ? advance : highest;
	}
	outcome->p50 = quantile_of(late, nr, 500);
	outcome->p99 = quantile_of(late, nr, 990);
	outcome->max = quantile_of(late, nr, 1000);
	outcome->spun = (double)spun / nr;
	outcome->range = highest - lowest;
	free(late);
}

static size_t settled_after(const struct outcome *outcome, const struct series *series)
{
	s64 quantile = contest_quantile(series);
	size_t i;

	for (i = series->change; i < SERIES_TICKS; i++)
		if (llabs(outcome->advance[i] - quantile) * 10 <= quantile)
			return i - series->change;
	return SERIES_TICKS;
}

void contest(struct outcome *outcome, const struct series *series, enum rule rule)
{
	if (rule == RULE_STOCK)
		run_stock(outcome, series);
	else
		run_tuner(outcome, series);
	measure(outcome, series);
	outcome->settled = settled_after(outcome, series);
}
