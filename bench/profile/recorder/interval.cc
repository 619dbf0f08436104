// SPDX-License-Identifier: GPL-2.0-only
#include <set>

#include "interval.hh"
#include "ops.hh"

#define LINE_SHIFT	6
#define PAGE_SHIFT	12

static void add_range(std::set<uint64_t> *set, uint64_t address, uint64_t length, int shift)
{
	uint64_t block;

	for (block = address >> shift; block <= (address + length - 1) >> shift; block++)
		set->insert(block);
}

/*
 * The last instruction before which the host has spun, and how long: from the first
 * PAUSE to the last. How often a loop goes round depends on when it was entered, and is
 * to make no other path of it.
 */
static size_t find_spin(const std::vector<instruction> &instructions, size_t *length,
			size_t *pauses)
{
	size_t i, first = 0, last = 0;

	*pauses = 0;
	for (i = 0; i < instructions.size(); i++) {
		if (!instructions[i].pause)
			continue;
		if (!(*pauses)++)
			first = i;
		last = i;
	}
	*length = *pauses ? last - first + 1 : 0;

	return first;
}

void interval::open(uint32_t new_reason, int64_t new_detail)
{
	is_open = true;
	interrupted = false;
	more_ticks = 0;
	reason = new_reason;
	detail = new_detail;
	instructions.clear();
	accesses.clear();
}

void interval::add(const struct instruction &instruction)
{
	instructions.push_back(instruction);
}

void interval::add_access(uint64_t address, uint64_t length, bool read, bool written)
{
	/* An exit stores the guest's state before the host's first instruction. */
	if (!instructions.empty() && length)
		accesses.push_back({ instructions.size() - 1, address, length, read, written });
}

void interval::add_ops(uint32_t ops)
{
	if (!instructions.empty())
		instructions.back().ops |= ops;
}

void interval::close(paths *paths, FILE *out)
{
	std::set<uint64_t> code, read, written, data, pages;
	size_t spin_at, spin, pauses;
	std::vector<instruction> path;
	uint32_t number;

	is_open = false;
	spin_at = find_spin(instructions, &spin, &pauses);
	path.assign(instructions.begin(), instructions.begin() + spin_at);
	path.insert(path.end(), instructions.begin() + spin_at + spin, instructions.end());

	for (const instruction &i : path) {
		add_range(&code, i.address, i.length, LINE_SHIFT);
		add_range(&pages, i.address, i.length, PAGE_SHIFT);
	}
	for (const memory_access &a : accesses) {
		if (a.instruction - spin_at < spin)
			continue;
		if (a.read)
			add_range(&read, a.address, a.length, LINE_SHIFT);
		if (a.written)
			add_range(&written, a.address, a.length, LINE_SHIFT);
		add_range(&pages, a.address, a.length, PAGE_SHIFT);
	}
	data = read;
	data.insert(written.begin(), written.end());

	number = paths->number(path, spin ? spin_at : SIZE_MAX, out);
	fprintf(out, "interval %u %u %ld %d %zu %zu %zu %zu %zu %zu %zu %lu\n", number, reason,
		detail, interrupted, spin, pauses, code.size(), read.size(), written.size(),
		data.size(), pages.size(), more_ticks);
}

/* A path in the file is its instructions, a line each, by chains of calls. */
static void print_path(uint32_t number, const std::vector<instruction> &path, size_t spin_at,
		       FILE *out)
{
	uint32_t chain = UINT32_MAX;
	size_t i;

	fprintf(out, "path %u\n", number);
	for (i = 0; i < path.size(); i++) {
		if (i == spin_at)
			fprintf(out, "spin\n");
		if (path[i].chain != chain)
			fprintf(out, "in %u\n", path[i].chain);
		chain = path[i].chain;
		fprintf(out, "%lx %x", path[i].address, path[i].ops);
		if (path[i].ops & (OP_RDMSR | OP_WRMSR))
			fprintf(out, " %x", path[i].msr);
		fputc('\n', out);
	}
	fprintf(out, "done\n");
}

uint32_t paths::number(const std::vector<instruction> &path, size_t spin_at, FILE *out)
{
	std::vector<uint64_t> key;

	key.reserve(1 + 3 * path.size());
	key.push_back(spin_at);
	for (const instruction &i : path) {
		key.push_back(i.address);
		key.push_back((uint64_t)i.ops << 32 | i.chain);
		key.push_back(i.msr);
	}

	uint32_t &number = numbers[key];

	if (!number) {
		number = numbers.size();
		print_path(number, path, spin_at, out);
	}

	return number;
}

void paths::clear(void)
{
	numbers.clear();
}
