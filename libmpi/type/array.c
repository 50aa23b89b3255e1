// SPDX-License-Identifier: BSD-3-Clause
/* array.c - parts of arrays: subarray and darray (MPI-5.0 5.1.3, 5.1.4).
 *
 *      dimension, fastest first      one step inside the other, each the child of the next
 *
 *      subarray   n blocks at sizes of the faster dimensions:    STRIDE
 *      darray     blocks of darg, psize * darg apart:            STRIDE
 *                 and a shorter last one, if it is this rank's:  FIELDS { STRIDE, the rest }
 *
 * The steps are inner types of the new one (type_inner): O(dimensions), however large the array is.
 * Whole dimensions are not merged here; a plan does that. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include <engine.h>

static int array_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for the dimensions of a datatype");
}

static int array_too_large(void)
{
	return haft_err(MPI_ERR_ARG, "the whole array is larger than the address space");
}

/* Checks what both constructors have: dimensions, sizes, order. */
static int array_check_dims(int ndims, const void *sizes, int order)
{
	if (ndims < 1)
		return haft_err(MPI_ERR_ARG, "ndims is %d; it must be at least 1", ndims);
	if (sizes == NULL)
		return haft_err(MPI_ERR_ARG, "the array of sizes is NULL");
	if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
		return haft_err(MPI_ERR_ARG,
			"order is %d; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
	return 0;
}

/* Dimension number of step i: the fastest is the first. */
static int array_dim(int order, int ndims, int i)
{
	return order == MPI_ORDER_FORTRAN ? i : ndims - 1 - i;
}

static void array_put_counts(struct type *t, struct haft_counts c, int n)
{
	for (int i = 0; i < n; i++)
		type_put(t, haft_count_at(c, i));
}

static void array_put_ints(struct type *t, const int *v, int n)
{
	for (int i = 0; i < n; i++)
		type_put_int(t, v[i]);
}

static void array_stride(
	struct type *t, struct type *child, int64_t first, int64_t n, int64_t len, int64_t bytes)
{
	t->shape->kind = SHAPE_STRIDE;
	t->shape->child = child;
	t->shape->first = first;
	t->shape->n = n;
	t->shape->len = len;
	t->shape->stride = bytes;
}

/* --- subarray ------------------------------------------------------------------------------- */

static int subarray_check(
	int ndims, struct haft_counts sizes, struct haft_counts subsizes, struct haft_counts starts)
{
	if (subsizes.v == NULL || starts.v == NULL)
		return haft_err(MPI_ERR_ARG, "%s is NULL",
			subsizes.v == NULL ? "array_of_subsizes" : "array_of_starts");
	for (int i = 0; i < ndims; i++) {
		int64_t all = haft_count_at(sizes, i), part = haft_count_at(subsizes, i),
			start = haft_count_at(starts, i);

		if (all < 1)
			return haft_err(
				MPI_ERR_ARG, "array_of_sizes[%d] is %lld", i, (long long)all);
		if (part < 1 || part > all)
			return haft_err(MPI_ERR_ARG, "array_of_subsizes[%d] is %lld of %lld", i,
				(long long)part, (long long)all);
		if (start < 0 || start > all - part)
			return haft_err(MPI_ERR_ARG,
				"array_of_starts[%d] is %lld: %lld from there on leave the array "
				"of %lld",
				i, (long long)start, (long long)part, (long long)all);
	}
	return 0;
}

/* Makes one step for each dimension.  *bytes becomes the extent of the whole array. */
static int subarray_steps(struct type *t, int ndims, struct haft_counts sizes,
	struct haft_counts subsizes, struct haft_counts starts, int order, struct type *old,
	int64_t *bytes)
{
	struct type *child = old;
	int err = 0;

	*bytes = old->extent;
	for (int i = 0; i < ndims && err == 0; i++) {
		int d = array_dim(order, ndims, i);
		struct type *step = i == ndims - 1 ? t : type_inner(t);
		int64_t n = haft_count_at(subsizes, d), all;

		if (step == NULL)
			return array_no_memory();
		if (__builtin_mul_overflow(*bytes, haft_count_at(sizes, d), &all))
			return array_too_large();
		/* elements of the old type follow each other, whole lines do not */
		array_stride(step, child, haft_count_at(starts, d) * *bytes, i == 0 ? 1 : n,
			i == 0 ? n : 1, *bytes);
		err = type_compute_bounds(step);
		child = step;
		*bytes = all;
	}
	return err;
}

int type_create_subarray(int ndims, struct haft_counts sizes, struct haft_counts subsizes,
	struct haft_counts starts, int order, struct type *old, struct type **newtype, int large)
{
	struct type_room room = {
		.ints = 2, .counts = 3 * (int64_t)ndims, .types = 1, .inner = ndims};
	struct type *t;
	int64_t bytes;
	int err = array_check_dims(ndims, sizes.v, order);

	if (err == 0)
		err = subarray_check(ndims, sizes, subsizes, starts);
	if (err == 0)
		err = type_new(MPI_COMBINER_SUBARRAY, large, &room, &t);
	if (err != 0)
		return err;
	type_put_int(t, ndims);
	array_put_counts(t, sizes, ndims);
	array_put_counts(t, subsizes, ndims);
	array_put_counts(t, starts, ndims);
	type_put_int(t, order);
	type_put_type(t, old);
	err = subarray_steps(t, ndims, sizes, subsizes, starts, order, old, &bytes);
	if (err == 0)
		err = type_set_bounds(t, 0, bytes);
	return type_close(t, err, newtype);
}

/* --- darray --------------------------------------------------------------------------------- */

/* One dimension of a distributed array, in MPI's words. */
struct darray_dim {
	int64_t gsize, darg, psize, r;
};

/* Coordinate of the rank in dimension d of the grid, which is row-major whatever the order. */
static int darray_coordinate(int rank, int ndims, const int *psizes, int d)
{
	for (int i = ndims - 1; i > d; i--)
		rank /= psizes[i];
	return rank % psizes[d];
}

/* The arguments of MPI_Type_create_darray that say how dimension d is distributed. */
struct darray_args {
	int rank, ndims;
	struct haft_counts gsizes;
	const int *distribs, *dargs, *psizes;
};

static int darray_dist(struct darray_dim *d, const struct darray_args *a, int i)
{
	int64_t gsize = haft_count_at(a->gsizes, i);
	int kind = a->distribs[i], darg = a->dargs[i], psize = a->psizes[i];
	bool standard = darg == MPI_DISTRIBUTE_DFLT_DARG;

	*d = (struct darray_dim){.gsize = gsize,
		.darg = darg,
		.psize = psize,
		.r = darray_coordinate(a->rank, a->ndims, a->psizes, i)};
	if (gsize < 1)
		return haft_err(MPI_ERR_ARG, "array_of_gsizes[%d] is %lld", i, (long long)gsize);
	if (kind == MPI_DISTRIBUTE_NONE) {
		d->darg = gsize;
		return 0;
	}
	if (kind != MPI_DISTRIBUTE_BLOCK && kind != MPI_DISTRIBUTE_CYCLIC)
		return haft_err(
			MPI_ERR_ARG, "array_of_distribs[%d] is %d: no distribution", i, kind);
	if (!standard && darg < 1)
		return haft_err(MPI_ERR_ARG, "array_of_dargs[%d] is %d", i, darg);
	if (standard)
		d->darg = kind == MPI_DISTRIBUTE_CYCLIC ? 1 : (gsize - 1) / psize + 1;
	if (kind == MPI_DISTRIBUTE_BLOCK && d->darg < (gsize - 1) / psize + 1)
		return haft_err(MPI_ERR_ARG,
			"array_of_dargs[%d]: %d blocks of %d are less than the %lld elements", i,
			psize, darg, (long long)gsize);
	return 0;
}

/* The elements of one dimension that are this rank's: the standard's function cyclic(). */
static int darray_cyclic(
	struct type *t, struct type *step, const struct darray_dim *d, struct type *child)
{
	int64_t ex = child->extent, all, round, tail = d->darg;
	int64_t blocks = (d->gsize - 1) / d->darg + 1;
	int64_t count = blocks / d->psize + (d->r < blocks % d->psize);
	int64_t first, stride_bytes = 0;

	if (__builtin_mul_overflow(ex, d->gsize, &all))
		return array_too_large();
	if (d->darg <= d->gsize / d->psize) { /* otherwise no rank has two blocks */
		round = d->darg * d->psize;
		stride_bytes = round * ex;
	}
	/* the last block of the array may be cut short, and belongs to one rank */
	if (count > 0 && (count - 1) * d->psize + d->r == blocks - 1)
		tail = d->gsize - (blocks - 1) * d->darg;
	first = count > 0 ? d->r * d->darg * ex : 0;
	if (count <= 1 || tail == d->darg)
		array_stride(step, child, first, count, count == 1 ? tail : d->darg, stride_bytes);
	else {
		struct type *whole = type_inner(t);
		int err;

		if (whole == NULL)
			return array_no_memory();
		array_stride(whole, child, 0, count - 1, d->darg, stride_bytes);
		err = type_compute_bounds(whole);
		if (err != 0)
			return err;
		type_inner_two(step, whole, first, child, first + (count - 1) * stride_bytes, tail);
	}
	if (type_compute_bounds(step) != 0)
		return array_too_large();
	return type_set_bounds(step, 0, all);
}

static int darray_check_grid(int size, int rank, int ndims, const int *psizes)
{
	int64_t all = 1;

	if (size < 1 || rank < 0 || rank >= size)
		return haft_err(MPI_ERR_ARG, "rank is %d of a group of size %d", rank, size);
	for (int i = 0; i < ndims; i++) {
		if (psizes[i] < 1)
			return haft_err(MPI_ERR_ARG, "array_of_psizes[%d] is %d", i, psizes[i]);
		all *= psizes[i];
		if (all > size)
			break;
	}
	if (all != size)
		return haft_err(
			MPI_ERR_ARG, "array_of_psizes does not make a grid of %d processes", size);
	return 0;
}

/* The step of dimension dim around *child, which it becomes. */
static int darray_level(struct type *t, const struct darray_args *a, int dim, struct type **child)
{
	struct type *level = type_inner(t);
	struct darray_dim d;
	int err;

	if (level == NULL)
		return array_no_memory();
	err = darray_dist(&d, a, dim);
	if (err != 0)
		return err;
	err = darray_cyclic(t, level, &d, *child);
	*child = level;
	return err;
}

/* The steps of all dimensions around the old type, and t around them. */
static int darray_levels(
	struct type *t, int ndims, int order, const struct darray_args *a, struct type *old)
{
	struct type *child = old;

	for (int i = 0; i < ndims; i++) {
		int err = darray_level(t, a, array_dim(order, ndims, i), &child);

		if (err != 0)
			return err;
	}
	array_stride(t, child, 0, 1, 1, 0);
	return type_compute_bounds(t);
}

int type_create_darray(int size, int rank, int ndims, struct haft_counts gsizes,
	const int *distribs, const int *dargs, const int *psizes, int order, struct type *old,
	struct type **newtype, int large)
{
	struct type_room room = {.ints = 4 + 3 * (int64_t)ndims,
		.counts = ndims,
		.types = 1,
		.inner = 2 * (int64_t)ndims};
	const struct darray_args a = {rank, ndims, gsizes, distribs, dargs, psizes};
	struct type *t;
	int err = array_check_dims(ndims, gsizes.v, order);

	if (err == 0 && (distribs == NULL || dargs == NULL || psizes == NULL))
		err = haft_err(MPI_ERR_ARG, "an array of distributions or of the grid is NULL");
	if (err == 0)
		err = darray_check_grid(size, rank, ndims, psizes);
	if (err == 0)
		err = type_new(MPI_COMBINER_DARRAY, large, &room, &t);
	if (err != 0)
		return err;
	type_put_int(t, size);
	type_put_int(t, rank);
	type_put_int(t, ndims);
	array_put_counts(t, gsizes, ndims);
	array_put_ints(t, distribs, ndims);
	array_put_ints(t, dargs, ndims);
	array_put_ints(t, psizes, ndims);
	type_put_int(t, order);
	type_put_type(t, old);
	err = darray_levels(t, ndims, order, &a, old);
	return type_close(t, err, newtype);
}
