// SPDX-License-Identifier: GPL-2.0-only
#include "vmm.h"

#include <asm/processor-flags.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define EFER_LME		BIT(8)
#define EFER_LMA		BIT(10)

#define PTE_PRESENT		BIT(0)
#define PTE_WRITE		BIT(1)
#define PTE_UNCACHED		(3u << 3)
#define PTE_LARGE		BIT(7)
#define PTES_PER_TABLE		512
#define TABLE_SIZE		4096

#define APIC_BASE		0xfee00000ull
#define GIB			0x40000000ull
#define MAPPED_GIB		4

/* KVM borrows four pages of guest address space on CPUs that need it. */
#define KVM_TSS_ADDRESS		0xfffbd000ul

#define CPUID_1_ECX_X2APIC		BIT(21)
#define CPUID_1_ECX_TSC_DEADLINE	BIT(24)
#define MAX_CPUID_ENTRIES	256

static void vfail(const char *format, va_list args, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	if (why)
		fprintf(stderr, ": %s", why);
	fputc('\n', stderr);
}

void vmm_fail(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfail(format, args, NULL);
	va_end(args);
	exit(status);
}

void vmm_fail_errno(int status, const char *format, ...)
{
	const char *why = strerror(errno);
	va_list args;

	va_start(args, format);
	vfail(format, args, why);
	va_end(args);
	exit(status);
}

static int kvm_ioctl(int fd, unsigned long request, const char *name, void *arg)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		vmm_fail_errno(VMM_FAILED, "%s", name);

	return ret;
}

/* For the requests that take a number in place of a pointer. */
static int kvm_ioctl_value(int fd, unsigned long request, const char *name,
			   unsigned long value)
{
	return kvm_ioctl(fd, request, name, (void *)value);
}

#define KVM_IOCTL(fd, request, arg)	kvm_ioctl(fd, request, #request, arg)
#define KVM_IOCTL_VALUE(fd, request, value) \
	kvm_ioctl_value(fd, request, #request, value)

static int kvm_open(void)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int version;

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		vmm_fail_errno(VMM_UNSUPPORTED,
			       "/dev/kvm (run as root or as a member of group kvm)");
	if (fd < 0)
		vmm_fail_errno(VMM_UNSUPPORTED,
			       "/dev/kvm (is VMX on, and the module kvm_intel loaded?)");

	version = KVM_IOCTL_VALUE(fd, KVM_GET_API_VERSION, 0);
	if (version != KVM_API_VERSION)
		vmm_fail(VMM_UNSUPPORTED, "KVM speaks API version %d, not %d",
			 version, KVM_API_VERSION);

	return fd;
}

static void require_cap(struct vmm *vm, unsigned long cap, const char *what)
{
	if (!KVM_IOCTL_VALUE(vm->fd, KVM_CHECK_EXTENSION, cap))
		vmm_fail(VMM_UNSUPPORTED, "this KVM has no %s", what);
}

static __u64 *table(struct vmm_vcpu *vcpu, __u64 address)
{
	return vmm_mem(vcpu, address, TABLE_SIZE);
}

/*
 * The vCPU's own RAM from 0 on; the rest one to one over 4 GiB, so that the local
 * APIC's registers are reachable.
 */
static void build_page_tables(struct vmm_vcpu *vcpu)
{
	__u64 *pml4 = table(vcpu, VMM_PML4_BASE);
	__u64 *pdpt = table(vcpu, VMM_PDPT_BASE);
	__u64 gib, i;

	pml4[0] = (vcpu->base + VMM_PDPT_BASE) | PTE_PRESENT | PTE_WRITE;
	for (gib = 0; gib < MAPPED_GIB; gib++) {
		__u64 pd_address = VMM_PD_BASE + gib * TABLE_SIZE;
		__u64 *pd = table(vcpu, pd_address);

		pdpt[gib] = (vcpu->base + pd_address) | PTE_PRESENT | PTE_WRITE;
		for (i = 0; i < PTES_PER_TABLE; i++) {
			__u64 gpa = gib * GIB + i * VMM_PAGE_SIZE;

			if (gpa < vcpu->vm->mem_size)
				gpa += vcpu->base;
			pd[i] = gpa | PTE_PRESENT | PTE_WRITE | PTE_LARGE;
			if (gpa == (APIC_BASE & ~(VMM_PAGE_SIZE - 1ull)))
				pd[i] |= PTE_UNCACHED;
		}
	}
}

static const struct kvm_segment code_segment = {
	.selector = VMM_CODE_SELECTOR, .limit = ~0u, .type = 11,
	.present = 1, .s = 1, .l = 1, .g = 1,
};

static const struct kvm_segment data_segment = {
	.selector = VMM_DATA_SELECTOR, .limit = ~0u, .type = 3,
	.present = 1, .s = 1, .db = 1, .g = 1,
};

static const struct kvm_segment task_segment = {
	.base = VMM_TSS_BASE, .selector = VMM_TSS_SELECTOR, .limit = 103,
	.type = 11, .present = 1,
};

/* The low half of a segment's descriptor; every base here is below 2^24. */
static __u64 descriptor(const struct kvm_segment *seg)
{
	__u64 limit = seg->g ? seg->limit >> 12 : seg->limit;

	return (limit & 0xffff) | (seg->base << 16) |
	       ((__u64)seg->type << 40) | ((__u64)seg->s << 44) |
	       ((__u64)seg->present << 47) | ((limit >> 16) << 48) |
	       ((__u64)seg->l << 53) | ((__u64)seg->db << 54) |
	       ((__u64)seg->g << 55);
}

static void build_gdt(struct vmm_vcpu *vcpu)
{
	__u64 *gdt = table(vcpu, VMM_GDT_BASE);

	gdt[VMM_CODE_SELECTOR / 8] = descriptor(&code_segment);
	gdt[VMM_DATA_SELECTOR / 8] = descriptor(&data_segment);
	gdt[VMM_TSS_SELECTOR / 8] = descriptor(&task_segment);
}

static void *map_ram(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED)
		vmm_fail_errno(VMM_FAILED, "%zu bytes of guest RAM", size);

	return mem;
}

/* One page to a slot, and one without a slot before it: no two are neighbours. */
static void add_memslots(struct vmm *vm, __u32 memslots)
{
	struct kvm_userspace_memory_region region = { .memory_size = TABLE_SIZE };
	__u32 max = KVM_IOCTL_VALUE(vm->fd, KVM_CHECK_EXTENSION, KVM_CAP_NR_MEMSLOTS);

	if (memslots > max)
		vmm_fail(VMM_UNSUPPORTED, "%u memslots: this KVM has %u", memslots, max);

	region.userspace_addr = (unsigned long)vm->mem + vm->ram_size;
	for (region.slot = 1; region.slot < memslots; region.slot++) {
		region.guest_phys_addr = vm->ram_size + (2 * region.slot - 1) * TABLE_SIZE;
		KVM_IOCTL(vm->fd, KVM_SET_USER_MEMORY_REGION, &region);
		region.userspace_addr += TABLE_SIZE;
	}
}

void vmm_create(struct vmm *vm, size_t mem_size, __u32 vcpus, __u32 memslots)
{
	struct kvm_userspace_memory_region region = {};

	if (!mem_size || mem_size % VMM_PAGE_SIZE || mem_size > 3 * GIB / vcpus)
		vmm_fail(VMM_FAILED,
			 "guest RAM of %u times %zu bytes: no multiple of %d up to 3 GiB",
			 vcpus, mem_size, VMM_PAGE_SIZE);

	vm->kvm_fd = kvm_open();
	vm->fd = KVM_IOCTL_VALUE(vm->kvm_fd, KVM_CREATE_VM, 0);
	require_cap(vm, KVM_CAP_IRQCHIP, "in-kernel irqchip");
	require_cap(vm, KVM_CAP_TSC_DEADLINE_TIMER, "TSC-deadline timer");
	require_cap(vm, KVM_CAP_BINARY_STATS_FD, "binary statistics (Linux 5.14)");
	vm->run_size = KVM_IOCTL_VALUE(vm->kvm_fd, KVM_GET_VCPU_MMAP_SIZE, 0);

	vm->mem_size = mem_size;
	vm->ram_size = mem_size * vcpus;
	vm->map_size = vm->ram_size + (memslots - 1) * TABLE_SIZE;
	vm->mem = map_ram(vm->map_size);
	region.memory_size = vm->ram_size;
	region.userspace_addr = (unsigned long)vm->mem;

	KVM_IOCTL_VALUE(vm->fd, KVM_SET_TSS_ADDR, KVM_TSS_ADDRESS);
	KVM_IOCTL_VALUE(vm->fd, KVM_CREATE_IRQCHIP, 0);
	KVM_IOCTL(vm->fd, KVM_SET_USER_MEMORY_REGION, &region);
	add_memslots(vm, memslots);
}

void vmm_destroy(struct vmm *vm)
{
	munmap(vm->mem, vm->map_size);
	close(vm->fd);
	close(vm->kvm_fd);
}

void *vmm_mem(struct vmm_vcpu *vcpu, __u64 address, size_t size)
{
	struct vmm *vm = vcpu->vm;

	if (address > vm->mem_size || size > vm->mem_size - address)
		vmm_fail(VMM_FAILED, "%zu bytes at guest address %#llx: outside its RAM",
			 size, address);

	return (char *)vm->mem + vcpu->base + address;
}

void vmm_load(struct vmm_vcpu *vcpu, const void *image, size_t size)
{
	memcpy(vmm_mem(vcpu, VMM_IMAGE_BASE, size), image, size);
}

/*
 * KVM_GET_SUPPORTED_CPUID leaves TSC-deadline and x2APIC to the caller: both
 * hold with an in-kernel local APIC only.
 */
static void set_cpuid(struct vmm_vcpu *vcpu, __u32 id)
{
	struct kvm_cpuid_entry2 *entry;
	struct kvm_cpuid2 *cpuid;

	cpuid = calloc(1, sizeof(*cpuid) + MAX_CPUID_ENTRIES * sizeof(*entry));
	if (!cpuid)
		vmm_fail_errno(VMM_FAILED, "memory for CPUID");

	cpuid->nent = MAX_CPUID_ENTRIES;
	KVM_IOCTL(vcpu->vm->kvm_fd, KVM_GET_SUPPORTED_CPUID, cpuid);

	for (entry = cpuid->entries; entry < cpuid->entries + cpuid->nent; entry++) {
		switch (entry->function) {
		case 0x1:
			entry->ecx |= CPUID_1_ECX_X2APIC | CPUID_1_ECX_TSC_DEADLINE;
			entry->ebx = (entry->ebx & 0x00ffffff) | id << 24;
			break;
		case 0xb:
		case 0x1f:
			entry->edx = id;
			break;
		}
	}

	KVM_IOCTL(vcpu->fd, KVM_SET_CPUID2, cpuid);
	free(cpuid);
}

static void set_long_mode(struct vmm_vcpu *vcpu)
{
	struct kvm_sregs sregs;

	KVM_IOCTL(vcpu->fd, KVM_GET_SREGS, &sregs);

	sregs.cs = code_segment;
	sregs.ds = data_segment;
	sregs.es = data_segment;
	sregs.fs = data_segment;
	sregs.gs = data_segment;
	sregs.ss = data_segment;
	sregs.tr = task_segment;
	sregs.gdt.base = VMM_GDT_BASE;
	sregs.gdt.limit = VMM_TSS_SELECTOR + 15;
	sregs.idt.limit = 0;
	sregs.cr3 = vcpu->base + VMM_PML4_BASE;
	sregs.cr4 = X86_CR4_PAE;
	sregs.cr0 = X86_CR0_PE | X86_CR0_MP | X86_CR0_ET | X86_CR0_NE |
		    X86_CR0_WP | X86_CR0_PG;
	sregs.efer = EFER_LME | EFER_LMA;

	KVM_IOCTL(vcpu->fd, KVM_SET_SREGS, &sregs);
}

void vmm_vcpu_create(struct vmm *vm, struct vmm_vcpu *vcpu, __u32 id, __u64 arg)
{
	struct kvm_regs regs = {
		.rip = VMM_IMAGE_BASE,
		.rdi = arg,
		.rflags = X86_EFLAGS_FIXED,
	};
	struct kvm_mp_state runnable = { .mp_state = KVM_MP_STATE_RUNNABLE };

	vcpu->vm = vm;
	vcpu->base = id * vm->mem_size;
	vcpu->fd = KVM_IOCTL_VALUE(vm->fd, KVM_CREATE_VCPU, id);
	vcpu->run = mmap(NULL, vm->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 vcpu->fd, 0);
	if (vcpu->run == MAP_FAILED)
		vmm_fail_errno(VMM_FAILED, "struct kvm_run of vCPU %u", id);

	build_page_tables(vcpu);
	build_gdt(vcpu);
	set_cpuid(vcpu, id);
	set_long_mode(vcpu);
	KVM_IOCTL(vcpu->fd, KVM_SET_REGS, &regs);
	/* KVM has all but the first wait for a SIPI. */
	KVM_IOCTL(vcpu->fd, KVM_SET_MP_STATE, &runnable);
}

void vmm_vcpu_destroy(struct vmm_vcpu *vcpu)
{
	munmap(vcpu->run, vcpu->vm->run_size);
	close(vcpu->fd);
}

static __u64 guest_rip(struct vmm_vcpu *vcpu)
{
	struct kvm_regs regs;

	KVM_IOCTL(vcpu->fd, KVM_GET_REGS, &regs);

	return regs.rip;
}

static enum vmm_event port_event(struct vmm_vcpu *vcpu, __u32 *value)
{
	struct kvm_run *run = vcpu->run;

	if (run->io.direction != KVM_EXIT_IO_OUT || run->io.size != sizeof(*value) ||
	    run->io.count != 1)
		goto unknown_port;

	memcpy(value, (char *)run + run->io.data_offset, sizeof(*value));

	switch (run->io.port) {
	case VMM_PORT_FINISH:
		return VMM_EVENT_FINISH;
	case VMM_PORT_REPORT:
		return VMM_EVENT_REPORT;
	case VMM_PORT_ABORT:
		return VMM_EVENT_ABORT;
	}

unknown_port:
	vmm_fail(VMM_FAILED, "guest used unknown I/O port %#x at RIP %#llx",
		 run->io.port, guest_rip(vcpu));
}

enum vmm_event vmm_vcpu_run(struct vmm_vcpu *vcpu, __u32 *value)
{
	struct kvm_run *run = vcpu->run;

	if (ioctl(vcpu->fd, KVM_RUN, 0) < 0) {
		if (errno == EINTR)
			return VMM_EVENT_SIGNAL;
		vmm_fail_errno(VMM_FAILED, "KVM_RUN at RIP %#llx", guest_rip(vcpu));
	}

	switch (run->exit_reason) {
	case KVM_EXIT_IO:
		return port_event(vcpu, value);
	case KVM_EXIT_FAIL_ENTRY:
		vmm_fail(VMM_FAILED, "VM entry failed, hardware reason %#llx, RIP %#llx",
			 run->fail_entry.hardware_entry_failure_reason,
			 guest_rip(vcpu));
	case KVM_EXIT_INTERNAL_ERROR:
		vmm_fail(VMM_FAILED, "KVM internal error %u at RIP %#llx",
			 run->internal.suberror, guest_rip(vcpu));
	case KVM_EXIT_SHUTDOWN:
		vmm_fail(VMM_FAILED, "guest triple fault at RIP %#llx", guest_rip(vcpu));
	default:
		vmm_fail(VMM_FAILED, "unexpected KVM exit reason %u at RIP %#llx",
			 run->exit_reason, guest_rip(vcpu));
	}
}

static void read_stats(int fd, void *buffer, size_t size, size_t offset)
{
	ssize_t ret = pread(fd, buffer, size, offset);

	if (ret < 0)
		vmm_fail_errno(VMM_FAILED, "KVM statistics");
	if ((size_t)ret != size)
		vmm_fail(VMM_FAILED, "KVM statistics end early, at offset %zu", offset);
}

__u64 vmm_vcpu_stat(struct vmm_vcpu *vcpu, const char *name)
{
	int fd = KVM_IOCTL_VALUE(vcpu->fd, KVM_GET_STATS_FD, 0);
	struct kvm_stats_header header;
	struct kvm_stats_desc *desc;
	size_t size, offset;
	bool found = false;
	__u64 value;
	__u32 i;

	read_stats(fd, &header, sizeof(header), 0);
	size = sizeof(*desc) + header.name_size;
	desc = malloc(size);
	if (!desc)
		vmm_fail_errno(VMM_FAILED, "memory for KVM statistics");

	for (i = 0; i < header.num_desc && !found; i++) {
		read_stats(fd, desc, size, header.desc_offset + i * size);
		found = !strncmp(desc->name, name, header.name_size);
	}
	if (!found)
		vmm_fail(VMM_FAILED, "KVM has no vCPU statistic named %s", name);

	offset = header.data_offset + desc->offset;
	read_stats(fd, &value, sizeof(value), offset);
	free(desc);
	close(fd);

	return value;
}

void vmm_fail_abort(struct vmm_vcpu *vcpu, __u32 value)
{
	struct vmm_abort *abort = vmm_mem(vcpu, value, sizeof(*abort));
	const char *reason = vmm_mem(vcpu, abort->reason, 1);
	size_t room = vcpu->vm->mem_size - abort->reason;

	vmm_fail(VMM_FAILED, "guest gave up: %.*s: %#llx", (int)strnlen(reason, room),
		 reason, abort->value);
}
