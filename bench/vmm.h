/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small virtual machine monitor on the raw KVM API, for guests that are one
 * flat 64-bit image. A vCPU starts in long mode with memory mapped one to one
 * and interrupts off; the guest brings its own stack and IDT.
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
	size_t mem_size;
};

struct vmm_vcpu {
	struct vmm *vm;
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
 * VM with an in-kernel irqchip and @mem_size bytes of RAM (a multiple of
 * VMM_PAGE_SIZE) from guest physical address 0.
 */
void vmm_create(struct vmm *vm, size_t mem_size);
void vmm_destroy(struct vmm *vm);

/* Place @image at VMM_IMAGE_BASE. */
void vmm_load(struct vmm *vm, const void *image, size_t size);

/* Host view of @size bytes at guest physical address @gpa. */
void *vmm_mem(struct vmm *vm, __u64 gpa, size_t size);

/* vCPU with local APIC id @id, to start at VMM_IMAGE_BASE with @arg in RDI. */
void vmm_vcpu_create(struct vmm *vm, struct vmm_vcpu *vcpu, __u32 id, __u64 arg);
void vmm_vcpu_destroy(struct vmm_vcpu *vcpu);

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
