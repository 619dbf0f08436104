// SPDX-License-Identifier: GPL-2.0-only
/* Files in the directory where Bochs runs. Failure ends Bochs, with a message. */
#ifndef RECORDER_OUTPUT_HH
#define RECORDER_OUTPUT_HH

#include <cstdint>
#include <cstdio>

class BX_CPU_C;

FILE *create_file(const char *name);
void close_file(FILE *file, const char *name);

/* Memory as the program that runs on the CPU sees it. */
void write_memory(const char *name, BX_CPU_C *core, uint64_t address, uint64_t length);

#endif
