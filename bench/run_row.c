// SPDX-License-Identifier: GPL-2.0-only
/* One row: a VM, the guest in it, and what comes out of its memory. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "load.h"
#include "vcpu.h"
#include "vmexit.h"

#define ARRAYS_BASE		(2 * VMM_PAGE_SIZE)

static struct kvm_run *watched_run;

static void watchdog(int sig)
{
	(void)sig;
	watched_run->immediate_exit = 1;
}

static void watchdog_start(struct bench_vcpu *vcpu)
{
	const struct itimerval interval = {
		.it_interval.tv_sec = WATCHDOG_SECONDS,
		.it_value.tv_sec = WATCHDOG_SECONDS,
	};
	const struct sigaction action = { .sa_handler = watchdog };

	watched_run = vcpu->vmm.run;
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &interval, NULL))
		vmm_fail_errno(VMM_FAILED, "watchdog");
}

static void watchdog_stop(void)
{
	const struct itimerval never = {};

	setitimer(ITIMER_REAL, &never, NULL);
}

static double *new_doubles(size_t n)
{
	double *values = calloc(n, sizeof(*values));

	if (!values)
		vmm_fail_errno(VMM_FAILED, "memory for %zu samples", n);

	return values;
}

/* Each repeat's figure is the median of its own iterations. */
static void collect_lateness(struct result *result, const struct options *options,
			     const __s64 *samples)
{
	size_t i, j, n = options->iterations;
	double *repeat = new_doubles(n);

	result->nr_lateness = n * options->repeats;
	result->lateness = new_doubles(result->nr_lateness);

	for (i = 0; i < options->repeats; i++) {
		for (j = 0; j < n; j++)
			repeat[j] = samples[i * n + j];
		memcpy(result->lateness + i * n, repeat, n * sizeof(*repeat));
		stats_sort(repeat, n);
		result->runs[i] = stats_median(repeat, n);
	}
	free(repeat);

	stats_sort(result->lateness, result->nr_lateness);
	result->histogram.width = options->bucket;
	histogram_fill(&result->histogram, result->lateness, result->nr_lateness);
}

static void collect(struct result *result, const struct row *row,
		    const struct options *options, const __s64 *totals,
		    const __s64 *samples)
{
	size_t i;

	result->nr_runs = options->repeats;
	result->runs = new_doubles(options->repeats);
	result->sorted = new_doubles(options->repeats);

	if (row->latency)
		collect_lateness(result, options, samples);
	else
		for (i = 0; i < options->repeats; i++)
			result->runs[i] = (double)totals[i] / options->iterations;

	memcpy(result->sorted, result->runs, options->repeats * sizeof(*result->runs));
	stats_sort(result->sorted, options->repeats);

	if (row->latency)
		result->figure = stats_percentile(result->lateness, result->nr_lateness, 50);
	else
		result->figure = stats_median(result->sorted, options->repeats);
}

static size_t max(size_t a, size_t b)
{
	return a > b ? a : b;
}

void run_row(struct result *result, enum vmexit_row index, const struct options *options)
{
	const struct row *row = &rows[index];
	struct vmexit_page setup = {
		.row = index,
		.xapic = options->xapic,
		.warmup = options->warmup,
		.iterations = options->iterations,
		.repeats = options->repeats,
		.deadline = options->deadline,
		.totals = ARRAYS_BASE,
	};
	size_t totals_size, lateness_size = 0, mem_size;
	struct counters before;
	struct bench_vcpu vcpu;
	struct load load;
	__u64 exits;
	struct vmm vm;

	memset(result, 0, sizeof(*result));
	totals_size = options->repeats * sizeof(__s64);
	if (row->latency)
		lateness_size = max(options->iterations * options->repeats,
				    options->warmup) * sizeof(__s64);
	mem_size = ARRAYS_BASE + totals_size + lateness_size;
	mem_size = (mem_size + VMM_PAGE_SIZE - 1) / VMM_PAGE_SIZE * VMM_PAGE_SIZE;
	setup.lateness = ARRAYS_BASE + totals_size;

	vmm_create(&vm, mem_size, options->vcpus, options->memslots);
	bench_vcpu_create(&vm, &vcpu, 0, row->name, &setup);
	load_start(&load, &vm, options->vcpus, row->name, &setup);
	watchdog_start(&vcpu);

	bench_vcpu_run(&vcpu, VMM_EVENT_REPORT);
	load_mark(&load);
	exits = vmm_vcpu_stat(&vcpu.vmm, "exits");
	counters_read(&before, vm.fd, vcpu.id);

	bench_vcpu_run(&vcpu, VMM_EVENT_REPORT);
	result->others = load_repeats(&load);
	exits = vmm_vcpu_stat(&vcpu.vmm, "exits") - exits;
	counters_read(&result->counters, vm.fd, vcpu.id);
	counters_subtract(&result->counters, &before);

	bench_vcpu_run(&vcpu, VMM_EVENT_FINISH);
	watchdog_stop();
	load_stop(&load);

	/* The doorbell at the end is one exit. */
	result->exits = (double)(exits - 1) / (options->iterations * options->repeats);
	collect(result, row, options, vmm_mem(&vcpu.vmm, setup.totals, totals_size),
		vmm_mem(&vcpu.vmm, setup.lateness, lateness_size));

	bench_vcpu_destroy(&vcpu);
	vmm_destroy(&vm);
}

void free_result(struct result *result)
{
	free(result->runs);
	free(result->sorted);
	free(result->lateness);
}
