// SPDX-License-Identifier: BSD-3-Clause
/* map_order.h - is a type map in the order of its displacements, and free of overlap (MPI-5.0
 * 14.3)?
 *
 *      { (int, 0), (int, 4), (double, 8) }     no entry begins before the last one ends
 *
 * Types of file views must have it.  It is computed over the description, not over the blocks: in a
 * loop, the second round follows the first as any round follows the one before it. */
#ifndef HAFT_TYPE_MAP_ORDER_H
#define HAFT_TYPE_MAP_ORDER_H

#include "libmpi/core/type_object.h"

enum type_rule {
	TYPE_NONNEGATIVE,   /* no displacement is negative */
	TYPE_NONDECREASING, /* no displacement is less than the one before it */
	TYPE_INCREASING,    /* each displacement is more than the one before it */
	TYPE_APART,         /* no entry begins before the one before it ends */
	TYPE_BLOCKS,        /* no block of a constructor begins before the one before it begins */
	TYPE_RULES
};

/* Where a rule is first broken: in an inner type with this combiner, between two neighbours. */
struct type_break {
	bool broken;
	uint16_t combiner;
	int64_t block;        /* number of the second one, in its list or loop */
	int64_t before, from; /* bytes: end of the first one, start of the second one */
};

struct type_order {
	int64_t first, last; /* displacements of the first and the last entry */
	int64_t end;         /* of the last entry, behind it */
	int64_t block;       /* displacement of the last block of the outermost constructor */
	uint64_t bits;       /* the displacements and lengths of all blocks, or'ed */
	int64_t whole;       /* type_whole_set; 0: nothing was kept */
	struct type_break rule[TYPE_RULES];
};

/* type_order_of computes it, or finds it where it was kept with the type.  A type without data has
 * order.  0 or MPI_ERR_NO_MEM.  Under the library's lock. */
int type_order_of(struct type *t, struct type_order *order);

/* type_ordered checks rules: bits 1U << rule.  0; MPI_ERR_IO with words that name the type as
 * `which' ("the filetype") and the block that breaks a rule; or MPI_ERR_NO_MEM.  Under the
 * library's lock. */
int type_ordered(struct type *t, unsigned rules, const char *which);

/* Is it known that each block of the type begins and ends a multiple of `unit' bytes from the lower
 * bound on?  O(1).  The description shows it if unit is a power of two; else
 * type_whole_set has said it: a caller has looked at the blocks.  After type_ordered, under the
 * library's lock. */
bool type_is_whole(const struct type *t, int64_t unit);
void type_whole_set(struct type *t, int64_t unit);

#endif
