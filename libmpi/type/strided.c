// SPDX-License-Identifier: BSD-3-Clause
/* strided.c - the constructors without lists: contiguous, vector, hvector, dup, resized (MPI-5.0
 * 5.1.2, 5.1.7, 5.1.10). */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include "libmpi/core/attr_name.h"
#include <engine.h>

static void strided_set(struct type *t, int64_t n, int64_t len, int64_t bytes, struct type *child)
{
	t->shape->kind = SHAPE_STRIDE;
	t->shape->n = n;
	t->shape->len = len;
	t->shape->stride = bytes;
	t->shape->child = child;
}

/* Makes t's data that of old. */
static void strided_same(struct type *t, struct type *old)
{
	strided_set(t, 1, 1, 0, old);
	t->shape->kind = SHAPE_SAME;
}

int type_contiguous(int64_t count, struct type *old, struct type **newtype, int large)
{
	struct type *t;
	int err = type_new(
		MPI_COMBINER_CONTIGUOUS, large, &(struct type_room){.counts = 1, .types = 1}, &t);

	if (err != 0)
		return err;
	type_put(t, count);
	type_put_type(t, old);
	strided_set(t, 1, count, 0, old);
	return type_close(t, type_compute_bounds(t), newtype);
}

int type_vector(int64_t count, int64_t blocklength, int64_t step, struct type *old,
	struct type **newtype, int large)
{
	int64_t bytes = 0;
	struct type *t;
	int err;

	if (count > 1 && blocklength > 0 && __builtin_mul_overflow(step, old->extent, &bytes))
		return haft_err(MPI_ERR_ARG,
			"a stride of %lld elements of %lld bytes overflows 64 bits",
			(long long)step, (long long)old->extent);
	err = type_new(
		MPI_COMBINER_VECTOR, large, &(struct type_room){.counts = 3, .types = 1}, &t);
	if (err != 0)
		return err;
	type_put(t, count);
	type_put(t, blocklength);
	type_put(t, step);
	type_put_type(t, old);
	strided_set(t, count, blocklength, bytes, old);
	return type_close(t, type_compute_bounds(t), newtype);
}

int type_create_hvector(int64_t count, int64_t blocklength, int64_t bytes, struct type *old,
	struct type **newtype, int large)
{
	struct type *t;
	int err;

	err = type_new(MPI_COMBINER_HVECTOR, large,
		&(struct type_room){.counts = 2, .addrs = 1, .types = 1}, &t);
	if (err != 0)
		return err;
	type_put(t, count);
	type_put(t, blocklength);
	type_put_addr(t, bytes);
	type_put_type(t, old);
	strided_set(t, count, blocklength, bytes, old);
	return type_close(t, type_compute_bounds(t), newtype);
}

int type_create_resized(
	struct type *old, int64_t lb, int64_t extent, struct type **newtype, int large)
{
	struct type *t;
	int err = type_new(
		MPI_COMBINER_RESIZED, large, &(struct type_room){.addrs = 2, .types = 1}, &t);

	if (err != 0)
		return err;
	type_put_addr(t, lb);
	type_put_addr(t, extent);
	type_put_type(t, old);
	strided_same(t, old);
	err = type_compute_bounds(t);
	if (err == 0)
		err = type_set_bounds(t, lb, extent);
	return type_close(t, err, newtype);
}

/* Copies attributes by their copy callbacks, but not the name.  The copy of a committed type is
 * committed (5.1.10). */
int type_dup(struct type *old, struct type **newtype)
{
	struct type *t;
	int err = type_new(MPI_COMBINER_DUP, 0, &(struct type_room){.types = 1}, &t);

	if (err != 0)
		return err;
	type_put_type(t, old);
	strided_same(t, old);
	err = type_close(t, type_compute_bounds(t), &t);
	if (err != 0)
		return err;
	err = haft_attr_dup(old, t);
	if (err == 0 && old->committed)
		err = type_commit(&t);
	if (err != 0) {
		obj_free_obj(t);
		return err;
	}
	*newtype = t;
	return 0;
}
