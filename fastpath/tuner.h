/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How early should the timer be armed?  Costs in, advance out, no side effects.
 *
 * What it takes from the timer's expiry to VM-Entry varies from tick to tick.  A
 * timer armed early by a quantile of that cost makes all but a given share of the
 * interrupts come on time, and costs no more waiting than that takes.  Stock KVM
 * seeks the mean, which makes about half of them late.
 *
 * The quantile is estimated by rank: of each window of ticks, as long as it takes
 * for TUNER_RANKS of them to be late on average, the TUNER_RANKS-th largest cost.  The
 * advance goes half the way there, and a few outliers do not move it.  Changes are
 * followed sooner: a run of late ticks takes the advance up, and a run of ticks that all
 * cost much less takes it down to what they cost.  The first windows are shorter.  A
 * cost beyond any advance is a spike, which teaches nothing unless one follows the other.
 *
 * All values are TSC ticks.  The host's unit tests compile this file.
 */
#ifndef VMX_FASTPATH_TUNER_H
#define VMX_FASTPATH_TUNER_H

#include <linux/compiler.h>
#include <linux/types.h>

#define TUNER_RANKS		3
#define TUNER_FIRST_WINDOW	16
#define TUNER_SPIKE_RUN		16

/* Quantiles are given in tenths of a percent. */
#define TUNER_QUANTILE_MIN	500
#define TUNER_QUANTILE_MAX	999

/**
 * struct fastpath_tuner - state of one vCPU's tuner; all zero is a good start
 * @advance:	the estimate
 * @window:	ticks in the current window
 * @seen:	ticks of it so far
 * @calm:	length of the current run of ticks that cost much less than @advance
 * @calm_max:	the largest cost of that run
 * @late:	length of the current run of late ticks
 * @last_late:	the cost of the last late tick
 * @spikes:	length of the current run of spikes
 * @runs:	all runs: most ticks end all of them
 * @settled:	a whole window has been seen
 * @largest:	the largest costs of the window, largest first
 */
struct fastpath_tuner {
	u32 advance;
	u16 window;
	u16 seen;
	union {
		struct {
			u16 calm;
			u8 late;
			u8 spikes;
		};
		u32 runs;
	};
	bool settled;
	u32 calm_max;
	u32 last_late;
	u32 largest[TUNER_RANKS];
};

/**
 * struct fastpath_tuner_limits - what a tuner has to keep to
 * @quantile:	share of the ticks that are not to be late, tenths of a percent,
 *		TUNER_QUANTILE_MIN to TUNER_QUANTILE_MAX
 * @window:	fastpath_tuner_full_window() of @quantile
 * @late_run:	so many late ticks in a row are no accident, fastpath_tuner_late_run()
 * @max:	the largest advance
 * @spike:	a single cost above that says nothing about the next one
 */
struct fastpath_tuner_limits {
	u32 quantile;
	u32 window;
	u32 late_run;
	u32 max;
	u32 spike;
};

/* The window whose TUNER_RANKS-th largest cost is the quantile, on average. */
static __always_inline u32 fastpath_tuner_full_window(u32 quantile)
{
	return TUNER_RANKS * 1000 / (1000 - quantile) - 1;
}

/* A run of late ticks that happens by chance once in 10^4 ticks, or less. */
static __always_inline u32 fastpath_tuner_late_run(u32 quantile)
{
	u32 n, odds = 10000;

	for (n = 0; odds > 1; n++)
		odds = odds * (1000 - quantile) / 1000;
	return n;
}

static __always_inline void fastpath_tuner_sort_in(u32 *largest, u32 cost)
{
	int i;

	for (i = TUNER_RANKS - 1; i > 0 && cost > largest[i - 1]; i--)
		largest[i] = largest[i - 1];
	largest[i] = cost;
}

/* What would be more than half of the whole window may as well be the whole. */
static __always_inline u32 fastpath_tuner_window(u32 window, u32 full)
{
	return window < full / 2 ? window : full;
}

static __always_inline void fastpath_tuner_set(struct fastpath_tuner *t,
					       const struct fastpath_tuner_limits *l,
					       u32 advance)
{
	t->advance = advance < l->max ? advance : l->max;
}

/*
 * Of a window that is shorter than the whole the largest cost is what is known best, the
 * first whole one has the first estimate, and the others better it.
 */
static __always_inline void
fastpath_tuner_end_window(struct fastpath_tuner *t, const struct fastpath_tuner_limits *l)
{
	u32 cost = t->largest[TUNER_RANKS - 1];
	int i;

	if (t->window < l->window) {
		if (t->largest[0] > t->advance)
			fastpath_tuner_set(t, l, t->largest[0]);
	} else {
		if (t->settled)
			cost = ((u64)t->advance + cost + 1) / 2;
		fastpath_tuner_set(t, l, cost);
		t->settled = true;
	}

	t->window = fastpath_tuner_window(4 * t->window, l->window);
	t->seen = 0;
	for (i = 0; i < TUNER_RANKS; i++)
		t->largest[i] = 0;
}

/* What costs less costs much less than the advance. */
static __always_inline u32 fastpath_tuner_near(const struct fastpath_tuner *t)
{
	return t->advance - t->advance / 4;
}

/* Of two late ticks the one that cost less: the other may be a stall. */
static __always_inline void
fastpath_tuner_follow_up(struct fastpath_tuner *t, const struct fastpath_tuner_limits *l,
			 u32 cost)
{
	u32 least = cost < t->last_late ? cost : t->last_late;

	t->last_late = cost;
	if (++t->late >= l->late_run && least > t->advance)
		fastpath_tuner_set(t, l, t->advance + (least - t->advance + 3) / 4);
}

/*
 * Is the advance too large, and by much?  That it is right, and no tick of so many came
 * near it, happens by chance once in some 10^4 ticks.
 */
static __always_inline void
fastpath_tuner_follow_down(struct fastpath_tuner *t, u32 cost, u32 full)
{
	if (cost >= fastpath_tuner_near(t)) {
		t->calm = 0;
		return;
	}

	if (!t->calm || cost > t->calm_max)
		t->calm_max = cost;
	if (++t->calm >= (t->window < full ? t->window : 2 * full)) {
		t->advance = t->calm_max;
		t->calm = 0;
	}
}

/* A cost beyond any advance says that an advance may be too small if others follow. */
static __always_inline bool fastpath_tuner_spike(struct fastpath_tuner *t)
{
	if (++t->spikes < TUNER_SPIKE_RUN)
		return true;
	t->spikes = TUNER_SPIKE_RUN;
	return false;
}

/* A tick that is not as most are. */
static __always_inline void
fastpath_tuner_follow(struct fastpath_tuner *t, const struct fastpath_tuner_limits *l,
		      u32 cost)
{
	if (cost > t->advance) {
		t->calm = 0;
		fastpath_tuner_follow_up(t, l, cost);
	} else {
		t->late = 0;
		fastpath_tuner_follow_down(t, cost, l->window);
	}
}

/**
 * fastpath_tune - learn from one tick
 * @t:		the tuner
 * @l:		its limits
 * @cost:	from the expiry as it should have been to VM-Entry; 0 if the timer
 *		was so early that the vCPU was ready before
 */
static __always_inline void fastpath_tune(struct fastpath_tuner *t,
					  const struct fastpath_tuner_limits *l,
					  u64 cost)
{
	/* Most ticks end here, and this takes time from each of them. */
	if (likely(cost <= t->advance && cost >= fastpath_tuner_near(t))) {
		t->runs = 0;
	} else {
		if (unlikely(cost > l->spike)) {
			if (fastpath_tuner_spike(t))
				return;
			cost = l->max;
		} else {
			t->spikes = 0;
		}
		fastpath_tuner_follow(t, l, cost);
	}

	if (cost > t->largest[TUNER_RANKS - 1])
		fastpath_tuner_sort_in(t->largest, cost);

	if (unlikely(++t->seen >= t->window)) {
		if (t->window)
			fastpath_tuner_end_window(t, l);
		else
			t->window = fastpath_tuner_window(TUNER_FIRST_WINDOW, l->window);
	}
}

#endif /* VMX_FASTPATH_TUNER_H */
