// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tuner against the rule of stock KVM, on the same costs: made up ones, and those
 * recorded in the files named.
 */
#include <errno.h>
#include <linux/compiler.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contest.h"

static const char * const rule_names[NR_RULES] = { "stock", "tuner" };

static void __noreturn __printf(1, 2) die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

static void print_outcome(const struct series *series, const struct outcome *outcome,
			  enum rule rule)
{
	char settled[24] = "never";

	if (outcome->settled < SERIES_TICKS)
		snprintf(settled, sizeof(settled), "%zu", outcome->settled);
	if (rule == RULE_STOCK)
		printf("%-14s %7u %7u", series->name, contest_quantile(series),
		       contest_spread(series));
	else
		printf("%-14s %7s %7s", "", "", "");
	printf("  %-6s %7u %7u %7u %9.1f %8s %7u\n", rule_names[rule], outcome->p50,
	       outcome->p99, outcome->max, outcome->spun, settled, outcome->range);
}

/* All ticks of a series, for a plot. */
static void write_ticks(const char *directory, const struct series *series,
			const struct outcome *outcomes)
{
	char path[4096];
	FILE *file;
	size_t i;

	if (snprintf(path, sizeof(path), "%s/%s.tsv", directory, series->name) >=
	    (int)sizeof(path))
		die("%s: too long a name", directory);
	file = fopen(path, "w");
	if (!file)
		die("%s: %s", path, strerror(errno));
	fprintf(file, "# %s (%s, %u MHz)\ntick\tcost\tstock\ttuner\n", series->name,
		series->about, series->khz / 1000);
	for (i = 0; i < SERIES_TICKS; i++)
		fprintf(file, "%zu\t%u\t%u\t%u\n", i, series->cost[i],
			outcomes[RULE_STOCK].advance[i], outcomes[RULE_TUNER].advance[i]);
	if (fclose(file))
		die("%s: %s", path, strerror(errno));
}

static void compare_on(const struct series *series, const char *directory)
{
	static struct outcome outcomes[NR_RULES];
	enum rule rule;

	for (rule = 0; rule < NR_RULES; rule++) {
		contest(&outcomes[rule], series, rule);
		print_outcome(series, &outcomes[rule], rule);
	}
	write_ticks(directory, series, outcomes);
}

int main(int argc, char **argv)
{
	static struct series series;
	struct stat directory;
	const char *wrong;
	size_t i;
	int arg;

	if (argc < 2 || stat(argv[1], &directory) || !S_ISDIR(directory.st_mode))
		die("usage: %s DIRECTORY [RECORDED...]; the ticks' data goes to DIRECTORY",
		    program_invocation_short_name);
	for (arg = 2; arg < argc; arg++) {
		wrong = series_read(&series, argv[arg]);
		if (wrong)
			die("%s: %s", argv[arg], wrong);
	}

	printf("%-14s %15s  %-6s %23s %9s %8s %7s\n", "", "cost", "", "lateness", "spun",
	       "settled", "range");
	printf("%-14s %7s %7s  %-6s %7s %7s %7s %9s %8s %7s\n", "series", "p99", "less p50",
	       "rule", "p50", "p99", "max", "per tick", "after", "of it");
	for (i = 0; i < series_count(); i++) {
		series_make(&series, i);
		compare_on(&series, argv[1]);
	}
	for (arg = 2; arg < argc; arg++) {
		series_read(&series, argv[arg]);
		compare_on(&series, argv[1]);
	}
	return 0;
}
