// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the fast path's tests, see include/fastpath.h.
 */
#include <dirent.h>

#include "kselftest.h"
#include "processor.h"
#include "ucall_common.h"
#include "fastpath.h"

#define KVM_DEBUGFS	"/sys/kernel/debug/kvm"

/* What the names of the fast path's files in KVM's folders begin with. */
#define PREFIX		"fastpath_"

bool fastpath_present(void)
{
	return !access(FASTPATH_PARAM, F_OK);
}

bool fastpath_get(void)
{
	return get_kvm_intel_param_bool("fastpath");
}

/* Return: 0, or errno of what refused it. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), r = 0;
	ssize_t written;

	if (fd < 0)
		return errno;
	written = write(fd, text, strlen(text));
	if (written < 0)
		r = errno;
	else if (written != (ssize_t)strlen(text))
		r = EIO;
	close(fd);
	return r;
}

void fastpath_set(bool on)
{
	int r = write_text(FASTPATH_PARAM, on ? "1" : "0");

	TEST_ASSERT(!r, "Writing %d to " FASTPATH_PARAM " gave errno %d", on, r);
}

bool fastpath_delivers(void)
{
	return fastpath_present() && fastpath_get() &&
	       get_kvm_intel_param_bool("preemption_timer");
}

void param_save(struct param *param, const char *path)
{
	FILE *file = fopen(path, "r");

	param->path = path;
	param->saved[0] = '\0';
	if (!file)
		return;
	TEST_ASSERT(fgets(param->saved, sizeof(param->saved), file), "%s is empty", path);
	fclose(file);
}

bool param_set(const struct param *param, const char *value)
{
	return !write_text(param->path, value);
}

void param_restore(const struct param *param)
{
	if (param->path && param->saved[0])
		param_set(param, param->saved);
}

/*
 * The path of what lies below the VM's folder in debugfs, which KVM names by the thread
 * that created the VM, and by the VM's fd.
 */
static char *vm_path(struct kvm_vm *vm, const char *name)
{
	return strdup_printf(KVM_DEBUGFS "/%d-%d/%s", getpid(), vm->fd, name);
}

static char *vcpu_path(struct kvm_vcpu *vcpu, const char *name)
{
	char *path, *below = strdup_printf("vcpu%u/%s", vcpu->id, name);

	path = vm_path(vcpu->vm, below);
	free(below);
	return path;
}

/* This and write_setting() free @path. */
static u64 read_number(char *path)
{
	unsigned long long value;
	FILE *file;
	int n;

	file = fopen(path, "r");
	TEST_ASSERT(file, "No file %s, errno %d", path, errno);
	n = fscanf(file, "%llu", &value);
	TEST_ASSERT(n == 1, "%s holds no number", path);

	fclose(file);
	free(path);
	return value;
}

u64 vm_debugfs_number(struct kvm_vm *vm, const char *name)
{
	return read_number(vm_path(vm, name));
}

u64 vcpu_debugfs_number(struct kvm_vcpu *vcpu, const char *name)
{
	return read_number(vcpu_path(vcpu, name));
}

u64 fastpath_counter(struct kvm_vm *vm, const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), PREFIX "%s", name);
	return vm_debugfs_number(vm, file);
}

void fastpath_each_counter(struct kvm_vm *vm,
			   void (*count)(const char *name, u64 value, void *arg),
			   void *arg)
{
	char *folder = vm_path(vm, ".");
	struct dirent *entry;
	const char *name;
	DIR *dir;

	dir = opendir(folder);
	TEST_ASSERT(dir, "No counters in %s, errno %d", folder, errno);
	while ((entry = readdir(dir))) {
		name = entry->d_name;
		/* Not the setting, which is none. */
		if (strncmp(name, PREFIX, strlen(PREFIX)) || !strcmp(name, PREFIX "advance_ns"))
			continue;
		name += strlen(PREFIX);
		count(name, fastpath_counter(vm, name), arg);
	}

	closedir(dir);
	free(folder);
}

struct prefix_sum {
	const char *prefix;
	u64 sum;
};

static void add_counter(const char *name, u64 value, void *arg)
{
	struct prefix_sum *sum = arg;

	if (!strncmp(name, sum->prefix, strlen(sum->prefix)))
		sum->sum += value;
}

u64 fastpath_counters(struct kvm_vm *vm, const char *prefix)
{
	struct prefix_sum sum = { .prefix = prefix };

	fastpath_each_counter(vm, add_counter, &sum);
	return sum.sum;
}

static int write_setting(char *path, s64 value)
{
	char text[24];
	int r;

	snprintf(text, sizeof(text), "%ld\n", value);
	r = write_text(path, text);
	free(path);
	return r;
}

int fastpath_set_vm_advance(struct kvm_vm *vm, s64 ns)
{
	return write_setting(vm_path(vm, PREFIX "advance_ns"), ns);
}

int fastpath_set_vcpu_advance(struct kvm_vcpu *vcpu, s64 ns)
{
	return write_setting(vcpu_path(vcpu, PREFIX "advance_ns"), ns);
}

u64 fastpath_advance(struct kvm_vcpu *vcpu)
{
	return vcpu_debugfs_number(vcpu, PREFIX "advance_in_force_ns");
}

u64 fastpath_histogram_sum(struct kvm_vcpu *vcpu, const char *name)
{
	unsigned long long from, count;
	char file[64], *path;
	FILE *stream;
	u64 sum = 0;

	snprintf(file, sizeof(file), PREFIX "%s", name);
	path = vcpu_path(vcpu, file);
	stream = fopen(path, "r");
	TEST_ASSERT(stream, "No file %s, errno %d", path, errno);
	while (fscanf(stream, "%llu %llu", &from, &count) == 2)
		sum += count;
	fclose(stream);
	free(path);
	return sum;
}

u64 vcpu_stat(struct kvm_vcpu *vcpu, const char *name)
{
	struct kvm_stats_desc *all, *desc;
	struct kvm_stats_header header;
	int fd = vcpu_get_stats_fd(vcpu);
	u64 value = 0;
	bool found = false;
	int i;

	read_stats_header(fd, &header);
	all = read_stats_descriptors(fd, &header);
	for (i = 0; i < header.num_desc; i++) {
		desc = get_stats_descriptor(all, i, &header);
		if (strcmp(desc->name, name))
			continue;
		read_stat_data(fd, &header, desc, &value, 1);
		found = true;
	}
	TEST_ASSERT(found, "KVM has no vCPU statistic '%s'", name);

	free(all);
	close(fd);
	return value;
}

u64 run_to_sync(struct kvm_vcpu *vcpu)
{
	struct ucall uc;

	for (;;) {
		vcpu_run(vcpu);
		TEST_ASSERT_KVM_EXIT_REASON(vcpu, KVM_EXIT_IO);

		switch (get_ucall(vcpu, &uc)) {
		case UCALL_SYNC:
			if (uc.args[1] == GUEST_IS_LATE) {
				ksft_print_msg("the host held the guest up for too long\n");
				_exit(KSFT_SKIP);
			}
			return uc.args[1];
		case UCALL_DONE:
			return GUEST_IS_DONE;
		case UCALL_PRINTF:
			REPORT_GUEST_PRINTF(uc);
			break;
		case UCALL_ABORT:
			REPORT_GUEST_ASSERT(uc);
			break;
		default:
			TEST_FAIL("Unknown ucall %lu", uc.cmd);
		}
	}
}

void run_to_done(struct kvm_vcpu *vcpu)
{
	u64 stage = run_to_sync(vcpu);

	TEST_ASSERT(stage == GUEST_IS_DONE, "Guest stopped at checkpoint %lu", stage);
}
