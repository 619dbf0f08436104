// SPDX-License-Identifier: GPL-2.0-only
#include "model.h"

/*
 * TSC ticks.  What comes soon is milliseconds away: neither may use up much of that.
 */
#define MAX_NEAR	0x8000
#define MAX_SHIFT	0x2000

static bool is_other_vector(u64 vector)
{
	static const u8 vectors[] = FUZZ_OTHER_VECTORS;
	unsigned int i;

	for (i = 0; i < sizeof(vectors); i++) {
		if (vector == vectors[i])
			return true;
	}
	return false;
}

void fuzz_model_init(struct fuzz_model *model, const struct fuzz_program *program)
{
	*model = (struct fuzz_model) {
		.apic = program->x2apic ? APIC_IS_X2 : APIC_IS_X,
		.sw_enabled = true,
		.timer_mode = TIMER_DEADLINE,
		.vector = 0x71,
		.noise = program->noise,
	};
}

/* Is an expiry sure to interrupt the guest once IRQs are on? */
static bool deliverable(const struct fuzz_model *model)
{
	return model->apic != APIC_IS_OFF && model->sw_enabled &&
	       model->timer_mode == TIMER_DEADLINE && !model->masked &&
	       model->vector >> 4 > model->tpr >> 4 && !model->kept;
}

/*
 * What KVM gives for a register that xAPIC does not have is left over from anything.
 * The current count is time.
 */
static bool is_register(u64 reg)
{
	return !(reg & 0xf) &&
	       (reg == 0x20 || reg == 0x30 || reg == 0x80 || reg == 0xa0 || reg == 0xf0 ||
		(reg >= 0x100 && reg < 0x280) || reg == 0x320 || reg == 0x380);
}

/*
 * While the APIC is disabled KVM leaves the TPR threshold as it was.  A guest that goes
 * below it, while an interrupt is pending, ends with a VM-Entry that fails.  Which
 * threshold it is depends on when KVM last had a look, and that on the signals.
 */
static bool allows_tpr(const struct fuzz_model *model, u64 tpr)
{
	bool enabled = model->sw_enabled && model->apic != APIC_IS_OFF;

	return tpr <= 0xff &&
	       (enabled || !model->noise || tpr >= model->tpr ||
		(!model->pending && !model->others));
}

static bool small_shift(u64 ticks)
{
	return ticks + MAX_SHIFT <= 2 * MAX_SHIFT;
}

static bool allows_arm(const struct fuzz_model *model, u64 when, u64 ticks,
		       bool commutes)
{
	if (ticks > (when == WHEN_NEAR ? MAX_NEAR : 0))
		return false;
	if (model->flight != FLIGHT_NEAR)
		return true;

	/* Which one expired has to be all the same once the guest has waited. */
	return commutes && deliverable(model) && when <= WHEN_NEAR;
}

/* What commutes with an interrupt of the timer that may come at any moment. */
static bool allows_near(const struct fuzz_model *model, const struct fuzz_op *op)
{
	switch (op->code) {
	case OP_WAIT:
	case OP_CLI:
	case OP_STI:
	case OP_NOP:
	case OP_CPUID:
	case OP_VMCALL:
	case OP_UD:
	case OP_GP:
	case OP_PF:
	case OP_TRAP:
	case OP_DUMP:
	case OP_AGAIN:
	case OP_RESTORE:
	case OP_NMI:
	case OP_SMI:
	case OP_MEMSLOT:
	case OP_MPSTATE:
	case OP_RDMSR:
		return true;
	case OP_RDAPIC:
		return op->arg[0] != 0xa0;
	case OP_IPI:
	case OP_MSI:
		return !model->kept;
	case OP_ARM:
		/* With IRQs off throughout, a second expiry merges with the first. */
		return model->filter == FILTER_OFF && op->arg[3] != BEFORE_STI;
	case OP_HALT:
		return !model->irqs_on && !model->mixed && !model->raced;
	default:
		return false;
	}
}

static bool allows_args(const struct fuzz_model *model, const struct fuzz_op *op)
{
	switch (op->code) {
	case OP_ARM:
		return allows_arm(model, op->arg[0], op->arg[1], true);
	case OP_SETMSR:
		return allows_arm(model, op->arg[0], op->arg[1], false);
	case OP_REARM:
		return op->arg[0] <= 8;
	case OP_LVTT:
		if (model->stale && op->arg[0] == TIMER_DEADLINE)
			return false;
		return fuzz_is_timer_vector(op->arg[2]) || op->arg[2] == 0xf;
	case OP_TPR:
		return allows_tpr(model, op->arg[0]);
	case OP_KEEP:
		return is_other_vector(op->arg[0]) || fuzz_is_timer_vector(op->arg[0]);
	case OP_IPI:
	case OP_MSI:
		return is_other_vector(op->arg[0]);
	case OP_HALT:
		return model->flight != FLIGHT_NONE && model->certain &&
		       !model->rearms && deliverable(model);
	case OP_NOP:
	case OP_TRAP:
		return op->arg[0] <= 64;
	case OP_STEP:
		return op->arg[0] && op->arg[0] <= 16;
	case OP_RDAPIC:
		/* Without an APIC, KVM's page for it is memory like any other. */
		return model->apic != APIC_IS_OFF && is_register(op->arg[0]);
	case OP_ADJUST:
	case OP_WRTSC:
	case OP_OFFSET:
		return small_shift(op->arg[0]);
	case OP_APIC:
		/*
		 * When the APIC is enabled again KVM does not look for what is pending
		 * in it, but some time later, when something else has it look.
		 */
		return model->apic != APIC_IS_OFF || op->arg[0] == APIC_IS_OFF ||
		       (!model->pending && !model->others);
	default:
		return true;
	}
}

bool fuzz_model_allows(const struct fuzz_model *model, const struct fuzz_op *op)
{
	return allows_args(model, op) &&
	       (model->flight != FLIGHT_NEAR || allows_near(model, op));
}

static void irqs(struct fuzz_model *model, bool on)
{
	if (model->flight == FLIGHT_NEAR && model->irqs_on != on)
		model->mixed = true;
	model->irqs_on = on;
}

/*
 * A write that is filtered may take effect or not: KVM's own fast path passes the
 * filter by.  So may the one before it, then.
 */
static void arm(struct fuzz_model *model, u64 when, bool filtered)
{
	if (model->flight == FLIGHT_NEAR) {
		model->raced = true;
		model->mixed = true;
		return;
	}
	if (model->apic == APIC_IS_OFF || model->timer_mode != TIMER_DEADLINE) {
		model->certain = false;
		return;
	}

	if (!filtered)
		model->stale = false;
	model->certain = !filtered;
	if (when == WHEN_NEAR) {
		model->flight = FLIGHT_NEAR;
		/* An interrupt that is pending when the next one comes is one with it. */
		model->raced = model->pending;
	} else if (when == WHEN_SOON) {
		model->flight = FLIGHT_SOON;
	} else if (!filtered) {
		model->flight = FLIGHT_NONE;
	}
}

static void landed(struct fuzz_model *model)
{
	model->stale = model->masked;
	model->flight = FLIGHT_NONE;
	model->mixed = false;
	model->raced = false;
}

static void switch_apic(struct fuzz_model *model, enum fuzz_apic_mode mode)
{
	/* Those that the CPU refuses. */
	if ((model->apic == APIC_IS_X2 && mode == APIC_IS_X) ||
	    (model->apic == APIC_IS_OFF && mode == APIC_IS_X2))
		return;
	if (model->apic != mode)
		model->certain = false;
	model->apic = mode;
}

static void step(struct fuzz_model *model, const struct fuzz_op *op)
{
	bool reachable = model->apic != APIC_IS_OFF;

	switch (op->code) {
	case OP_ARM:
		if (op->arg[3] == BEFORE_STI)
			irqs(model, true);
		arm(model, op->arg[0], model->filter != FILTER_OFF);
		break;
	case OP_SETMSR:
		arm(model, op->arg[0], false);
		break;
	case OP_WAIT:
	case OP_HALT:
		landed(model);
		break;
	case OP_LVTT:
		if (!reachable)
			break;
		if (model->timer_mode != op->arg[0] &&
		    (model->timer_mode == TIMER_DEADLINE || op->arg[0] == TIMER_DEADLINE)) {
			model->certain = false;
			model->stale = false;
		}
		model->timer_mode = op->arg[0];
		model->masked = op->arg[1] || !model->sw_enabled;
		model->vector = op->arg[2];
		break;
	case OP_TPR:
		if (op->arg[1] == TPR_BY_CR8)
			model->tpr = op->arg[0] & 0xf0;
		else if (reachable)
			model->tpr = op->arg[0];
		break;
	case OP_KEEP:
		model->kept = true;
		break;
	case OP_REARM:
		model->rearms = true;
		break;
	case OP_SPIV:
		if (!reachable)
			break;
		model->sw_enabled = op->arg[0];
		model->masked |= !op->arg[0];
		break;
	case OP_APIC:
		switch_apic(model, op->arg[0]);
		break;
	case OP_CLI:
		irqs(model, false);
		break;
	case OP_STI:
		irqs(model, true);
		break;
	case OP_FILTER:
		model->filter = op->arg[0];
		break;
	default:
		break;
	}
}

/* Does whatever is pending interrupt the guest here and now? */
static bool takes_all(const struct fuzz_model *model)
{
	return model->irqs_on && !model->tpr && !model->kept && model->sw_enabled &&
	       model->apic != APIC_IS_OFF;
}

static bool may_expire(const struct fuzz_model *model, const struct fuzz_op *op)
{
	return (op->code == OP_ARM || op->code == OP_SETMSR || op->code == OP_WAIT) &&
	       model->apic != APIC_IS_OFF && model->timer_mode == TIMER_DEADLINE;
}

void fuzz_model_step(struct fuzz_model *model, const struct fuzz_op *op)
{
	step(model, op);

	if (takes_all(model))
		model->others = false;
	else if (op->code == OP_IPI || op->code == OP_MSI)
		model->others = true;

	if (model->flight != FLIGHT_NONE)
		return;
	if (takes_all(model))
		model->pending = false;
	else if (may_expire(model, op))
		model->pending = true;
}

int fuzz_program_valid(const struct fuzz_program *program)
{
	struct fuzz_model model;
	unsigned int i;

	fuzz_model_init(&model, program);
	for (i = 0; i < program->nr_ops; i++) {
		if (!fuzz_model_allows(&model, &program->ops[i]))
			return i;
		fuzz_model_step(&model, &program->ops[i]);
	}
	return model.flight == FLIGHT_NONE ? i : -1;
}
