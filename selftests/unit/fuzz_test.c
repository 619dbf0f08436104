// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unit tests of what the fuzzer can do without a guest: programs from seeds and as
 * text, which of them have one outcome, traces without what depends on time, and the
 * way to smaller programs.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../fuzz/codegen.h"
#include "../fuzz/compare.h"
#include "../fuzz/generator.h"
#include "../fuzz/model.h"
#include "../fuzz/trace.h"

#define NR_SEEDS	3000

static const struct fuzz_layout layout = {
	.code = 0x500000,
	.call = 0x400000,
	.soon = 400000,
	.far = 2000000000,
};

static const struct fuzz_rules rules = { .margin = 10000 };

static bool same_program(const struct fuzz_program *a, const struct fuzz_program *b)
{
	unsigned int i;

	if (a->tsc_half != b->tsc_half || a->x2apic != b->x2apic ||
	    a->noise != b->noise || a->nr_ops != b->nr_ops)
		return false;
	for (i = 0; i < a->nr_ops; i++) {
		if (a->ops[i].code != b->ops[i].code ||
		    memcmp(a->ops[i].arg, b->ops[i].arg, sizeof(a->ops[i].arg)))
			return false;
	}
	return true;
}

static bool read_text(const char *text, struct fuzz_program *program, char *error,
		      size_t len)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	bool good = fuzz_program_read(in, program, error, len);

	fclose(in);
	return good;
}

static struct fuzz_program program_of(const char *text)
{
	struct fuzz_program program;
	char error[320];

	if (!read_text(text, &program, error, sizeof(error)) ||
	    fuzz_program_valid(&program) != (int)program.nr_ops) {
		printf("# not a program: %s\n", text);
		abort();
	}
	return program;
}

TEST(a_seed_is_a_program)
{
	static struct fuzz_program a, b, other;
	u64 seed;

	for (seed = 0; seed < NR_SEEDS; seed++) {
		fuzz_generate(seed, &a);
		fuzz_generate(seed, &b);
		ASSERT_TRUE(same_program(&a, &b));
		ASSERT_EQ(fuzz_program_valid(&a), (int)a.nr_ops) TH_LOG("seed %lu", seed);
		fuzz_generate(seed + 1, &other);
		EXPECT_FALSE(same_program(&a, &other));
	}
}

TEST(all_operations_are_generated)
{
	unsigned int seen[NR_OPS] = {}, code, i;
	struct fuzz_program program;
	u64 seed;

	for (seed = 0; seed < NR_SEEDS; seed++) {
		fuzz_generate(seed, &program);
		for (i = 0; i < program.nr_ops; i++)
			seen[program.ops[i].code]++;
	}
	for (code = 0; code < NR_OPS; code++)
		EXPECT_GT(seen[code], 50) TH_LOG("operation %u", code);
}

TEST(text_is_read_as_it_was_printed)
{
	static struct fuzz_program program, again;
	char error[320], *text;
	size_t len;
	u64 seed;

	for (seed = 0; seed < NR_SEEDS; seed++) {
		FILE *out = open_memstream(&text, &len);

		fuzz_generate(seed, &program);
		fuzz_program_print(out, &program);
		fclose(out);
		ASSERT_TRUE(read_text(text, &again, error, sizeof(error))) TH_LOG("%s", error);
		EXPECT_TRUE(same_program(&program, &again)) TH_LOG("seed %lu", seed);
		free(text);
	}
}

TEST(bad_text_is_refused)
{
	static const char *const bad[] = {
		"cli\n", "vm 2 xapic\n", "vm 3 xapic 0\n", "vm 2 off 0\n",
		"vm 2 xapic 0\nvm 2 xapic 0\n", "vm 2 xapic 0\nclx\n",
		"vm 2 xapic 0\nnop\n", "vm 2 xapic 0\nnop x\n", "vm 2 xapic 0\ncli 1\n",
		"vm 2 xapic 0\narm never 0 plain -\n", "",
	};
	struct fuzz_program program;
	char error[320];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		error[0] = '\0';
		EXPECT_FALSE(read_text(bad[i][0] ? bad[i] : "\n", &program, error,
				       sizeof(error)));
		EXPECT_NE(error[0], '\0') TH_LOG("%s", bad[i]);
	}
}

TEST(the_corpus_is_valid)
{
	struct fuzz_program program;
	unsigned int nr = 0;
	struct dirent *entry;
	char error[320];
	DIR *dir;

	dir = opendir(CORPUS);
	ASSERT_NE(dir, NULL);
	while ((entry = readdir(dir))) {
		char path[512];
		FILE *in;

		if (!strstr(entry->d_name, ".prog"))
			continue;
		snprintf(path, sizeof(path), CORPUS "/%s", entry->d_name);
		in = fopen(path, "r");
		ASSERT_NE(in, NULL);
		ASSERT_TRUE(fuzz_program_read(in, &program, error, sizeof(error)))
			TH_LOG("%s: %s", path, error);
		EXPECT_EQ(fuzz_program_valid(&program), (int)program.nr_ops)
			TH_LOG("%s", path);
		fclose(in);
		nr++;
	}
	closedir(dir);
	EXPECT_GT(nr, 5);
}

/* What has more than one outcome, one for each reason. */
TEST(time_must_not_decide)
{
	static const struct {
		const char *why;
		const char *text;
	} cases[] = {
		{ "no wait at the end", "arm near 10 plain -\n" },
		{ "no wait at the end", "arm soon 0 plain -\n" },
		{ "nothing wakes HLT", "halt\n" },
		{ "masked", "lvtt deadline masked 0x71\narm soon 0 plain -\nhalt\n" },
		{ "too low", "tpr 0x80 apic\narm soon 0 plain -\nhalt\n" },
		{ "was taken before HLT", "sti\narm near 10 plain -\nhalt\n" },
		{ "raises the priority before or after",
		  "sti\narm near 10 plain -\ntpr 0x80 apic\nwait\n" },
		{ "another vector, before or after",
		  "arm near 10 plain -\nlvtt deadline unmasked 0x31\nwait\n" },
		{ "EOI of it or of none", "sti\narm near 10 plain -\neoi\nwait\n" },
		{ "one interrupt or two", "tpr 0x80 apic\narm near 10 plain -\n"
		  "arm near 10 plain -\nwait\n" },
		{ "moves the deadline or not", "arm near 10 plain -\nadjust 5\nwait\n" },
		{ "steps over its handler or not", "sti\narm near 10 plain -\nstep 5\nwait\n" },
		{ "too far to commute", "arm near 0x100000 plain -\nwait\n" },
		{ "the current count", "rdapic 0x390\n" },
		{ "comes when KVM looks for it", "ipi 0x79 icr\napic off\napic xapic\n" },
	};
	struct fuzz_program program;
	char text[256], error[320];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "vm 2 x2apic 0\n%s", cases[i].text);
		ASSERT_TRUE(read_text(text, &program, error, sizeof(error)))
			TH_LOG("%s", error);
		EXPECT_NE(fuzz_program_valid(&program), (int)program.nr_ops)
			TH_LOG("%s: %s", cases[i].why, cases[i].text);
	}
}

TEST(code_fits_and_starts_where_it_says)
{
	static struct fuzz_code code;
	struct fuzz_program program;
	unsigned int i;
	u64 seed;

	for (seed = 0; seed < NR_SEEDS; seed++) {
		fuzz_generate(seed, &program);
		fuzz_codegen(&program, &layout, &code);
		ASSERT_LT(code.len, sizeof(code.bytes));
		for (i = 0; i < program.nr_ops; i++) {
			/* lea end(%rip), %r15 */
			u32 rel;

			ASSERT_EQ(memcmp(code.bytes + code.start[i], "\x4c\x8d\x3d", 3), 0);
			memcpy(&rel, code.bytes + code.start[i] + 3, 4);
			ASSERT_EQ(code.start[i] + 7 + rel, code.start[i + 1]);
		}
	}
}

/* The longest of each operation, as often as there is room for. */
TEST(the_longest_program_fits)
{
	static struct fuzz_code code;
	struct fuzz_program program = { .tsc_half = 2, .nr_ops = FUZZ_MAX_OPS };
	unsigned int op, i;

	for (op = 0; op < NR_OPS; op++) {
		for (i = 0; i < FUZZ_MAX_OPS; i++)
			program.ops[i] = (struct fuzz_op) {
				.code = op,
				.arg = { op == OP_NOP || op == OP_TRAP ? 64 : 0, 0,
					 op == OP_ARM ? ENC_ALL : 0,
					 op == OP_ARM ? BEFORE_TRAP : 0 },
			};
		fuzz_codegen(&program, &layout, &code);
		EXPECT_LT(code.len, sizeof(code.bytes));
	}
}

FIXTURE(trace) {
	struct fuzz_code code;
	struct fuzz_trace a, b;
};

FIXTURE_SETUP(trace)
{
}

FIXTURE_TEARDOWN(trace)
{
	free(self->a.text);
	free(self->b.text);
}

static void canonical(struct fuzz_code *code, const struct fuzz_program *program,
		      const struct fuzz_event *events, unsigned int nr,
		      struct fuzz_trace *trace)
{
	fuzz_codegen(program, &layout, code);
	fuzz_canonical(program, code, &rules, events, nr, trace);
}

TEST_F(trace, a_near_interrupt_may_come_anywhere)
{
	struct fuzz_program program = program_of("vm 2 x2apic 0\nsti\narm near 10 plain -\n"
						 "nop 5\nud\nwait\n");
	struct fuzz_event early[] = {
		{ .kind = EV_ARM, .op = 1, .value = 5010, .tsc = 5000 },
		{ .kind = EV_INTR, .vector = 0x71, .rip = 0x500050, .tsc = 5010 },
		{ .kind = EV_INTR, .vector = 6, .rip = 0x500070, .tsc = 5400 },
		{ .kind = EV_WAIT, .op = 4, .tsc = 6000 },
		{ .kind = EV_LANDED, .op = 4, .tsc = 6100 },
	};
	struct fuzz_event late[] = {
		{ .kind = EV_ARM, .op = 1, .value = 99010, .tsc = 99000 },
		{ .kind = EV_INTR, .vector = 6, .rip = 0x500070, .tsc = 99400 },
		{ .kind = EV_WAIT, .op = 4, .tsc = 99500 },
		{ .kind = EV_INTR, .vector = 0x71, .rip = 0x400100, .tsc = 99700 },
		{ .kind = EV_LANDED, .op = 4, .tsc = 99800 },
	};
	struct fuzz_event none[] = { late[0], late[1], late[2], late[4] };
	struct fuzz_event twice[] = { late[0], late[1], late[2], late[3], late[3], late[4] };

	canonical(&self->code, &program, early, ARRAY_SIZE(early), &self->a);
	canonical(&self->code, &program, late, ARRAY_SIZE(late), &self->b);
	EXPECT_EQ(fuzz_difference(self->a.text, self->b.text), 0);
	EXPECT_EQ(self->a.broken, NULL);
	EXPECT_EQ(self->b.broken, NULL);

	canonical(&self->code, &program, none, ARRAY_SIZE(none), &self->b);
	EXPECT_NE(fuzz_difference(self->a.text, self->b.text), 0);
	canonical(&self->code, &program, twice, ARRAY_SIZE(twice), &self->b);
	EXPECT_NE(fuzz_difference(self->a.text, self->b.text), 0);
	EXPECT_NE(self->b.broken, NULL);

	early[1].tsc = 5009;
	canonical(&self->code, &program, early, ARRAY_SIZE(early), &self->a);
	EXPECT_STREQ(self->a.broken, "an interrupt before its deadline");
	early[1].tsc = 5010;
	early[1].msr = 5010;
	canonical(&self->code, &program, early, ARRAY_SIZE(early), &self->a);
	EXPECT_STREQ(self->a.broken, "the deadline MSR is not 0 in the handler");
}

TEST_F(trace, an_interrupt_that_is_due_has_one_place)
{
	struct fuzz_program program = program_of("vm 2 x2apic 0\nsti\narm past 0 plain -\nnop 5\n");
	struct fuzz_event events[] = {
		{ .kind = EV_ARM, .op = 1, .value = 1, .tsc = 5000 },
		{ .kind = EV_INTR, .vector = 0x71, .rip = 0x500050, .tsc = 5010 },
	};

	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->a);
	events[1].rip++;
	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->b);
	EXPECT_EQ(fuzz_difference(self->a.text, self->b.text), 2);
	events[1].rip--;
	events[1].msr = 1;
	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->b);
	EXPECT_EQ(fuzz_difference(self->a.text, self->b.text), 2);
}

TEST_F(trace, what_is_soon_must_not_have_come)
{
	struct fuzz_program program = program_of("vm 2 x2apic 0\narm soon 0 plain -\nwait\n");
	struct fuzz_event events[] = {
		{ .kind = EV_ARM, .op = 0, .value = 405000, .tsc = 5000 },
		{ .kind = EV_WAIT, .op = 1, .tsc = 394000 },
		{ .kind = EV_LANDED, .op = 1, .tsc = 405000 },
	};

	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->a);
	EXPECT_FALSE(self->a.late);
	events[1].tsc = 395000;
	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->a);
	EXPECT_TRUE(self->a.late);
}

TEST_F(trace, a_deadline_is_known_by_its_writer)
{
	struct fuzz_program program = program_of("vm 2 x2apic 0\narm far 0 plain -\n"
						 "rdmsr 0x6e0\n");
	struct fuzz_event events[] = {
		{ .kind = EV_ARM, .op = 0, .value = 2000005000, .tsc = 5000 },
		{ .kind = EV_VALUE, .op = 1, .value = 2000005000 },
	};

	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->a);
	events[0].value = 2000009999;
	events[1].value = 2000009999;
	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->b);
	EXPECT_EQ(fuzz_difference(self->a.text, self->b.text), 0);
	events[1].value++;
	canonical(&self->code, &program, events, ARRAY_SIZE(events), &self->b);
	EXPECT_EQ(fuzz_difference(self->a.text, self->b.text), 2);
}

TEST(differences_are_found_in_any_line)
{
	EXPECT_EQ(fuzz_difference("a\nb\n", "a\nb\n"), 0);
	EXPECT_EQ(fuzz_difference("", ""), 0);
	EXPECT_EQ(fuzz_difference("a\nb\n", "a\nc\n"), 2);
	EXPECT_EQ(fuzz_difference("a\n", "a\nb\n"), 2);
	EXPECT_EQ(fuzz_difference("a\nb\n", ""), 1);
	EXPECT_EQ(fuzz_difference("ab\n", "a\n"), 1);
}

/* A made-up fault: it takes a deadline that is past, and somewhere after it CPUID. */
static bool has_fault(const struct fuzz_program *program, void *arg)
{
	unsigned int *asked = arg, i;
	bool past = false;

	(*asked)++;
	for (i = 0; i < program->nr_ops; i++) {
		if (program->ops[i].code == OP_ARM && program->ops[i].arg[0] == WHEN_PAST)
			past = true;
		if (past && program->ops[i].code == OP_CPUID)
			return true;
	}
	return false;
}

TEST(shrinking_keeps_what_fails)
{
	unsigned int asked = 0, shrunk = 0;
	struct fuzz_program program;
	u64 seed;

	for (seed = 0; seed < NR_SEEDS; seed++) {
		fuzz_generate(seed, &program);
		if (!has_fault(&program, &asked))
			continue;
		fuzz_shrink(&program, has_fault, &asked, 1000);
		EXPECT_TRUE(has_fault(&program, &asked));
		EXPECT_EQ(fuzz_program_valid(&program), (int)program.nr_ops);
		EXPECT_EQ(program.nr_ops, 2) TH_LOG("seed %lu", seed);
		EXPECT_EQ(program.noise, 0);
		shrunk++;
	}
	EXPECT_GT(shrunk, 50);
}

TEST(shrinking_asks_no_more_often_than_it_may)
{
	unsigned int asked = 0;
	struct fuzz_program program;

	fuzz_generate(1, &program);
	program.ops[0] = (struct fuzz_op) { .code = OP_ARM, .arg = { WHEN_PAST } };
	program.ops[1] = (struct fuzz_op) { .code = OP_CPUID };
	fuzz_shrink(&program, has_fault, &asked, 5);
	EXPECT_LE(asked, 5);
}

TEST_HARNESS_MAIN
