// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <linux/bits.h>

#include "codegen.h"
#include "model.h"
#include "trace.h"

#define APIC_PAGE	0xfee00000u

/* Beyond the preemption timer at any rate, but not beyond KVM's arithmetic. */
#define BEYOND_TICKS	BIT_ULL(40)

static void emit(struct fuzz_code *code, const void *bytes, unsigned int len)
{
	/* The longest program is a third of the buffer. */
	if (code->len + len > sizeof(code->bytes))
		__builtin_trap();
	memcpy(code->bytes + code->len, bytes, len);
	code->len += len;
}

#define INSN(code, ...)							\
	emit(code, (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

static void emit32(struct fuzz_code *code, u32 value)
{
	emit(code, &value, sizeof(value));
}

static void emit64(struct fuzz_code *code, u64 value)
{
	emit(code, &value, sizeof(value));
}

static void mov_eax(struct fuzz_code *code, u32 value)
{
	INSN(code, 0xb8);
	emit32(code, value);
}

static void mov_ecx(struct fuzz_code *code, u32 value)
{
	INSN(code, 0xb9);
	emit32(code, value);
}

static void mov_edx(struct fuzz_code *code, u32 value)
{
	INSN(code, 0xba);
	emit32(code, value);
}

static void wrmsr(struct fuzz_code *code, u32 msr, u64 value)
{
	mov_ecx(code, msr);
	mov_eax(code, value);
	mov_edx(code, value >> 32);
	INSN(code, 0x0f, 0x30);
}

/* RAX = EDX:EAX */
static void join_rax(struct fuzz_code *code)
{
	INSN(code, 0x48, 0xc1, 0xe2, 0x20);	/* shl $32, %rdx */
	INSN(code, 0x48, 0x09, 0xd0);		/* or %rdx, %rax */
}

/* EDX:EAX = RAX */
static void split_rax(struct fuzz_code *code)
{
	INSN(code, 0x48, 0x89, 0xc2);		/* mov %rax, %rdx */
	INSN(code, 0x48, 0xc1, 0xea, 0x20);	/* shr $32, %rdx */
	INSN(code, 0x89, 0xc0);			/* mov %eax, %eax */
	/* Flags that do not depend on what was in RAX. */
	INSN(code, 0x48, 0x85, 0xe4);		/* test %rsp, %rsp */
}

static void rdtsc_plus(struct fuzz_code *code, u64 ticks)
{
	INSN(code, 0x0f, 0x31);			/* rdtsc */
	join_rax(code);
	INSN(code, 0x48, 0xb9);			/* movabs $ticks, %rcx */
	emit64(code, ticks);
	INSN(code, 0x48, 0x01, 0xc8);		/* add %rcx, %rax */
}

/* Times must not stay behind in registers that userspace looks at. */
static void clear_time(struct fuzz_code *code)
{
	INSN(code, 0x31, 0xc0);			/* xor %eax, %eax */
	INSN(code, 0x31, 0xd2);			/* xor %edx, %edx */
}

static void call(struct fuzz_code *code, const struct fuzz_layout *layout, u32 what)
{
	INSN(code, 0x41, 0xbb);			/* mov $what, %r11d */
	emit32(code, what);
	INSN(code, 0xe8);			/* call */
	emit32(code, layout->call - (layout->code + code->len + 4));
}

static void trap_on(struct fuzz_code *code)
{
	INSN(code, 0x9c);						/* pushf */
	INSN(code, 0x81, 0x0c, 0x24, 0x00, 0x01, 0x00, 0x00);	/* orl $TF, (%rsp) */
	INSN(code, 0x9d);						/* popf */
}

static void trap_off(struct fuzz_code *code)
{
	INSN(code, 0x9c);						/* pushf */
	INSN(code, 0x81, 0x24, 0x24, 0xff, 0xfe, 0xff, 0xff);	/* andl $~TF, (%rsp) */
	INSN(code, 0x9d);						/* popf */
}

static void apic_write(struct fuzz_code *code, const struct fuzz_model *model,
		       u32 reg, u32 value)
{
	if (model->apic == APIC_IS_X2) {
		wrmsr(code, 0x800 + (reg >> 4), value);
		return;
	}
	mov_ecx(code, APIC_PAGE + reg);
	mov_edx(code, value);
	INSN(code, 0x89, 0x11);			/* mov %edx, (%rcx) */
	/* A write of LVTT may pass a later one of the deadline. */
	INSN(code, 0x0f, 0xae, 0xf0);		/* mfence */
}

static void apic_read(struct fuzz_code *code, const struct fuzz_model *model, u32 reg)
{
	if (model->apic == APIC_IS_X2) {
		mov_ecx(code, 0x800 + (reg >> 4));
		INSN(code, 0x0f, 0x32);		/* rdmsr */
		INSN(code, 0x89, 0xc0);		/* mov %eax, %eax */
		return;
	}
	mov_ecx(code, APIC_PAGE + reg);
	INSN(code, 0x8b, 0x01);			/* mov (%rcx), %eax */
}

static void store32(struct fuzz_code *code, u32 address, u32 value)
{
	INSN(code, 0xc7, 0x04, 0x25);		/* movl $value, address */
	emit32(code, address);
	emit32(code, value);
}

static void store8(struct fuzz_code *code, u32 address, u8 value)
{
	INSN(code, 0xc6, 0x04, 0x25);		/* movb $value, address */
	emit32(code, address);
	INSN(code, value);
}

u64 fuzz_deadline(enum fuzz_when when, u64 ticks, u64 tsc,
		  const struct fuzz_layout *layout)
{
	switch (when) {
	case WHEN_ZERO:
		return 0;
	case WHEN_PAST:
		return 1;
	case WHEN_NEAR:
		return tsc + ticks;
	case WHEN_SOON:
		return tsc + layout->soon;
	case WHEN_FAR:
		return tsc + layout->far;
	case WHEN_BEYOND:
		return tsc + BEYOND_TICKS;
	case WHEN_ONES:
		return ~0ull;
	default:
		return tsc;
	}
}

static void arm(struct fuzz_code *code, const struct fuzz_layout *layout,
		const struct fuzz_op *op, unsigned int number)
{
	static const u8 wrmsrs[NR_ENC][6] = {
		[ENC_PLAIN] = { 2, 0x0f, 0x30 },
		[ENC_OPSIZE] = { 3, 0x66, 0x0f, 0x30 },
		[ENC_SEGMENT] = { 3, 0x2e, 0x0f, 0x30 },
		[ENC_REX] = { 3, 0x48, 0x0f, 0x30 },
		[ENC_ALL] = { 5, 0x66, 0x2e, 0x48, 0x0f, 0x30 },
	};
	const u8 *insn = wrmsrs[op->arg[2]];

	switch (op->arg[0]) {
	case WHEN_ZERO:
	case WHEN_PAST:
	case WHEN_ONES:
		INSN(code, 0x48, 0xb8);		/* movabs $deadline, %rax */
		emit64(code, fuzz_deadline(op->arg[0], 0, 0, layout));
		break;
	default:
		rdtsc_plus(code, fuzz_deadline(op->arg[0], op->arg[1], 0, layout));
		break;
	}
	call(code, layout, FUZZ_CALL(EV_ARM, number));
	split_rax(code);
	mov_ecx(code, 0x6e0);

	switch (op->arg[3]) {
	case BEFORE_STI:
		/* No shadow unless IRQs were off. */
		INSN(code, 0xfa, 0xfb);		/* cli; sti */
		break;
	case BEFORE_MOVSS:
		INSN(code, 0x8c, 0xd6);		/* mov %ss, %esi */
		INSN(code, 0x8e, 0xd6);		/* mov %esi, %ss */
		break;
	case BEFORE_TRAP:
		trap_on(code);
		break;
	}
	emit(code, insn + 1, insn[0]);
	if (op->arg[3] == BEFORE_TRAP)
		trap_off(code);
}

static void switch_apic(struct fuzz_code *code, const struct fuzz_layout *layout,
			enum fuzz_apic_mode mode)
{
	static const u32 bits[NR_APIC_MODES] = {
		[APIC_IS_X] = 0x800,
		[APIC_IS_X2] = 0xc00,
	};

	mov_ecx(code, 0x1b);
	INSN(code, 0x0f, 0x32);			/* rdmsr */
	INSN(code, 0x25);			/* and $~0xc00, %eax */
	emit32(code, ~0xc00);
	INSN(code, 0x0d);			/* or $bits, %eax */
	emit32(code, bits[mode]);
	INSN(code, 0x0f, 0x30);			/* wrmsr */
	store32(code, layout->apic_mode, mode);
}

static void guest_op(struct fuzz_code *code, const struct fuzz_layout *layout,
		     const struct fuzz_model *model, const struct fuzz_op *op,
		     unsigned int number)
{
	const u64 *arg = op->arg;
	unsigned int i;

	switch (op->code) {
	case OP_ARM:
		arm(code, layout, op, number);
		break;
	case OP_REARM:
		store32(code, layout->rearm, arg[0]);
		break;
	case OP_LVTT:
		apic_write(code, model, 0x320, arg[0] << 17 | arg[1] << 16 | arg[2]);
		break;
	case OP_WAIT:
		call(code, layout, FUZZ_CALL(EV_WAIT, number) |
		     (model->masked || model->apic == APIC_IS_OFF ?
		      FUZZ_CALL_SETTLE : 0) |
		     (model->mixed && !model->irqs_on ? FUZZ_CALL_RESOLVE : 0));
		break;
	case OP_HALT:
		call(code, layout, FUZZ_CALL(EV_HALT, number));
		break;
	case OP_TPR:
		if (arg[1] == TPR_BY_APIC) {
			apic_write(code, model, 0x80, arg[0]);
			break;
		}
		mov_eax(code, arg[0] >> 4);
		INSN(code, 0x44, 0x0f, 0x22, 0xc0);	/* mov %rax, %cr8 */
		break;
	case OP_EOI:
		apic_write(code, model, 0xb0, 0);
		break;
	case OP_KEEP:
		store8(code, layout->keep + arg[0], 1);
		break;
	case OP_SPIV:
		apic_write(code, model, 0xf0, arg[0] << 8 | 0xff);
		break;
	case OP_APIC:
		switch_apic(code, layout, arg[0]);
		break;
	case OP_IPI:
		if (arg[1] == IPI_BY_SELF)
			wrmsr(code, 0x83f, arg[0]);
		else
			apic_write(code, model, 0x300, 0x44000 | arg[0]);
		break;
	case OP_RDAPIC:
		apic_read(code, model, arg[0]);
		call(code, layout, FUZZ_CALL(EV_VALUE, number));
		clear_time(code);
		break;
	case OP_CLI:
		INSN(code, 0xfa);
		break;
	case OP_STI:
		INSN(code, 0xfb, 0x90);
		break;
	case OP_NOP:
		for (i = 0; i < arg[0]; i++)
			INSN(code, 0x90);
		break;
	case OP_CPUID:
		mov_eax(code, 1);
		mov_ecx(code, 0);
		INSN(code, 0x0f, 0xa2);
		break;
	case OP_VMCALL:
		mov_eax(code, 0x1234);
		INSN(code, 0x0f, 0x01, 0xc1);
		break;
	case OP_RDMSR:
		mov_ecx(code, arg[0]);
		INSN(code, 0x0f, 0x32);
		join_rax(code);
		call(code, layout, FUZZ_CALL(EV_VALUE, number));
		clear_time(code);
		break;
	case OP_UD:
		INSN(code, 0x0f, 0x0b);
		break;
	case OP_GP:
		wrmsr(code, 0xdead0000, 0);
		break;
	case OP_PF:
		INSN(code, 0x48, 0xa1);		/* movabs address, %rax */
		emit64(code, FUZZ_BAD_ADDRESS);
		break;
	case OP_TRAP:
		trap_on(code);
		for (i = 0; i < arg[0]; i++)
			INSN(code, 0x90);
		trap_off(code);
		break;
	case OP_ADJUST:
		wrmsr(code, 0x3b, arg[0]);
		break;
	case OP_WRTSC:
		rdtsc_plus(code, arg[0]);
		split_rax(code);
		mov_ecx(code, 0x10);
		INSN(code, 0x0f, 0x30);
		clear_time(code);
		break;
	default:
		mov_eax(code, number);
		INSN(code, 0xe7, FUZZ_PORT_HOST);	/* out %eax, $port */
		break;
	}
}

void fuzz_codegen(const struct fuzz_program *program,
		  const struct fuzz_layout *layout, struct fuzz_code *code)
{
	struct fuzz_model model;
	unsigned int i, patch;
	u32 rel;

	code->base = layout->code;
	code->len = 0;
	fuzz_model_init(&model, program);
	for (i = 0; i < program->nr_ops; i++) {
		code->start[i] = code->len;
		/* Where to go on after a fault: lea end(%rip), %r15 */
		INSN(code, 0x4c, 0x8d, 0x3d);
		patch = code->len;
		emit32(code, 0);
		guest_op(code, layout, &model, &program->ops[i], i);
		rel = code->len - (patch + 4);
		memcpy(code->bytes + patch, &rel, sizeof(rel));
		fuzz_model_step(&model, &program->ops[i]);
	}
	code->start[i] = code->len;
	mov_eax(code, i);
	INSN(code, 0xe7, FUZZ_PORT_END);
	INSN(code, 0xeb, 0xfe);			/* jmp . */
}
