// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differential fuzzing of the fast path: random guests and random userspaces see the
 * same with fastpath=1 as with fastpath=0.
 *
 * - Each program's canonical trace, of everything architectural, is the same.
 * - No interrupt comes before its deadline by the guest's TSC, none comes twice, and
 *   the deadline MSR is 0 from its handler on.
 *
 * With a kvm_intel that has no fast path each program is run twice the same way, which
 * shows that its trace does not depend on time.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kselftest.h"
#include "test_util.h"

#include "compare.h"
#include "coverage.h"
#include "fastpath.h"
#include "generator.h"
#include "host.h"
#include "model.h"

#define BATCH		64
#define MAX_FAILURES	5
#define SHRINK_TRIES	400

/* A difference that comes and goes with the noise is looked for so often. */
#define REPEATS		3

struct options {
	u64 seed;
	u64 count;
	u64 seconds;
	const char *folder;
	bool verbose;
	bool same;
	bool first;
};

static struct options options = { .seed = 1, .count = 1000 };
static bool has_param;
static u64 nr_late;
static u64 nr_entry_failed;
static unsigned int nr_failures;
static u64 nr_until_failure;

static const char usage[] =
	"usage: fastpath_fuzz [-s SEED] [-n COUNT | -t SECONDS] [-o DIR] [-fvS] [PROGRAM...]\n"
	"  -s SEED     first seed (default 1)\n"
	"  -n COUNT    how many seeds (default 1000; 0: PROGRAMs only)\n"
	"  -t SECONDS  as many as there is time for\n"
	"  -o DIR      write programs that fail, shrunk, into DIR\n"
	"  -f          stop at the first program that fails, without shrinking it\n"
	"  -v          print programs and traces\n"
	"  -S          twice with fastpath=0: differences are the test's own fault\n"
	"PROGRAMs are files as -o writes them, and are run first\n";

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void set_fastpath(bool on)
{
	if (has_param)
		fastpath_set(on && !options.same);
}

static const char *name_of(bool second)
{
	if (!has_param)
		return second ? "stock, once more" : "stock";
	if (options.same)
		return second ? "fastpath=0, once more" : "fastpath=0";
	return second ? "fastpath=1" : "fastpath=0";
}

/* A program's two traces. */
struct pair {
	struct fuzz_trace trace[2];
};

/*
 * KVM's generic code breaks promises of its own: what it breaks as well is not the
 * fast path's.
 */
static const char *verdict(const struct pair *pair)
{
	const struct fuzz_trace *a = &pair->trace[0], *b = &pair->trace[1];

	if (a->late || b->late)
		return NULL;
	if (fuzz_difference(a->text, b->text))
		return "the traces differ";
	if (b->broken && !a->broken)
		return b->broken;
	return NULL;
}

static const char *run_pair(const struct fuzz_program *program, struct pair *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		set_fastpath(i);
		fuzz_run(program, &pair->trace[i]);
	}
	return verdict(pair);
}

static bool fails(const struct fuzz_program *program, void *arg)
{
	struct pair *pair = arg;
	int i;

	for (i = 0; i < REPEATS; i++) {
		if (run_pair(program, pair))
			return true;
	}
	return false;
}

/* Does it also fail if nothing is different? */
static bool fails_by_itself(const struct fuzz_program *program, struct pair *pair)
{
	bool same = options.same, result;

	options.same = true;
	result = fails(program, pair);
	options.same = same;
	return result;
}

static void print_comment(const struct fuzz_program *program)
{
	char *text, *line;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fuzz_program_print(out, program);
	fclose(out);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("#: %s\n", line);
	free(text);
}

static void print_pair(const struct pair *pair)
{
	const struct fuzz_trace *a = &pair->trace[0], *b = &pair->trace[1];
	unsigned int line = fuzz_difference(a->text, b->text);

	if (line)
		fuzz_print_difference(stdout, name_of(false), a->text, name_of(true),
				      b->text, line);
	if (b->broken)
		printf("# %s: %s\n", name_of(true), b->broken);
}

static void save(const struct fuzz_program *program, const char *name, const char *why)
{
	char *path;
	FILE *out;

	if (!options.folder)
		return;
	path = strdup_printf("%s/%s", options.folder, name);
	out = fopen(path, "w");
	if (!out)
		ksft_exit_fail_msg("cannot write %s: %s\n", path, strerror(errno));
	fprintf(out, "# SPDX-License-Identifier%s GPL-2.0-only\n# %s\n", ":", why);
	fuzz_program_print(out, program);
	fclose(out);
	free(path);
}

/* Tell of a program that failed as part of a batch. */
static void report(struct fuzz_program program, const char *name, struct pair *pair)
{
	struct pair own = {};
	const char *why = verdict(pair);

	nr_failures++;
	printf("# %s: %s\n", name, why);
	print_comment(&program);
	print_pair(pair);
	if (options.first) {
		save(&program, name, why);
		return;
	}
	if (!fails(&program, &own)) {
		printf("# not in %d other runs: it depends on time\n", REPEATS);
		save(&program, name, why);
		return;
	}
	if (has_param && fails_by_itself(&program, &own))
		printf("# with fastpath=0 twice, too: the trace depends on time\n");

	fuzz_shrink(&program, fails, &own, SHRINK_TRIES);
	printf("# shrunk:\n");
	print_comment(&program);
	if (fails(&program, &own)) {
		why = verdict(&own);
		print_pair(&own);
	}
	save(&program, name, why);
	fflush(stdout);
}

static unsigned int max_failures(void)
{
	return options.first ? 1 : MAX_FAILURES;
}

struct batch {
	struct fuzz_program program[BATCH];
	struct pair pair[BATCH];
};

/* The parameter takes time to flip: all programs with one value, then the other. */
static void run_batch(u64 seed, unsigned int nr)
{
	/* Not static: all of the program's own data is the guest's memory as well. */
	static struct batch *batch;
	char name[32];
	unsigned int n;
	int i;

	if (!batch)
		batch = calloc(1, sizeof(*batch));
	TEST_ASSERT(batch, "No memory");

	for (n = 0; n < nr; n++)
		fuzz_generate(seed + n, &batch->program[n]);
	for (i = 0; i < 2; i++) {
		set_fastpath(i);
		for (n = 0; n < nr; n++)
			fuzz_run(&batch->program[n], &batch->pair[n].trace[i]);
	}

	for (n = 0; n < nr; n++) {
		struct pair *pair = &batch->pair[n];

		if (options.verbose) {
			printf("# seed %lu\n", seed + n);
			print_comment(&batch->program[n]);
			printf("%s", pair->trace[0].text);
		}
		nr_late += pair->trace[0].late || pair->trace[1].late;
		nr_entry_failed += pair->trace[0].entry_failed;
		if (!verdict(pair) || nr_failures == max_failures())
			continue;
		if (!nr_failures)
			nr_until_failure = seed + n - options.seed + 1;
		snprintf(name, sizeof(name), "seed-%lu", seed + n);
		report(batch->program[n], name, pair);
	}
}

static void run_seeds(void)
{
	u64 start = now_ns(), done = 0, ms;

	while ((options.seconds ? now_ns() - start < options.seconds * 1000000000ull :
				  done < options.count) &&
	       nr_failures < max_failures()) {
		unsigned int nr = BATCH;

		if (!options.seconds)
			nr = min_t(u64, nr, options.count - done);
		run_batch(options.seed + done, nr);
		done += nr;
		fflush(stdout);
	}

	ms = (now_ns() - start) / 1000000;
	ksft_print_msg("%lu programs, seeds %lu to %lu, %lu too slow to compare\n", done,
		       options.seed, options.seed + done - 1, nr_late);
	ksft_print_msg("%lu programs a minute\n", ms ? done * 60000 / ms : 0);
	if (nr_entry_failed)
		ksft_print_msg("%lu ended with a VM-Entry that fails\n", nr_entry_failed);
	if (nr_failures)
		ksft_print_msg("the first failure is program %lu\n", nr_until_failure);

	/* What was not compared proves nothing, nor does what never took the fast path. */
	if (nr_late > done / 4) {
		ksft_print_msg("too slow too often\n");
		nr_failures++;
	}
	if (has_param && !options.same && !fuzz_print_coverage()) {
		ksft_print_msg("not a single exit was handled with fastpath=1\n");
		nr_failures++;
	}
	ksft_test_result(!nr_failures, "seeds from %lu on\n", options.seed);
}

static void run_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct fuzz_program program;
	struct pair pair = {};
	char error[320];
	FILE *in;
	int valid;

	in = fopen(path, "r");
	if (!in)
		ksft_exit_fail_msg("cannot read %s: %s\n", path, strerror(errno));
	if (!fuzz_program_read(in, &program, error, sizeof(error)))
		ksft_exit_fail_msg("%s: %s\n", path, error);
	fclose(in);

	valid = fuzz_program_valid(&program);
	if (valid < 0)
		ksft_exit_fail_msg("%s: a deadline is in flight at the end: add 'wait'\n",
				   path);
	if (valid != (int)program.nr_ops)
		ksft_exit_fail_msg("%s: operation %d: what comes of it there depends on time\n",
				   path, valid);

	if (!fails(&program, &pair)) {
		if (options.verbose)
			printf("%s", pair.trace[1].text);
		if (pair.trace[0].late || pair.trace[1].late)
			ksft_test_result_skip("%s: too slow to compare\n", name);
		else
			ksft_test_result_pass("%s\n", name);
		return;
	}
	print_comment(&program);
	print_pair(&pair);
	ksft_test_result_fail("%s: %s\n", name, verdict(&pair));
}

static u64 parse_number(const char *word, char option)
{
	char *end;
	u64 value = strtoull(word, &end, 0);

	if (!*word || *end)
		ksft_exit_fail_msg("-%c %s: not a number\n", option, word);
	return value;
}

static void parse(int argc, char *argv[])
{
	int opt;

	while ((opt = getopt(argc, argv, "s:n:t:o:fvSh")) != -1) {
		switch (opt) {
		case 's':
			options.seed = parse_number(optarg, opt);
			break;
		case 'n':
			options.count = parse_number(optarg, opt);
			break;
		case 't':
			options.seconds = parse_number(optarg, opt);
			break;
		case 'o':
			options.folder = optarg;
			break;
		case 'f':
			options.first = true;
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'S':
			options.same = true;
			break;
		default:
			fputs(usage, stderr);
			exit(opt == 'h' ? 0 : 2);
		}
	}
}

static bool saved;

static void restore_param(void)
{
	fastpath_set(saved);
}

int main(int argc, char *argv[])
{
	bool seeds;

	parse(argc, argv);
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_TSC_DEADLINE_TIMER));
	TEST_REQUIRE(kvm_has_cap(KVM_CAP_X86_SMM));

	has_param = fastpath_present();
	if (has_param) {
		saved = fastpath_get();
		atexit(restore_param);
	}
	seeds = options.count || options.seconds;

	ksft_print_header();
	ksft_set_plan(argc - optind + seeds);
	if (!fuzz_has_tsc_scaling())
		ksft_print_msg("no TSC scaling here: all guests run with the host's frequency\n");
	for (; optind < argc; optind++)
		run_file(argv[optind]);
	if (seeds)
		run_seeds();
	ksft_finished();
}
