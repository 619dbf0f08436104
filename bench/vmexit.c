// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of VM exits as the guest sees it, in TSC ticks per iteration. The rows
 * have the names and the meaning that they have in kvm-unit-tests.
 *
 * Each row runs in a VM of its own: a warm-up, then a number of repeats that
 * the guest times one by one. The figure is the median of the repeats. Keep
 * one repeat shorter than the host's timer tick, and the median is free of it.
 *
 * One vCPU is measured. Others run the same row all the while, each in a thread of
 * its own: on one CPU they take turns, so that most repeats follow one another, and
 * some another vCPU's.
 */
#include <getopt.h>
#include <string.h>

#include "vmexit.h"
#include "vmm.h"

const struct row rows[NR_VMEXIT_ROWS] = {
	[VMEXIT_CPUID] = {
		.name = "cpuid",
		.inside = "CPUID leaf 0",
	},
	[VMEXIT_VMCALL] = {
		.name = "vmcall",
		.inside = "VMCALL with an unknown hypercall number",
	},
	[VMEXIT_TSCDEADLINE_ARM] = {
		.name = "tscdeadline_arm",
		.inside = "RDTSC, WRMSR TSC_DEADLINE to a deadline that never comes",
	},
	[VMEXIT_TSCDEADLINE_IMMED] = {
		.name = "tscdeadline_immed",
		.inside = "RDTSC, WRMSR TSC_DEADLINE to now, spin until the ISR has run",
	},
	[VMEXIT_TSCDEADLINE] = {
		.name = "tscdeadline",
		.inside = "the same, to now + deadline: includes the wait for the deadline",
		.waits = true,
	},
	[VMEXIT_TSCDEADLINE_LATENCY] = {
		.name = "tscdeadline_latency",
		.inside = "TSC at the ISR's first instruction minus the deadline, p50",
		.latency = true,
	},
	[VMEXIT_FLOOR] = {
		.name = "floor",
		.inside = "exit and re-entry, nothing but the world switch (floor module only)",
		.floor = true,
	},
};

void print_rows(void)
{
	size_t i;

	for (i = 0; i < NR_VMEXIT_ROWS; i++)
		printf("%-20s %s\n", rows[i].name, rows[i].inside);
}

static enum vmexit_row find_row(const char *name)
{
	size_t i;

	for (i = 0; i < NR_VMEXIT_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return i;

	vmm_fail(STATUS_USAGE, "%s: no such row (--list shows them)", name);
}

int main(int argc, char **argv)
{
	struct options options = {
		.iterations = 50,
		.warmup = 500,
		.repeats = 101,
		.deadline = 3000,
		.bucket = 50,
		.max_spread = 2,
		.vcpus = 1,
		.memslots = 1,
	};
	enum vmexit_row wanted[NR_VMEXIT_ROWS];
	struct result result;
	size_t i, nr = 0;
	bool ok = true;

	parse_options(&options, argc, argv);

	if (argc - optind > NR_VMEXIT_ROWS)
		vmm_fail(STATUS_USAGE, "%d rows named, there are %d", argc - optind,
			 NR_VMEXIT_ROWS);
	for (i = optind; i < (size_t)argc; i++)
		wanted[nr++] = find_row(argv[i]);
	for (i = 0; i < NR_VMEXIT_ROWS && optind == argc; i++)
		if (!rows[i].floor)
			wanted[nr++] = i;

	printf("# TSC ticks per iteration, the loop's own instructions included\n");
	printf("# median of %lu repeats of %lu iterations, %lu of warm-up\n",
	       options.repeats, options.iterations, options.warmup);
	printf("# deadline %lu ticks, %s, vCPUs %lu, memslots %lu\n", options.deadline,
	       options.xapic ? "xAPIC" : "x2APIC", options.vcpus, options.memslots);

	for (i = 0; i < nr; i++) {
		const struct row *row = &rows[wanted[i]];

		run_row(&result, wanted[i], &options);
		print_result(row, &result, &options);
		if (options.json)
			write_json(row, &result, &options);
		ok &= check_result(row, &result, &options);
		free_result(&result);
	}

	if (options.json && fclose(options.json))
		vmm_fail_errno(VMM_FAILED, "JSON output");
	if (fflush(stdout) || ferror(stdout))
		vmm_fail_errno(VMM_FAILED, "output");

	return ok ? 0 : STATUS_UNTRUSTED;
}
