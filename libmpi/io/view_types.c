// SPDX-License-Identifier: BSD-3-Clause
/* view_types.c - which types a view may have (MPI-5.0 14.3).
 *
 *      etype      |##|                   displacements increase; no overlap
 *      filetype   |##....####..|         whole etypes; holes are multiples of the etype's extent
 *      tiles      |##....####..|##....####..|       no overlap in a file that may be written
 *
 * Orders are computed over the description of a type, and combs by a congruence.  Other tiles that
 * interleave are rare: their blocks are sorted on a ring of the extent.  More than TYPES_SORTED
 * blocks are merged with those of further tiles, up to a bound; later ones are not seen.  The
 * description of a type shows mostly that it is made of whole etypes; else the first
 * TYPES_CHECKED_MAX blocks are looked at, once. */
#include "libmpi/io/view.h"

#include "libmpi/core/err.h"
#include "libmpi/type/map_order.h"
#include "libmpi/type/runs.h"
#include <stdlib.h>

#define TYPES_RUNS        128                  /* looked at together */
#define TYPES_SORTED      MEAN_OR(64, 1 << 16) /* of tiles that may overlap: sorted in some 10 ms */
#define TYPES_STEPS       (1 << 22)            /* of more: so many are compared in some 20 ms */
#define TYPES_SHIFT       (4 * TYPES_RUNS)     /* steps that a tile costs, whatever is compared */
#define TYPES_CHECKED_MAX (1 << 22)            /* blocks that must be whole etypes: in some 30 ms */

static int types_check_order(const struct io_file *f, struct type *etype, struct type *filetype)
{
	/* Data may overlap in a file that is only read.  Then the order of blocks counts. */
	bool overlap = (f->amode & MPI_MODE_RDONLY) != 0;
	unsigned low = 1u << TYPE_NONNEGATIVE, blocks = 1u << TYPE_BLOCKS;
	unsigned apart = 1u << TYPE_APART;
	int err = type_ordered(
		etype, low | (overlap ? blocks : 1u << TYPE_INCREASING | apart), "the etype");

	if (err != 0)
		return err;
	return type_ordered(filetype, low | (overlap ? blocks : 1u << TYPE_NONDECREASING | apart),
		"the filetype");
}

/* --- tiles ---------------------------------------------------------------------------------- */

/* The runs of one tile in their order, some at a time. */
struct types_cursor {
	const struct type *t;
	int64_t at; /* the packed byte behind those in run */
	int i, n;
	struct type_run run[TYPES_RUNS];
};

/* The run that is next, or NULL: there is none. */
static const struct type_run *types_next(struct types_cursor *w)
{
	int64_t bytes;

	if (w->i < w->n)
		return &w->run[w->i];
	if (w->at >= w->t->size)
		return NULL;
	w->n = type_runs(w->t, w->at, w->t->size - w->at, w->run, TYPES_RUNS, &bytes);
	w->at += bytes;
	w->i = 0;
	return &w->run[0];
}

/* Goes on to the first run that ends behind `off'. */
static const struct type_run *types_behind(struct types_cursor *w, int64_t off, int64_t *steps)
{
	const struct type_run *r;

	while ((r = types_next(w)) != NULL && r->off + r->len <= off && ++*steps < TYPES_STEPS)
		w->i++;
	return r;
}

/* Do a tile and the one that is `shift' bytes behind it overlap?  *first is where the tile has its
 * first run behind the shift; it goes on with it.  The two sequences of runs are merged. */
static bool types_shifted_overlap(struct types_cursor *first, int64_t shift, int64_t *steps)
{
	struct types_cursor front, back = {.t = first->t};
	const struct type_run *a, *b;

	types_behind(first, first->t->true_lb + shift, steps);
	front = *first;
	while ((a = types_next(&front)) != NULL && (b = types_next(&back)) != NULL &&
		++*steps < TYPES_STEPS) {
		if (a->off + a->len <= b->off + shift)
			front.i++;
		else if (b->off + shift + b->len <= a->off)
			back.i++;
		else
			return true;
	}
	return false;
}

/* The least m with low <= m * a mod p <= high, where 0 < low <= high < p and 0 <= a < p; INT64_MAX:
 * there is none, or it is too large.  (a, p) goes over to (p mod a, a), as Euclid's do. */
static int64_t types_least(int64_t a, int64_t p, int64_t low, int64_t high)
{
	int64_t multiple, reach;

	if (a == 0)
		return INT64_MAX;
	if ((low - 1) / a < high / a)
		return (low - 1) / a + 1;
	multiple = types_least(p % a, a, a - high % a, a - low % a);
	if (multiple == INT64_MAX || __builtin_mul_overflow(multiple, p, &reach) ||
		__builtin_add_overflow(reach, low, &reach))
		return INT64_MAX;
	return (reach - 1) / a + 1;
}

static int64_t types_gcd(int64_t a, int64_t b)
{
	for (int64_t rest; b != 0; a = b, b = rest)
		rest = a % b;
	return a;
}

/* Likewise for all tiles of a comb: tooth m meets the first tooth of a tile behind it, if m strides
 * are less than a block from a multiple of the extent. */
static bool types_comb_overlaps(const struct type_comb *c, int64_t extent)
{
	int64_t a = c->stride % extent, reach = c->block - 1;

	if (extent / types_gcd(extent, a) < c->n)
		return true;
	return reach > 0 && (types_least(a, extent, 1, reach) < c->n ||
				    types_least(a, extent, extent - reach, extent - 1) < c->n);
}

static int types_ring_order(const void *a, const void *b)
{
	const struct type_run *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* The runs, each where it is in the tile that has its first byte; malloc'ed.  NULL: they are too
 * many, or there is no memory. */
static struct type_run *types_in_ring(const struct type *t, size_t *n)
{
	struct types_cursor w = {.t = t};
	struct type_run *v = malloc(TYPES_SORTED * sizeof(*v));
	const struct type_run *run;

	for (*n = 0; v != NULL && (run = types_next(&w)) != NULL; w.i++) {
		if (*n == TYPES_SORTED) {
			free(v);
			return NULL;
		}
		v[(*n)++] = (struct type_run){run->off % t->extent, run->len};
	}
	return v;
}

/* Do two of these runs meet, on a ring of `extent' bytes? */
static bool types_ring_overlaps(struct type_run *v, size_t n, int64_t extent)
{
	qsort(v, n, sizeof(*v), types_ring_order);
	for (size_t i = 0; i + 1 < n; i++)
		if (v[i].len > v[i + 1].off - v[i].off)
			return true;
	return n > 0 && v[n - 1].len > v[0].off + extent - v[n - 1].off;
}

/* Too many runs: tile by tile, up to a bound. */
static bool types_merged_overlap(const struct type *t)
{
	struct types_cursor first = {.t = t};
	int64_t steps = 0;

	for (int64_t shift = t->extent; shift < t->true_extent && steps < TYPES_STEPS;
		shift += t->extent, steps += TYPES_SHIFT)
		if (types_shifted_overlap(&first, shift, &steps))
			return true;
	return false;
}

/* Has a byte of the file a place in two tiles?  The data of one tile do not overlap and are in
 * order, at no negative displacement.  Tiles are equal, so each is compared with the first. */
static bool types_tiles_overlap(const struct type *t)
{
	struct type_comb comb;
	struct type_run *v;
	bool overlap;
	size_t n;

	if (t->extent >= t->true_extent)
		return false;
	if (t->size > t->extent)
		return true;
	if (type_comb(t, &comb) && comb.stride > 0)
		return types_comb_overlaps(&comb, t->extent);
	v = types_in_ring(t, &n);
	if (v == NULL)
		return types_merged_overlap(t);
	overlap = types_ring_overlaps(v, n, t->extent);
	free(v);
	return overlap;
}

/* --- whole etypes --------------------------------------------------------------------------- */

static int types_hole(const struct type *t, int64_t unit, int64_t at)
{
	return haft_err(MPI_ERR_ARG,
		"the filetype is not made of etypes: data or a hole ends at byte %lld of its "
		"extent of %lld, and the extent of the etype is %lld",
		(long long)at, (long long)t->extent, (long long)unit);
}

static int types_check_run(const struct type *t, int64_t unit, const struct type_run *run)
{
	if ((run->off - t->lb) % unit != 0)
		return types_hole(t, unit, run->off - t->lb);
	if (run->len % unit != 0)
		return types_hole(t, unit, run->off - t->lb + run->len);
	return 0;
}

/* Looks at the blocks.  One may be in two parts, in the end of a sequence of runs and in the
 * next. */
static int types_check_blocks(const struct type *t, int64_t unit)
{
	struct types_cursor w = {.t = t};
	struct type_run block = {0, 0};
	const struct type_run *run;

	for (int64_t n = 0; n < TYPES_CHECKED_MAX && (run = types_next(&w)) != NULL; n++, w.i++) {
		if (block.len > 0 && run->off == block.off + block.len) {
			block.len += run->len;
			continue;
		}
		if (block.len > 0 && types_check_run(t, unit, &block) != 0)
			return MPI_ERR_ARG;
		block = *run;
	}
	return run == NULL && block.len > 0 ? types_check_run(t, unit, &block) : 0;
}

/* Does each block begin and end at a multiple of `unit' from the lower bound on? */
static int types_check_holes(struct type *t, int64_t unit)
{
	struct type_comb comb;
	int err;

	if (type_comb(t, &comb)) {
		struct type_run two[2] = {
			{comb.off, comb.block}, {comb.off + comb.stride, comb.block}};

		for (int i = 0; i < 2 && i < comb.n; i++)
			if (types_check_run(t, unit, &two[i]) != 0)
				return MPI_ERR_ARG;
		return 0;
	}
	err = type_is_whole(t, unit) ? 0 : types_check_blocks(t, unit);
	if (err == 0)
		type_whole_set(t, unit);
	return err;
}

static int types_check_whole(const struct type *etype, struct type *filetype)
{
	if (etype->size > 0 ? filetype->size % etype->size != 0 : filetype->size > 0)
		return haft_err(MPI_ERR_ARG,
			"the filetype has %lld bytes of data, which are not whole etypes of %lld "
			"bytes",
			(long long)filetype->size, (long long)etype->size);
	if (etype->extent <= 1 || filetype->size == 0 || etype == filetype)
		return 0;
	if (filetype->extent % etype->extent != 0)
		return types_hole(filetype, etype->extent, filetype->extent);
	return etype->dense ? types_check_holes(filetype, etype->extent) : 0;
}

int io_view_check_types(
	const struct io_file *f, struct type *etype, struct type *filetype, bool *overlaps)
{
	int err = types_check_order(f, etype, filetype);

	if (err == 0 && filetype->size > 0 && filetype->extent <= 0)
		err = haft_err(MPI_ERR_ARG, "the filetype has the extent %lld: it cannot repeat",
			(long long)filetype->extent);
	if (err == 0)
		err = types_check_whole(etype, filetype);
	*overlaps = err == 0 && (f->amode & MPI_MODE_RDONLY) == 0 && filetype->size > 0 &&
		    types_tiles_overlap(filetype);
	return err;
}
