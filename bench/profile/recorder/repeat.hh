// SPDX-License-Identifier: GPL-2.0-only
/*
 * String instructions with a REP prefix. Bochs may do many of the operations at once, and
 * tells of neither their memory nor their ticks; both show in the registers.
 */
#ifndef RECORDER_REPEAT_HH
#define RECORDER_REPEAT_HH

#include <cstdint>

class BX_CPU_C;
class bxInstruction_c;
class interval;

class repeat {
public:
	/* @i is next. */
	void begin(const bxInstruction_c *i, const BX_CPU_C *core);
	/*
	 * It has ended, or has been interrupted: returns its ticks beside the first. What
	 * it has accessed goes to @interval, unless that is NULL.
	 */
	uint64_t end(const BX_CPU_C *core, interval *interval);

private:
	bool pending = false;
	bool writes;		/* at RDI; else it reads at RSI, or at RDI if it is SCAS */
	uint64_t rcx;
	uint64_t rsi;
	uint64_t rdi;
};

#endif
