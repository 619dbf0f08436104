// SPDX-License-Identifier: GPL-2.0-only
/* The figures that the benchmark prints, on samples small enough to check. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"
#include "stats.h"

static int tests, failures;

static void check(const char *what, double actual, double expected)
{
	bool ok = fabs(actual - expected) < 0.000001;

	printf("%sok %d %s\n", ok ? "" : "not ", ++tests, what);
	if (!ok) {
		printf("# %g, expected %g\n", actual, expected);
		failures++;
	}
}

int main(void)
{
	double five[] = { 50, 10, 40, 20, 30 };
	double four[] = { 1, 2, 10, 100 };
	double same[] = { 7, 7, 7 };
	double one[] = { 42 };
	double hundred[100];
	const double samples[] = { -1, -0.5, 0, 9, 10, 199, 200, 5000 };
	struct histogram histogram = { .width = 10 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hundred); i++)
		hundred[i] = i + 1;

	printf("TAP version 13\n1..17\n");

	stats_sort(five, ARRAY_SIZE(five));
	check("sorted: first", five[0], 10);
	check("sorted: last", five[4], 50);
	check("median of an odd number", stats_median(five, ARRAY_SIZE(five)), 30);
	check("median of an even number", stats_median(four, ARRAY_SIZE(four)), 6);
	check("median of one", stats_median(one, 1), 42);
	check("mean", stats_mean(four, ARRAY_SIZE(four)), 28.25);
	check("p50 is a sample", stats_percentile(four, ARRAY_SIZE(four), 50), 2);
	check("p99 of a hundred", stats_percentile(hundred, 100, 99), 99);
	check("p99 of few is the largest", stats_percentile(five, 5, 99), 50);
	check("p0 is the smallest", stats_percentile(five, 5, 0), 10);
	check("spread", stats_spread(hundred, 100), 100 * 50 / 50.5);
	check("spread of equals", stats_spread(same, ARRAY_SIZE(same)), 0);

	histogram_fill(&histogram, samples, ARRAY_SIZE(samples));
	check("histogram: below zero is early", histogram.early, 2);
	check("histogram: lower edge", histogram.buckets[0], 2);
	check("histogram: next bucket", histogram.buckets[1], 1);
	check("histogram: last bucket", histogram.buckets[HISTOGRAM_BUCKETS - 1], 1);
	check("histogram: overflow", histogram.overflow, 2);

	return failures != 0;
}
