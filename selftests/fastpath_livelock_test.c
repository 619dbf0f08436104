// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that does nothing but keep its vCPU in the fast path does not keep the
 * host waiting: not signals, not requests, and not another thread that wants the
 * same CPU.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "kvm_test_harness.h"
#include "test_util.h"

#include "deadline_timer.h"
#include "fastpath.h"
#include "ticker.h"

#define NR_EVENTS	100
#define EVENT_US	1000
#define COMPETE_US	400000

#define SPARE_SLOT	7
#define SPARE_GPA	0x40000000
#define SPARE_PAGES	16

/* Deadlines in the past, with IRQs off: each write delivers what is requested. */
static void guest_past_deadlines(void)
{
	timer_enable();
	for (;;)
		timer_arm(1);
}

/* Each handler's deadline is over when it is written. */
static void rearm_past(void)
{
	timer_arm(1);
}

static void guest_past_in_handler(void)
{
	timer_enable();
	timer_callback = rearm_past;
	timer_arm(1);
	irqs_on();
	for (;;)
		barrier();
}

/* Due while the loop waits for them, each with a wait of its own. */
static void rearm_near(void)
{
	timer_arm(rdtsc() + 100);
}

static void guest_near_in_handler(void)
{
	timer_enable();
	timer_callback = rearm_near;
	rearm_near();
	irqs_on();
	for (;;)
		barrier();
}

static void guest_arms_and_disarms(void)
{
	timer_enable();
	for (;;) {
		timer_arm(rdtsc() + us_to_tsc(1000000));
		timer_arm(0);
	}
}

FIXTURE(fastpath_livelock) {
	struct kvm_vcpu *vcpu;
	pthread_t thread;
};

FIXTURE_VARIANT(fastpath_livelock) {
	void *guest_code;
};

FIXTURE_VARIANT_ADD(fastpath_livelock, past_deadlines) {
	.guest_code = guest_past_deadlines,
};

FIXTURE_VARIANT_ADD(fastpath_livelock, past_in_handler) {
	.guest_code = guest_past_in_handler,
};

FIXTURE_VARIANT_ADD(fastpath_livelock, near_in_handler) {
	.guest_code = guest_near_in_handler,
};

FIXTURE_VARIANT_ADD(fastpath_livelock, arms_and_disarms) {
	.guest_code = guest_arms_and_disarms,
};

static u64 signalled_us;
static bool stop;

static void signal_handler(int sig)
{
	WRITE_ONCE(signalled_us, now_us());
}

static void *vcpu_thread(void *arg)
{
	struct kvm_vcpu *vcpu = arg;
	int r;

	pin_thread(gettid(), 0);
	while (!READ_ONCE(stop)) {
		r = __vcpu_run(vcpu);
		TEST_ASSERT(r == -1 && errno == EINTR,
			    "KVM_RUN returned %d, errno %d, exit reason %s", r, errno,
			    exit_reason_str(vcpu->run->exit_reason));
	}
	return NULL;
}

FIXTURE_SETUP(fastpath_livelock)
{
	struct sigaction action = { .sa_handler = signal_handler };

	sigaction(SIGUSR1, &action, NULL);
	stop = false;
	vm_create_with_one_vcpu(&self->vcpu, variant->guest_code);
	timer_vcpu_init(self->vcpu, true);
	vm_userspace_mem_region_add(self->vcpu->vm, VM_MEM_SRC_ANONYMOUS, SPARE_GPA,
				    SPARE_SLOT, SPARE_PAGES, 0);
	/* On the other CPU if there is one, so that none of this waits for a slice. */
	pin_thread(0, 1);
	TEST_ASSERT(!pthread_create(&self->thread, NULL, vcpu_thread, self->vcpu),
		    "No thread for the vCPU");
	usleep(20000);
}

FIXTURE_TEARDOWN(fastpath_livelock)
{
	WRITE_ONCE(stop, true);
	pthread_kill(self->thread, SIGUSR1);
	pthread_join(self->thread, NULL);
	kvm_vm_free(self->vcpu->vm);
}

TEST_F(fastpath_livelock, signals)
{
	struct response response = {};
	u64 start;
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		WRITE_ONCE(signalled_us, 0);
		start = now_us();
		pthread_kill(self->thread, SIGUSR1);
		while (!READ_ONCE(signalled_us))
			sched_yield();
		response_add(&response, READ_ONCE(signalled_us) - start);
		usleep(EVENT_US);
	}
	response_check(&response, "signal");
}

TEST_F(fastpath_livelock, requests)
{
	struct kvm_vm *vm = self->vcpu->vm;
	struct kvm_userspace_memory_region2 region = memslot2region(vm, SPARE_SLOT)->region;
	struct kvm_userspace_memory_region2 gone = region;
	struct response response = {};
	u64 start;
	int i;

	gone.memory_size = 0;
	for (i = 0; i < NR_EVENTS; i++) {
		start = now_us();
		vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &gone);
		response_add(&response, now_us() - start);
		vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION2, &region);
		usleep(EVENT_US);
	}
	response_check(&response, "memslot's removal");
}

static u64 thread_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000ul + ts.tv_nsec / 1000;
}

/* A thread of the same priority on the vCPU's CPU: half of the time is its share. */
TEST_F(fastpath_livelock, rescheduling)
{
	u64 start, cpu, wall;

	pin_thread(0, 0);
	start = now_us();
	cpu = thread_us();
	while (now_us() < start + COMPETE_US)
		;
	wall = now_us() - start;
	cpu = thread_us() - cpu;
	ksft_print_msg("the other thread had %lu of %lu us\n", cpu, wall);
	TEST_ASSERT(cpu > wall / 3, "The other thread had %lu of %lu us", cpu, wall);
	TEST_ASSERT(cpu < wall * 2 / 3, "The vCPU had %lu of %lu us only", wall - cpu, wall);
}

/* What is done above meets the fast path, or nothing was tested. */
TEST_F(fastpath_livelock, stays_in_the_fast_path)
{
	struct kvm_vm *vm = self->vcpu->vm;
	u64 exits, handled, from;
	int i;

	if (!fastpath_delivers())
		SKIP(return, "the fast path does not deliver here");
	if (!get_kvm_intel_param_bool("enable_apicv"))
		SKIP(return, "KVM opens windows for interrupts that the guest cannot take");

	/* The VM's, in debugfs: the vCPU's would wait for the vCPU. */
	from = vm_debugfs_number(vm, "exits");
	handled = fastpath_counters(vm, "handled_");
	/* A slow host takes longer than that to have the vCPU run at all. */
	for (i = 0, exits = 0; i < 50 && exits < 100; i++) {
		usleep(20000);
		exits = vm_debugfs_number(vm, "exits") - from;
	}
	handled = fastpath_counters(vm, "handled_") - handled;
	ksft_print_msg("%lu of %lu exits handled\n", handled, exits);
	TEST_ASSERT(handled > exits / 2, "The fast path took %lu of %lu exits", handled, exits);
}

int main(int argc, char *argv[])
{
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));

	return test_harness_run(argc, argv);
}
