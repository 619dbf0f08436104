// SPDX-License-Identifier: GPL-2.0-only
#include "bochs.h"
#include "cpu/cpu.h"
#include "memory/memory-bochs.h"

#include "output.hh"

#include <cstdlib>

#define PAGE_SIZE	4096

FILE *create_file(const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file) {
		perror(name);
		exit(1);
	}

	return file;
}

void close_file(FILE *file, const char *name)
{
	bool failed = ferror(file);

	if (fclose(file) || failed) {
		perror(name);
		exit(1);
	}
}

void write_memory(const char *name, BX_CPU_C *core, uint64_t address, uint64_t length)
{
	FILE *file = create_file(name);
	unsigned char page[PAGE_SIZE];
	bx_phy_address physical;
	unsigned int n;

	for (; length; address += n, length -= n) {
		n = PAGE_SIZE - address % PAGE_SIZE;
		if (n > length)
			n = length;
		if (!core->dbg_xlate_linear2phy(address, &physical) ||
		    !BX_MEM(0)->dbg_fetch_mem(core, physical, n, page)) {
			fprintf(stderr, "%s: no memory at %lx\n", name, address);
			exit(1);
		}
		fwrite(page, 1, n, file);
	}
	close_file(file, name);
}
