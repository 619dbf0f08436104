// SPDX-License-Identifier: GPL-2.0-only
/*
 * See include/ticker.h.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "deadline_timer.h"
#include "fastpath.h"
#include "kselftest.h"
#include "ticker.h"

/* From the host, and to the host. */
static bool ticker_stop;
static u64 ticker_min;
static u64 late_max, late_1ms;

static bool ticker_goes_on(void)
{
	return timer_count < ticker_min || !READ_ONCE(ticker_stop);
}

static void tick(void)
{
	u64 late = timer_tsc - timer_deadline;

	late_max = max(late_max, late);
	late_1ms += late > us_to_tsc(1000);
	if (ticker_goes_on())
		timer_arm(rdtsc() + (guest_random_u32(&guest_rng) & 0xfff));
}

void ticker_guest(u64 min_ticks)
{
	u64 seen, limit;

	ticker_min = min_ticks;
	timer_enable();
	timer_callback = tick;
	timer_arm(rdtsc() + us_to_tsc(20));
	irqs_on();
	for (seen = 0; ticker_goes_on(); seen = READ_ONCE(timer_count)) {
		limit = rdtsc() + us_to_tsc(RESPONSE_LIMIT_US);
		while (READ_ONCE(timer_count) == seen)
			__GUEST_ASSERT(rdtsc() < limit,
				       "interrupt %lu lost, deadline %lu, MSR %lu",
				       seen + 1, timer_deadline, timer_msr());
	}

	/* The last handler may have armed once more before it saw the stop. */
	irqs_off();
	timer_callback = NULL;
	timer_quiet(timer_count + (timer_msr() || timer_irr(TIMER_VECTOR)), 500);
	GUEST_SYNC(timer_count);
	GUEST_DONE();
}

struct disturber {
	struct kvm_vm *vm;
	void (*disturb)(void *arg);
	void *arg;
};

static void *disturber_thread(void *data)
{
	struct disturber *disturber = data;

	disturber->disturb(disturber->arg);
	write_guest_global(disturber->vm, ticker_stop, true);
	return NULL;
}

struct ticker ticker_run(struct kvm_vcpu *vcpu, u64 min_ticks,
			 void (*disturb)(void *arg), void *arg)
{
	struct disturber disturber = { .vm = vcpu->vm, .disturb = disturb, .arg = arg };
	struct ticker ticker;
	pthread_t thread;

	vcpu_arch_set_entry_point(vcpu, ticker_guest);
	vcpu_args_set(vcpu, 1, min_ticks);
	TEST_ASSERT(!pthread_create(&thread, NULL, disturber_thread, &disturber),
		    "No thread to disturb with");
	ticker.ticks = run_to_sync(vcpu);
	pthread_join(thread, NULL);
	run_to_done(vcpu);

	sync_global_from_guest(vcpu->vm, late_max);
	sync_global_from_guest(vcpu->vm, late_1ms);
	ticker.late_max = late_max * 1000 / guest_tsc_khz;
	ticker.late_1ms = late_1ms;
	ksft_print_msg("%lu ticks, %lu over 1 ms late, the worst by %lu us\n",
		       ticker.ticks, ticker.late_1ms, ticker.late_max);
	TEST_ASSERT(ticker.ticks >= min_ticks, "%lu ticks of %lu", ticker.ticks, min_ticks);
	return ticker;
}

void pin_thread(pid_t tid, int cpu)
{
	cpu_set_t set;
	int r;

	CPU_ZERO(&set);
	CPU_SET(min_t(int, cpu, sysconf(_SC_NPROCESSORS_ONLN) - 1), &set);
	r = sched_setaffinity(tid, sizeof(set), &set);
	TEST_ASSERT(!r, "sched_setaffinity(%d) failed, errno %d", cpu, errno);
}

u64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ul + ts.tv_nsec / 1000;
}

void response_add(struct response *response, u64 us)
{
	response->count++;
	response->sum += us;
	response->slow += us > RESPONSE_SLOW_US;
	response->max = max(response->max, us);
}

void response_check(const struct response *response, const char *what)
{
	TEST_ASSERT(response->count, "No %s was measured", what);
	ksft_print_msg("%s: %lu times, mean %lu us, worst %lu us\n", what, response->count,
		       response->sum / response->count, response->max);
	TEST_ASSERT(response->slow * 100 <= response->count, "%s: %lu of %lu over %d us",
		    what, response->slow, response->count, RESPONSE_SLOW_US);
	TEST_ASSERT(response->max < RESPONSE_LIMIT_US, "%s: the slowest took %lu us", what,
		    response->max);
}
