// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path's counters in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/kvm_host.h>
#include <linux/mutex.h>

#include "../vmx/vmx.h"

#include "stats.h"

static const struct {
	const char *name;
	size_t offset;
} fastpath_counters[] = {
#define COUNTER(_name, member) \
	{ .name = _name, .offset = offsetof(struct fastpath_stats, member) }
#define X(upper, lower) COUNTER("handled_" #lower, handled[FASTPATH_##upper]),
	FASTPATH_HANDLERS(X)
#undef X
#define X(upper, lower) COUNTER("bail_" #lower, bailed[FASTPATH_BAIL_##upper]),
	FASTPATH_BAIL_REASONS(X)
#undef X
	COUNTER("delivered", delivered),
	COUNTER("rearmed_early", rearmed_early),
	COUNTER("spins", spins),
	COUNTER("spin_cycles", spin_cycles),
#undef COUNTER
};

static u64 *fastpath_counter(struct kvm_vcpu *vcpu, size_t offset)
{
	return (void *)&to_vmx(vcpu)->fastpath.stats + offset;
}

/*
 * Sum a counter over the VM.  The file's name says which: the sums need no
 * storage of their own, and none that would have to go with the VM.  debugfs
 * keeps the files' removal, and with it the VM's end, waiting while they are
 * being read.
 */
static ssize_t fastpath_sum_read(struct file *file, char __user *buf,
				 size_t len, loff_t *pos)
{
	struct kvm *kvm = file->private_data;
	struct kvm_vcpu *vcpu;
	unsigned long n;
	char text[24];
	u64 sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fastpath_counters); i++) {
		if (strcmp(fastpath_counters[i].name,
			   file->f_path.dentry->d_name.name))
			continue;

		kvm_for_each_vcpu(n, vcpu, kvm)
			sum += READ_ONCE(*fastpath_counter(vcpu,
						fastpath_counters[i].offset));
	}

	scnprintf(text, sizeof(text), "%llu\n", sum);
	return simple_read_from_buffer(buf, len, pos, text, strlen(text));
}

static const struct file_operations fastpath_sum_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = fastpath_sum_read,
	.llseek = default_llseek,
};

void fastpath_create_debugfs(struct kvm_vcpu *vcpu)
{
	static DEFINE_MUTEX(lock);
	struct dentry *vm_dir = vcpu->kvm->debugfs_dentry;
	struct dentry *vcpu_dir, *dir;
	char name[16];
	size_t i;

	snprintf(name, sizeof(name), "vcpu%d", vcpu->vcpu_id);
	vcpu_dir = debugfs_lookup(name, vm_dir);
	if (!vcpu_dir)
		return;

	dir = debugfs_create_dir("fastpath", vcpu_dir);
	dput(vcpu_dir);
	for (i = 0; i < ARRAY_SIZE(fastpath_counters); i++)
		debugfs_create_u64(fastpath_counters[i].name, 0444, dir,
				   fastpath_counter(vcpu,
						    fastpath_counters[i].offset));

	/* The first vCPU to run creates the sums. */
	mutex_lock(&lock);
	dir = debugfs_lookup("fastpath", vm_dir);
	if (dir) {
		dput(dir);
	} else {
		dir = debugfs_create_dir("fastpath", vm_dir);
		for (i = 0; i < ARRAY_SIZE(fastpath_counters); i++)
			debugfs_create_file(fastpath_counters[i].name, 0444,
					    dir, vcpu->kvm, &fastpath_sum_fops);
	}
	mutex_unlock(&lock);
}
