// SPDX-License-Identifier: BSD-3-Clause
/* pack_plan.h - how an element is packed: the commit's result for a type's shape.
 *
 *   NEST    off, dim[3..0] {n, stride}, block     for for for for: move `block' bytes, or a leaf
 *   RUNS    off[i], bytes from at[i] to at[i+1]   pieces of memory anywhere, in order
 *   FIELDS  field[i] {off, n, stride, sub}        n blocks, or n elements of another plan, each
 *
 *        mem:  off ─┐ xx..xx..xx..    xx..xx..xx..         dim[0] {3, 4}, dim[1] {2, 16}, block 2
 *        packed:    xxxxxxxxxxxx                           at = 0 .. 12
 *
 * A plan describes one element.  The count of a message is one more loop around it.
 *
 * Invariants
 *  - Memory is O(the user's description): loops stay loops, however many blocks they have.
 *  - Nothing of size 0 is in a plan, no dim has n == 1, and adjacent parts are merged: no two runs
 *    follow each other in memory, and no dim continues the one inside it.
 *  - A leaf is never a NEST that would have fitted into the dims around it.  Leaves and subs belong
 *    to types that this type holds (by its shape), or are in `owned'.
 *  - A plan never changes.  Any number of threads may use it. */
#ifndef HAFT_TYPE_PACK_PLAN_H
#define HAFT_TYPE_PACK_PLAN_H

#include "libmpi/core/type_object.h"
#include "libobj/base.h"

#define PLAN_DIMS      4  /* more nested loops than these become a leaf */
#define PLAN_RECORD    16 /* elements of up to so many runs are moved column by column */
#define PLAN_DEEP      MEAN_OR(2, 32)        /* deeper nesting than this is never recursion */
#define PLAN_STREAMING MEAN_OR(256, 1 << 20) /* bytes that the processor's own caches do not hold */

enum plan_kind { PLAN_NEST, PLAN_RUNS, PLAN_FIELDS };

struct plan_dim {
	int64_t n;
	int64_t stride; /* bytes in memory */
	int64_t bytes;  /* packed bytes of one round */
};

struct plan_field {
	int64_t off;                 /* from the element's address */
	int64_t at;                  /* packed bytes before it */
	int64_t n;                   /* blocks or elements of sub */
	int64_t stride;              /* between them in memory */
	int64_t block;               /* packed bytes of one */
	const struct type_plan *sub; /* NULL: `block' bytes of memory */
};

struct type_plan {
	uint8_t kind;   /* enum plan_kind */
	uint8_t dims;   /* NEST */
	uint8_t depth;  /* plans inside each other, this one included; up to PLAN_DEEP + 1 */
	bool streaming; /* NEST: an element spans PLAN_STREAMING bytes or more: prefetch */
	int64_t size;   /* packed bytes of one element; > 0 */
	int64_t off;    /* NEST: of the first block from the element's address */
	int64_t block;  /* NEST: packed bytes inside the dims; RUNS: of each run, 0: they differ */
	int64_t n;      /* RUNS, FIELDS: how many */
	const struct type_plan *leaf;   /* NEST: the plan of a block, or NULL: memory */
	int64_t *run;                   /* RUNS: [n] offsets, or NULL: run32 */
	int32_t *run32;                 /* RUNS: [n] offsets that fit */
	int64_t *at;                    /* RUNS of different lengths: [n + 1] packed bytes before */
	struct plan_field *field;       /* FIELDS: [n] */
	struct plan_field *heavy;       /* FIELDS: the one whose sub has the most bytes, or NULL */
	struct type_plan *owned;        /* list of the leaves that belong to no type */
	struct plan_dim dim[PLAN_DIMS]; /* NEST: [0] is the innermost; set up to `dims' */
};

/* Bytes of n strides.  Behind the last round of a loop there may be no address.  Then this wraps,
 * and a step back, or one of the loop around it, wraps the other way. */
static inline int64_t type_plan_advance(int64_t n, int64_t stride)
{
	return (int64_t)((uint64_t)n * (uint64_t)stride);
}

/* type_plan_new makes t->plan, or sets t->dense, in which case there is none.  Does the same for
 * uncommitted types that t is made of.  No effect on a type that has its plan. 0 or MPI_ERR_NO_MEM.
 * Under the library's lock. */
int type_plan_new(struct type *t);

/* Frees a plan, or does nothing for NULL.  The plans of the types inside its type remain. */
void type_plan_free(struct type_plan *plan);

enum plan_direction { PLAN_PACK, PLAN_UNPACK };

/* Moves bytes [at, at + n) of the packed form of elements that are `extent' apart, the first at
 * mem: PLAN_PACK from memory to packed, PLAN_UNPACK back. */
void type_plan_move(const struct type_plan *p, enum plan_direction dir, char *mem, int64_t extent,
	int64_t at, char *packed, int64_t n);

/* Moves all of n > 0 elements. */
void type_plan_move_whole(const struct type_plan *p, enum plan_direction dir, char *mem,
	int64_t extent, int64_t n, char *packed);

/* Copies `count' elements of one plan to the places of another that has equal blocks, once, without
 * a packed form in between. false: the plans differ in more than places, and nothing was done. */
bool type_plan_copy(const struct type_plan *from, const char *src, int64_t sextent,
	const struct type_plan *to, char *dst, int64_t rextent, int64_t count);

#endif
