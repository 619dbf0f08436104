// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs as text.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define BLANKS	" \t"

struct names {
	unsigned int nr;
	const char *name[8];
};

#define NUM		{ 0 }
#define WHEN		{ NR_WHEN, { "zero", "past", "now", "near", "soon", \
				     "far", "beyond", "ones" } }
#define ENCODING	{ NR_ENC, { "plain", "opsize", "segment", "rex", "all" } }
#define BEFORE		{ NR_BEFORE, { "-", "sti", "movss", "trap" } }
#define TIMER_MODE	{ NR_TIMER_MODES, { "oneshot", "periodic", "deadline", \
					    "reserved" } }
#define MASK		{ 2, { "unmasked", "masked" } }
#define SWITCH		{ 2, { "off", "on" } }
#define TPR_BY		{ NR_TPR_BY, { "apic", "cr8" } }
#define IPI_BY		{ NR_IPI_BY, { "icr", "self" } }
#define APIC_MODE	{ NR_APIC_MODES, { "off", "xapic", "x2apic" } }
#define FILTER		{ NR_FILTERS, { "off", "gp", "drop", "fail" } }
#define STATE		{ NR_STATES, { "lapic", "msrs", "events", "regs", \
				       "sregs", "all", "reversed" } }

#define NR_ARGS(...)	(sizeof((struct names[]){ __VA_ARGS__ }) / sizeof(struct names))

static const struct {
	const char *name;
	unsigned int nr_args;
	struct names arg[FUZZ_MAX_ARGS];
} ops[NR_OPS] = {
#define X(upper, lower, ...)				\
	[OP_##upper] = {				\
		.name = #lower,				\
		.nr_args = NR_ARGS(__VA_ARGS__),	\
		.arg = { __VA_ARGS__ },			\
	},
	FUZZ_OPS(X)
#undef X
};

static const struct names apic_modes = APIC_MODE;

void fuzz_op_print(FILE *out, const struct fuzz_op *op)
{
	unsigned int i;

	fputs(ops[op->code].name, out);
	for (i = 0; i < ops[op->code].nr_args; i++) {
		const struct names *names = &ops[op->code].arg[i];

		if (names->nr)
			fprintf(out, " %s", names->name[op->arg[i]]);
		else
			fprintf(out, " 0x%llx", (unsigned long long)op->arg[i]);
	}
}

void fuzz_program_print(FILE *out, const struct fuzz_program *program)
{
	unsigned int i;

	fprintf(out, "vm %u %s 0x%llx\n", program->tsc_half,
		apic_modes.name[program->x2apic ? APIC_IS_X2 : APIC_IS_X],
		(unsigned long long)program->noise);
	for (i = 0; i < program->nr_ops; i++) {
		fuzz_op_print(out, &program->ops[i]);
		fputc('\n', out);
	}
}

static bool read_number(const char *word, u64 *value)
{
	char *end;

	if (!word)
		return false;
	*value = strtoull(word, &end, 0);
	return *word && !*end;
}

static bool read_name(const char *word, const struct names *names, u64 *value)
{
	if (!word)
		return false;
	for (*value = 0; *value < names->nr; (*value)++) {
		if (!strcmp(word, names->name[*value]))
			return true;
	}
	return false;
}

static bool read_op(char *line, struct fuzz_op *op)
{
	const char *word = strtok(line, BLANKS);
	unsigned int code, i;

	for (code = 0; code < NR_OPS; code++) {
		if (!strcmp(word, ops[code].name))
			break;
	}
	if (code == NR_OPS)
		return false;

	*op = (struct fuzz_op) { .code = code };
	for (i = 0; i < ops[code].nr_args; i++) {
		const struct names *names = &ops[code].arg[i];

		word = strtok(NULL, BLANKS);
		if (names->nr ? !read_name(word, names, &op->arg[i]) :
				!read_number(word, &op->arg[i]))
			return false;
	}
	return !strtok(NULL, BLANKS);
}

static bool read_vm(char *line, struct fuzz_program *program)
{
	u64 tsc_half, mode;

	strtok(line, BLANKS);
	if (!read_number(strtok(NULL, BLANKS), &tsc_half) ||
	    !read_name(strtok(NULL, BLANKS), &apic_modes, &mode) ||
	    !read_number(strtok(NULL, BLANKS), &program->noise) ||
	    strtok(NULL, BLANKS))
		return false;

	program->tsc_half = tsc_half;
	program->x2apic = mode == APIC_IS_X2;
	return mode != APIC_IS_OFF &&
	       (tsc_half == 1 || tsc_half == 2 || tsc_half == 4);
}

bool fuzz_program_read(FILE *in, struct fuzz_program *program, char *error,
		       size_t len)
{
	char line[256], copy[sizeof(line)];
	unsigned int number = 0;
	bool has_vm = false;

	*program = (struct fuzz_program) { .tsc_half = 2 };
	while (fgets(line, sizeof(line), in)) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!line[strspn(line, BLANKS)] || line[0] == '#')
			continue;
		/* What follows takes the line apart. */
		memcpy(copy, line, sizeof(copy));

		if (!strncmp(line, "vm ", 3)) {
			if (has_vm || !read_vm(line, program))
				goto bad;
			has_vm = true;
			continue;
		}
		if (program->nr_ops == FUZZ_MAX_OPS) {
			snprintf(error, len, "line %u: more than %u operations",
				 number, FUZZ_MAX_OPS);
			return false;
		}
		if (!read_op(line, &program->ops[program->nr_ops++]))
			goto bad;
	}
	if (has_vm)
		return true;
	snprintf(error, len, "no line 'vm TSC_HALVES xapic|x2apic NOISE'");
	return false;

bad:
	snprintf(error, len, "line %u: cannot understand '%s'", number, copy);
	return false;
}
