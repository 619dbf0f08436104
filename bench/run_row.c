// SPDX-License-Identifier: GPL-2.0-only
/* One row: a VM, the guest in it, and what comes out of its memory. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "guest_image.h"
#include "vmexit.h"
#include "vmm.h"

/* A guest that does nothing for so long has lost its interrupt. */
#define WATCHDOG_SECONDS	10

#define ARRAYS_BASE		(2 * VMM_PAGE_SIZE)

static struct kvm_run *watched_run;

static void watchdog(int sig)
{
	(void)sig;
	watched_run->immediate_exit = 1;
}

static void watchdog_start(struct vmm_vcpu *vcpu)
{
	const struct itimerval interval = {
		.it_interval.tv_sec = WATCHDOG_SECONDS,
		.it_value.tv_sec = WATCHDOG_SECONDS,
	};
	const struct sigaction action = { .sa_handler = watchdog };

	watched_run = vcpu->run;
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &interval, NULL))
		vmm_fail_errno(VMM_FAILED, "watchdog");
}

static void watchdog_stop(void)
{
	const struct itimerval never = {};

	setitimer(ITIMER_REAL, &never, NULL);
}

/* Until the guest rings, or is seen to make no headway between two alarms. */
static void run_until(struct vmm_vcpu *vcpu, const struct vmexit_page *page,
		      const char *name, enum vmm_event wanted)
{
	__u64 progress = ~0ull;
	enum vmm_event event;
	__u32 value;

	while ((event = vmm_vcpu_run(vcpu, &value)) == VMM_EVENT_SIGNAL) {
		vcpu->run->immediate_exit = 0;
		if (progress == page->ticks + page->repeats_done)
			vmm_fail(STATUS_UNTRUSTED,
				 "%s: no headway in %d s after %llu ticks, %llu repeats: interrupt lost?",
				 name, WATCHDOG_SECONDS, page->ticks, page->repeats_done);
		progress = page->ticks + page->repeats_done;
	}

	if (event == VMM_EVENT_ABORT)
		vmm_fail_abort(vcpu, value);
	if (event != wanted)
		vmm_fail(VMM_FAILED, "%s: guest rang doorbell %d, not %d", name, event,
			 wanted);
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
	size_t totals_size, lateness_size = 0, mem_size;
	struct counters before;
	struct vmexit_page *page;
	struct vmm_vcpu vcpu;
	__u64 exits;
	struct vmm vm;

	memset(result, 0, sizeof(*result));
	totals_size = options->repeats * sizeof(__s64);
	if (row->latency)
		lateness_size = max(options->iterations * options->repeats,
				    options->warmup) * sizeof(__s64);
	mem_size = ARRAYS_BASE + totals_size + lateness_size;
	mem_size = (mem_size + VMM_PAGE_SIZE - 1) / VMM_PAGE_SIZE * VMM_PAGE_SIZE;

	vmm_create(&vm, mem_size);
	vmm_load(&vm, vmexit_image, vmexit_image_end - vmexit_image);

	page = vmm_mem(&vm, VMM_GUEST_BASE, sizeof(*page));
	page->row = index;
	page->xapic = options->xapic;
	page->warmup = options->warmup;
	page->iterations = options->iterations;
	page->repeats = options->repeats;
	page->deadline = options->deadline;
	page->totals = ARRAYS_BASE;
	page->lateness = ARRAYS_BASE + totals_size;

	vmm_vcpu_create(&vm, &vcpu, 0, VMM_GUEST_BASE);
	watchdog_start(&vcpu);

	run_until(&vcpu, page, row->name, VMM_EVENT_REPORT);
	exits = vmm_vcpu_stat(&vcpu, "exits");
	counters_read(&before, vm.fd);

	run_until(&vcpu, page, row->name, VMM_EVENT_REPORT);
	exits = vmm_vcpu_stat(&vcpu, "exits") - exits;
	counters_read(&result->counters, vm.fd);
	counters_subtract(&result->counters, &before);

	run_until(&vcpu, page, row->name, VMM_EVENT_FINISH);
	watchdog_stop();

	/* The doorbell at the end is one exit. */
	result->exits = (double)(exits - 1) / (options->iterations * options->repeats);
	collect(result, row, options, vmm_mem(&vm, page->totals, totals_size),
		vmm_mem(&vm, page->lateness, lateness_size));

	vmm_vcpu_destroy(&vcpu);
	vmm_destroy(&vm);
}

void free_result(struct result *result)
{
	free(result->runs);
	free(result->sorted);
	free(result->lateness);
}
