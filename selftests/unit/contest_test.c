// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims under test, of the tuner against the rule of stock KVM on the same costs, made
 * up and recorded:
 *
 * - No more than one in a hundred interrupts is late, where stock's rule, which seeks
 *   the mean, makes many late by as much as the costs vary.
 * - What is waited for that is at most 1.5 times what lies between the costs' median and
 *   their quantile.
 * - The advance is close to the quantile after the window under way, and two more.
 * - It moves less than stock's.
 */
#include "../../bench/tuner/contest.h"
#include "../../bench/tuner/stock.h"
#include "kselftest_harness.h"
#include "tuner.h"

/* Rounding, and ticks that a window leaves out. */
#define LITTLE	5

static struct series series;
static struct outcome stock, tuner;

static void contest_on(size_t number)
{
	series_make(&series, number);
	contest(&stock, &series, RULE_STOCK);
	contest(&tuner, &series, RULE_TUNER);
}

TEST(few_are_late)
{
	size_t i;

	for (i = 0; i < series_count(); i++) {
		contest_on(i);
		EXPECT_LE(tuner.p99, LITTLE) TH_LOG("%s", series.name);
		EXPECT_LE(tuner.p50, stock.p50) TH_LOG("%s", series.name);
		EXPECT_LE(tuner.max, stock.max) TH_LOG("%s", series.name);
		if (contest_spread(&series))
			EXPECT_GT(stock.p99, 20 * LITTLE) TH_LOG("%s", series.name);
	}
}

TEST(waits_no_longer_than_that_takes)
{
	size_t i;

	for (i = 0; i < series_count(); i++) {
		contest_on(i);
		EXPECT_LE(tuner.spun, 1.5 * contest_spread(&series) + 1)
			TH_LOG("%s", series.name);
	}
}

TEST(settles)
{
	size_t i, full = fastpath_tuner_full_window(CONTEST_QUANTILE);

	for (i = 0; i < series_count(); i++) {
		contest_on(i);
		EXPECT_LE(tuner.settled, 5 * TUNER_FIRST_WINDOW + 2 * full + LITTLE)
			TH_LOG("%s", series.name);
	}
}

TEST(has_no_sawtooth)
{
	size_t i;

	for (i = 0; i < series_count(); i++) {
		contest_on(i);
		if (!stock.range)
			continue;
		EXPECT_LT(tuner.range, stock.range) TH_LOG("%s", series.name);
	}
}

TEST(recorded)
{
	static const char * const files[] = {
		RECORDED "/recorded-100us",
		RECORDED "/recorded-1000us",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(series_read(&series, files[i]), NULL);
		contest(&stock, &series, RULE_STOCK);
		contest(&tuner, &series, RULE_TUNER);
		EXPECT_LT(tuner.p99, stock.p99) TH_LOG("%s", files[i]);
		EXPECT_LT(tuner.range, stock.range) TH_LOG("%s", files[i]);
		EXPECT_LE(tuner.spun, 1.5 * contest_spread(&series)) TH_LOG("%s", files[i]);
	}
}

TEST(files_that_are_no_series)
{
	static const struct {
		const char *text;
		const char *wrong;
	} bad[] = {
		{ "", "tsc_khz" },
		{ "12\n", "tsc_khz" },
		{ "# tsc_khz 200000\n", "no costs" },
		{ "# tsc_khz 200000\n12\nx\n", "not a number" },
		{ "# tsc_khz 200000\n12 13\n", "not a number" },
		{ "# tsc_khz 200000\n-12\n", "not a number" },
	};
	char path[] = "/tmp/contest_test.XXXXXX";
	const char *wrong;
	FILE *file;
	size_t i;

	ASSERT_GE(mkstemp(path), 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		file = fopen(path, "w");
		ASSERT_NE(file, NULL);
		fputs(bad[i].text, file);
		fclose(file);
		wrong = series_read(&series, path);
		ASSERT_NE(wrong, NULL) TH_LOG("'%s'", bad[i].text);
		EXPECT_NE(strstr(wrong, bad[i].wrong), NULL) TH_LOG("%s", wrong);
	}
	unlink(path);
	EXPECT_NE(series_read(&series, path), NULL);
}

/* The model of stock's rule, by what its constants say. */
TEST(stock_rule)
{
	const u32 khz = 2000000;

	EXPECT_EQ(stock_tune(1000, khz, 99), 1000);
	EXPECT_EQ(stock_tune(1000, khz, -99), 1000);
	EXPECT_EQ(stock_tune(1000, khz, 10001), 1000);
	EXPECT_EQ(stock_tune(1000, khz, 160), 1010);
	EXPECT_EQ(stock_tune(1000, khz, -160), 990);
	EXPECT_EQ(stock_tune(4990, khz, 160), 5000);
	EXPECT_EQ(stock_tune(4990, khz, 176), 1000);
	EXPECT_EQ(stock_tune(5, khz, -160), 1000);
}

TEST_HARNESS_MAIN
