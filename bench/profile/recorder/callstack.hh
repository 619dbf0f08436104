// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls that lead to an instruction: the kernel has no frame pointers to find them
 * by, so each call and each return is followed. What tells which calls are still open is
 * the stack pointer: it lies at or below the place of their return addresses.
 */
#ifndef RECORDER_CALLSTACK_HH
#define RECORDER_CALLSTACK_HH

#include <cstdint>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <vector>

/* Chains of call instructions, numbered from 1 on; 0 is the empty one. */
class chains {
public:
	/* The chain that a call at @address makes of @parent; new ones go to @out. */
	uint32_t extend(uint32_t parent, uint64_t address, FILE *out);

private:
	std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;
};

class callstack {
public:
	/* A call at @address has pushed its return address to @stack_pointer. */
	void call(uint64_t stack_pointer, uint64_t address, chains *chains, FILE *out);
	/* The chain of calls that are open, with the stack pointer where it is. */
	uint32_t chain(uint64_t stack_pointer);
	void clear(void);

private:
	struct frame {
		uint64_t slot;
		uint32_t chain;
	};

	std::vector<frame> *unwind(uint64_t stack_pointer);

	/* One for each stack in memory, by the place of that. */
	std::unordered_map<uint64_t, std::vector<frame>> stacks;
};

#endif
