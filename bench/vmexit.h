/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the vmexit program share. */
#ifndef BENCH_VMEXIT_H
#define BENCH_VMEXIT_H

#include <stdbool.h>
#include <stdio.h>

#include "counters.h"
#include "stats.h"
#include "vmexit_abi.h"

/* Beside VMM_FAILED and VMM_UNSUPPORTED */
#define STATUS_USAGE		2
#define STATUS_UNTRUSTED	3

struct options {
	unsigned long iterations;
	unsigned long warmup;
	unsigned long repeats;
	unsigned long deadline;	/* TSC ticks */
	unsigned long bucket;	/* TSC ticks */
	double max_spread;	/* percent */
	unsigned long vcpus;	/* of which the first is measured */
	unsigned long memslots;
	bool xapic;
	FILE *json;		/* or NULL */
};

struct row {
	const char *name;
	const char *inside;	/* what the measured loop holds */
	bool waits;		/* the figure includes the wait for the deadline */
	bool latency;		/* the figure is lateness, not the loop's time */
	bool floor;		/* only by name: needs the floor module */
};

struct result {
	double figure;		/* TSC ticks per iteration */
	double *runs;		/* the figure of each repeat, in order */
	double *sorted;		/* the same, sorted */
	size_t nr_runs;
	double *lateness;	/* every iteration's, sorted; latency rows only */
	size_t nr_lateness;
	struct histogram histogram;
	double exits;		/* per iteration, by KVM's own count */
	struct counters counters;	/* grown by, over all repeats */
	__u64 others;		/* repeats of the least busy other vCPU meanwhile */
};

extern const struct row rows[NR_VMEXIT_ROWS];

/* Take the options off @argv; the first row's name is then argv[optind]. */
void parse_options(struct options *options, int argc, char **argv);
void print_rows(void);

/* Run one row in a VM of its own. */
void run_row(struct result *result, enum vmexit_row index, const struct options *options);
void free_result(struct result *result);

void print_result(const struct row *row, const struct result *result,
		  const struct options *options);
void write_json(const struct row *row, const struct result *result,
		const struct options *options);

/* Say on stderr what makes the figure worthless, if anything does. */
bool check_result(const struct row *row, const struct result *result,
		  const struct options *options);

#endif
