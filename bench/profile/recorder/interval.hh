// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host executes from a VM exit to the next VM entry, and what it amounts to.
 * Two parts: its path, that is its instructions in their order, which many intervals
 * have in common; and the figures that are its own.
 */
#ifndef RECORDER_INTERVAL_HH
#define RECORDER_INTERVAL_HH

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

struct instruction {
	uint64_t address;
	uint32_t length;
	uint32_t ops;
	uint32_t chain;
	uint32_t msr;		/* of RDMSR and WRMSR */
	bool pause;
};

struct memory_access {
	size_t instruction;	/* its index in the interval */
	uint64_t address;
	uint64_t length;
	bool read;
	bool written;
};

/* The distinct paths of a recording, numbered from 1 on. */
class paths {
public:
	uint32_t number(const std::vector<instruction> &path, size_t spin_at, FILE *out);
	void clear(void);

private:
	std::map<std::vector<uint64_t>, uint32_t> numbers;
};

class interval {
public:
	bool is_open = false;
	bool interrupted;	/* the host took an interrupt or an exception */
	uint64_t more_ticks;	/* of the TSC, beside one for each instruction */

	/* @detail: of the reason, or -1 */
	void open(uint32_t reason, int64_t detail);
	void add(const struct instruction &instruction);
	/* Of the instruction that was added last */
	void add_access(uint64_t address, uint64_t length, bool read, bool written);
	void add_ops(uint32_t ops);
	void close(paths *paths, FILE *out);

private:
	uint32_t reason;
	int64_t detail;
	std::vector<instruction> instructions;
	std::vector<memory_access> accesses;
};

/* The names of the figures in an interval's line */
#define INTERVAL_FIGURES "spin pause lines_code lines_read lines_written lines_data pages more_ticks"

#endif
