// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath.h"
#include "kselftest.h"
#include "test_util.h"

#include "coverage.h"
#include "vm.h"

struct counter {
	char *name;
	u64 value;
};

static struct counter counters[128];
static unsigned int nr_counters;

static void add(const char *name, u64 value, void *arg)
{
	unsigned int i;

	for (i = 0; i < nr_counters; i++) {
		if (!strcmp(counters[i].name, name))
			break;
	}
	if (i == nr_counters) {
		TEST_ASSERT(i < ARRAY_SIZE(counters), "More counters than %u", i);
		counters[nr_counters++].name = strdup(name);
	}
	counters[i].value += value;
}

void fuzz_add_coverage(struct kvm_vm *vm)
{
	if (fastpath_present())
		fastpath_each_counter(vm, add, NULL);
}

static bool is_handler(const struct counter *counter)
{
	return !strncmp(counter->name, "handled_", strlen("handled_"));
}

u64 fuzz_print_coverage(void)
{
	u64 handled = 0;
	unsigned int i;

	fuzz_vm_each(fuzz_add_coverage);

	printf("# counted:");
	for (i = 0; i < nr_counters; i++) {
		if (counters[i].value)
			printf(" %s %lu", counters[i].name, counters[i].value);
		if (is_handler(&counters[i]))
			handled += counters[i].value;
	}
	printf("\n# never:");
	for (i = 0; i < nr_counters; i++) {
		if (!counters[i].value)
			printf(" %s", counters[i].name);
	}
	printf("\n");
	return handled;
}
