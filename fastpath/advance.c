// SPDX-License-Identifier: GPL-2.0-only
/*
 * The advance: parameters of the module, files of VMs and vCPUs.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <asm/tsc.h>

#include "../vmx/vmx.h"
#include "../lapic.h"

#include "advance.h"
#include "deadline.h"
#include "param.h"

static int fastpath_advance_ns = FASTPATH_ADVANCE_TUNE;

#define DEFAULT_QUANTILE 990

struct fastpath_tuner_limits fastpath_tuner_limits __read_mostly = {
	.quantile = DEFAULT_QUANTILE,
};

static bool fastpath_advance_valid(s64 ns)
{
	return ns >= FASTPATH_ADVANCE_TUNE && ns <= FASTPATH_ADVANCE_MAX_NS;
}

static int fastpath_advance_ns_set(const char *val, const struct kernel_param *kp)
{
	int ns;

	if (kstrtoint(val, 0, &ns) || !fastpath_advance_valid(ns)) {
		pr_err("kvm_intel: fastpath_advance_ns=%.*s: use -1 to tune, 0 for none, or ns up to %d\n",
		       fastpath_param_len(val), val, FASTPATH_ADVANCE_MAX_NS);
		return -EINVAL;
	}
	WRITE_ONCE(fastpath_advance_ns, ns);
	return 0;
}

static const struct kernel_param_ops fastpath_advance_ns_ops = {
	.set = fastpath_advance_ns_set,
	.get = param_get_int,
};

module_param_cb(fastpath_advance_ns, &fastpath_advance_ns_ops, &fastpath_advance_ns, 0644);
__MODULE_PARM_TYPE(fastpath_advance_ns, "int");
MODULE_PARM_DESC(fastpath_advance_ns,
		 "How early the APIC timer is armed, in ns, up to 50000; 0: not early, -1: tune; may be changed while guests run (default: -1)");

/* Percent, with a decimal or without, in tenths; 0 if it is not. */
static unsigned int fastpath_parse_percent(const char *val)
{
	unsigned int whole, tenth = 0;
	int end = 0, n;

	n = sscanf(val, "%2u%n.%1u%n", &whole, &end, &tenth, &end);
	if (n < 1 || !isdigit(val[0]) || fastpath_param_len(val + end))
		return 0;
	return 10 * whole + tenth;
}

static void fastpath_set_quantile(unsigned int quantile)
{
	WRITE_ONCE(fastpath_tuner_limits.quantile, quantile);
	WRITE_ONCE(fastpath_tuner_limits.window, fastpath_tuner_full_window(quantile));
	WRITE_ONCE(fastpath_tuner_limits.late_run, fastpath_tuner_late_run(quantile));
}

static int fastpath_advance_pct_set(const char *val, const struct kernel_param *kp)
{
	unsigned int quantile = fastpath_parse_percent(val);

	if (quantile < TUNER_QUANTILE_MIN || quantile > TUNER_QUANTILE_MAX) {
		pr_err("kvm_intel: fastpath_advance_pct=%.*s: use 50 to 99.9\n",
		       fastpath_param_len(val), val);
		return -EINVAL;
	}
	fastpath_set_quantile(quantile);
	return 0;
}

static int fastpath_advance_pct_get(char *buf, const struct kernel_param *kp)
{
	unsigned int quantile = READ_ONCE(fastpath_tuner_limits.quantile);

	return sysfs_emit(buf, "%u.%u\n", quantile / 10, quantile % 10);
}

static const struct kernel_param_ops fastpath_advance_pct_ops = {
	.set = fastpath_advance_pct_set,
	.get = fastpath_advance_pct_get,
};

module_param_cb(fastpath_advance_pct, &fastpath_advance_pct_ops, NULL, 0644);
__MODULE_PARM_TYPE(fastpath_advance_pct, "percent");
MODULE_PARM_DESC(fastpath_advance_pct,
		 "Share of timer interrupts that tuning keeps from being late, in percent, 50 to 99.9; may be changed while guests run (default: 99)");

static __always_inline int fastpath_read_setting(const struct fastpath_setting *setting)
{
	return READ_ONCE(setting->above_inherit) + FASTPATH_ADVANCE_INHERIT;
}

static __always_inline int fastpath_advance_setting(struct vcpu_vmx *vmx)
{
	int ns = fastpath_read_setting(&vmx->fastpath.advance.setting);

	if (likely(ns == FASTPATH_ADVANCE_INHERIT))
		ns = fastpath_read_setting(&to_kvm_vmx(vmx->vcpu.kvm)->fastpath.advance);
	if (likely(ns == FASTPATH_ADVANCE_INHERIT))
		ns = READ_ONCE(fastpath_advance_ns);
	return ns;
}

/* From here on the advance is ours.  Tuning goes on from what KVM's has come to. */
static noinstr void fastpath_take_advance(struct fastpath_advance *adv, u32 kvm_ns)
{
	adv->in_force = true;
	adv->kvm_ns = kvm_ns;
	adv->ticks = fastpath_ns_to_ticks(kvm_ns, tsc_khz);
	if (!adv->tuner.window)
		adv->tuner.advance = min(adv->ticks, fastpath_tuner_limits.max);
}

/*
 * KVM's advance may be another one again: with kvm.pi_inject_timer it waits, and tunes,
 * where the expiry is posted.
 */
noinstr void fastpath_apply_advance(struct vcpu_vmx *vmx)
{
	struct fastpath_advance *adv = &vmx->fastpath.advance;
	struct kvm_timer *ktimer = &vmx->vcpu.arch.apic->lapic_timer;
	int setting = fastpath_advance_setting(vmx);
	u32 ticks;

	if (unlikely(!adv->in_force))
		fastpath_take_advance(adv, ktimer->timer_advance_ns);

	ticks = setting == FASTPATH_ADVANCE_TUNE ?
		adv->tuner.advance : fastpath_ns_to_ticks(setting, tsc_khz);
	if (likely(ticks == adv->ticks && adv->ns == ktimer->timer_advance_ns))
		return;

	adv->ticks_before = adv->ticks;
	adv->ticks = ticks;
	adv->ns = fastpath_ticks_to_ns(ticks, tsc_khz);
	ktimer->timer_advance_ns = adv->ns;
}

void fastpath_restore_advance(struct kvm_vcpu *vcpu)
{
	struct fastpath_advance *adv = &to_vmx(vcpu)->fastpath.advance;

	if (!adv->in_force)
		return;
	vcpu->arch.apic->lapic_timer.timer_advance_ns = adv->kvm_ns;
	adv->in_force = false;
}

static int fastpath_setting_get(void *data, u64 *val)
{
	*val = fastpath_read_setting(data);
	return 0;
}

static int fastpath_setting_set(void *data, u64 val)
{
	struct fastpath_setting *setting = data;
	s64 ns = val;

	if (ns != FASTPATH_ADVANCE_INHERIT && !fastpath_advance_valid(ns))
		return -EINVAL;
	WRITE_ONCE(setting->above_inherit, ns - FASTPATH_ADVANCE_INHERIT);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(fastpath_setting_fops, fastpath_setting_get,
				fastpath_setting_set, "%lld\n");

void fastpath_create_vcpu_advance(struct kvm_vcpu *vcpu, struct dentry *dir)
{
	struct fastpath_advance *adv = &to_vmx(vcpu)->fastpath.advance;

	debugfs_create_file("fastpath_advance_ns", 0644, dir, &adv->setting,
			    &fastpath_setting_fops);
	debugfs_create_u32("fastpath_advance_in_force_ns", 0444, dir, &adv->ns);
}

void fastpath_create_vm_advance(struct kvm_vcpu *vcpu, struct dentry *dir)
{
	debugfs_create_file("fastpath_advance_ns", 0644, dir,
			    &to_kvm_vmx(vcpu->kvm)->fastpath.advance,
			    &fastpath_setting_fops);
}

void __init fastpath_advance_init(void)
{
	fastpath_set_quantile(fastpath_tuner_limits.quantile);
	fastpath_tuner_limits.max = fastpath_ns_to_ticks(FASTPATH_TUNED_MAX_NS, tsc_khz);
	fastpath_tuner_limits.spike = fastpath_ns_to_ticks(FASTPATH_SPIKE_NS, tsc_khz);
}
