// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims under test: time until a deadline never wraps; the preemption timer is
 * asked for no more than its 32 bits hold; a timer that works is never taken for
 * one that fired early, and one that fires earlier than that always is; the host
 * time for ticks of a scaled TSC is the shortest that is not too short.
 */
#include <stdlib.h>

#include <linux/bits.h>

#include "deadline.h"
#include "kselftest_harness.h"

TEST(remaining)
{
	EXPECT_EQ(fastpath_remaining(0, 0), 0);
	EXPECT_EQ(fastpath_remaining(5, 5), 0);
	EXPECT_EQ(fastpath_remaining(4, 5), 0);
	EXPECT_EQ(fastpath_remaining(6, 5), 1);
	EXPECT_EQ(fastpath_remaining(0, ~0ULL), 0);
	EXPECT_EQ(fastpath_remaining(~0ULL, 0), ~0ULL);
	EXPECT_EQ(fastpath_remaining(1ULL << 63, (1ULL << 63) - 1), 1);
	EXPECT_EQ(fastpath_remaining((1ULL << 63) - 1, 1ULL << 63), 0);
}

TEST(timer_range)
{
	unsigned int shift;

	for (shift = 0; shift <= 31; shift++) {
		u64 range = fastpath_timer_range(shift);

		/* The field's largest value is the last tick's, and of no later one. */
		EXPECT_EQ(fastpath_timer_value(range - 1, shift), ~0U);
		EXPECT_EQ(range >> shift >> 32, 1);
		EXPECT_EQ((range - 1) >> shift >> 32, 0);
	}
}

TEST(timer_value_rounds_down)
{
	EXPECT_EQ(fastpath_timer_value(0, 5), 0);
	EXPECT_EQ(fastpath_timer_value(31, 5), 0);
	EXPECT_EQ(fastpath_timer_value(32, 5), 1);
	EXPECT_EQ(fastpath_timer_value(63, 5), 1);
	EXPECT_EQ(fastpath_timer_value(64, 5), 2);
	EXPECT_EQ(fastpath_timer_value(7, 0), 7);
}

static u64 random64(void)
{
	return (u64)random() << 42 ^ (u64)random() << 21 ^ random();
}

/*
 * The SDM's timer: it counts down by one whenever bit @shift of the TSC changes,
 * from VM-Entry at @entry on.
 */
static u64 expiry(u64 entry, u32 value, unsigned int shift)
{
	return ((entry >> shift) + value) << shift;
}

TEST(slack)
{
	int i;

	srandom(1);
	for (i = 0; i < 1000000; i++) {
		unsigned int shift = random() % 32;
		u64 now = random64() >> 8;
		u64 ticks = random64() & ((1ULL << (random() % 32) << shift) - 1);
		/* Code runs between the computation and VM-Entry. */
		u64 entry = now + random() % 1000;
		u64 target = now + ticks;
		u64 end = expiry(entry, fastpath_timer_value(ticks, shift), shift);

		ASSERT_LT(ticks, fastpath_timer_range(shift));
		/* A value of 0 ends guest mode at once, whatever bit changes. */
		if (end < entry)
			end = entry;
		ASSERT_LE(fastpath_remaining(target, end),
			  fastpath_timer_slack(shift))
			TH_LOG("shift %u now %llu ticks %llu entry %llu", shift,
			       (unsigned long long)now, (unsigned long long)ticks,
			       (unsigned long long)entry);
	}
}

/* The slack is not just large: it is what the worst timer needs. */
TEST(slack_is_tight)
{
	unsigned int shift = 5;
	u64 step = 1ULL << shift, now, ticks, worst = 0;

	for (now = 0; now < step; now++) {
		for (ticks = 0; ticks < 8 * step; ticks++) {
			u64 end = expiry(now, fastpath_timer_value(ticks, shift),
					 shift);

			if (fastpath_remaining(now + ticks, end) > worst &&
			    end >= now)
				worst = fastpath_remaining(now + ticks, end);
		}
	}
	EXPECT_EQ(worst, fastpath_timer_slack(shift) - 2);
}

#define RATIO_ONE	BIT_ULL(FASTPATH_TSC_FRAC_BITS)

TEST(unscaled_is_enough_and_no_more)
{
	int i;

	srandom(2);
	for (i = 0; i < 1000000; i++) {
		/* From 1/256 to 256 times the host's frequency. */
		u64 ratio = (RATIO_ONE >> 8) + (random64() & ((RATIO_ONE << 8) - 1));
		u64 now = random64() >> 8;
		u64 ticks = random64() >> 16 >> (random() % 48);
		u64 wait = fastpath_unscale_tsc(ticks, ratio);
		u64 start = fastpath_scale_tsc(now, ratio);

		ASSERT_NE(wait, ~0ULL);
		/* Not early, wherever in a tick the wait begins. */
		ASSERT_GE(fastpath_scale_tsc(now + wait, ratio) - start, ticks)
			TH_LOG("ticks %llu ratio %llx", (unsigned long long)ticks,
			       (unsigned long long)ratio);
		if (wait)
			ASSERT_LT(fastpath_scale_tsc(wait - 1, ratio), ticks);
	}
}

TEST(unscale_saturates)
{
	EXPECT_EQ(fastpath_unscale_tsc(0, 1), 0);
	EXPECT_EQ(fastpath_unscale_tsc(~0ULL, RATIO_ONE), ~0ULL);
	EXPECT_EQ(fastpath_unscale_tsc(~0ULL - 1, RATIO_ONE), ~0ULL - 1);
	EXPECT_EQ(fastpath_unscale_tsc(~0ULL, RATIO_ONE / 2), ~0ULL);
	EXPECT_EQ(fastpath_unscale_tsc(1ULL << 63, RATIO_ONE / 2), ~0ULL);
	EXPECT_EQ(fastpath_unscale_tsc((1ULL << 63) - 1, RATIO_ONE / 2), ~0ULL - 1);
	EXPECT_EQ(fastpath_unscale_tsc(~0ULL, 1), ~0ULL);
	EXPECT_EQ(fastpath_unscale_tsc(1, ~0ULL), 1);
}

TEST(ticks_to_ns)
{
	EXPECT_EQ(fastpath_ticks_to_ns(0, 1), 0);
	EXPECT_EQ(fastpath_ticks_to_ns(2999, 3000000), 999);
	EXPECT_EQ(fastpath_ticks_to_ns(3000, 3000000), 1000);
	/* The largest number of ticks does not overflow, one more would. */
	EXPECT_EQ(fastpath_ticks_to_ns(FASTPATH_MAX_NS_TICKS, 1000000),
		  FASTPATH_MAX_NS_TICKS);
	EXPECT_GT(1000000, ~0ULL - FASTPATH_MAX_NS_TICKS * 1000000);
}

/* Never in the future, however far a guest's TSC is ahead of the host's. */
TEST(ago)
{
	static const u64 ticks[] = { 0, 1, 999, 1000, 1001, 1ULL << 63, ~0ULL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		EXPECT_GE(fastpath_ago(1000, ticks[i]), 1);
		EXPECT_LE(fastpath_ago(1000, ticks[i]), 1000);
	}
	EXPECT_EQ(fastpath_ago(1000, 0), 1000);
	EXPECT_EQ(fastpath_ago(1000, 999), 1);
	EXPECT_EQ(fastpath_ago(~0ULL, 1), ~0ULL - 1);
}

/* As a guest counts, so does the host; and no value that a guest's TSC takes wraps. */
TEST(host_deadline)
{
	const u64 tsc = 1000000;
	int i;

	EXPECT_EQ(fastpath_host_deadline(50, 50, tsc, 0), tsc);
	EXPECT_EQ(fastpath_host_deadline(51, 50, tsc, 0), tsc + 1);
	EXPECT_EQ(fastpath_host_deadline(49, 50, tsc, 0), tsc - 1);
	EXPECT_EQ(fastpath_host_deadline(60, 50, tsc, RATIO_ONE / 2), tsc + 20);
	EXPECT_EQ(fastpath_host_deadline(40, 50, tsc, RATIO_ONE / 2), tsc - 20);
	EXPECT_EQ(fastpath_host_deadline(0, ~0ULL, tsc, 0), 1);
	EXPECT_EQ(fastpath_host_deadline(0, ~0ULL, tsc, RATIO_ONE / 2), 1);
	EXPECT_EQ(fastpath_host_deadline(~0ULL, 0, tsc, 0), ~0ULL);
	EXPECT_EQ(fastpath_host_deadline(~0ULL, 0, tsc, RATIO_ONE / 2), ~0ULL);
	EXPECT_EQ(fastpath_host_deadline(~0ULL - tsc, 0, tsc, 0), ~0ULL);
	EXPECT_EQ(fastpath_host_deadline(~0ULL - tsc - 1, 0, tsc, 0), ~0ULL - 1);

	/* What is in the future stays there, and what is past is past. */
	srandom(3);
	for (i = 0; i < 1000000; i++) {
		u64 deadline = random64() << random() % 64, now = random64() << random() % 64;
		u64 ratio = i % 2 ? 1 + (random64() >> random() % 64) : 0;
		u64 host = fastpath_host_deadline(deadline, now, tsc, ratio);

		ASSERT_GE(host, 1);
		ASSERT_EQ(host > tsc, deadline > now);
	}
}

/* From the slowest TSC to the fastest, and there and back again. */
TEST(ns_to_ticks)
{
	static const u32 khz[] = { 50000, 99999, 1000000, 2399999, 3000000, 6000000 };
	static const u32 ns[] = { 0, 1, 2, 19, 20, 21, 999, 1000, 4999, 5000, 49999, 50000 };
	size_t k, n;
	u64 ticks;

	for (k = 0; k < ARRAY_SIZE(khz); k++) {
		for (n = 0; n < ARRAY_SIZE(ns); n++) {
			ticks = fastpath_ns_to_ticks(ns[n], khz[k]);
			/* Not less than asked for, and less than a tick more. */
			EXPECT_GE(ticks * 1000000, (u64)ns[n] * khz[k]);
			EXPECT_LT(ticks * 1000000, (u64)ns[n] * khz[k] + 1000000);
			EXPECT_GE(fastpath_ticks_to_ns(ticks, khz[k]), ns[n]);
		}
	}
}

TEST_HARNESS_MAIN
