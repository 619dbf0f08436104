// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "vmexit.h"
#include "vmm.h"

#define MAX_ITERATIONS		10000000ul
#define MAX_REPEATS		100000ul
#define MAX_DEADLINE		1000000000ul
#define MAX_SAMPLES		(64ul << 20)
#define MAX_VCPUS		64ul
#define MAX_MEMSLOTS		10000ul

static void print_usage(FILE *out)
{
	fprintf(out,
		"usage: %s [options] [row...]   (no row: all but floor)\n"
		"  -i, --iterations N  iterations in each repeat (50)\n"
		"  -w, --warmup N      iterations before the first repeat (500)\n"
		"  -r, --repeats N     repeats, of which the median is taken (101)\n"
		"  -d, --deadline N    TSC ticks to the deadline (3000)\n"
		"  -b, --bucket N      TSC ticks to a bucket of the histogram (50)\n"
		"  -s, --spread P      percent by which the middle half of repeats may differ (2)\n"
		"  -v, --vcpus N       vCPUs that run the row, of which one is measured (1)\n"
		"  -m, --memslots N    memslots of the VM, all but one unused (1)\n"
		"  -c, --cpu N         run on this CPU only\n"
		"  -x, --xapic         drive the local APIC by MMIO, not in x2APIC mode\n"
		"  -j, --json FILE     append one line of JSON per row to FILE\n"
		"  -l, --list          list the rows and what they measure\n"
		"status: 0 good, 1 failed, 2 usage, 3 not to be trusted, 4 not supported here\n",
		program_invocation_short_name);
}

static unsigned long parse_number(const char *option, const char *text,
				  unsigned long min, unsigned long max_value)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || value < min || value > max_value)
		vmm_fail(STATUS_USAGE, "--%s %s: give a number from %lu to %lu", option, text,
			 min, max_value);

	return value;
}

static double parse_percent(const char *option, const char *text)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value < 0)
		vmm_fail(STATUS_USAGE, "--%s %s: give a percentage", option, text);

	return value;
}

static void pin(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		vmm_fail_errno(STATUS_USAGE, "--cpu %lu", cpu);
}

void parse_options(struct options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "iterations", required_argument, NULL, 'i' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "repeats", required_argument, NULL, 'r' },
		{ "deadline", required_argument, NULL, 'd' },
		{ "bucket", required_argument, NULL, 'b' },
		{ "spread", required_argument, NULL, 's' },
		{ "vcpus", required_argument, NULL, 'v' },
		{ "memslots", required_argument, NULL, 'm' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "xapic", no_argument, NULL, 'x' },
		{ "json", required_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "i:w:r:d:b:s:v:m:c:xj:lh", long_options,
				  NULL)) != -1) {
		switch (opt) {
		case 'i':
			options->iterations = parse_number("iterations", optarg, 1,
							   MAX_ITERATIONS);
			break;
		case 'w':
			options->warmup = parse_number("warmup", optarg, 0, MAX_ITERATIONS);
			break;
		case 'r':
			options->repeats = parse_number("repeats", optarg, 1, MAX_REPEATS);
			break;
		case 'd':
			options->deadline = parse_number("deadline", optarg, 0,
							 MAX_DEADLINE);
			break;
		case 'b':
			options->bucket = parse_number("bucket", optarg, 1, MAX_DEADLINE);
			break;
		case 's':
			options->max_spread = parse_percent("spread", optarg);
			break;
		case 'v':
			options->vcpus = parse_number("vcpus", optarg, 1, MAX_VCPUS);
			break;
		case 'm':
			options->memslots = parse_number("memslots", optarg, 1,
							 MAX_MEMSLOTS);
			break;
		case 'c':
			pin(parse_number("cpu", optarg, 0, CPU_SETSIZE - 1));
			break;
		case 'x':
			options->xapic = true;
			break;
		case 'j':
			options->json = fopen(optarg, "a");
			if (!options->json)
				vmm_fail_errno(STATUS_USAGE, "--json %s", optarg);
			break;
		case 'l':
			print_rows();
			exit(0);
		case 'h':
			print_usage(stdout);
			exit(0);
		default:
			print_usage(stderr);
			exit(STATUS_USAGE);
		}
	}

	if (options->iterations * options->repeats * options->vcpus > MAX_SAMPLES)
		vmm_fail(STATUS_USAGE,
			 "%lu iterations times %lu repeats times %lu vCPUs: more than %lu",
			 options->iterations, options->repeats, options->vcpus, MAX_SAMPLES);
}
