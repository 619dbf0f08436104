// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

double stats_percentile(const double *sorted, size_t n, double percent)
{
	size_t rank = ceil(n * percent / 100);

	return sorted[rank ? rank - 1 : 0];
}

double stats_median(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double stats_mean(const double *values, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += values[i];

	return sum / n;
}

double stats_spread(const double *sorted, size_t n)
{
	double quartiles = stats_percentile(sorted, n, 75) -
			   stats_percentile(sorted, n, 25);

	return quartiles ? 100 * quartiles / fabs(stats_median(sorted, n)) : 0;
}

void histogram_fill(struct histogram *histogram, const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		double bucket = floor(values[i] / histogram->width);

		if (bucket < 0)
			histogram->early++;
		else if (bucket < HISTOGRAM_BUCKETS)
			histogram->buckets[(size_t)bucket]++;
		else
			histogram->overflow++;
	}
}
