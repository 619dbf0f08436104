// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "compare.h"

/* One side of a comparison */
struct side {
	const struct btf *btf;
	const struct btf_type *type;
};

struct place {
	char text[48];
};

static bool same_members(struct side ours, struct side theirs, const char *name,
			 struct difference *difference);

static const char *name_of(const struct btf *btf, __u32 offset)
{
	return btf__name_by_offset(btf, offset);
}

/* The type without what has no influence on the layout. */
static struct side side_of(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (btf_is_mod(type) || btf_is_typedef(type))
		type = btf__type_by_id(btf, type->type);
	return (struct side) { btf, type };
}

static struct side member_side(struct side side, size_t i)
{
	return side_of(side.btf, btf_members(side.type)[i].type);
}

static const char *member_name(struct side side, size_t i)
{
	const char *name = name_of(side.btf, btf_members(side.type)[i].name_off);

	return *name ? name : "(anonymous)";
}

/* 0 for what is no bitfield */
static __u32 bits_of(struct side side, size_t i)
{
	return btf_member_bitfield_size(side.type, i);
}

static struct place place_of(struct side side, size_t i)
{
	__u32 bit = btf_member_bit_offset(side.type, i);
	struct place place;

	if (bit % 8 || bits_of(side, i))
		snprintf(place.text, sizeof(place.text), "byte %u bit %u", bit / 8, bit % 8);
	else
		snprintf(place.text, sizeof(place.text), "byte %u", bit / 8);
	return place;
}

/* Returns the number of members if there is none of this name. */
static size_t find_member(struct side side, const char *name)
{
	size_t i, n = btf_vlen(side.type);

	for (i = 0; i < n; i++)
		if (!strcmp(member_name(side, i), name))
			break;
	return i;
}

/* False, for a difference to be told and returned at once. */
#define differ(difference, ours, name, format, ...) ({				\
	snprintf((difference)->text, sizeof((difference)->text), "%s %s: " format,	\
		 btf_is_union((ours).type) ? "union" : "struct", name, __VA_ARGS__);	\
	false;										\
})

static bool same_name(struct side ours, struct side theirs)
{
	return !strcmp(name_of(ours.btf, ours.type->name_off),
		       name_of(theirs.btf, theirs.type->name_off));
}

static bool is_anonymous(struct side side)
{
	return !*name_of(side.btf, side.type->name_off);
}

static bool same_kind(struct side ours, struct side theirs)
{
	/* Whether an enum of 8 bytes is an ENUM64 is up to pahole. */
	if (btf_is_any_enum(ours.type))
		return btf_is_any_enum(theirs.type);
	return btf_kind(ours.type) == btf_kind(theirs.type);
}

/*
 * Are two types the same, seen from the structure that they are in? @name is the
 * structure's; if there is more to say than that they are not, it is said.
 */
static bool same_shape(struct side ours, struct side theirs, const char *name,
		       struct difference *difference)
{
	if (!same_kind(ours, theirs))
		return false;

	switch (btf_kind(ours.type)) {
	case BTF_KIND_PTR:
		return true;
	case BTF_KIND_ARRAY: {
		const struct btf_array *a = btf_array(ours.type);
		const struct btf_array *b = btf_array(theirs.type);

		return a->nelems == b->nelems &&
		       same_shape(side_of(ours.btf, a->type), side_of(theirs.btf, b->type),
				  name, difference);
	}
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (!same_name(ours, theirs))
			return false;
		if (is_anonymous(ours))
			return same_members(ours, theirs, name, difference);
		return ours.type->size == theirs.type->size ||
		       same_members(ours, theirs, name_of(ours.btf, ours.type->name_off),
				    difference);
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return ours.type->size == theirs.type->size;
	default:
		return true;
	}
}

/* The members at the same index have different names or places. */
static bool displaced(struct side ours, struct side theirs, size_t i, const char *name,
		      struct difference *difference)
{
	const char *member = member_name(ours, i);
	size_t other = find_member(theirs, member);

	if (other < btf_vlen(theirs.type))
		return differ(difference, ours, name, "member %s is at %s, in kvm.ko at %s",
			      member, place_of(ours, i).text, place_of(theirs, other).text);
	return differ(difference, ours, name,
		      "member %s is at %s, in its place kvm.ko has %s at %s", member,
		      place_of(ours, i).text, member_name(theirs, i), place_of(theirs, i).text);
}

static bool same_member(struct side ours, struct side theirs, size_t i, const char *name,
			struct difference *difference)
{
	const char *member = member_name(ours, i);

	if (strcmp(member, member_name(theirs, i)) ||
	    btf_member_bit_offset(ours.type, i) != btf_member_bit_offset(theirs.type, i))
		return displaced(ours, theirs, i, name, difference);

	difference->text[0] = '\0';
	if (bits_of(ours, i) == bits_of(theirs, i) &&
	    same_shape(member_side(ours, i), member_side(theirs, i), name, difference))
		return true;
	if (!difference->text[0])
		differ(difference, ours, name, "member %s at %s is of another type in kvm.ko",
		       member, place_of(ours, i).text);
	return false;
}

static bool same_members(struct side ours, struct side theirs, const char *name,
			 struct difference *difference)
{
	size_t n = btf_vlen(ours.type), m = btf_vlen(theirs.type), i;

	for (i = 0; i < n && i < m; i++)
		if (!same_member(ours, theirs, i, name, difference))
			return false;
	if (n > m)
		return differ(difference, ours, name,
			      "member %s is at %s, in kvm.ko the structure ends at byte %u",
			      member_name(ours, m), place_of(ours, m).text, theirs.type->size);
	if (n < m)
		return differ(difference, ours, name,
			      "ends at byte %u, in kvm.ko it has a member %s at %s",
			      ours.type->size, member_name(theirs, n), place_of(theirs, n).text);
	if (ours.type->size != theirs.type->size)
		return differ(difference, ours, name, "ends at byte %u, in kvm.ko at byte %u",
			      ours.type->size, theirs.type->size);
	return true;
}

bool same_layout(const struct btf *our_btf, __u32 ours, const struct btf *their_btf,
		 __u32 theirs, struct difference *difference)
{
	struct side a = side_of(our_btf, ours), b = side_of(their_btf, theirs);

	return same_members(a, b, name_of(our_btf, a.type->name_off), difference);
}
