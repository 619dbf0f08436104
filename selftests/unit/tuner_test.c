// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims under test, for quantiles from 50 % to 99.9 % and costs of several shapes:
 *
 * - From any start the advance is good within a few hundred ticks, and again after
 *   the cost has changed.
 * - About as many ticks are late as the quantile allows, and little more is waited
 *   than that takes.
 * - Spikes do not move it; it never exceeds its limit, and does not stick at 0.
 */
#include <math.h>
#include <stdlib.h>

#include "tuner.h"
#include "kselftest_harness.h"

/* As of a TSC of 3 GHz. */
#define MAX	15000
#define SPIKE	30000

static struct fastpath_tuner_limits limits(u32 quantile)
{
	return (struct fastpath_tuner_limits) {
		.quantile = quantile,
		.window = fastpath_tuner_full_window(quantile),
		.late_run = fastpath_tuner_late_run(quantile),
		.max = MAX,
		.spike = SPIKE,
	};
}

static double gauss(void)
{
	double u = (random() + 1.0) / (RAND_MAX + 2.0);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * random() / RAND_MAX);
}

/* Costs as they are on an idle, a busy, and a jittery host. */
static u32 cost(int shape, u32 base)
{
	switch (shape) {
	case 0:
		return base;
	case 1:
		return base + fabs(gauss()) * base / 10;
	case 2:
		/* Warm or cold. */
		return base + (random() % 5 ? 0 : base / 2) + random() % 100;
	case 3:
		/* A long tail. */
		return base - log((random() + 1.0) / (RAND_MAX + 2.0)) * base / 8;
	default: /* TICKS */
		/* The host's tick is in the way of 1 in 50. */
		return base + random() % 200 + (random() % 50 ? 0 : 2 * base + random() % base);
	}
}

#define TICKS		4
#define NR_SHAPES	5

static double late_share(struct fastpath_tuner *t, struct fastpath_tuner_limits *l,
			 int shape, u32 base, int ticks)
{
	int i, late = 0;

	for (i = 0; i < ticks; i++) {
		u32 c = cost(shape, base);

		late += c > t->advance;
		fastpath_tune(t, l, c);
	}
	return (double)late / ticks;
}

TEST(late_as_often_as_asked)
{
	static const u32 quantiles[] = { 500, 750, 900, 950, 990, 999 };
	size_t q;
	int shape;

	srandom(1);
	for (q = 0; q < ARRAY_SIZE(quantiles); q++) {
		for (shape = 1; shape < NR_SHAPES; shape++) {
			struct fastpath_tuner_limits l = limits(quantiles[q]);
			double want = 1 - quantiles[q] / 1000.0, share;
			struct fastpath_tuner t = {};

			late_share(&t, &l, shape, 2000, 10000);
			share = late_share(&t, &l, shape, 2000, 300000);
			EXPECT_LT(share, 1.6 * want + 0.001)
				TH_LOG("quantile %u shape %d", quantiles[q], shape);
			EXPECT_GT(share, 0.5 * want - 0.001)
				TH_LOG("quantile %u shape %d", quantiles[q], shape);
		}
	}
}

TEST(any_start)
{
	static const u32 starts[] = { 0, 1, 100, 2000, 5000, MAX };
	struct fastpath_tuner_limits l = limits(990);
	int shape;
	size_t s;

	srandom(2);
	for (s = 0; s < ARRAY_SIZE(starts); s++) {
		for (shape = 0; shape < NR_SHAPES; shape++) {
			struct fastpath_tuner t = { .advance = starts[s] };

			late_share(&t, &l, shape, 1000, 400);
			EXPECT_GE(t.advance, 1000);
			EXPECT_LE(t.advance, shape == TICKS ? 4200 : 2100)
				TH_LOG("start %u shape %d", starts[s], shape);
		}
	}
}

TEST(change_of_cost)
{
	static const u32 bases[] = { 300, 3000, 1000, 9000, 60 };
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {};
	size_t i;

	srandom(3);
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		/* A window that is under way, and one more. */
		late_share(&t, &l, 1, bases[i], 700);
		EXPECT_GE(t.advance, bases[i]);
		EXPECT_LE(t.advance, bases[i] * 3 / 2) TH_LOG("base %u", bases[i]);
		late_share(&t, &l, 1, bases[i], 4000);
	}
}

TEST(spikes)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {}, before;
	int i;

	late_share(&t, &l, 1, 1000, 5000);
	before = t;
	for (i = 0; i < 100; i++) {
		fastpath_tune(&t, &l, i % 5 ? SPIKE + 1 + i : before.advance);
		fastpath_tune(&t, &l, ~0ULL);
		EXPECT_EQ(t.advance, before.advance);
	}

	/* Large costs below the limit, too, as long as they are rare. */
	for (i = 0; i < 100; i++) {
		fastpath_tune(&t, &l, SPIKE);
		late_share(&t, &l, 0, 1000, 999);
		EXPECT_LE(t.advance, 1400);
	}
}

TEST(limit)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {};
	int i;

	for (i = 0; i < 5000; i++) {
		fastpath_tune(&t, &l, SPIKE - i % 7);
		ASSERT_LE(t.advance, MAX);
	}
	EXPECT_EQ(t.advance, MAX);
}

TEST(from_zero_and_back)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {};

	late_share(&t, &l, 0, 0, 1000);
	EXPECT_EQ(t.advance, 0);
	late_share(&t, &l, 0, 1, 1000);
	EXPECT_EQ(t.advance, 1);
	late_share(&t, &l, 0, 500, 1000);
	EXPECT_EQ(t.advance, 500);
	late_share(&t, &l, 0, 0, 1000);
	EXPECT_EQ(t.advance, 0);
}

/* What is never cheaper than a spike is none. */
TEST(nothing_but_spikes)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = { .advance = 1000 };
	int i;

	for (i = 0; i < 200; i++)
		fastpath_tune(&t, &l, 3 * SPIKE);
	EXPECT_EQ(t.advance, MAX);
	/* A window that is under way, and one more. */
	late_share(&t, &l, 0, 1000, 700);
	EXPECT_EQ(t.advance, 1000);
}

/* No tooth: with a steady cost the advance does not move at all. */
TEST(steady)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {};
	int i;

	late_share(&t, &l, 0, 700, 1000);
	for (i = 0; i < 10000; i++) {
		fastpath_tune(&t, &l, 700);
		ASSERT_EQ(t.advance, 700);
	}
}

/* Waiting costs little more than the spread between median and quantile. */
TEST(waiting)
{
	struct fastpath_tuner_limits l = limits(990);
	struct fastpath_tuner t = {};
	double waited = 0;
	int i;

	srandom(4);
	for (i = 0; i < 200000; i++) {
		u32 c = 3000 + 300 * gauss();

		if (i > 5000 && c < t.advance)
			waited += t.advance - c;
		fastpath_tune(&t, &l, c);
	}
	/* 2.33 standard deviations. */
	EXPECT_LT(waited / 195000, 1.5 * 2.33 * 300);
}

/* The settings' own arithmetic. */
TEST(derived)
{
	u32 quantile;

	for (quantile = TUNER_QUANTILE_MIN; quantile <= TUNER_QUANTILE_MAX; quantile++) {
		u32 window = fastpath_tuner_full_window(quantile);
		double late = 1 - quantile / 1000.0;
		double run = pow(late, fastpath_tuner_late_run(quantile));

		EXPECT_GE(window, TUNER_RANKS);
		EXPECT_LE(window, UINT16_MAX);
		EXPECT_LT(fabs(TUNER_RANKS / (window + 1.0) - late), 0.2 * late);
		EXPECT_LE(run, 0.001);
	}
}

TEST_HARNESS_MAIN
