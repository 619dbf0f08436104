// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "known.h"

/* Ids to look at: each enters once, so that the number of types is the limit. */
struct queue {
	__u32 *ids;
	bool *seen;
	size_t nr;
	__u32 limit;
	bool broken;		/* an id was over the limit */
};

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		err(1, "%zu entries", n);
	return p;
}

static void enqueue(struct queue *queue, __u32 id)
{
	if (id >= queue->limit) {
		queue->broken = true;
		return;
	}
	if (queue->seen[id])
		return;
	queue->seen[id] = true;
	queue->ids[queue->nr++] = id;
}

static void enqueue_children(struct queue *queue, const struct btf_type *type)
{
	size_t i, n = btf_vlen(type);

	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
		enqueue(queue, type->type);
		break;
	case BTF_KIND_ARRAY:
		enqueue(queue, btf_array(type)->type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (i = 0; i < n; i++)
			enqueue(queue, btf_members(type)[i].type);
		break;
	case BTF_KIND_FUNC_PROTO:
		enqueue(queue, type->type);
		for (i = 0; i < n; i++)
			enqueue(queue, btf_params(type)[i].type);
		break;
	}
}

static bool add_type(struct known *known, const struct btf_type *type, __u32 id)
{
	const char *name = btf__name_by_offset(known->btf, type->name_off);

	if (!name)
		return false;
	if (*name)
		known->types[known->nr_types++] = (struct known_type) {
			.name = name,
			.is_union = btf_is_union(type),
			.id = id,
		};
	return true;
}

static bool add_value(struct known *known, __u32 name_off, long long value)
{
	const char *name = btf__name_by_offset(known->btf, name_off);

	if (name)
		known->values[known->nr_values++] = (struct known_value) {
			.name = name,
			.value = value,
		};
	return name;
}

static bool add_enum(struct known *known, const struct btf_type *type)
{
	size_t i, n = btf_vlen(type);

	for (i = 0; i < n; i++) {
		if (btf_is_enum64(type)) {
			const struct btf_enum64 *e = &btf_enum64(type)[i];

			if (!add_value(known, e->name_off, btf_enum64_value(e)))
				return false;
		} else {
			const struct btf_enum *e = &btf_enum(type)[i];

			/* Not every pahole tells a signed enum from an unsigned one. */
			if (!add_value(known, e->name_off, e->val))
				return false;
		}
	}
	return true;
}

int known_type_order(const struct known_type *a, const struct known_type *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : a->is_union - b->is_union;
}

/* Ids have no influence on what is found, but make the first find the same. */
static int by_name_and_id(const void *a, const void *b)
{
	const struct known_type *x = a, *y = b;
	int order = known_type_order(x, y);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_name(const void *a, const void *b)
{
	const struct known_value *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Returns the number of enumerators, or -1. */
static ssize_t walk(struct queue *queue, const struct btf *btf, __u32 first)
{
	const struct btf_type *type;
	ssize_t nr_values = 0;
	__u32 id;
	size_t i;

	for (id = first; id < queue->limit; id++)
		enqueue(queue, id);
	for (i = 0; i < queue->nr; i++) {
		type = btf__type_by_id(btf, queue->ids[i]);
		enqueue_children(queue, type);
		if (btf_is_any_enum(type))
			nr_values += btf_vlen(type);
	}
	return queue->broken ? -1 : nr_values;
}

static bool collect(struct known *known, const struct queue *queue)
{
	const struct btf_type *type;
	bool good = true;
	size_t i;

	for (i = 0; good && i < queue->nr; i++) {
		type = btf__type_by_id(known->btf, queue->ids[i]);
		if (btf_is_composite(type))
			good = add_type(known, type, queue->ids[i]);
		else if (btf_is_any_enum(type))
			good = add_enum(known, type);
	}
	return good;
}

bool know(struct known *known, const struct btf *btf, __u32 first)
{
	__u32 nr = btf__type_cnt(btf);
	struct queue queue = {
		.ids = allocate(nr, sizeof(*queue.ids)),
		.seen = allocate(nr, sizeof(*queue.seen)),
		.limit = nr,
	};
	ssize_t nr_values = walk(&queue, btf, first);
	bool good = false;

	if (nr_values >= 0) {
		known->btf = btf;
		known->types = allocate(queue.nr + 1, sizeof(*known->types));
		known->values = allocate(nr_values + 1, sizeof(*known->values));
		good = collect(known, &queue);
		qsort(known->types, known->nr_types, sizeof(*known->types), by_name_and_id);
		qsort(known->values, known->nr_values, sizeof(*known->values), by_name);
	}
	free(queue.ids);
	free(queue.seen);
	return good;
}
