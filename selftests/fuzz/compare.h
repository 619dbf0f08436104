/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two traces of one program, and the smallest program whose traces differ.
 */
#ifndef FUZZ_COMPARE_H
#define FUZZ_COMPARE_H

#include "program.h"
#include "trace.h"

/* Number of the first line that differs, from 1 on; 0 if none does. */
unsigned int fuzz_difference(const char *a, const char *b);

/* Print both around line @line, side by side. */
void fuzz_print_difference(FILE *out, const char *name_a, const char *a,
			   const char *name_b, const char *b, unsigned int line);

/**
 * fuzz_shrink - leave out and simplify while it still fails
 * @program:	a valid program that fails; the smaller one on return
 * @fails:	does this valid program fail?
 * @arg:	for @fails
 * @tries:	how often it may be asked
 */
void fuzz_shrink(struct fuzz_program *program,
		 bool (*fails)(const struct fuzz_program *program, void *arg),
		 void *arg, unsigned int tries);

#endif /* FUZZ_COMPARE_H */
