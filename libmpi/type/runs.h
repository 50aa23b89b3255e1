// SPDX-License-Identifier: BSD-3-Clause
/* runs.h - where the packed form of elements is in memory or in a file: a list of contiguous runs.
 *
 *      packed       | a a a a b b b b c c c c | ...            [at, at + n): any range of bytes
 *                       └───┐└──────┐└───┐
 *      elements     . . a a a a . . b b b b c c c c . .        { off, len }, adjacent ones merged
 *
 * A list of runs is made for one range at a time, into memory of the caller.  Its start is found by
 * one division a loop, or one search a list, so nothing is ever flattened and there is no position
 * to keep.  Any thread may call these functions: they read the type's plan only. */
#ifndef HAFT_TYPE_RUNS_H
#define HAFT_TYPE_RUNS_H

#include "libmpi/core/type_object.h"

struct type_run {
	int64_t off; /* from the address of element 0; lower bounds are not added */
	int64_t len; /* bytes, > 0 */
};

/* type_runs lists where bytes [at, at + n) of the packed form of a committed type are, in the order
 * of the packed form, at most `most' > 0 runs.  Returns how many; *bytes: how much of n they cover.
 * Runs that continue each other are one, so a last run ends where the data has a gap, or at at + n.
 * n > 0, and the type has data. */
int type_runs(const struct type *t, int64_t at, int64_t n, struct type_run *run, int most,
	int64_t *bytes);

/* The offset of byte `at' of the packed form. */
int64_t type_offset(const struct type *t, int64_t at);

/* The inverse: how many bytes of the packed form come before the first byte that is at offset `off'
 * or behind it.  The type has data, and its entries are apart (map_order.h); if they overlap, the
 * result is near.  INT64_MAX: there is no such byte, because the extent is 0 or less.  O(loops),
 * O(log(list)), or O(log(size)) for a struct that is no list. */
int64_t type_offset_find(const struct type *t, int64_t off);

/* A type that is n blocks of `block' bytes, `stride' apart, the first at `off'.  n == 1: an element
 * is one block. */
struct type_comb {
	int64_t off, n, block, stride;
};

/* Is an element of this type such a comb?  The type is committed and has data. */
bool type_comb(const struct type *t, struct type_comb *c);

#endif
