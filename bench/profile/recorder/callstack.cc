// SPDX-License-Identifier: GPL-2.0-only
#include "callstack.hh"

/* THREAD_SIZE, and IRQ_STACK_SIZE: stacks lie at multiples of it. */
#define STACK_SIZE_SHIFT	14

uint32_t chains::extend(uint32_t parent, uint64_t address, FILE *out)
{
	uint32_t &number = numbers[std::make_pair(parent, address)];

	if (!number) {
		number = numbers.size();
		fprintf(out, "chain %u %u %lx\n", number, parent, address);
	}

	return number;
}

/* A frame whose return address the stack pointer has passed is no more. */
std::vector<callstack::frame> *callstack::unwind(uint64_t stack_pointer)
{
	std::vector<frame> *frames = &stacks[(stack_pointer - 1) >> STACK_SIZE_SHIFT];

	while (!frames->empty() && frames->back().slot < stack_pointer)
		frames->pop_back();

	return frames;
}

void callstack::call(uint64_t stack_pointer, uint64_t address, chains *chains, FILE *out)
{
	/* Whatever was at this place before has been overwritten. */
	std::vector<frame> *frames = unwind(stack_pointer + 8);
	uint32_t parent = frames->empty() ? 0 : frames->back().chain;

	frames->push_back({ stack_pointer, chains->extend(parent, address, out) });
}

uint32_t callstack::chain(uint64_t stack_pointer)
{
	std::vector<frame> *frames = unwind(stack_pointer);

	return frames->empty() ? 0 : frames->back().chain;
}

void callstack::clear(void)
{
	stacks.clear();
}
