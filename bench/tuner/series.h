/* SPDX-License-Identifier: GPL-2.0-only */
/* Series of costs: what each of many expiries takes until VM-Entry, TSC ticks. */
#ifndef BENCH_TUNER_SERIES_H
#define BENCH_TUNER_SERIES_H

#include <linux/types.h>
#include <stddef.h>

#define SERIES_TICKS	20000

/* The TSC of what is made up here. */
#define SERIES_KHZ	2000000

/**
 * struct series - costs, and where they came from
 * @name:	in one word
 * @about:	what they are like
 * @khz:	of the TSC whose ticks they are
 * @change:	the tick from which on they are of one kind
 * @cost:	one for each tick
 */
struct series {
	const char *name;
	const char *about;
	u32 khz;
	size_t change;
	u32 cost[SERIES_TICKS];
};

/* How many series_make() knows. */
size_t series_count(void);

/* Make up the series of that number.  The same each time. */
void series_make(struct series *series, size_t number);

/**
 * series_read - a recorded one
 * @series:	what is read, again and again if the file has less
 * @path:	a file with a line "# tsc_khz <n>", other lines beginning with "#", and a
 *		cost on each line else
 *
 * Return: NULL, or what is wrong with the file.
 */
const char *series_read(struct series *series, const char *path);

#endif /* BENCH_TUNER_SERIES_H */
