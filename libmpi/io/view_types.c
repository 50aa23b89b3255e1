// SPDX-License-Identifier: BSD-3-Clause
/* view_types.c - which types a view may have (MPI-5.0 14.3).
 *
 *      etype      |##|                   displacements increase; no overlap
 *      filetype   |##....####..|         whole etypes; holes are multiples of the etype's extent
 *      tiles      |##....####..|##....####..|       no overlap in a file that may be written
 *
 * Orders are computed over the description of a type.  Blocks are looked at one by one where a type
 * is no comb, but only TYPES_RUNS of them: a view of many blocks must cost as little as any. */
#include "libmpi/io/view.h"

#include "libmpi/core/err.h"
#include "libmpi/type/map_order.h"
#include "libmpi/type/runs.h"
#include <stdlib.h>

#define TYPES_RUNS 128

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

static int types_before(const void *a, const void *b)
{
	const struct type_run *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* Puts the blocks of all tiles into one: byte p is byte p modulo the extent.  Returns how many
 * there are then. */
static int types_merge(const struct type *t, struct type_run *run, int n)
{
	int all = n;

	for (int i = 0; i < n; i++) {
		int64_t over;

		run[i].off %= t->extent;
		over = run[i].off + run[i].len - t->extent;
		if (over <= 0)
			continue;
		run[i].len -= over;
		run[all++] = (struct type_run){0, over};
	}
	return all;
}

/* Has a byte of the file a place in two tiles?  The data of one tile does not overlap, and is at
 * no negative displacement. */
static bool types_tiles_overlap(const struct type *t)
{
	struct type_run run[2 * TYPES_RUNS];
	int64_t bytes;
	int n;

	if (t->extent >= t->true_extent)
		return false;
	if (t->size > t->extent)
		return true;
	n = types_merge(t, run, type_runs(t, 0, t->size, run, TYPES_RUNS, &bytes));
	qsort(run, (size_t)n, sizeof(*run), types_before);
	for (int i = 1; i < n; i++)
		if (run[i].off < run[i - 1].off + run[i - 1].len)
			return true;
	return false;
}

/* --- whole etypes --------------------------------------------------------------------------- */

static int types_hole(const struct type *t, int64_t unit, int64_t at)
{
	return haft_err(MPI_ERR_ARG,
		"the filetype is not made of etypes: data or a hole ends at byte %lld of its "
		"extent of %lld, and the extent of the etype is %lld",
		(long long)at, (long long)t->extent, (long long)unit);
}

/* Does each block begin and end at a multiple of `unit' from the lower bound on? */
static int types_check_holes(const struct type *t, int64_t unit)
{
	struct type_run run[TYPES_RUNS];
	struct type_comb comb;
	int64_t bytes;
	int n;

	if (type_comb(t, &comb)) {
		run[0] = (struct type_run){comb.off, comb.block};
		run[1] = (struct type_run){comb.off + comb.stride, comb.block};
		n = comb.n > 1 ? 2 : 1;
	} else {
		n = type_runs(t, 0, t->size, run, TYPES_RUNS, &bytes);
		if (bytes < t->size)
			n--; /* the last one may be cut off */
	}
	for (int i = 0; i < n; i++) {
		if ((run[i].off - t->lb) % unit != 0)
			return types_hole(t, unit, run[i].off - t->lb);
		if (run[i].len % unit != 0)
			return types_hole(t, unit, run[i].off - t->lb + run[i].len);
	}
	return 0;
}

static int types_check_whole(const struct type *etype, const struct type *filetype)
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

int io_view_check_types(const struct io_file *f, struct type *etype, struct type *filetype)
{
	int err = types_check_order(f, etype, filetype);

	if (err == 0 && filetype->size > 0 && filetype->extent <= 0)
		err = haft_err(MPI_ERR_ARG, "the filetype has the extent %lld: it cannot repeat",
			(long long)filetype->extent);
	if (err == 0)
		err = types_check_whole(etype, filetype);
	if (err == 0 && (f->amode & MPI_MODE_RDONLY) == 0 && filetype->size > 0 &&
		types_tiles_overlap(filetype))
		err = haft_err(MPI_ERR_IO,
			"the filetype overlaps its own repetition: its extent is %lld, its data "
			"reach over %lld bytes, and %s may be written",
			(long long)filetype->extent, (long long)filetype->true_extent, f->path);
	return err;
}
