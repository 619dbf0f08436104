// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare what a module and the kernel's kvm.ko know of the kernel's structures,
 * unions and enumerators: all names that both know must mean the same.
 *
 * usage: layout VMLINUX KVM MODULE STRUCT...
 *
 * VMLINUX has the BTF that those of KVM and MODULE build on. Each STRUCT has to be
 * among what was compared. Prints how much was. Exit status: 0 all agree, 1 there
 * is a difference, 2 something is wrong with the input, 3 VMLINUX or KVM has no
 * BTF; then with one line on stderr.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "compare.h"
#include "known.h"

#define E_DIFFERENT	1
#define E_UNUSABLE	2
#define E_NO_BTF	3

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static bool is_identifier(const char *name)
{
	if (!name)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

static bool sane_structure(const struct btf *btf, const struct btf_type *type)
{
	size_t i, n = btf_vlen(type);

	if (!is_identifier(btf__name_by_offset(btf, type->name_off)))
		return false;
	for (i = 0; i < n; i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (!is_identifier(btf__name_by_offset(btf, member->name_off)) ||
		    btf__resolve_size(btf, member->type) < 0)
			return false;
	}
	return true;
}

/*
 * BTF refers to its base by number and says nowhere which base it is. On another
 * one names start amid others, and what types refer to is of no fitting kind.
 */
static bool fits_base(const struct btf *btf, __u32 first)
{
	__u32 id, nr = btf__type_cnt(btf);

	for (id = first; id < nr; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_composite(type) && !sane_structure(btf, type))
			return false;
		if (btf_is_func(type) && !btf_is_func_proto(btf__type_by_id(btf, type->type)))
			return false;
	}
	return true;
}

/*
 * @base is NULL for the kernel's own. Without BTF in @file the status is @no_btf.
 * A module may bring a digest of its base along (.BTF.base, by pahole 1.28); libbpf
 * 1.5, which such a pahole needs itself, puts @base in its place.
 */
static struct btf *load(const char *file, struct btf *base, int no_btf)
{
	char reason[128];
	struct btf *btf;

	if (access(file, R_OK))
		err(E_UNUSABLE, "%s", file);
	btf = base ? btf__parse_split(file, base) : btf__parse(file, NULL);
	/* libbpf 1.4 went from the one to the other. */
	if (!btf && (errno == ENOENT || errno == ENODATA))
		errx(no_btf, "%s has no BTF", file);
	if (!btf) {
		libbpf_strerror(errno, reason, sizeof(reason));
		errx(E_UNUSABLE, "BTF of %s: %s", file, reason);
	}
	return btf;
}

static void load_module(struct known *known, const char *file, struct btf *base, int no_btf)
{
	__u32 first = btf__type_cnt(base);
	struct btf *btf = load(file, base, no_btf);

	if (!know(known, btf, first) || !fits_base(btf, first))
		errx(E_UNUSABLE, "%s was not built with this vmlinux", file);
}

/* The first misfit is told, and how many there are. */
struct findings {
	struct difference first;
	size_t misfits;
	size_t agreeing;
};

static void misfit(struct findings *findings, const struct difference *difference)
{
	if (!findings->misfits++)
		findings->first = *difference;
}

/*
 * One of ours against all of theirs that have its name: a name may stand for
 * several structures, each private to a file.
 */
static bool fits_any(const struct known *ours, const struct known_type *our,
		     const struct known *theirs, const struct known_type *their,
		     const struct known_type *end, struct difference *difference)
{
	for (; their < end && !known_type_order(our, their); their++)
		if (same_layout(ours->btf, our->id, theirs->btf, their->id, difference))
			return true;
	return false;
}

static void compare_types(const struct known *ours, const struct known *theirs,
			  struct findings *findings)
{
	const struct known_type *our = ours->types, *their = theirs->types;
	const struct known_type *our_end = our + ours->nr_types;
	const struct known_type *their_end = their + theirs->nr_types;
	struct difference difference;

	for (; our < our_end; our++) {
		while (their < their_end && known_type_order(their, our) < 0)
			their++;
		if (their == their_end || known_type_order(their, our))
			continue;
		if (fits_any(ours, our, theirs, their, their_end, &difference))
			findings->agreeing++;
		else
			misfit(findings, &difference);
	}
}

static void compare_values(const struct known *ours, const struct known *theirs,
			   struct findings *findings)
{
	const struct known_value *our = ours->values, *their = theirs->values;
	const struct known_value *our_end = our + ours->nr_values;
	const struct known_value *their_end = their + theirs->nr_values;
	struct difference difference;

	for (; our < our_end; our++) {
		const struct known_value *any;

		while (their < their_end && strcmp(their->name, our->name) < 0)
			their++;
		if (their == their_end || strcmp(their->name, our->name))
			continue;
		for (any = their; any < their_end && !strcmp(any->name, our->name); any++)
			if (any->value == our->value)
				break;
		if (any < their_end && !strcmp(any->name, our->name)) {
			findings->agreeing++;
			continue;
		}
		snprintf(difference.text, sizeof(difference.text),
			 "enumerator %s is %lld, in kvm.ko %lld", our->name, our->value,
			 their->value);
		misfit(findings, &difference);
	}
}

static bool knows_struct(const struct known *known, const char *name)
{
	const struct known_type wanted = { .name = name };
	size_t i;

	for (i = 0; i < known->nr_types; i++)
		if (!known_type_order(&known->types[i], &wanted))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct known ours = { 0 }, theirs = { 0 };
	struct findings findings = { 0 };
	struct btf *base;
	int i;

	if (argc < 4)
		errx(E_UNUSABLE, "usage: layout VMLINUX KVM MODULE STRUCT...");
	libbpf_set_print(silent);

	base = load(argv[1], NULL, E_NO_BTF);
	load_module(&theirs, argv[2], base, E_NO_BTF);
	load_module(&ours, argv[3], base, E_UNUSABLE);
	for (i = 4; i < argc; i++) {
		if (!knows_struct(&theirs, argv[i]))
			errx(E_UNUSABLE, "%s knows no struct %s", argv[2], argv[i]);
		if (!knows_struct(&ours, argv[i]))
			errx(E_UNUSABLE, "%s knows no struct %s", argv[3], argv[i]);
	}

	compare_types(&ours, &theirs, &findings);
	compare_values(&ours, &theirs, &findings);
	if (findings.misfits > 1)
		errx(E_DIFFERENT, "%s (and %zu more)", findings.first.text, findings.misfits - 1);
	if (findings.misfits)
		errx(E_DIFFERENT, "%s", findings.first.text);
	printf("%zu structures, unions and enumerators agree\n", findings.agreeing);
	return 0;
}
