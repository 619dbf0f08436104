// SPDX-License-Identifier: GPL-2.0-only
/* A row's result, as text, as JSON, and whether to believe it. */
#include <errno.h>

#include "vmexit.h"

static void print_histogram(const struct histogram *histogram)
{
	__u64 from = 0;
	size_t i;

	if (histogram->early)
		printf("#   %9s          %llu\n", "early", histogram->early);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++, from += histogram->width)
		if (histogram->buckets[i])
			printf("#   %9llu..%-7llu %llu\n", from,
			       from + histogram->width - 1, histogram->buckets[i]);
	printf("#   %9llu and more %llu\n", from, histogram->overflow);
}

void print_result(const struct row *row, const struct result *result,
		  const struct options *options)
{
	const double *sorted = result->sorted, *lateness = result->lateness;
	size_t i, n = result->nr_lateness;

	printf("%s %.0f\n", row->name, result->figure);
	printf("#   %s\n", row->inside);
	printf("#   repeats: min %.1f median %.1f max %.1f spread %.2f%%\n",
	       sorted[0], stats_median(sorted, result->nr_runs),
	       sorted[result->nr_runs - 1], stats_spread(sorted, result->nr_runs));
	printf("#   KVM's exits per iteration: %.3f\n", result->exits);
	if (options->vcpus > 1)
		printf("#   repeats of each other vCPU meanwhile: at least %llu\n",
		       result->others);
	for (i = 0; i < result->counters.nr; i++)
		if (result->counters.counter[i].value)
			printf("#   %s %llu\n", result->counters.counter[i].name,
			       result->counters.counter[i].value);

	if (row->latency) {
		printf("#   lateness: min %.0f mean %.1f p50 %.0f p99 %.0f max %.0f\n",
		       lateness[0], stats_mean(lateness, n),
		       stats_percentile(lateness, n, 50),
		       stats_percentile(lateness, n, 99), lateness[n - 1]);
		print_histogram(&result->histogram);
	}
}

static void write_lateness(FILE *json, const struct result *result)
{
	const struct histogram *histogram = &result->histogram;
	const double *lateness = result->lateness;
	size_t i, n = result->nr_lateness;

	fprintf(json, "\"lateness\": {\"min\": %.0f, \"mean\": %.3f, ",
		lateness[0], stats_mean(lateness, n));
	fprintf(json, "\"p50\": %.0f, \"p99\": %.0f, \"max\": %.0f, ",
		stats_percentile(lateness, n, 50), stats_percentile(lateness, n, 99),
		lateness[n - 1]);
	fprintf(json, "\"early\": %llu, \"width\": %llu, \"histogram\": [",
		histogram->early, histogram->width);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		fprintf(json, "%s%llu", i ? ", " : "", histogram->buckets[i]);
	fprintf(json, "], \"overflow\": %llu}, ", histogram->overflow);
}

void write_json(const struct row *row, const struct result *result,
		const struct options *options)
{
	const struct counters *counters = &result->counters;
	FILE *json = options->json;
	size_t i;

	fprintf(json, "{\"name\": \"%s\", \"figure\": %.3f, \"exits\": %.4f, ",
		row->name, result->figure, result->exits);
	fprintf(json, "\"iterations\": %lu, \"warmup\": %lu, ", options->iterations,
		options->warmup);
	fprintf(json, "\"deadline\": %lu, \"apic\": \"%s\", ", options->deadline,
		options->xapic ? "xAPIC" : "x2APIC");
	fprintf(json, "\"vcpus\": %lu, \"memslots\": %lu, ", options->vcpus,
		options->memslots);

	fprintf(json, "\"counters\": {");
	for (i = 0; i < counters->nr; i++)
		fprintf(json, "%s\"%s\": %llu", i ? ", " : "", counters->counter[i].name,
			counters->counter[i].value);
	fprintf(json, "}, ");

	if (row->latency)
		write_lateness(json, result);

	fprintf(json, "\"runs\": [");
	for (i = 0; i < result->nr_runs; i++)
		fprintf(json, "%s%.3f", i ? ", " : "", result->runs[i]);
	fprintf(json, "]}\n");
}

static void distrust(const struct row *row)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s: not to be trusted: ", program_invocation_short_name, row->name);
}

bool check_result(const struct row *row, const struct result *result,
		  const struct options *options)
{
	double spread = stats_spread(result->sorted, result->nr_runs);
	bool ok = true;

	if (result->histogram.early) {
		distrust(row);
		fprintf(stderr, "%llu interrupts before their deadline, the worst by %.0f ticks\n",
			result->histogram.early, -result->lateness[0]);
		ok = false;
	}

	if (row->waits && result->sorted[0] < options->deadline) {
		distrust(row);
		fprintf(stderr, "iterations of %.1f ticks, less than the deadline\n",
			result->sorted[0]);
		ok = false;
	}

	if (row->floor && result->figure < 1) {
		distrust(row);
		fprintf(stderr, "VMCALL does not repeat: kvm_intel is not the floor variant\n");
		ok = false;
	}

	if (options->vcpus > 1 && !result->others) {
		distrust(row);
		fprintf(stderr, "another vCPU did not get to run meanwhile: use more repeats\n");
		ok = false;
	}

	/* Lateness is shown as the distribution that it is. */
	if (!row->latency && spread > options->max_spread) {
		distrust(row);
		fprintf(stderr, "half of the repeats spread over %.2f%% (limit %.2f%%): ",
			spread, options->max_spread);
		fprintf(stderr, "quieten the host, or use more repeats of fewer iterations\n");
		ok = false;
	}

	return ok;
}
