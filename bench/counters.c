// SPDX-License-Identifier: GPL-2.0-only
#include "counters.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmm.h"

/* What the names of the fast path's files in KVM's folders begin with. */
#define PREFIX "fastpath_"

static __u64 read_counter(const char *dir, const char *name)
{
	unsigned long long value;
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		vmm_fail_errno(VMM_FAILED, "%s", path);
	if (fscanf(file, "%llu", &value) != 1)
		vmm_fail(VMM_FAILED, "%s: not a number", path);
	fclose(file);

	return value;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct counter *)a)->name,
		      ((const struct counter *)b)->name);
}

void counters_read(struct counters *counters, int vm_fd, unsigned int vcpu_id)
{
	char path[128], vcpu_path[sizeof(path) + 16];
	struct dirent *entry;
	const char *name;
	DIR *dir;

	counters->nr = 0;
	snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%d-%d", getpid(),
		 vm_fd);
	snprintf(vcpu_path, sizeof(vcpu_path), "%s/vcpu%u", path, vcpu_id);
	/* Beside a vCPU's counters are files of more than one number; not so the VM's. */
	dir = opendir(path);
	if (!dir)
		return;

	while ((entry = readdir(dir))) {
		struct counter *counter = &counters->counter[counters->nr];

		name = entry->d_name;
		/* Beside KVM's own files; the setting is no counter. */
		if (strncmp(name, PREFIX, strlen(PREFIX)) || !strcmp(name, PREFIX "advance_ns"))
			continue;
		name += strlen(PREFIX);
		if (counters->nr == MAX_COUNTERS || strlen(name) >= sizeof(counter->name))
			vmm_fail(VMM_FAILED, "%s: more or longer counters than expected",
				 path);
		memcpy(counter->name, name, strlen(name) + 1);
		counter->value = read_counter(vcpu_path, entry->d_name);
		counters->nr++;
	}
	closedir(dir);
	qsort(counters->counter, counters->nr, sizeof(*counters->counter), by_name);
}

void counters_subtract(struct counters *after, const struct counters *before)
{
	size_t i;

	/* One VM: the same files, sorted, unless debugfs came or went between. */
	if (after->nr != before->nr)
		vmm_fail(VMM_FAILED, "the fast path's counters changed in number");

	for (i = 0; i < after->nr; i++)
		after->counter[i].value -= before->counter[i].value;
}
