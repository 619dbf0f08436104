// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "compare.h"

#define CONTEXT		8
#define COLUMN		58

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	line += line_length(line);
	return *line ? line + 1 : line;
}

unsigned int fuzz_difference(const char *a, const char *b)
{
	unsigned int line = 1;

	while (*a || *b) {
		size_t len = line_length(a);

		if (len != line_length(b) || memcmp(a, b, len))
			return line;
		a = next_line(a);
		b = next_line(b);
		line++;
	}
	return 0;
}

static void print_line(FILE *out, char mark, const char *a, const char *b)
{
	int len_a = line_length(a), len_b = line_length(b);

	/* What is too long for its column gets a line of its own. */
	if (mark == ' ' && len_a > COLUMN)
		fprintf(out, "#    %.*s\n", len_a, a);
	else if (len_a > COLUMN || len_b > COLUMN)
		fprintf(out, "# <  %.*s\n# >  %.*s\n", len_a, a, len_b, b);
	else
		fprintf(out, "# %c  %-*.*s | %.*s\n", mark, COLUMN, len_a, a, len_b, b);
}

void fuzz_print_difference(FILE *out, const char *name_a, const char *a,
			   const char *name_b, const char *b, unsigned int line)
{
	unsigned int i;

	fprintf(out, "# the first difference is in line %u of the traces:\n", line);
	fprintf(out, "#    %-*s | %s\n", COLUMN, name_a, name_b);
	for (i = 1; i < line + 4 && (*a || *b); i++) {
		size_t len = line_length(a);
		bool same = len == line_length(b) && !memcmp(a, b, len);

		if (i + CONTEXT >= line)
			print_line(out, same ? ' ' : '!', a, b);
		a = next_line(a);
		b = next_line(b);
	}
}
