// SPDX-License-Identifier: BSD-3-Clause
/* shape.h - the structure of a derived datatype: four forms that all constructors come down to.
 *
 *   constructor                              shape                          plan (plan_build.c)
 *   contiguous, vector, hvector         ──>  STRIDE  n blocks, one stride ┐
 *   subarray, darray                    ──>  STRIDE in STRIDE             │ commit   at most 4
 *   indexed*, hindexed*                 ──>  LIST    n blocks anywhere    ├───────>  strides, runs,
 *   struct                              ──>  FIELDS  n blocks, own types  │          a kernel
 *   dup, resized                        ──>  SAME    bounds differ        ┘
 *
 * A block is `len' elements of the child, child->extent apart.  Bounds, size and extent of
 * the type itself are in struct type; the shape says only where data is.
 *
 * Invariants
 *  - A shape never changes once its type exists.  Types share nothing but references (held) to the
 *    types that they are made of.
 *  - Memory is O(the user's description): a STRIDE has no list, whatever n is.
 *  - Displacements are bytes from the address of the element, before any lower bound. */
#ifndef HAFT_TYPE_SHAPE_H
#define HAFT_TYPE_SHAPE_H

#include "libmpi/core/type_object.h"

enum shape_kind {
	SHAPE_BASIC, /* no shape: a predefined type, or an unnamed pair (part[] of the type) */
	SHAPE_SAME,
	SHAPE_STRIDE,
	SHAPE_LIST,
	SHAPE_FIELDS
};

struct type_shape {
	uint8_t kind;       /* enum shape_kind */
	int64_t n;          /* blocks */
	int64_t first;      /* STRIDE, SAME: displacement of the first block */
	int64_t stride;     /* STRIDE: bytes from block to block */
	int64_t len;        /* STRIDE, and LIST with lens NULL: elements of child in each block */
	int64_t *lens;      /* [n] LIST (or NULL: all `len'), FIELDS: elements in each block */
	int64_t *displs;    /* [n] LIST, FIELDS */
	struct type *child; /* SAME, STRIDE, LIST; lives as long as the type (struct type_made) */
	struct type **children; /* [n] FIELDS; live as long as the type */
};

struct type_plan; /* pack_plan.h: the commit's result */

#endif
