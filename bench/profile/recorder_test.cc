// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the recorder that need no emulator: a short sequence of instructions,
 * calls and memory accesses, and what is to be written of it.
 */
#include <cstdlib>
#include <cstring>
#include <string>

#include "recorder/callstack.hh"
#include "recorder/interval.hh"
#include "recorder/ops.hh"

#define STACK		0xffffc90000004000
#define CODE		0xffffffff81000000

static int tests;
static int failures;

static void claim(bool good, const char *text)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++tests, text);
	failures += !good;
}

/* What has been written to a file in memory since the last time. */
class text {
public:
	text()
	{
		file = open_memstream(&buffer, &size);
		if (!file)
			abort();
	}

	~text()
	{
		fclose(file);
		free(buffer);
	}

	std::string take(void)
	{
		std::string taken;

		fflush(file);
		taken = std::string(buffer + read, size - read);
		read = size;

		return taken;
	}

	FILE *file;

private:
	char *buffer;
	size_t size;
	size_t read = 0;
};

static void claim_text(text *text, const char *expected, const char *what)
{
	std::string actual = text->take();

	claim(actual == expected, what);
	if (actual != expected)
		printf("# expected:\n%s# got:\n%s", expected, actual.c_str());
}

static struct instruction at(uint64_t offset, uint32_t ops = 0, uint32_t msr = 0)
{
	return { CODE + offset, 4, ops, 7, msr, false };
}

static struct instruction pause_at(uint64_t offset)
{
	return { CODE + offset, 2, 0, 7, 0, true };
}

static void test_callstack(void)
{
	class callstack stack, other;
	class chains chains;
	text text;

	claim(stack.chain(STACK) == 0, "a stack without calls");
	stack.call(STACK - 0x10, CODE + 0x10, &chains, text.file);
	stack.call(STACK - 0x40, CODE + 0x20, &chains, text.file);
	claim_text(&text, "chain 1 0 ffffffff81000010\nchain 2 1 ffffffff81000020\n",
		   "a call in a call");
	claim(stack.chain(STACK - 0x40) == 2, "at the first instruction of the inner one");
	claim(stack.chain(STACK - 0x80) == 2, "within both");
	claim(stack.chain(STACK - 0x38) == 1, "returned from the inner one");
	stack.call(STACK - 0x40, CODE + 0x20, &chains, text.file);
	claim_text(&text, "", "the same call is the same chain");

	stack.call(STACK - 0x10, CODE + 0x30, &chains, text.file);
	claim_text(&text, "chain 3 0 ffffffff81000030\n",
		   "a call over what was left without returns");
	claim(stack.chain(STACK) == 0, "returned from all");

	stack.call(STACK - 0x10, CODE + 0x10, &chains, text.file);
	stack.call(STACK + 0x4000 - 0x10, CODE + 0x20, &chains, text.file);
	claim(stack.chain(STACK + 0x4000 - 0x20) == 4, "another stack has calls of its own");
	claim(stack.chain(STACK - 0x20) == 1, "and leaves the first one's alone");
}

static void test_interval(void)
{
	class interval interval;
	class paths paths;
	text text;

	interval.open(32, 0x6e0);
	/* No instruction of the host's yet */
	interval.add_access(0x1000, 8, true, false);
	interval.add(at(0x3e));			/* in two lines of code */
	interval.add_access(0x2000, 8, true, false);
	interval.add_access(0x2008, 8, true, true);
	interval.add(at(0x42, OP_WRMSR, 0x48));
	interval.add_access(0x303c, 8, false, true);	/* in two lines */
	interval.more_ticks = 3;
	interval.close(&paths, text.file);
	claim_text(&text,
		   "path 1\nin 7\nffffffff8100003e 0\nffffffff81000042 8 48\ndone\n"
		   "interval 1 32 1760 0 0 0 2 1 3 3 3 3\n",
		   "lines, pages, and an MSR");

	interval.open(32, 0x6e0);
	interval.add(at(0x3e));
	interval.add(at(0x42, OP_WRMSR, 0x48));
	interval.interrupted = true;
	interval.close(&paths, text.file);
	claim_text(&text, "interval 1 32 1760 1 0 0 2 0 0 0 1 0\n",
		   "the same path once more, without accesses");

	interval.open(32, 0x6e0);
	interval.add(at(0x3e));
	interval.add(at(0x42, OP_WRMSR, 0x49));
	interval.close(&paths, text.file);
	claim_text(&text,
		   "path 2\nin 7\nffffffff8100003e 0\nffffffff81000042 8 49\ndone\n"
		   "interval 2 32 1760 0 0 0 2 0 0 0 1 0\n",
		   "another MSR is another path");
}

static void test_spin(void)
{
	class interval interval;
	class paths paths;
	text text;
	int rounds, i;

	for (rounds = 1; rounds <= 3; rounds++) {
		interval.open(52, -1);
		interval.add(at(0));
		for (i = 0; i < rounds; i++) {
			interval.add(pause_at(0x1000));
			if (i < rounds - 1)
				interval.add_access(0x3000 + 0x40 * i, 8, true, true);
			interval.add(at(0x1040, OP_RDTSC));
			interval.add_access(0x2000, 8, true, false);
		}
		interval.add(at(0x1080));
		interval.close(&paths, text.file);
	}
	claim_text(&text,
		   "path 1\nin 7\nffffffff81000000 0\nspin\n"
		   "ffffffff81001040 80\nffffffff81001080 0\ndone\n"
		   "interval 1 52 -1 0 1 1 3 1 0 1 3 0\n"
		   "interval 1 52 -1 0 3 2 3 1 0 1 3 0\n"
		   "interval 1 52 -1 0 5 3 3 1 0 1 3 0\n",
		   "rounds of a spin are no part of the path");
}

int main(void)
{
	printf("TAP version 13\n");
	test_callstack();
	test_interval();
	test_spin();
	printf("1..%d\n", tests);

	return failures != 0;
}
