// SPDX-License-Identifier: BSD-3-Clause
/* listed.c - the constructors with lists of blocks: indexed, indexed_block, struct, and their forms
 * in bytes (MPI-5.0 5.1.2).
 *
 * The arrays of the call are kept twice: as given, for decoding, and in bytes, for the shape.
 * Bytes could not be divided back into elements where an extent is 0. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include <engine.h>

/* The arguments of any of these calls. */
struct listed_args {
	int combiner;
	int large;
	bool bytes; /* displacements are in bytes */
	int64_t n;
	bool one; /* all blocks have `len' elements; else lens has the numbers */
	int64_t len;
	struct haft_counts lens;
	struct haft_counts displs;
	struct type *old; /* NULL: `types' */
	struct haft_types types;
};

static int listed_missing(const struct listed_args *l)
{
	if (l->n == 0)
		return 0;
	if (l->n > TYPE_ARGS_MAX)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a datatype of %lld blocks", (long long)l->n);
	if (!l->one && l->lens.v == NULL)
		return haft_err(MPI_ERR_ARG, "array_of_blocklengths is NULL, count is %lld",
			(long long)l->n);
	if (l->displs.v == NULL)
		return haft_err(MPI_ERR_ARG, "array_of_displacements is NULL, count is %lld",
			(long long)l->n);
	if (l->old == NULL && l->types.v == NULL)
		return haft_err(
			MPI_ERR_ARG, "array_of_types is NULL, count is %lld", (long long)l->n);
	return 0;
}

static int listed_put_lens(struct type *t, const struct listed_args *l)
{
	type_put(t, l->n);
	if (l->one) {
		type_put(t, l->len);
		return 0;
	}
	for (int64_t i = 0; i < l->n; i++) {
		int64_t len = haft_count_at(l->lens, i);

		if (len < 0)
			return haft_err(MPI_ERR_COUNT,
				"array_of_blocklengths[%lld] is %lld; it must be at least 0",
				(long long)i, (long long)len);
		t->shape->lens[i] = len;
		type_put(t, len);
	}
	return 0;
}

static int listed_put_displs(struct type *t, const struct listed_args *l)
{
	for (int64_t i = 0; i < l->n; i++) {
		int64_t d = haft_count_at(l->displs, i);

		if (l->bytes) {
			type_put_addr(t, d);
			t->shape->displs[i] = d;
			continue;
		}
		type_put(t, d);
		if (__builtin_mul_overflow(d, l->old->extent, &t->shape->displs[i]))
			return haft_err(MPI_ERR_ARG,
				"array_of_displacements[%lld] is %lld elements of %lld bytes, "
				"which overflows 64 bits",
				(long long)i, (long long)d, (long long)l->old->extent);
	}
	return 0;
}

static int listed_put_types(struct type *t, const struct listed_args *l)
{
	if (l->old != NULL) {
		type_put_type(t, l->old);
		t->shape->child = l->old;
		return 0;
	}
	for (int64_t i = 0; i < l->n; i++) {
		struct type *inner = haft_type_at(l->types, i);

		if (inner == NULL)
			return haft_err(MPI_ERR_TYPE, "array_of_types[%lld] is not a datatype",
				(long long)i);
		type_put_type(t, inner);
	}
	t->shape->children = t->made->types;
	return 0;
}

static int listed_build(const struct listed_args *l, struct type **newtype)
{
	bool one = l->one, fields = l->combiner == MPI_COMBINER_STRUCT;
	struct type_room room;
	struct type *t;
	int err = listed_missing(l); /* afterwards n is small enough to compute with */

	if (err != 0)
		return err;
	room = (struct type_room){
		.counts = 1 + (one ? 1 : l->n) + (l->bytes ? 0 : l->n),
		.addrs = l->bytes ? l->n : 0,
		.types = fields ? l->n : 1,
		.lens = one ? 0 : l->n,
		.displs = l->n,
	};
	err = type_new(l->combiner, l->large, &room, &t);
	if (err != 0)
		return err;
	t->shape->kind = fields ? SHAPE_FIELDS : SHAPE_LIST;
	t->shape->n = l->n;
	t->shape->len = l->len;
	err = listed_put_lens(t, l);
	if (err == 0)
		err = listed_put_displs(t, l);
	if (err == 0)
		err = listed_put_types(t, l);
	if (err == 0)
		err = type_compute_bounds(t);
	return type_close(t, err, newtype);
}

int type_indexed(int64_t count, struct haft_counts lens, struct haft_counts displs,
	struct type *old, struct type **newtype, int large)
{
	struct listed_args l = {.combiner = MPI_COMBINER_INDEXED,
		.large = large,
		.n = count,
		.lens = lens,
		.displs = displs,
		.old = old};

	return listed_build(&l, newtype);
}

int type_create_hindexed(int64_t count, struct haft_counts lens, struct haft_counts displs,
	struct type *old, struct type **newtype, int large)
{
	struct listed_args l = {.combiner = MPI_COMBINER_HINDEXED,
		.large = large,
		.bytes = true,
		.n = count,
		.lens = lens,
		.displs = displs,
		.old = old};

	return listed_build(&l, newtype);
}

int type_create_indexed_block(int64_t count, int64_t len, struct haft_counts displs,
	struct type *old, struct type **newtype, int large)
{
	struct listed_args l = {.combiner = MPI_COMBINER_INDEXED_BLOCK,
		.large = large,
		.n = count,
		.one = true,
		.len = len,
		.displs = displs,
		.old = old};

	return listed_build(&l, newtype);
}

int type_create_hindexed_block(int64_t count, int64_t len, struct haft_counts displs,
	struct type *old, struct type **newtype, int large)
{
	struct listed_args l = {.combiner = MPI_COMBINER_HINDEXED_BLOCK,
		.large = large,
		.bytes = true,
		.n = count,
		.one = true,
		.len = len,
		.displs = displs,
		.old = old};

	return listed_build(&l, newtype);
}

int type_create_struct(int64_t count, struct haft_counts lens, struct haft_counts displs,
	struct haft_types types, struct type **newtype, int large)
{
	struct listed_args l = {.combiner = MPI_COMBINER_STRUCT,
		.large = large,
		.bytes = true,
		.n = count,
		.lens = lens,
		.displs = displs,
		.types = types};

	return listed_build(&l, newtype);
}
