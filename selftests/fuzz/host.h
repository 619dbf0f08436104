/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Userspace's part: the virtual machines, and one run of a program.
 */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include "program.h"
#include "trace.h"

/* Run a program from the same state as any other, and tell what was seen. */
void fuzz_run(const struct fuzz_program *program, struct fuzz_trace *trace);

/* Is the host's TSC scaled for guests?  If not then all programs run unscaled. */
bool fuzz_has_tsc_scaling(void);

#endif /* FUZZ_HOST_H */
