// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>

#include "model.h"
#include "trace.h"

#define NR_DEADLINES	64

#define UD_VECTOR	6
#define GP_VECTOR	13
#define PF_VECTOR	14
#define RF		BIT_ULL(16)

#define APIC_ISR	0x100
#define APIC_IRR_END	0x280
#define APIC_PPR	0xa0
#define APIC_TMCCT	0x390

#define MSR_TSC_ADJUST	0x3b
#define MSR_DEADLINE	0x6e0

/**
 * struct canon - a run while it is being read
 * @model:	the guest after the operations that are behind it
 * @done:	their number
 * @deadline:	all deadlines that were about to be written
 * @armed_by:	the operations that did
 * @soonest:	the first of those in flight that must not come before the wait, or 0
 * @arms:	deadlines in flight
 * @fired:	timer interrupts since, and @fired_vector, of the last one
 * @tsc_moved:	somebody moved the guest's TSC while a deadline was in flight
 * @adjusted:	TSC_ADJUST depends on time
 */
struct canon {
	const struct fuzz_program *program;
	const struct fuzz_code *code;
	struct fuzz_trace *trace;
	const struct fuzz_rules *rules;

	struct fuzz_model model;
	unsigned int done;

	unsigned int nr_deadlines;
	u64 deadline[NR_DEADLINES];
	u16 armed_by[NR_DEADLINES];

	u64 soonest;
	unsigned int arms;
	unsigned int fired;
	u8 fired_vector;
	bool tsc_moved;
	bool adjusted;
};

static void put(struct canon *c, const char *string)
{
	struct fuzz_trace *trace = c->trace;
	size_t len = strlen(string);

	if (trace->len + len >= trace->size) {
		trace->size = 2 * (trace->len + len) + 4096;
		trace->text = realloc(trace->text, trace->size);
		if (!trace->text)
			abort();
	}
	memcpy(trace->text + trace->len, string, len + 1);
	trace->len += len;
}

/* printf() would take longer than the run. */
static void put_number(struct canon *c, u64 value)
{
	char text[20], *digit = text + sizeof(text) - 1;

	*digit = '\0';
	do {
		*--digit = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	} while (value);
	put(c, digit);
}

static void put_value(struct canon *c, const char *name, u64 value)
{
	if (*name) {
		put(c, " ");
		put(c, name);
	}
	put(c, " ");
	put_number(c, value);
}

static void put_op(struct canon *c, unsigned int op)
{
	put(c, "op");
	put_number(c, op);
}

static void broken(struct canon *c, const char *promise)
{
	if (!c->trace->broken)
		c->trace->broken = promise;
}

/* Go on to operation @op, so that all before it are behind. */
static void advance(struct canon *c, unsigned int op)
{
	const struct fuzz_program *program = c->program;

	for (; c->done < op && c->done < program->nr_ops; c->done++) {
		const struct fuzz_op *done = &program->ops[c->done];

		fuzz_model_step(&c->model, done);
		if (done->code == OP_ADJUST || done->code == OP_WRTSC ||
		    done->code == OP_OFFSET)
			c->tsc_moved = true;
		if (done->code == OP_WRTSC)
			c->adjusted = true;
		if (done->code == OP_ADJUST)
			c->adjusted = false;
	}
}

/* The handler and what the guest calls: the compiler's, but the same in each run. */
static void put_rip(struct canon *c, u64 rip)
{
	unsigned int i;

	if (rip - c->code->base >= c->code->len) {
		put_value(c, "at", rip);
		return;
	}
	rip -= c->code->base;
	for (i = c->program->nr_ops; c->code->start[i] > rip; i--)
		;
	put(c, " at ");
	put_op(c, i);
	put(c, "+");
	put_number(c, rip - c->code->start[i]);
}

/* A deadline has no value of its own, but the operation that wrote it. */
static bool put_deadline_of(struct canon *c, u64 value)
{
	unsigned int i;

	for (i = c->nr_deadlines; i--; ) {
		if (value > 1 && value == c->deadline[i]) {
			put(c, " D");
			put_number(c, c->armed_by[i]);
			return true;
		}
	}
	return false;
}

static bool in_flight(struct canon *c, enum fuzz_flight flight)
{
	return c->model.flight == flight;
}

static void put_msr(struct canon *c, u64 value)
{
	unsigned int i;

	put(c, " msr");
	if (!in_flight(c, FLIGHT_NEAR) && !c->model.stale) {
		if (!put_deadline_of(c, value))
			put_value(c, "", value);
		return;
	}
	/* It has expired, or it has not, or not yet been written. */
	for (i = 0; i < c->nr_deadlines; i++) {
		if (value == c->deadline[i])
			value = 0;
	}
	if (value)
		put_value(c, "illegal", value);
	else
		put(c, " ~");
}

static void put_register(struct canon *c, const char *name, u64 value)
{
	unsigned int i;

	for (i = c->nr_deadlines; i--; ) {
		if (c->deadline[i] <= 1)
			continue;
		if (value == (u32)c->deadline[i]) {
			put(c, " ");
			put(c, name);
			put(c, " Dlow");
			return;
		}
		/* A small number: which deadline's does not matter. */
		if (value && value == c->deadline[i] >> 32) {
			put(c, " ");
			put(c, name);
			put(c, " Dhigh");
			return;
		}
	}
	put_value(c, name, value);
}

/* Whether the timer's interrupt has come yet does not count. */
static u32 without_timer(unsigned int reg, u32 value)
{
	static const u8 vectors[] = FUZZ_TIMER_VECTORS;
	unsigned int i;

	for (i = 0; i < sizeof(vectors); i++) {
		if (vectors[i] / 32 == (reg & 0x7f) / 0x10)
			value &= ~(1u << vectors[i] % 32);
	}
	return value;
}

static void add_deadline(struct canon *c, u64 deadline, unsigned int op)
{
	if (c->nr_deadlines == NR_DEADLINES) {
		memmove(c->deadline, c->deadline + 1, sizeof(c->deadline) - sizeof(u64));
		memmove(c->armed_by, c->armed_by + 1, sizeof(c->armed_by) - sizeof(u16));
		c->nr_deadlines--;
	}
	c->deadline[c->nr_deadlines] = deadline;
	c->armed_by[c->nr_deadlines++] = op;
}

static void check_soonest(struct canon *c, u64 tsc)
{
	if (c->soonest && tsc + c->rules->margin >= c->soonest)
		c->trace->late = true;
}

static void land(struct canon *c)
{
	c->soonest = 0;
	c->arms = 0;
	c->fired = 0;
	c->tsc_moved = false;
}

static void arm(struct canon *c, const struct fuzz_event *event)
{
	advance(c, event->op);
	check_soonest(c, event->tsc);
	add_deadline(c, event->value, event->op);
	advance(c, event->op + 1);

	put_op(c, event->op);
	put(c, " arms\n");
	if (in_flight(c, FLIGHT_NONE)) {
		land(c);
		return;
	}
	/* Moves from before do not matter if this is the only one. */
	if (!c->arms++)
		c->tsc_moved = false;
	if (c->program->ops[event->op].arg[0] == WHEN_SOON &&
	    (!c->soonest || event->value < c->soonest))
		c->soonest = event->value;
}

/*
 * RF in the flags that anything but a fault saves tells whether a VM-Exit came before
 * it, be it the host's own interrupt.  And a signal that comes while a fault is pending
 * has userspace save and restore it, where KVM_GET_VCPU_EVENTS does not tell a pending
 * one from an injected one.
 */
static u64 flags_by_chance(struct canon *c, const struct fuzz_event *event)
{
	bool fault = event->vector == UD_VECTOR || event->vector == GP_VECTOR ||
		     event->vector == PF_VECTOR;

	return fault && !c->program->noise ? 0 : RF;
}

static void interrupted(struct canon *c, const struct fuzz_event *event)
{
	bool timer = fuzz_is_timer_vector(event->vector);
	u64 deadline = c->nr_deadlines ? c->deadline[c->nr_deadlines - 1] : 0;

	if (timer && !in_flight(c, FLIGHT_NONE)) {
		/* If it is known which deadline this interrupt is from. */
		if (c->arms == 1 && c->model.certain && !c->model.pending) {
			if (!c->tsc_moved && event->tsc < deadline)
				broken(c, "an interrupt before its deadline");
			if (event->msr)
				broken(c, "the deadline MSR is not 0 in the handler");
		}
		c->fired++;
		c->fired_vector = event->vector;
		return;
	}

	put(c, event->vector < 32 ? "exception" : "interrupt");
	put_value(c, "", event->vector);
	put_rip(c, event->rip);
	put_value(c, "flags", event->rflags & ~flags_by_chance(c, event));
	if (event->vector < 32)
		put_value(c, "error", event->error);
	if (event->vector == PF_VECTOR)
		put_value(c, "cr2", event->value);
	if (event->vector >= 32)
		put_msr(c, event->msr);
	put(c, "\n");
}

static void landed(struct canon *c, const struct fuzz_event *event)
{
	put_op(c, event->op);
	put(c, " has waited:");
	if (event->value)
		put_msr(c, event->value);
	if (c->fired > c->arms && !c->model.pending)
		broken(c, "more interrupts than deadlines");
	if (c->model.raced) {
		put(c, " interrupts ~");
	} else {
		put_value(c, "interrupts", c->fired);
		if (c->fired)
			put_value(c, "vector", c->fired_vector);
	}
	put(c, "\n");
	advance(c, event->op + 1);
	land(c);
}

static void value(struct canon *c, const struct fuzz_event *event)
{
	const struct fuzz_op *op = &c->program->ops[event->op];
	u64 number = event->value;

	advance(c, event->op);
	put_op(c, event->op);
	put(c, " reads");
	if (op->code == OP_RDMSR && op->arg[0] == MSR_DEADLINE) {
		put_msr(c, number);
	} else if (op->code == OP_RDMSR && op->arg[0] == MSR_TSC_ADJUST && c->adjusted) {
		put(c, " ~");
	} else {
		if (op->code == OP_RDAPIC && in_flight(c, FLIGHT_NEAR) &&
		    op->arg[0] >= APIC_ISR && op->arg[0] < APIC_IRR_END)
			number = without_timer(op->arg[0], number);
		put_value(c, "", number);
	}
	put(c, "\n");
}

static void dump_lapic(struct canon *c, const struct kvm_lapic_state *lapic)
{
	unsigned int reg;
	u32 value;

	put(c, " lapic");
	for (reg = 0; reg < KVM_APIC_REG_SIZE; reg += 0x10) {
		memcpy(&value, lapic->regs + reg, sizeof(value));
		if (reg == APIC_TMCCT ||
		    (reg == APIC_PPR &&
		     (c->rules->lazy_ppr || c->model.apic == APIC_IS_OFF)))
			continue;
		if (in_flight(c, FLIGHT_NEAR)) {
			if (reg == APIC_PPR)
				continue;
			if (reg >= APIC_ISR && reg < APIC_IRR_END)
				value = without_timer(reg, value);
		}
		if (value) {
			put(c, " ");
			put_number(c, reg);
			put(c, "=");
			put_number(c, value);
		}
	}
	put(c, "\n");
}

static void dump(struct canon *c, const struct fuzz_vcpu_state *s)
{
	const u64 *reg = (const u64 *)&s->regs;
	unsigned int i;

	put(c, " regs");
	for (i = 0; i < offsetof(struct kvm_regs, rip) / sizeof(u64); i++)
		put_register(c, "", reg[i]);
	put_rip(c, s->regs.rip);
	put_value(c, "flags", s->regs.rflags);
	put(c, "\n sregs");
	put_value(c, "cr2", s->sregs.cr2);
	put_value(c, "cr8", s->sregs.cr8);
	put_value(c, "efer", s->sregs.efer);
	put_value(c, "apic", s->sregs.apic_base);
	for (i = 0; i < sizeof(s->sregs.interrupt_bitmap) / sizeof(u64); i++)
		put_value(c, "", s->sregs.interrupt_bitmap[i]);
	put(c, "\n");
	dump_lapic(c, &s->lapic);

	put(c, " events");
	if (s->events.exception.injected || s->events.exception.pending)
		put_value(c, "exception", s->events.exception.injected << 16 |
			  s->events.exception.pending << 17 | s->events.exception.nr);
	put_value(c, "interrupt", s->events.interrupt.injected << 16 |
		  (s->events.interrupt.injected ? s->events.interrupt.nr : 0));
	put_value(c, "shadow", s->events.interrupt.shadow);
	put_value(c, "nmi", s->events.nmi.injected << 16 |
		  s->events.nmi.pending << 8 | s->events.nmi.masked);
	put_value(c, "smi", s->events.smi.smm << 16 | s->events.smi.pending << 8 |
		  s->events.smi.smm_inside_nmi);
	put_value(c, "mp", s->mp_state.mp_state);
	put_value(c, "dr6", s->debugregs.dr6);
	put_value(c, "dr7", s->debugregs.dr7);
	if (!c->adjusted)
		put_value(c, "adjust", s->tsc_adjust);
	put_msr(c, s->deadline);
	put(c, "\n");
}

static void host(struct canon *c, const struct fuzz_event *event)
{
	advance(c, event->op);
	put_op(c, event->op);
	switch (event->kind) {
	case EV_HOST:
		put(c, " userspace");
		put_value(c, "", event->value);
		advance(c, event->op + 1);
		break;
	case EV_EXIT:
		put(c, " exit");
		put_value(c, "", event->value);
		break;
	case EV_FAIL:
		put(c, " entry fails");
		put_value(c, "", event->value);
		c->trace->entry_failed = true;
		break;
	case EV_MMIO:
		put_value(c, event->error ? "mmio write" : "mmio read", event->value);
		break;
	case EV_MSR:
		put_value(c, "denied msr", event->error);
		if (!put_deadline_of(c, event->value))
			put_value(c, "", event->value);
		break;
	case EV_STEP:
		put(c, " step");
		put_rip(c, event->rip);
		put_value(c, "dr6", event->value);
		break;
	case EV_DUMP:
		put(c, " state\n");
		dump(c, event->state);
		return;
	case EV_END:
		put_value(c, "end", event->value);
		break;
	}
	put(c, "\n");
}

void fuzz_canonical(const struct fuzz_program *program, const struct fuzz_code *code,
		    const struct fuzz_rules *rules, const struct fuzz_event *events,
		    unsigned int nr, struct fuzz_trace *trace)
{
	struct canon canon = {
		.program = program,
		.code = code,
		.trace = trace,
		.rules = rules,
	};
	unsigned int i;

	trace->len = 0;
	trace->late = false;
	trace->entry_failed = false;
	trace->broken = NULL;
	fuzz_model_init(&canon.model, program);
	put(&canon, "");

	for (i = 0; i < nr; i++) {
		switch (events[i].kind) {
		case EV_ARM:
			arm(&canon, &events[i]);
			break;
		case EV_REARM:
			/* It is always one that is due at once. */
			if (!in_flight(&canon, FLIGHT_NONE))
				canon.arms++;
			break;
		case EV_WAIT:
		case EV_HALT:
			advance(&canon, events[i].op);
			check_soonest(&canon, events[i].tsc);
			break;
		case EV_LANDED:
			landed(&canon, &events[i]);
			break;
		case EV_VALUE:
			value(&canon, &events[i]);
			break;
		case EV_INTR:
			interrupted(&canon, &events[i]);
			break;
		default:
			host(&canon, &events[i]);
			break;
		}
	}
}
