// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "compare.h"
#include "model.h"

struct shrink {
	struct fuzz_program *best;
	bool (*fails)(const struct fuzz_program *program, void *arg);
	void *arg;
	unsigned int tries;
};

/* Take @candidate if it is valid and fails. */
static bool try_candidate(struct shrink *shrink, struct fuzz_program *candidate)
{
	int valid = fuzz_program_valid(candidate);

	/* What waited for the deadline is gone: have something else wait. */
	if (valid < 0 && candidate->nr_ops < FUZZ_MAX_OPS) {
		candidate->ops[candidate->nr_ops++] = (struct fuzz_op) { .code = OP_WAIT };
		valid = fuzz_program_valid(candidate);
	}
	if (valid != (int)candidate->nr_ops || !shrink->tries)
		return false;

	shrink->tries--;
	if (!shrink->fails(candidate, shrink->arg))
		return false;
	*shrink->best = *candidate;
	return true;
}

static bool drop(struct shrink *shrink, unsigned int first, unsigned int nr)
{
	struct fuzz_program candidate = *shrink->best;

	candidate.nr_ops -= nr;
	memmove(candidate.ops + first, candidate.ops + first + nr,
		(candidate.nr_ops - first) * sizeof(candidate.ops[0]));
	/* With the same number again nothing would have come of it. */
	return try_candidate(shrink, &candidate);
}

static bool drop_some(struct shrink *shrink)
{
	unsigned int nr, first;
	bool dropped = false;

	for (nr = (shrink->best->nr_ops + 1) / 2; nr; nr /= 2) {
		for (first = 0; first + nr <= shrink->best->nr_ops; ) {
			unsigned int before = shrink->best->nr_ops;

			if (!drop(shrink, first, nr) ||
			    shrink->best->nr_ops == before) {
				first += nr;
				continue;
			}
			dropped = true;
		}
	}
	return dropped;
}

static void simplify(struct shrink *shrink)
{
	struct fuzz_program candidate;
	unsigned int i, n;

	if (shrink->best->noise) {
		candidate = *shrink->best;
		candidate.noise = 0;
		try_candidate(shrink, &candidate);
	}
	if (shrink->best->tsc_half != 2) {
		candidate = *shrink->best;
		candidate.tsc_half = 2;
		try_candidate(shrink, &candidate);
	}
	for (i = 0; i < shrink->best->nr_ops; i++) {
		for (n = 0; n < FUZZ_MAX_ARGS; n++) {
			candidate = *shrink->best;
			/* The first argument says what it is about. */
			if (!n && candidate.ops[i].code != OP_NOP &&
			    candidate.ops[i].code != OP_TRAP &&
			    candidate.ops[i].code != OP_STEP &&
			    candidate.ops[i].code != OP_REARM)
				continue;
			if (candidate.ops[i].arg[n] <= !n)
				continue;
			candidate.ops[i].arg[n] = !n;
			try_candidate(shrink, &candidate);
		}
	}
}

void fuzz_shrink(struct fuzz_program *program,
		 bool (*fails)(const struct fuzz_program *program, void *arg),
		 void *arg, unsigned int tries)
{
	struct shrink shrink = {
		.best = program,
		.fails = fails,
		.arg = arg,
		.tries = tries,
	};

	while (drop_some(&shrink) && shrink.tries)
		;
	simplify(&shrink);
	drop_some(&shrink);
}
