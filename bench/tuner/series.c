// SPDX-License-Identifier: GPL-2.0-only
#include "series.h"

#include <ctype.h>
#include <linux/kernel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE	1500

/* Where the cost of "step" changes. */
#define UP	(SERIES_TICKS / 4)
#define DOWN	(SERIES_TICKS / 2)

/* Above 0, below 1. */
static double uniform(void)
{
	return (random() + 1.0) / (RAND_MAX + 2.0);
}

static double gauss(double mean, double deviation)
{
	return mean + deviation * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static u32 constant_cost(size_t tick)
{
	(void)tick;
	return BASE;
}

static u32 gauss_cost(size_t tick)
{
	(void)tick;
	return gauss(BASE, 150);
}

static u32 bimodal_cost(size_t tick)
{
	(void)tick;
	return gauss(uniform() < 0.8 ? BASE : 2 * BASE, 50);
}

static u32 fourth_cost(size_t tick)
{
	return gauss(tick % 4 ? BASE : 2 * BASE, 50);
}

static u32 tail_cost(size_t tick)
{
	(void)tick;
	return BASE - 300 * log(uniform());
}

static u32 step_cost(size_t tick)
{
	return gauss(tick < UP || tick >= DOWN ? BASE : 3 * BASE, 50);
}

static u32 spike_cost(size_t tick)
{
	return tick % 500 == 499 ? 60000 : gauss(BASE, 50);
}

static u32 stall_cost(size_t tick)
{
	return tick % 500 == 499 ? 9000 : gauss(BASE, 50);
}

static u32 slow_cost(size_t tick)
{
	(void)tick;
	return gauss(8500, 600);
}

static const struct {
	const char *name;
	const char *about;
	u32 (*cost)(size_t tick);
	size_t change;
} kinds[] = {
	{ "constant", "always the same", constant_cost, 0 },
	{ "gauss", "a standard deviation of a tenth", gauss_cost, 0 },
	{ "bimodal", "warm, or in one of five cold", bimodal_cost, 0 },
	{ "fourth", "each fourth tick cold, by the clock", fourth_cost, 0 },
	{ "tail", "an exponential tail", tail_cost, 0 },
	{ "step", "three times as much for a while", step_cost, DOWN },
	{ "spikes", "each 500th tick 30 us", spike_cost, 0 },
	{ "stalls", "each 500th tick 4.5 us", stall_cost, 0 },
	{ "slow", "close to the limit of 5000 ns", slow_cost, 0 },
};

size_t series_count(void)
{
	return ARRAY_SIZE(kinds);
}

void series_make(struct series *series, size_t number)
{
	size_t i;

	series->name = kinds[number].name;
	series->about = kinds[number].about;
	series->change = kinds[number].change;
	series->khz = SERIES_KHZ;
	srandom(1);
	for (i = 0; i < SERIES_TICKS; i++)
		series->cost[i] = kinds[number].cost(i);
}

const char *series_read(struct series *series, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	char line[128], rest;
	size_t i, nr = 0;

	if (!file)
		return "cannot be opened";

	series->name = slash ? slash + 1 : path;
	series->about = "recorded";
	series->change = 0;
	series->khz = 0;
	while (!wrong && nr < SERIES_TICKS && fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			sscanf(line, "# tsc_khz %u", &series->khz);
		else if (!isdigit(line[0]) ||
			 sscanf(line, "%u %c", &series->cost[nr++], &rest) != 1)
			wrong = "a line is not a number of ticks";
	}
	fclose(file);

	if (wrong)
		return wrong;
	if (!series->khz)
		return "it has no line '# tsc_khz' with a number";
	if (!nr)
		return "it has no costs";
	for (i = nr; i < SERIES_TICKS; i++)
		series->cost[i] = series->cost[i - nr];
	return NULL;
}
