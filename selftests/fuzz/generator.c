// SPDX-License-Identifier: GPL-2.0-only
#include "generator.h"
#include "model.h"

/* splitmix64 */
u64 fuzz_random(struct fuzz_random *random)
{
	u64 z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

u64 fuzz_random_below(struct fuzz_random *random, u64 limit)
{
	return fuzz_random(random) % limit;
}

static bool one_in(struct fuzz_random *random, u64 n)
{
	return !fuzz_random_below(random, n);
}

/* Any magnitude below 2^@bits, small ones as likely as large ones. */
static u64 random_ticks(struct fuzz_random *random, unsigned int bits)
{
	return fuzz_random(random) & ((1ull << fuzz_random_below(random, bits + 1)) - 1);
}

static u64 random_shift(struct fuzz_random *random)
{
	u64 ticks = random_ticks(random, 12);

	return one_in(random, 2) ? ticks : -ticks;
}

static u64 timer_vector(struct fuzz_random *random)
{
	static const u8 vectors[] = FUZZ_TIMER_VECTORS;

	return vectors[fuzz_random_below(random, sizeof(vectors))];
}

static u64 other_vector(struct fuzz_random *random)
{
	static const u8 vectors[] = FUZZ_OTHER_VECTORS;

	return vectors[fuzz_random_below(random, sizeof(vectors))];
}

static u64 random_when(struct fuzz_random *random)
{
	static const u8 choice[] = {
		WHEN_ZERO, WHEN_PAST, WHEN_PAST, WHEN_PAST, WHEN_NOW, WHEN_NOW,
		WHEN_NEAR, WHEN_NEAR, WHEN_NEAR, WHEN_NEAR, WHEN_SOON, WHEN_SOON,
		WHEN_FAR, WHEN_FAR, WHEN_BEYOND, WHEN_ONES,
	};

	return choice[fuzz_random_below(random, sizeof(choice))];
}

/* How often each operation is tried; what is not allowed then is not taken. */
static const u8 weight[NR_OPS] = {
	[OP_ARM] = 60, [OP_REARM] = 3, [OP_LVTT] = 8, [OP_WAIT] = 20, [OP_HALT] = 15,
	[OP_TPR] = 8, [OP_EOI] = 4, [OP_KEEP] = 2, [OP_SPIV] = 3, [OP_APIC] = 3,
	[OP_IPI] = 10, [OP_RDAPIC] = 6, [OP_CLI] = 12, [OP_STI] = 16, [OP_NOP] = 8,
	[OP_CPUID] = 5, [OP_VMCALL] = 3, [OP_RDMSR] = 8, [OP_UD] = 3, [OP_GP] = 3,
	[OP_PF] = 3, [OP_TRAP] = 3, [OP_ADJUST] = 3, [OP_WRTSC] = 2, [OP_DUMP] = 5,
	[OP_AGAIN] = 3, [OP_RESTORE] = 6, [OP_FILTER] = 3, [OP_STEP] = 3,
	[OP_NMI] = 3, [OP_SMI] = 2, [OP_MSI] = 4, [OP_OFFSET] = 2, [OP_SETMSR] = 5,
	[OP_MEMSLOT] = 2, [OP_MPSTATE] = 1,
};

static enum fuzz_op_code random_code(struct fuzz_random *random)
{
	unsigned int code, sum = 0;
	u64 n;

	for (code = 0; code < NR_OPS; code++)
		sum += weight[code];
	n = fuzz_random_below(random, sum);
	for (code = 0; n >= weight[code]; code++)
		n -= weight[code];
	return code;
}

static void random_args(struct fuzz_random *random, struct fuzz_op *op)
{
	static const u16 msrs[] = { 0x6e0, 0x6e0, 0x6e0, 0x3b, 0x1b };
	static const u16 regs[] = {
		0x80, 0xa0, 0xf0, 0x110, 0x130, 0x150, 0x170, 0x210, 0x230, 0x250,
		0x270, 0x320, 0x380,
	};
	u64 *arg = op->arg;

	switch (op->code) {
	case OP_ARM:
		arg[0] = random_when(random);
		arg[1] = arg[0] == WHEN_NEAR ? random_ticks(random, 14) : 0;
		arg[2] = one_in(random, 3) ? fuzz_random_below(random, NR_ENC) : ENC_PLAIN;
		arg[3] = one_in(random, 4) ? fuzz_random_below(random, NR_BEFORE) :
					     BEFORE_NONE;
		break;
	case OP_SETMSR:
		arg[0] = random_when(random);
		arg[1] = arg[0] == WHEN_NEAR ? random_ticks(random, 14) : 0;
		break;
	case OP_REARM:
		arg[0] = 1 + fuzz_random_below(random, 4);
		break;
	case OP_LVTT:
		arg[0] = one_in(random, 3) ? fuzz_random_below(random, NR_TIMER_MODES) :
					     TIMER_DEADLINE;
		arg[1] = one_in(random, 4);
		arg[2] = one_in(random, 16) ? 0xf : timer_vector(random);
		break;
	case OP_TPR:
		arg[0] = one_in(random, 2) ? 0 : fuzz_random_below(random, 0x100);
		arg[1] = fuzz_random_below(random, NR_TPR_BY);
		break;
	case OP_KEEP:
		arg[0] = one_in(random, 2) ? timer_vector(random) : other_vector(random);
		break;
	case OP_SPIV:
		arg[0] = !one_in(random, 3);
		break;
	case OP_APIC:
		arg[0] = fuzz_random_below(random, NR_APIC_MODES);
		break;
	case OP_IPI:
		arg[0] = other_vector(random);
		arg[1] = fuzz_random_below(random, NR_IPI_BY);
		break;
	case OP_MSI:
		arg[0] = other_vector(random);
		break;
	case OP_RDAPIC:
		arg[0] = regs[fuzz_random_below(random, sizeof(regs) / sizeof(*regs))];
		break;
	case OP_NOP:
	case OP_TRAP:
		arg[0] = 1 + random_ticks(random, 5);
		break;
	case OP_STEP:
		arg[0] = 1 + fuzz_random_below(random, 16);
		break;
	case OP_RDMSR:
		arg[0] = msrs[fuzz_random_below(random, sizeof(msrs) / sizeof(*msrs))];
		break;
	case OP_ADJUST:
	case OP_WRTSC:
	case OP_OFFSET:
		arg[0] = random_shift(random);
		break;
	case OP_RESTORE:
		arg[0] = fuzz_random_below(random, NR_STATES);
		break;
	case OP_FILTER:
		arg[0] = one_in(random, 2) ? FILTER_OFF :
					     fuzz_random_below(random, NR_FILTERS);
		break;
	default:
		break;
	}
}

void fuzz_generate(u64 seed, struct fuzz_program *program)
{
	struct fuzz_random random = { .state = seed };
	struct fuzz_model model;
	bool disarmed = false;
	unsigned int nr_ops;

	*program = (struct fuzz_program) {
		.tsc_half = one_in(&random, 6) ? 1 + 3 * fuzz_random_below(&random, 2) : 2,
		.x2apic = !one_in(&random, 3),
		.noise = one_in(&random, 3) ? fuzz_random(&random) | 1 : 0,
	};
	nr_ops = 8 + fuzz_random_below(&random, 40);

	fuzz_model_init(&model, program);
	while (program->nr_ops < nr_ops) {
		struct fuzz_op op = { .code = random_code(&random) };

		random_args(&random, &op);
		/* Only what was disarmed is worth waiting for when nothing is armed. */
		if (op.code == OP_WAIT && model.flight == FLIGHT_NONE && !disarmed)
			continue;
		if (!fuzz_model_allows(&model, &op))
			continue;
		fuzz_model_step(&model, &op);
		program->ops[program->nr_ops++] = op;
		disarmed = (op.code == OP_ARM || op.code == OP_SETMSR) &&
			   op.arg[0] == WHEN_ZERO;
	}
	if (model.flight != FLIGHT_NONE)
		program->ops[program->nr_ops++] = (struct fuzz_op) { .code = OP_WAIT };
}
