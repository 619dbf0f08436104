/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a seed to a program.
 */
#ifndef FUZZ_GENERATOR_H
#define FUZZ_GENERATOR_H

#include "program.h"

/* A sequence of random numbers, the same for the same seed everywhere. */
struct fuzz_random {
	u64 state;
};

u64 fuzz_random(struct fuzz_random *random);

/* Below @limit, which is not 0. */
u64 fuzz_random_below(struct fuzz_random *random, u64 limit);

/* A program that fuzz_program_valid() finds valid. */
void fuzz_generate(u64 seed, struct fuzz_program *program);

#endif /* FUZZ_GENERATOR_H */
