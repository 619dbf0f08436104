/* SPDX-License-Identifier: GPL-2.0-only */
/* Do our module and kvm.ko lay out a structure in the same way? */
#ifndef LAYOUT_COMPARE_H
#define LAYOUT_COMPARE_H

#include <linux/types.h>
#include <stdbool.h>

#include <bpf/btf.h>

struct difference {
	char text[512];
};

/*
 * Compare the structures or unions @ours and @theirs: sizes, and the names,
 * places and kinds of all members. What a pointer points to, and what is in a
 * member that is a named structure itself, is left out: these names are compared
 * on their own.
 *
 * If they differ, @difference names the structure and the member, going down into
 * a member of another size, because it is there that the difference comes from.
 */
bool same_layout(const struct btf *our_btf, __u32 ours, const struct btf *their_btf,
		 __u32 theirs, struct difference *difference);

#endif
