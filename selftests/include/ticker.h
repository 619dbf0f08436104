/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that ticks without pause while the host, or another vCPU, disturbs it.
 */
#ifndef SELFTEST_TICKER_H
#define SELFTEST_TICKER_H

#include "kvm_util.h"

/*
 * Guest code: arm the next deadline in the handler of the last, a random few us
 * ahead, until the host says stop and @min_ticks have come.  A tick that is lost,
 * doubled or early fails.  Then a checkpoint with the number of ticks.
 */
void ticker_guest(u64 min_ticks);

/**
 * struct ticker - what became of a run
 * @ticks:	timer interrupts
 * @late_max:	the worst lateness, in us
 * @late_1ms:	ticks that were more than a millisecond late
 */
struct ticker {
	u64 ticks;
	u64 late_max;
	u64 late_1ms;
};

/*
 * Run ticker_guest() on @vcpu in this thread, while another runs @disturb(@arg),
 * whose return stops the ticker.
 */
struct ticker ticker_run(struct kvm_vcpu *vcpu, u64 min_ticks,
			 void (*disturb)(void *arg), void *arg);

/* To the CPU with number @cpu, or to the last one if there are fewer. */
void pin_thread(pid_t tid, int cpu);

/* CLOCK_MONOTONIC, in us. */
u64 now_us(void);

/* Response times, in us, and how many exceed RESPONSE_SLOW_US. */
struct response {
	u64 count;
	u64 slow;
	u64 sum;
	u64 max;
};

#define RESPONSE_SLOW_US	100000
#define RESPONSE_LIMIT_US	5000000

void response_add(struct response *response, u64 us);

/*
 * Print it, and fail if more than one in a hundred was slow, or if one exceeds the
 * limit.  The bounds are generous, as a machine may be busy with other things: what
 * is to be seen is that nothing waits for the guest to be done.
 */
void response_check(const struct response *response, const char *what);

#endif /* SELFTEST_TICKER_H */
