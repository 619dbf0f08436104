// SPDX-License-Identifier: GPL-2.0-only
#include "load.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *run(void *arg)
{
	struct load_vcpu *other = arg;
	sigset_t signals;

	/* The watchdog's are for the measured vCPU. */
	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);

	bench_vcpu_run(&other->vcpu, VMM_EVENT_REPORT);
	sem_post(other->warm);
	bench_vcpu_run(&other->vcpu, VMM_EVENT_REPORT);
	bench_vcpu_run(&other->vcpu, VMM_EVENT_FINISH);

	return NULL;
}

static struct timespec watchdog_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += WATCHDOG_SECONDS;

	return time;
}

static void check_progress(struct load *load)
{
	size_t i;

	for (i = 0; i < load->nr; i++)
		bench_vcpu_check_progress(&load->vcpus[i].vcpu);
}

static void await_warm(struct load *load)
{
	struct timespec limit = watchdog_time();

	while (sem_timedwait(&load->warm, &limit)) {
		if (errno == ETIMEDOUT) {
			check_progress(load);
			limit = watchdog_time();
		} else if (errno != EINTR) {
			vmm_fail_errno(VMM_FAILED, "waiting for vCPUs");
		}
	}
}

void load_start(struct load *load, struct vmm *vm, size_t vcpus, const char *name,
		const struct vmexit_page *setup)
{
	struct vmexit_page page = *setup;
	size_t i;

	page.run_on = 1;
	load->nr = vcpus - 1;
	load->vcpus = calloc(load->nr, sizeof(*load->vcpus));
	if (load->nr && !load->vcpus)
		vmm_fail_errno(VMM_FAILED, "memory for %zu vCPUs", load->nr);
	if (sem_init(&load->warm, 0, 0))
		vmm_fail_errno(VMM_FAILED, "semaphore");

	for (i = 0; i < load->nr; i++) {
		struct load_vcpu *other = &load->vcpus[i];

		bench_vcpu_create(vm, &other->vcpu, i + 1, name, &page);
		other->warm = &load->warm;
		errno = pthread_create(&other->thread, NULL, run, other);
		if (errno)
			vmm_fail_errno(VMM_FAILED, "thread of vCPU %zu", i + 1);
	}
	for (i = 0; i < load->nr; i++)
		await_warm(load);
}

void load_mark(struct load *load)
{
	size_t i;

	for (i = 0; i < load->nr; i++)
		load->vcpus[i].repeats = READ_ONCE(load->vcpus[i].vcpu.page->repeats_done);
}

__u64 load_repeats(const struct load *load)
{
	__u64 repeats, least = ~0ull;
	size_t i;

	for (i = 0; i < load->nr; i++) {
		repeats = READ_ONCE(load->vcpus[i].vcpu.page->repeats_done) -
			  load->vcpus[i].repeats;
		if (repeats < least)
			least = repeats;
	}

	return load->nr ? least : 0;
}

static void join(struct load_vcpu *other)
{
	struct timespec limit = watchdog_time();

	while ((errno = pthread_timedjoin_np(other->thread, NULL, &limit))) {
		if (errno != ETIMEDOUT)
			vmm_fail_errno(VMM_FAILED, "thread of vCPU %u", other->vcpu.id);
		bench_vcpu_check_progress(&other->vcpu);
		limit = watchdog_time();
	}
}

void load_stop(struct load *load)
{
	size_t i;

	for (i = 0; i < load->nr; i++)
		WRITE_ONCE(load->vcpus[i].vcpu.page->run_on, 0);
	for (i = 0; i < load->nr; i++) {
		join(&load->vcpus[i]);
		bench_vcpu_destroy(&load->vcpus[i].vcpu);
	}
	sem_destroy(&load->warm);
	free(load->vcpus);
}
