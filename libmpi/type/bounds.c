// SPDX-License-Identifier: BSD-3-Clause
/* bounds.c - size, bounds and alignment of a type from its shape (MPI-5.0 5.1.6 to 5.1.8).
 *
 *         true_lb                     true_ub    ub = true_ub + padding
 *            v                           v       v
 *      . . . | d d d d | . . | i i i i i | . . . |        not bounded: padding rounds the extent up
 *            └──────── true_extent ──────┘                to the strictest alignment
 *            └───────────── extent ──────────────┘
 *
 * A type map consists of blocks: copies of one child whose displacements lie between two extremes.
 * Bounds need the extremes only, so the time is O(description), whatever the number of blocks.
 *
 * A child whose bounds were set (5.1.6) brings markers with it.  If there are any, they alone
 * make the bounds of the whole.  A child without data and markers has no effect. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include <mpi.h>

struct type_bounds_sum {
	bool over; /* a number did not fit */
	bool data, marks;
	bool solid;
	int64_t lo, hi;           /* of data */
	int64_t lb, ub;           /* of markers */
	int64_t size, basics, at; /* at: where the next byte of data must be if it is solid */
	uint8_t align;
};

static int64_t bounds_mul(struct type_bounds_sum *s, int64_t a, int64_t b)
{
	int64_t r;

	s->over |= __builtin_mul_overflow(a, b, &r);
	return r;
}

static int64_t bounds_add(struct type_bounds_sum *s, int64_t a, int64_t b)
{
	int64_t r;

	s->over |= __builtin_add_overflow(a, b, &r);
	return r;
}

static int64_t bounds_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t bounds_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool bounds_empty(const struct type *child)
{
	return child->size == 0 && !child->bounded;
}

/* Extends the bounds by copies of child at displacements from lo to hi. */
static void bounds_extend(
	struct type_bounds_sum *s, const struct type *child, int64_t lo, int64_t hi)
{
	if (child->size > 0) {
		int64_t from = bounds_add(s, lo, child->true_lb);
		int64_t to = bounds_add(s, bounds_add(s, hi, child->true_lb), child->true_extent);

		s->lo = s->data ? bounds_min(s->lo, from) : from;
		s->hi = s->data ? bounds_max(s->hi, to) : to;
		s->data = true;
	}
	if (child->bounded) {
		int64_t lb = bounds_add(s, lo, child->lb);
		int64_t ub = bounds_add(s, bounds_add(s, hi, child->lb), child->extent);

		s->lb = s->marks ? bounds_min(s->lb, lb) : lb;
		s->ub = s->marks ? bounds_max(s->ub, ub) : ub;
		s->marks = true;
	}
	s->align = child->align > s->align ? child->align : s->align;
}

/* Adds n * len copies: n blocks that begin between lo and hi, of len copies each. */
static void bounds_blocks(struct type_bounds_sum *s, const struct type *child, int64_t n,
	int64_t len, int64_t lo, int64_t hi)
{
	int64_t reach = bounds_mul(s, len - 1, child->extent);
	int64_t all = bounds_mul(s, n, len);

	bounds_extend(s, child, bounds_add(s, lo, bounds_min(reach, 0)),
		bounds_add(s, hi, bounds_max(reach, 0)));
	s->size = bounds_add(s, s->size, bounds_mul(s, all, child->size));
	s->basics = bounds_add(s, s->basics, bounds_mul(s, all, child->basics));
}

/* Is the data still contiguous after `len' copies at `displ'?  Sets where it must continue. */
static void bounds_follow(
	struct type_bounds_sum *s, const struct type *child, int64_t len, int64_t displ)
{
	int64_t from;

	if (child->size == 0)
		return;
	from = bounds_add(s, displ, child->true_lb);
	s->solid &= child->solid && (len == 1 || child->extent == child->size);
	s->solid &= s->size == 0 || from == s->at;
	s->at = bounds_add(s, from, bounds_mul(s, len, child->size));
}

static void bounds_stride(struct type_bounds_sum *s, const struct type_shape *p)
{
	int64_t reach;

	if (p->n == 0 || p->len == 0 || bounds_empty(p->child))
		return;
	reach = bounds_mul(s, p->n - 1, p->stride);
	bounds_follow(s, p->child, p->len, p->first);
	if (p->n > 1)
		s->solid &= p->stride == bounds_mul(s, p->len, p->child->size);
	bounds_blocks(s, p->child, p->n, p->len, bounds_add(s, p->first, bounds_min(reach, 0)),
		bounds_add(s, p->first, bounds_max(reach, 0)));
}

static void bounds_list(struct type_bounds_sum *s, const struct type_shape *p)
{
	for (int64_t i = 0; i < p->n && !s->over; i++) {
		const struct type *child = p->kind == SHAPE_FIELDS ? p->children[i] : p->child;
		int64_t len = p->lens != NULL ? p->lens[i] : p->len;

		if (len == 0 || bounds_empty(child))
			continue;
		bounds_follow(s, child, len, p->displs[i]);
		bounds_blocks(s, child, 1, len, p->displs[i], p->displs[i]);
	}
}

/* The bounds of a type without markers: its data, and the padding for arrays of it. */
static void bounds_pad(struct type_bounds_sum *s)
{
	int64_t rest;

	s->lb = s->lo;
	s->ub = s->hi;
	if (s->align == 0)
		return;
	rest = (s->hi - s->lo) & (s->align - 1); /* a power of two: no division */
	if (rest != 0)
		s->ub = bounds_add(s, s->hi, s->align - rest);
}

static int bounds_overflow(void)
{
	return haft_err(MPI_ERR_ARG, "the size or extent of the datatype overflows 64 bits");
}

static void bounds_dense(struct type *t)
{
	t->dense = t->solid && t->true_lb == 0 && t->lb == 0 && t->extent == t->size;
}

int type_compute_bounds(struct type *t)
{
	const struct type_shape *p = t->shape;
	struct type_bounds_sum s = {.solid = true};

	if (p->kind == SHAPE_STRIDE || p->kind == SHAPE_SAME)
		bounds_stride(&s, p);
	else
		bounds_list(&s, p);
	s.over |= __builtin_sub_overflow(s.hi, s.lo, &t->true_extent);
	if (!s.over && !s.marks)
		bounds_pad(&s);
	s.over |= __builtin_sub_overflow(s.ub, s.lb, &t->extent);
	if (s.over)
		return bounds_overflow();
	t->size = s.size;
	t->basics = s.basics;
	t->true_lb = s.lo;
	t->lb = s.lb;
	t->solid = s.solid;
	t->bounded = s.marks;
	t->align = s.align;
	bounds_dense(t);
	return 0;
}

int type_set_bounds(struct type *t, int64_t lb, int64_t extent)
{
	int64_t ub;

	if (__builtin_add_overflow(lb, extent, &ub))
		return bounds_overflow();
	t->lb = lb;
	t->extent = extent;
	t->bounded = true;
	bounds_dense(t);
	return 0;
}
