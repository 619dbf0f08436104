/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics and histograms of sorted samples. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <linux/types.h>
#include <stddef.h>

#define HISTOGRAM_BUCKETS	20

struct histogram {
	__u64 width;		/* bucket i holds [i * width, (i + 1) * width) */
	__u64 early;		/* samples below 0 */
	__u64 buckets[HISTOGRAM_BUCKETS];
	__u64 overflow;
};

void stats_sort(double *values, size_t n);

/* Nearest rank: the smallest value that @percent of all do not exceed. */
double stats_percentile(const double *sorted, size_t n, double percent);

/* The mean of the two in the middle where @n is even. */
double stats_median(const double *sorted, size_t n);

double stats_mean(const double *values, size_t n);

/* Distance between the quartiles, as a percentage of the median. */
double stats_spread(const double *sorted, size_t n);

void histogram_fill(struct histogram *histogram, const double *values, size_t n);

#endif
