/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small virtual machine monitor on the raw KVM API, for guests that are one
 * flat 64-bit image. A vCPU starts in long mode with interrupts off; the guest
 * brings its own stack and IDT. Each vCPU has RAM, and an image in it, of its own,
 * which its page tables show it from address 0 on: guests share nothing, and need
 * not know that there are others.
 *
 * Every function here either does its work or ends the program with one line
 * on stderr: status VMM_UNSUPPORTED when this machine lacks something, else
 * VMM_FAILED.
 */
#ifndef BENCH_VMM_H
#define BENCH_VMM_H

#include <linux/kvm.h>
#include <linux/types.h>
#include <stddef.h>

#include "compiler.h"
#include "vmm_abi.h"

#define VMM_FAILED		1
#define VMM_UNSUPPORTED		4	/* kselftest's "skip" */

struct vmm {
	int kvm_fd;
	int fd;
	size_t run_size;	/* bytes of struct kvm_run to map per vCPU */
	void *mem;		/* guest physical address 0 */
	size_t mem_size;	/* bytes of RAM of each vCPU */
	size_t ram_size;	/* of all of them */
	size_t map_size;	/* and of the pages in further memslots */
};

struct vmm_vcpu {
	struct vmm *vm;
	__u64 base;		/* guest physical address of its RAM */
	struct kvm_run *run;
	int fd;
};

enum vmm_event {
	VMM_EVENT_FINISH,	/* guest: done */
	VMM_EVENT_REPORT,	/* guest: has something to show, goes on */
	VMM_EVENT_ABORT,	/* guest: gave up, value is a struct vmm_abort */
	VMM_EVENT_SIGNAL,	/* host: a signal or immediate_exit came first */
};

/*
 * VM with an in-kernel irqchip, and with @mem_size bytes of RAM (a multiple of
 * VMM_PAGE_SIZE) for each of @vcpus. RAM is one memslot; each of the others, so that
 * there are @memslots of them, is a page that no guest uses.
 */
void vmm_create(struct vmm *vm, size_t mem_size, __u32 vcpus, __u32 memslots);
void vmm_destroy(struct vmm *vm);

/*
 * vCPU with local APIC id @id, which is below the VM's number of vCPUs, to start at
 * VMM_IMAGE_BASE with @arg in RDI.
 */
void vmm_vcpu_create(struct vmm *vm, struct vmm_vcpu *vcpu, __u32 id, __u64 arg);
void vmm_vcpu_destroy(struct vmm_vcpu *vcpu);

/* Place @image at the vCPU's VMM_IMAGE_BASE. */
void vmm_load(struct vmm_vcpu *vcpu, const void *image, size_t size);

/* Host view of @size bytes at the vCPU's address @address. */
void *vmm_mem(struct vmm_vcpu *vcpu, __u64 address, size_t size);

/*
 * Run until the guest rings a doorbell or a signal arrives. @value is what the
 * guest wrote to the doorbell.
 */
enum vmm_event vmm_vcpu_run(struct vmm_vcpu *vcpu, __u32 *value);

/* One of KVM's own per-vCPU statistics, such as "exits". */
__u64 vmm_vcpu_stat(struct vmm_vcpu *vcpu, const char *name);

/* End the program with the reason that a guest's VMM_EVENT_ABORT gives. */
void __noreturn vmm_fail_abort(struct vmm_vcpu *vcpu, __u32 value);

/* End the program with one line; vmm_fail_errno() appends errno's text. */
void __noreturn __printf(2, 3) vmm_fail(int status, const char *format, ...);
void __noreturn __printf(2, 3) vmm_fail_errno(int status, const char *format, ...);

#endif
