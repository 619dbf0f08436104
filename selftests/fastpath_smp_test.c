// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU that ticks as fast as it can, while another CPU does to it what another
 * CPU may.  No tick is lost, doubled or early, none is unboundedly late, and what
 * asks for the vCPU gets its answer in bounded time:
 *
 * - the thread is moved between CPUs, signalled, and preempted;
 * - memslots come and go, the dirty log is read, the MSR filter is replaced;
 * - interrupts come by irqfd, and from a vCPU that awaits an answer by IPI;
 * - the parameter is flipped at a high rate, alone and amid all of the above.
 *
 * Run with fastpath=0 and fastpath=1 by run_modes.sh.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "kvm_test_harness.h"
#include "test_util.h"

#include "deadline_timer.h"
#include "fastpath.h"
#include "ticker.h"
#include "vcpu_state.h"

#define NR_TICKS	5000
#define NR_EVENTS	200
#define EVENT_US	1000

/* A memslot that the guest's ticks do not need. */
#define SPARE_SLOT		7
#define SPARE_GPA		0x40000000
#define SPARE_PAGES		64

#define IRQFD_GSI		24

FIXTURE(fastpath_smp) {
	struct kvm_vcpu *vcpu;
	bool saved;
};

FIXTURE_VARIANT(fastpath_smp) {
	/* Is the parameter flipped all the while? */
	bool flipped;
};

FIXTURE_VARIANT_ADD(fastpath_smp, steady) {
	.flipped = false,
};

FIXTURE_VARIANT_ADD(fastpath_smp, flipped) {
	.flipped = true,
};

/* Of the thread that runs the vCPU. */
static pid_t vcpu_tid;
static pthread_t vcpu_thread;

FIXTURE_SETUP(fastpath_smp)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU only");
	if (variant->flipped && !fastpath_present())
		SKIP(return, "kvm_intel has no fast path");
	if (fastpath_present())
		self->saved = fastpath_get();
	if (variant->flipped && !self->saved)
		SKIP(return, "is done once, with fastpath=1");

	vm_create_with_one_vcpu(&self->vcpu, NULL);
	timer_vcpu_init(self->vcpu, true);
	vm_userspace_mem_region_add(self->vcpu->vm, VM_MEM_SRC_ANONYMOUS, SPARE_GPA,
				    SPARE_SLOT, SPARE_PAGES, 0);
	vcpu_tid = gettid();
	vcpu_thread = pthread_self();
	pin_thread(vcpu_tid, 0);
}

/* In the parent, so that a test that dies leaves the parameter as it was. */
FIXTURE_TEARDOWN_PARENT(fastpath_smp)
{
	if (fastpath_present())
		fastpath_set(self->saved);
}

struct job {
	struct kvm_vcpu *vcpu;
	void (*disturb)(struct kvm_vcpu *vcpu);
	bool flipped;
};

static bool stop_flipping;

static void *flip(void *arg)
{
	bool on = false;

	pin_thread(gettid(), 1);
	while (!READ_ONCE(stop_flipping)) {
		on = !on;
		fastpath_set(on);
		usleep(200);
	}
	return NULL;
}

static void disturb(void *arg)
{
	struct job *job = arg;
	pthread_t flipper;

	pin_thread(gettid(), 1);
	stop_flipping = false;
	if (job->flipped)
		TEST_ASSERT(!pthread_create(&flipper, NULL, flip, NULL), "No flipper");
	job->disturb(job->vcpu);
	if (job->flipped) {
		WRITE_ONCE(stop_flipping, true);
		pthread_join(flipper, NULL);
	}
}

static void run_disturbed(struct kvm_vcpu *vcpu, bool flipped,
			  void (*what)(struct kvm_vcpu *vcpu))
{
	struct job job = { .vcpu = vcpu, .disturb = what, .flipped = flipped };
	struct ticker ticker = ticker_run(vcpu, NR_TICKS, disturb, &job);

	TEST_ASSERT(ticker.late_1ms < ticker.ticks / 20, "%lu of %lu ticks over 1 ms late",
		    ticker.late_1ms, ticker.ticks);
	kvm_vm_free(vcpu->vm);
}

#define DISTURBED_TEST(name)							\
	TEST_F_TIMEOUT(fastpath_smp, name, 120)				\
	{									\
		run_disturbed(self->vcpu, variant->flipped, name);		\
	}

static void undisturbed(struct kvm_vcpu *vcpu)
{
	usleep(NR_EVENTS * EVENT_US);
}

DISTURBED_TEST(undisturbed)

static void moved_between_cpus(struct kvm_vcpu *vcpu)
{
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		pin_thread(vcpu_tid, i & 1);
		usleep(EVENT_US);
	}
	pin_thread(vcpu_tid, 0);
}

DISTURBED_TEST(moved_between_cpus)

static u64 signalled_us;

static void signal_handler(int sig)
{
	WRITE_ONCE(signalled_us, now_us());
}

static void signalled(struct kvm_vcpu *vcpu)
{
	struct sigaction action = { .sa_handler = signal_handler };
	struct response response = {};
	u64 start;
	int i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < NR_EVENTS; i++) {
		WRITE_ONCE(signalled_us, 0);
		start = now_us();
		pthread_kill(vcpu_thread, SIGUSR1);
		while (!READ_ONCE(signalled_us))
			sched_yield();
		response_add(&response, READ_ONCE(signalled_us) - start);
		usleep(EVENT_US);
	}
	response_check(&response, "signal");
}

DISTURBED_TEST(signalled)

/* A thread that wants the vCPU's CPU, on and off. */
static void preempted(struct kvm_vcpu *vcpu)
{
	u64 end = now_us() + NR_EVENTS * EVENT_US, slice;

	pin_thread(gettid(), 0);
	while (now_us() < end) {
		slice = now_us() + 200;
		while (now_us() < slice)
			;
		usleep(300);
	}
}

DISTURBED_TEST(preempted)

static void set_slot_size(struct kvm_vm *vm, u64 size)
{
	struct kvm_userspace_memory_region2 region = memslot2region(vm, SPARE_SLOT)->region;

	region.memory_size = size;
	vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &region);
}

static void memslot_replaced(struct kvm_vcpu *vcpu)
{
	struct response response = {};
	u64 start;
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		start = now_us();
		set_slot_size(vcpu->vm, 0);
		response_add(&response, now_us() - start);
		set_slot_size(vcpu->vm, SPARE_PAGES * PAGE_SIZE);
		usleep(EVENT_US);
	}
	response_check(&response, "memslot's removal");
}

DISTURBED_TEST(memslot_replaced)

/* All of the guest's memory: each tick makes its counter's page dirty again. */
static void dirty_log_read(struct kvm_vcpu *vcpu)
{
	struct userspace_mem_region *region = memslot2region(vcpu->vm, 0);
	u64 *log, start, page, missed = 0, ticks, before;
	struct response response = {};
	int i;

	log = calloc(1, region->region.memory_size / PAGE_SIZE / 8 + 8);
	page = addr_gva2gpa(vcpu->vm, (u64)&timer_count) / PAGE_SIZE;
	vm_mem_region_set_flags(vcpu->vm, 0, KVM_MEM_LOG_DIRTY_PAGES);
	for (i = 0; i < NR_EVENTS; i++) {
		sync_global_from_guest(vcpu->vm, timer_count);
		before = timer_count;
		usleep(EVENT_US);
		sync_global_from_guest(vcpu->vm, timer_count);
		ticks = timer_count - before;

		start = now_us();
		kvm_vm_get_dirty_log(vcpu->vm, 0, log);
		response_add(&response, now_us() - start);
		missed += ticks && !(log[page / 64] & BIT_ULL(page % 64));
	}
	vm_mem_region_set_flags(vcpu->vm, 0, 0);
	free(log);
	response_check(&response, "reading of the dirty log");
	TEST_ASSERT(!missed, "%lu times the log did not show the page that ticks write", missed);
}

DISTURBED_TEST(dirty_log_read)

/* Whatever it says of other MSRs, the deadline stays allowed. */
static void msr_filter_replaced(struct kvm_vcpu *vcpu)
{
	struct response response = {};
	u64 bitmap, start;
	struct kvm_msr_filter filter = {
		.flags = KVM_MSR_FILTER_DEFAULT_ALLOW,
		.ranges[0] = {
			.flags = KVM_MSR_FILTER_WRITE,
			.nmsrs = 1,
			.base = MSR_IA32_MISC_ENABLE,
			.bitmap = (u8 *)&bitmap,
		},
	};
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		bitmap = i & 1;
		start = now_us();
		vm_ioctl(vcpu->vm, KVM_X86_SET_MSR_FILTER, &filter);
		response_add(&response, now_us() - start);
		usleep(EVENT_US);
	}
	response_check(&response, "new MSR filter");
}

DISTURBED_TEST(msr_filter_replaced)

/* Wait until the guest's counter at @hva is @wanted, and tell how long after @start. */
static u64 await_count(u64 *hva, u64 wanted, u64 start)
{
	u64 us = now_us() - start;

	while (READ_ONCE(*hva) < wanted) {
		us = now_us() - start;
		TEST_ASSERT(us < RESPONSE_LIMIT_US, "Interrupt %lu lost, the guest has %lu", wanted,
			    READ_ONCE(*hva));
	}
	return us;
}

static void irqfd(struct kvm_vcpu *vcpu)
{
	struct kvm_irq_routing *routing = kvm_gsi_routing_create();
	struct kvm_irqfd irqfd = { .gsi = IRQFD_GSI };
	struct response response = {};
	u64 *count = addr_gva2hva(vcpu->vm, (u64)&other_count);
	u64 i, start, one = 1;

	routing->nr = 1;
	routing->entries[0].gsi = IRQFD_GSI;
	routing->entries[0].type = KVM_IRQ_ROUTING_MSI;
	routing->entries[0].u.msi.address_lo = APIC_DEFAULT_GPA;
	routing->entries[0].u.msi.data = OTHER_VECTOR;
	kvm_gsi_routing_write(vcpu->vm, routing);

	irqfd.fd = eventfd(0, EFD_CLOEXEC);
	TEST_ASSERT(irqfd.fd >= 0, "eventfd failed, errno %d", errno);
	vm_ioctl(vcpu->vm, KVM_IRQFD, &irqfd);

	/* The APIC has to be up. */
	await_count(addr_gva2hva(vcpu->vm, (u64)&timer_count), 1, now_us());
	for (i = 1; i <= NR_EVENTS; i++) {
		start = now_us();
		TEST_ASSERT(write(irqfd.fd, &one, sizeof(one)) == sizeof(one),
			    "eventfd refuses, errno %d", errno);
		response_add(&response, await_count(count, i, start));
		usleep(EVENT_US / 4);
	}
	TEST_ASSERT(READ_ONCE(*count) == NR_EVENTS, "%lu interrupts of %d writes",
		    READ_ONCE(*count), NR_EVENTS);
	response_check(&response, "interrupt by eventfd");
}

DISTURBED_TEST(irqfd)

#define NR_IPIS		2000
#define ECHO_VECTOR	0x61

static u64 echo_count;

static void send_ipi(u64 apic_id, int vector)
{
	wrmsr(APIC_BASE_MSR + (APIC_ICR >> 4), apic_id << 32 | APIC_INT_ASSERT |
	      APIC_DM_FIXED | vector);
}

static void answer(void)
{
	send_ipi(1, ECHO_VECTOR);
}

static void echo_handler(struct ex_regs *regs)
{
	echo_count++;
	x2apic_write_reg(APIC_EOI, 0);
}

static void guest_ipi_sender(void)
{
	u64 i, limit;

	x2apic_enable();
	irqs_on();
	for (i = 1; i <= NR_IPIS; i++) {
		send_ipi(0, OTHER_VECTOR);
		limit = rdtsc() + us_to_tsc(RESPONSE_LIMIT_US);
		while (READ_ONCE(echo_count) < i)
			__GUEST_ASSERT(rdtsc() < limit, "IPI %lu has no answer, %lu received",
				       i, READ_ONCE(other_count));
	}
	GUEST_ASSERT_EQ(echo_count, NR_IPIS);
	GUEST_DONE();
}

/* Runs the second vCPU, which is done when all its IPIs were answered. */
static void run_sender(void *arg)
{
	struct job *job = arg;

	await_count(addr_gva2hva(job->vcpu->vm, (u64)&timer_count), 1, now_us());
	disturb(arg);
}

static void sender(struct kvm_vcpu *vcpu)
{
	run_to_done(vcpu);
}

TEST_F_TIMEOUT(fastpath_smp, ipis_answered, 120)
{
	struct kvm_vcpu *vcpus[2];
	struct kvm_vm *vm;
	struct job job = { .disturb = sender, .flipped = variant->flipped };
	struct ticker ticker;

	kvm_vm_free(self->vcpu->vm);
	vm = vm_create_with_vcpus(2, guest_ipi_sender, vcpus);
	timer_vm_init(vm, true);
	vcpu_set_cpuid_feature(vcpus[0], X86_FEATURE_TSC_DEADLINE_TIMER);
	vm_install_exception_handler(vm, ECHO_VECTOR, echo_handler);
	write_guest_global(vm, other_callback, answer);

	job.vcpu = vcpus[1];
	ticker = ticker_run(vcpus[0], NR_TICKS, run_sender, &job);
	sync_global_from_guest(vm, other_count);
	TEST_ASSERT(other_count == NR_IPIS, "%lu IPIs of %d", other_count, NR_IPIS);
	TEST_ASSERT(ticker.late_1ms < ticker.ticks / 20, "%lu of %lu ticks over 1 ms late",
		    ticker.late_1ms, ticker.ticks);
	kvm_vm_free(vm);
}

static void *run_part(void *arg)
{
	struct job *job = arg;

	pin_thread(gettid(), 1);
	job->disturb(job->vcpu);
	return NULL;
}

static void everything(struct kvm_vcpu *vcpu)
{
	struct job jobs[] = {
		{ .vcpu = vcpu, .disturb = moved_between_cpus },
		{ .vcpu = vcpu, .disturb = signalled },
		{ .vcpu = vcpu, .disturb = preempted },
		{ .vcpu = vcpu, .disturb = memslot_replaced },
		{ .vcpu = vcpu, .disturb = msr_filter_replaced },
		{ .vcpu = vcpu, .disturb = irqfd },
	};
	pthread_t threads[ARRAY_SIZE(jobs)];
	int i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		TEST_ASSERT(!pthread_create(&threads[i], NULL, run_part, &jobs[i]),
			    "No thread %d", i);
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		pthread_join(threads[i], NULL);
}

/* No bound on lateness but that of the response times: the CPUs are crowded. */
TEST_F_TIMEOUT(fastpath_smp, everything_at_once, 240)
{
	struct job job = { .vcpu = self->vcpu, .disturb = everything,
			   .flipped = variant->flipped };

	ticker_run(self->vcpu, NR_TICKS, disturb, &job);
	kvm_vm_free(self->vcpu->vm);
}

int main(int argc, char *argv[])
{
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	return test_harness_run(argc, argv);
}
