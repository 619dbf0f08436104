/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the fast path, system kvm_fastpath.
 */
#if !defined(VMX_FASTPATH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VMX_FASTPATH_TRACE_H

#include <linux/tracepoint.h>

#include <asm/vmx.h>

#include "reasons.h"

#undef TRACE_SYSTEM
#define TRACE_SYSTEM kvm_fastpath

#define FASTPATH_TRACE_ENUM(upper, lower) \
	TRACE_DEFINE_ENUM(FASTPATH_BAIL_##upper);
FASTPATH_BAIL_REASONS(FASTPATH_TRACE_ENUM)

#define FASTPATH_TRACE_NAME(upper, lower) { FASTPATH_BAIL_##upper, #lower },
#define show_fastpath_bail(why)						\
	__print_symbolic(why,						\
			 FASTPATH_BAIL_REASONS(FASTPATH_TRACE_NAME)	\
			 { FASTPATH_OK, "ok" })

/*
 * An exit was handled without leaving the world switch.
 * @rip: the guest's, when it exited
 * @cycles: host TSC since the VM-Exit, with what tracing took
 */
TRACE_EVENT(kvm_fastpath_exit,
	TP_PROTO(unsigned int vcpu_id, u32 exit_reason, unsigned long rip, u64 cycles),
	TP_ARGS(vcpu_id, exit_reason, rip, cycles),

	TP_STRUCT__entry(
		__field(unsigned int,	vcpu_id)
		__field(u32,		exit_reason)
		__field(unsigned long,	rip)
		__field(u64,		cycles)
	),

	TP_fast_assign(
		__entry->vcpu_id	= vcpu_id;
		__entry->exit_reason	= exit_reason;
		__entry->rip		= rip;
		__entry->cycles		= cycles;
	),

	TP_printk("vcpu %u reason %s rip 0x%lx cycles %llu", __entry->vcpu_id,
		  __print_symbolic(__entry->exit_reason, VMX_EXIT_REASONS),
		  __entry->rip, __entry->cycles)
);

/*
 * An exit that has a handler was left to KVM's generic code.
 */
TRACE_EVENT(kvm_fastpath_bail,
	TP_PROTO(unsigned int vcpu_id, u32 exit_reason, unsigned int why,
		 unsigned long rip),
	TP_ARGS(vcpu_id, exit_reason, why, rip),

	TP_STRUCT__entry(
		__field(unsigned int,	vcpu_id)
		__field(u32,		exit_reason)
		__field(unsigned int,	why)
		__field(unsigned long,	rip)
	),

	TP_fast_assign(
		__entry->vcpu_id	= vcpu_id;
		__entry->exit_reason	= exit_reason;
		__entry->why		= why;
		__entry->rip		= rip;
	),

	TP_printk("vcpu %u reason %s bail %s rip 0x%lx", __entry->vcpu_id,
		  __print_symbolic(__entry->exit_reason, VMX_EXIT_REASONS),
		  show_fastpath_bail(__entry->why), __entry->rip)
);

/*
 * The APIC timer expired, and its interrupt goes to the guest with the next entry.
 * @delta: guest TSC less the deadline when the expiry was handled; negative is
 * early, by what the vCPU waits before it is entered
 * @advance: how early the timer was armed, TSC ticks
 */
TRACE_EVENT(kvm_fastpath_expiry,
	TP_PROTO(unsigned int vcpu_id, s64 delta, u64 advance),
	TP_ARGS(vcpu_id, delta, advance),

	TP_STRUCT__entry(
		__field(unsigned int,	vcpu_id)
		__field(s64,		delta)
		__field(u64,		advance)
	),

	TP_fast_assign(
		__entry->vcpu_id	= vcpu_id;
		__entry->delta		= delta;
		__entry->advance	= advance;
	),

	TP_printk("vcpu %u delta %lld advance %llu", __entry->vcpu_id,
		  __entry->delta, __entry->advance)
);

/*
 * The tuned advance has changed, whether or not it is the one in force.
 * @cost: what the last expiry took until VM-Entry, TSC ticks
 * @old: the advance before, TSC ticks
 * @advance: the advance now
 */
TRACE_EVENT(kvm_fastpath_tune,
	TP_PROTO(unsigned int vcpu_id, u64 cost, u32 old, u32 advance),
	TP_ARGS(vcpu_id, cost, old, advance),

	TP_STRUCT__entry(
		__field(unsigned int,	vcpu_id)
		__field(u64,		cost)
		__field(u32,		old)
		__field(u32,		advance)
	),

	TP_fast_assign(
		__entry->vcpu_id	= vcpu_id;
		__entry->cost		= cost;
		__entry->old		= old;
		__entry->advance	= advance;
	),

	TP_printk("vcpu %u cost %llu advance %u to %u", __entry->vcpu_id,
		  __entry->cost, __entry->old, __entry->advance)
);

#endif /* VMX_FASTPATH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH fastpath
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace

#include <trace/define_trace.h>
