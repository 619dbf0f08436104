// SPDX-License-Identifier: GPL-2.0-only
/*
 * VM-exit fast path inside the world switch.
 *
 * KVM unwinds to vcpu_enter_guest() for each VM-Exit, and swaps on the way all
 * the state that host and guest cannot share: XCR0, PKRU, perf MSRs, DEBUGCTL
 * and more.  The loop below stays next to the world switch for exits that need
 * none of that, and returns all others as if it had not been there.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "../vmx/vmx.h"
#include "../vmx/capabilities.h"

#include "entry.h"
#include "expiry.h"
#include "fastpath.h"
#include "handle_eoi.h"
#include "handle_msr.h"
#include "handle_preemption_timer.h"
#include "param.h"
/* Written by kernel/build. */
#include "version.h"

MODULE_VERSION(VMX_FASTPATH_VERSION);

DEFINE_STATIC_KEY_FALSE(vmx_fastpath_enabled);

/*
 * KVM's expiries are waited for at the seam.  A key of its own, because branches that
 * hang on one key are not patched all at once: the wait must not be put off to a seam
 * that does not wait.
 */
DEFINE_STATIC_KEY_FALSE(vmx_fastpath_waits);

unsigned int fastpath_timer_shift __ro_after_init;

/*
 * Patching the branch sends an IPI to all CPUs, which ends guest mode on each:
 * once the parameter reads 0 no vCPU is in the loop any more.
 */
static int fastpath_set(const char *val, const struct kernel_param *kp)
{
	bool enable;

	if (kstrtobool(val, &enable)) {
		pr_err("kvm_intel: fastpath=%.*s is not a boolean: use 0 or 1\n",
		       fastpath_param_len(val), val);
		return -EINVAL;
	}

	if (enable) {
		static_branch_enable(&vmx_fastpath_enabled);
		static_branch_enable(&vmx_fastpath_waits);
	} else {
		static_branch_disable(&vmx_fastpath_waits);
		static_branch_disable(&vmx_fastpath_enabled);
	}
	return 0;
}

static int fastpath_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%c\n",
			  static_key_enabled(&vmx_fastpath_enabled) ? 'Y' : 'N');
}

static const struct kernel_param_ops fastpath_ops = {
	.set = fastpath_set,
	.get = fastpath_get,
};

module_param_cb(fastpath, &fastpath_ops, NULL, 0644);
__MODULE_PARM_TYPE(fastpath, "bool");
MODULE_PARM_DESC(fastpath,
		 "Handle TSC-deadline MSR writes and preemption-timer exits inside the world switch; may be changed while guests run (default: 0)");

/*
 * Which handler is for this exit?  A reason with any of the modifier bits set
 * (VM-Entry failure, enclave, bus lock) compares unequal and has none.
 */
static __always_inline enum fastpath_handler
fastpath_handler(struct vcpu_vmx *vmx, u32 exit_reason)
{
	if (exit_reason == EXIT_REASON_MSR_WRITE) {
		u32 msr = vmx->vcpu.arch.regs[VCPU_REGS_RCX];

		if (msr == MSR_IA32_TSC_DEADLINE)
			return FASTPATH_WRMSR_TSCDEADLINE;
		if (msr == FASTPATH_MSR_X2APIC_EOI)
			return FASTPATH_X2APIC_EOI;
	} else if (exit_reason == EXIT_REASON_PREEMPTION_TIMER) {
		return FASTPATH_PREEMPTION_TIMER;
	}
	return NR_FASTPATH_HANDLERS;
}

/* An exit that has a handler goes to KVM all the same. */
static __always_inline bool fastpath_bail_out(struct vcpu_vmx *vmx,
					      u32 exit_reason,
					      enum fastpath_bail why,
					      const bool traced)
{
	vmx->fastpath.stats.bailed[why]++;
	if (traced)
		fastpath_emit_bail(vmx, exit_reason, why);
	return false;
}

/* The handler's verdict, counted and traced in one place. */
static __always_inline bool fastpath_handled(struct vcpu_vmx *vmx, u32 exit_reason,
					     const enum fastpath_handler handler,
					     enum fastpath_bail why, const bool traced)
{
	if (unlikely(why))
		return fastpath_bail_out(vmx, exit_reason, why, traced);

	vmx->fastpath.stats.handled[handler]++;
	vmx->vcpu.stat.exits++;
	return true;
}

/* One exit.  Each handler is counted for itself, which saves it looking up its counter. */
static __always_inline bool fastpath_handle_exit(struct vcpu_vmx *vmx, u32 exit_reason,
						 struct fastpath_entry *entry,
						 const bool plain, const bool traced)
{
	struct fastpath_stay *stay = &vmx->fastpath.stay;
	enum fastpath_bail why = FASTPATH_OK;

	if (traced)
		vmx->fastpath.traced_exit.tsc = rdtsc();

	switch (fastpath_handler(vmx, exit_reason)) {
	case FASTPATH_WRMSR_TSCDEADLINE:
		if (!plain)
			why = stay->wrmsr;
		if (likely(!why))
			why = handle_fastpath_wrmsr_tscdeadline(vmx, stay, entry, plain,
								traced);
		return fastpath_handled(vmx, exit_reason, FASTPATH_WRMSR_TSCDEADLINE,
					why, traced);
	case FASTPATH_PREEMPTION_TIMER:
		if (!plain)
			why = stay->timer;
		if (likely(!why))
			why = handle_fastpath_preemption_timer(vmx, stay, entry, plain,
							       traced);
		return fastpath_handled(vmx, exit_reason, FASTPATH_PREEMPTION_TIMER,
					why, traced);
	case FASTPATH_X2APIC_EOI:
		/* With APICv it does not exit, or else must not be handled. */
		why = stay->eoi;
		if (!plain && !why)
			why = handle_fastpath_x2apic_eoi(vmx, entry, traced);
		return fastpath_handled(vmx, exit_reason, FASTPATH_X2APIC_EOI, why,
					traced);
	default:
		return false;
	}
}

/* The last of what KVM does before the world switch, and the switch itself. */
static __always_inline bool fastpath_world_switch(struct vcpu_vmx *vmx)
{
	if (static_branch_unlikely(&mmio_stale_data_clear) &&
	    kvm_arch_has_assigned_device(vmx->vcpu.kvm))
		x86_clear_cpu_buffers();

	return __vmx_vcpu_run(vmx, vmx->vcpu.arch.regs, vmx->fastpath.stay.flags);
}

/* After the guest has run: see fastpath_account_expiry(). */
static __always_inline void
fastpath_account(struct vcpu_vmx *vmx, const struct fastpath_expiry *expiry,
		 const struct fastpath_arrival *arrival, const bool traced)
{
	const struct fastpath_tuner *tuner = &vmx->fastpath.advance.tuner;
	u32 old = tuner->advance;

	fastpath_account_expiry(vmx, expiry->deadline, expiry->due, arrival->ready,
				arrival->end);
	if (traced && tuner->advance != old)
		fastpath_emit_tune(vmx, fastpath_remaining(arrival->ready, expiry->due),
				   old, tuner->advance);
}

/*
 * What KVM does between its preparations and the world switch, and would have
 * done again for this entry.  The wait comes as late as it can.
 */
static __always_inline bool
fastpath_enter(struct vcpu_vmx *vmx, const struct fastpath_entry *entry,
	       const bool traced)
{
	struct fastpath_arrival arrival;
	bool failed;

	if (traced)
		fastpath_emit_entry(vmx);

	if (entry->load_hv_timer)
		fastpath_load_hv_timer(vmx);

	if (likely(!entry->expiry.deadline))
		return fastpath_world_switch(vmx);

	arrival = fastpath_await_deadline(entry->expiry.deadline);
	failed = fastpath_world_switch(vmx);
	fastpath_account(vmx, &entry->expiry, &arrival, traced);
	return failed;
}

/*
 * The loop is there three times: what most stays are is known to the compiler, and
 * costs no look at it.
 */
static __always_inline bool fastpath_loop(struct vcpu_vmx *vmx, u32 exit_reason,
					  const bool plain, const bool traced)
{
	for (;;) {
		struct fastpath_entry entry = {};

		if (!fastpath_handle_exit(vmx, exit_reason, &entry, plain, traced))
			return false;

		if (unlikely(fastpath_enter(vmx, &entry, traced)))
			return true;

		exit_reason = fastpath_vmcs_read32(VM_EXIT_REASON);
	}
}

static noinstr bool fastpath_loop_traced(struct vcpu_vmx *vmx, u32 exit_reason)
{
	return fastpath_loop(vmx, exit_reason, false, true);
}

static noinstr bool fastpath_loop_any(struct vcpu_vmx *vmx, u32 exit_reason)
{
	return fastpath_loop(vmx, exit_reason, false, false);
}

static noinstr bool fastpath_loop_plain(struct vcpu_vmx *vmx, u32 exit_reason)
{
	return fastpath_loop(vmx, exit_reason, true, false);
}

/* Begin a stay, with an exit that has a handler. */
static noinstr bool fastpath_stay(struct vcpu_vmx *vmx, unsigned int flags,
				  u32 exit_reason)
{
	struct fastpath_stats *stats = &vmx->fastpath.stats;
	u64 run = -vmx->vcpu.stat.exits;
	bool failed;

	fastpath_survey(vmx, flags, &vmx->fastpath.stay);

	if (fastpath_traced())
		failed = fastpath_loop_traced(vmx, exit_reason);
	else if (!vmx->fastpath.stay.plain)
		failed = fastpath_loop_any(vmx, exit_reason);
	else
		failed = fastpath_loop_plain(vmx, exit_reason);

	/* The loop counts each exit that it handles. */
	run += vmx->vcpu.stat.exits;
	if (unlikely(run > stats->longest_run))
		stats->longest_run = run;
	return failed;
}

/* The entry that KVM prepared, with the wait that KVM put off. */
static noinstr noinline bool fastpath_slow_expiry(struct vcpu_vmx *vmx,
						  unsigned long *regs, unsigned int flags)
{
	struct fastpath_expiry *expiry = &vmx->fastpath.slow_expiry;
	struct fastpath_arrival arrival;
	bool failed;

	arrival = fastpath_await_deadline(expiry->deadline);
	failed = __vmx_vcpu_run(vmx, regs, flags);
	fastpath_account(vmx, expiry, &arrival, fastpath_tune_traced());
	expiry->deadline = 0;
	return failed;
}

/* Exits without a handler come by here: the less it does for them the better. */
noinstr bool __vmx_fastpath_run(struct vcpu_vmx *vmx, unsigned long *regs,
				unsigned int flags)
{
	u32 exit_reason;
	bool failed;

	if (unlikely(vmx->fastpath.slow_expiry.deadline))
		failed = fastpath_slow_expiry(vmx, regs, flags);
	else
		failed = __vmx_vcpu_run(vmx, regs, flags);
	if (unlikely(failed))
		return true;

	/* No enlightened VMCS from here on, see vmcs_access.h. */
	if (kvm_is_using_evmcs())
		return false;

	exit_reason = fastpath_vmcs_read32(VM_EXIT_REASON);
	if (fastpath_handler(vmx, exit_reason) == NR_FASTPATH_HANDLERS)
		return false;

	return fastpath_stay(vmx, flags, exit_reason);
}

void __init vmx_fastpath_init(void)
{
	fastpath_advance_init();
	fastpath_timer_shift = vmx_misc_preemption_timer_rate(vmcs_config.misc);
}

void vmx_fastpath_vcpu_pre_run(struct kvm_vcpu *vcpu)
{
	struct vmx_fastpath *fp = &to_vmx(vcpu)->fastpath;

	if (unlikely(!fp->in_debugfs)) {
		fp->in_debugfs = true;
		fastpath_create_debugfs(vcpu);
	}
	if (!static_branch_unlikely(&vmx_fastpath_enabled))
		fastpath_restore_advance(vcpu);
}

void vmx_fastpath_vcpu_free(struct kvm_vcpu *vcpu)
{
	fastpath_forget_vcpu(vcpu);
}
