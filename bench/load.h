/* SPDX-License-Identifier: GPL-2.0-only */
/* The vCPUs beside the measured one: each runs the same row, in its own thread. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <pthread.h>
#include <semaphore.h>

#include "vcpu.h"

struct load_vcpu {
	struct bench_vcpu vcpu;
	pthread_t thread;
	sem_t *warm;
	__u64 repeats;		/* done when load_mark() was called */
};

struct load {
	struct load_vcpu *vcpus;
	size_t nr;
	sem_t warm;
};

/*
 * Create the VM's vCPUs from 1 on, up to @vcpus of them with the first one, each
 * with a copy of @setup, and return once all of them have begun their repeats.
 */
void load_start(struct load *load, struct vmm *vm, size_t vcpus, const char *name,
		const struct vmexit_page *setup);

/* From here on, load_repeats() counts. */
void load_mark(struct load *load);

/* Repeats of the vCPU that did the fewest; 0 where there is no other vCPU. */
__u64 load_repeats(const struct load *load);

/* Have all of them come to their end, which checks their interrupts. */
void load_stop(struct load *load);

#endif
