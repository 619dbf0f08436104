/* SPDX-License-Identifier: GPL-2.0-only */
/* What an object file knows of the kernel: all types that its own lead to. */
#ifndef LAYOUT_KNOWN_H
#define LAYOUT_KNOWN_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/btf.h>

/* A structure or union that has a name */
struct known_type {
	const char *name;
	bool is_union;
	__u32 id;
};

struct known_value {
	const char *name;
	long long value;
};

/* Both sorted by name; a name may come several times. */
struct known {
	const struct btf *btf;
	struct known_type *types;
	size_t nr_types;
	struct known_value *values;
	size_t nr_values;
};

/* Name, then structures before unions. */
int known_type_order(const struct known_type *a, const struct known_type *b);

/*
 * Collect what @btf's types from the id @first on lead to, through pointers and
 * functions too: below @first are the kernel's, of which the object has seen but
 * a part. Returns false if the BTF refers to what does not exist. Ends the program
 * if memory runs out.
 */
bool know(struct known *known, const struct btf *btf, __u32 first);

#endif
