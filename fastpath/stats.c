// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path's counters in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/kvm_host.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "../vmx/vmx.h"

#include "advance.h"
#include "stats.h"

#define PREFIX "fastpath_"

/* A sum over vCPUs, but for maxima. */
static const struct fastpath_counter {
	const char *name;
	size_t offset;
	bool is_max;
} fastpath_counters[] = {
#define COUNTER(_name, member) \
	{ .name = PREFIX _name, .offset = offsetof(struct fastpath_stats, member) }
#define MAXIMUM(_name, member) \
	{ .name = PREFIX _name, .offset = offsetof(struct fastpath_stats, member), \
	  .is_max = true }
#define X(upper, lower) COUNTER("handled_" #lower, handled[FASTPATH_##upper]),
	FASTPATH_HANDLERS(X)
#undef X
#define X(upper, lower) COUNTER("bail_" #lower, bailed[FASTPATH_BAIL_##upper]),
	FASTPATH_BAIL_REASONS(X)
#undef X
	COUNTER("delivered", delivered),
	COUNTER("delivered_by_kvm", delivered_by_kvm),
	COUNTER("rearmed_early", rearmed_early),
	COUNTER("spins_good", spins_good),
	COUNTER("spins_bad", spins_bad),
	COUNTER("spin_cycles", spin_cycles),
	COUNTER("late", late),
	COUNTER("early", early),
	MAXIMUM("longest_run", longest_run),
#undef MAXIMUM
#undef COUNTER
};

static const struct {
	const char *name;
	size_t offset;
} fastpath_histograms[] = {
	{ PREFIX "lateness", offsetof(struct fastpath_stats, lateness) },
	{ PREFIX "spin_length", offsetof(struct fastpath_stats, spin_length) },
};

/* All vCPUs that have run, and what is read or removed while they come and go. */
static LIST_HEAD(fastpath_vcpus);
static DEFINE_MUTEX(fastpath_vcpus_lock);

static u64 *fastpath_stat(struct vmx_fastpath *fp, size_t offset)
{
	return (void *)&fp->stats + offset;
}

/*
 * Sum a counter over the vCPUs of a VM, or of all VMs if there is none.  The file's
 * name says which: the sums need no storage of their own, and none that would have to
 * go with the VM.
 */
static ssize_t fastpath_sum_read(struct file *file, char __user *buf,
				 size_t len, loff_t *pos)
{
	const char *name = file->f_path.dentry->d_name.name;
	const struct kvm *kvm = file->private_data;
	const struct fastpath_counter *c = fastpath_counters;
	struct vmx_fastpath *fp;
	char text[24];
	u64 sum = 0, value;

	while (strcmp(c->name, name))
		c++;

	mutex_lock(&fastpath_vcpus_lock);
	list_for_each_entry(fp, &fastpath_vcpus, vcpus) {
		if (kvm && container_of(fp, struct vcpu_vmx, fastpath)->vcpu.kvm != kvm)
			continue;
		value = READ_ONCE(*fastpath_stat(fp, c->offset));
		sum = c->is_max ? max(sum, value) : sum + value;
	}
	mutex_unlock(&fastpath_vcpus_lock);

	scnprintf(text, sizeof(text), "%llu\n", sum);
	return simple_read_from_buffer(buf, len, pos, text, strlen(text));
}

static const struct file_operations fastpath_sum_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = fastpath_sum_read,
	.llseek = default_llseek,
};

/* The smallest value of each bucket, in TSC ticks, and how often it was met. */
static int fastpath_histogram_show(struct seq_file *seq, void *unused)
{
	const u64 *buckets = seq->private;
	u64 overflow = 0;
	unsigned int i;

	for (i = 0; i < FASTPATH_BUCKETS_SHOWN - 1; i++)
		seq_printf(seq, "%llu %llu\n", i ? BIT_ULL(i - 1) : 0,
			   READ_ONCE(buckets[i]));
	for (; i < FASTPATH_BUCKETS; i++)
		overflow += READ_ONCE(buckets[i]);
	seq_printf(seq, "%llu %llu\n", BIT_ULL(FASTPATH_BUCKETS_SHOWN - 2), overflow);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fastpath_histogram);

static void fastpath_create_sums(struct kvm *kvm, struct dentry *dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fastpath_counters); i++)
		debugfs_create_file(fastpath_counters[i].name, 0444, dir, kvm,
				    &fastpath_sum_fops);
}

static void fastpath_create_vcpu_files(struct kvm_vcpu *vcpu, struct dentry *dir)
{
	struct vmx_fastpath *fp = &to_vmx(vcpu)->fastpath;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fastpath_counters); i++)
		debugfs_create_u64(fastpath_counters[i].name, 0444, dir,
				   fastpath_stat(fp, fastpath_counters[i].offset));
	for (i = 0; i < ARRAY_SIZE(fastpath_histograms); i++)
		debugfs_create_file(fastpath_histograms[i].name, 0444, dir,
				    fastpath_stat(fp, fastpath_histograms[i].offset),
				    &fastpath_histogram_fops);
	fastpath_create_vcpu_advance(vcpu, dir);
}

/* The first vCPU to run creates what is shared, or else finds that it is there. */
static bool fastpath_first(struct dentry *dir)
{
	struct dentry *found = debugfs_lookup(fastpath_counters[0].name, dir);

	dput(found);
	return !found;
}

void fastpath_create_debugfs(struct kvm_vcpu *vcpu)
{
	static DEFINE_MUTEX(lock);
	struct dentry *vm_dir = vcpu->kvm->debugfs_dentry;
	struct dentry *vcpu_dir;
	char name[16];

	snprintf(name, sizeof(name), "vcpu%d", vcpu->vcpu_id);
	vcpu_dir = debugfs_lookup(name, vm_dir);
	if (!vcpu_dir)
		return;

	mutex_lock(&fastpath_vcpus_lock);
	list_add(&to_vmx(vcpu)->fastpath.vcpus, &fastpath_vcpus);
	mutex_unlock(&fastpath_vcpus_lock);

	fastpath_create_vcpu_files(vcpu, vcpu_dir);
	dput(vcpu_dir);

	mutex_lock(&lock);
	if (fastpath_first(vm_dir)) {
		fastpath_create_sums(vcpu->kvm, vm_dir);
		fastpath_create_vm_advance(vcpu, vm_dir);
	}
	/* KVM's own folder, which has the names that kvm_stat goes by. */
	if (fastpath_first(vm_dir->d_parent))
		fastpath_create_sums(NULL, vm_dir->d_parent);
	mutex_unlock(&lock);
}

void fastpath_forget_vcpu(struct kvm_vcpu *vcpu)
{
	struct vmx_fastpath *fp = &to_vmx(vcpu)->fastpath;

	if (!fp->vcpus.next)
		return;
	mutex_lock(&fastpath_vcpus_lock);
	list_del(&fp->vcpus);
	mutex_unlock(&fastpath_vcpus_lock);
}
